"""The five rulebooks, and the points on which they differ.

An `Edition` is a rulebook, or one with some points changed. A game's record holds the points, not
the name: the rules read nothing else.
"""

from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, Final, Literal, NamedTuple, get_args

from .material import MAX_PLAYERS, MIN_PLAYERS

EditionName = Literal["german", "portuguese", "czech", "polish", "italian"]
"""Which rulebook to follow."""

EDITION_NAMES: Final[tuple[EditionName, ...]] = get_args(EditionName)


class _Points(NamedTuple):
    """What one rulebook says where the books differ."""

    scoring_card_on_top: bool
    leftovers_by_cards: bool
    may_decline: bool
    min_players: int


_BOOKS: Final[dict[EditionName, _Points]] = {
    #                     on top  by cards decline players
    "german":     _Points(False,  False,   False,  2),
    "portuguese": _Points(False,  False,   False,  2),
    "czech":      _Points(False,  False,   False,  2),
    "polish":     _Points(False,  True,    True,   2),
    "italian":    _Points(True,   True,    True,   3),
}  # fmt: skip

assert tuple(_BOOKS) == EDITION_NAMES

_AS_IN_THE_BOOK: Final[Any] = None


@dataclass(frozen=True)
class Edition:
    """A rulebook, or one with some points changed; points that are not given are as in the book.

    >>> Edition("polish", leftovers_by_cards=False).text
    'polish:leftovers_by_cards=no'

    Raises:
        ValueError: for a book or a value that does not exist.
    """

    book: EditionName = "german"
    """The rulebook."""
    _: KW_ONLY
    scoring_card_on_top: bool = _AS_IN_THE_BOOK
    """The scoring card lies on top of its pile instead of anywhere in it (R7)."""
    leftovers_by_cards: bool = _AS_IN_THE_BOOK
    """Leftover tiles go by the number of cards instead of their value (R25)."""
    may_decline: bool = _AS_IN_THE_BOOK
    """The extra action after an exact payment may be declined (R10)."""
    min_players: int = _AS_IN_THE_BOOK
    """The fewest players: 3 where the book does not describe the game for two."""

    def __post_init__(self) -> None:
        if self.book not in EDITION_NAMES:
            raise ValueError(f"book must be one of {', '.join(EDITION_NAMES)}, not {self.book!r}")
        for name, said in _BOOKS[self.book]._asdict().items():
            value = getattr(self, name)
            if value is _AS_IN_THE_BOOK:
                object.__setattr__(self, name, said)
            elif type(value) is not type(said):
                kind = "true or false" if isinstance(said, bool) else "a whole number"
                raise ValueError(f"{name} must be {kind}, not {value!r}")
        if not MIN_PLAYERS <= self.min_players <= MAX_PLAYERS:
            raise ValueError(
                f"min_players must be {MIN_PLAYERS} to {MAX_PLAYERS}, not {self.min_players}"
            )

    @property
    def text(self) -> str:
        """The edition as text: its book, and the points on which it differs from the book."""
        changes = [
            f"{name}={_word(getattr(self, name))}"
            for name, said in _BOOKS[self.book]._asdict().items()
            if getattr(self, name) != said
        ]
        return ":".join([self.book, *([",".join(changes)] if changes else [])])


def _word(value: bool | int) -> str:
    if isinstance(value, bool):
        return YES if value else NO
    return str(value)


YES: Final = "yes"
NO: Final = "no"

POINTS: Final = tuple(field.name for field in fields(Edition))[1:]
"""The names of the points on which editions differ."""

EDITIONS: Final = tuple(Edition(name) for name in EDITION_NAMES)
"""The rulebooks as they are, in the order of their names."""
