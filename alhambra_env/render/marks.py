"""What is marked in a drawing: the last action, and what a page marks as legal or hinted.

A mark has a key, which says what is marked in the words of the data attributes:

    cell:-1,0     a cell of the city of the seat to play
    slot:2        a market slot
    open:0        an open money card
    hand:3:7      a card of the hand drawn: currency and value; `hand:3:7:1` its second copy
    tile:41       a tile in a reserve, bought, picked or won
    dirk          the tiles of Dirk
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from ..actions import decode
from ..engine.grid import unfolded
from .outline import Cell

Mark = Literal["legal", "hinted", "selected"]
"""What a page says of something: it can be chosen, it is proposed, or it has been chosen."""

Marks = Mapping[str, Mark]
"""What is marked, by its key."""

LastAction = tuple[int, int]
"""The seat that played the last action, and the action."""

_MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
_KEY: Final = re.compile(
    r"cell:-?\d{1,2},-?\d{1,2}|slot:[0-3]|open:[0-3]|hand:[0-3]:[1-9](:[0-2])?|tile:\d{1,2}|dirk",
    re.ASCII,
)


class Marked(NamedTuple):
    """All that is marked in a drawing."""

    chosen: Marks
    last: dict[str, Any]
    """What the last action changed: the seat, and what it did there."""
    has_sites: bool
    """Is there a cell to choose? Then a city has room for a tile on each side."""

    def of(self, key: str) -> str:
        """Return the class of the mark of something, or nothing."""
        return self.chosen.get(key, "")

    def cells(self) -> dict[Cell, Mark]:
        """Return the marked cells of the city of the seat to play."""
        return {_cell(key): mark for key, mark in self.chosen.items() if key.startswith("cell:")}


def read_marks(
    marks: Marks | None, last: LastAction | None, cities: Sequence[list[list[int]]]
) -> Marked:
    """Check the marks and explain the last action; `cities` are those of the snapshot.

    Raises:
        ValueError: a mark has a key or a name that does not exist.
    """
    chosen = dict(marks or {})
    for key, mark in chosen.items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} cannot be marked; see alhambra_env.render.marks")
        if mark not in _MARKS:
            raise ValueError(f"{mark!r} is no mark; there are {', '.join(_MARKS)}")
    return Marked(chosen, _explain(last, cities), marks is not None)


def _cell(key: str) -> Cell:
    dy, dx = key.removeprefix("cell:").split(",")
    return int(dy), int(dx)


def _explain(last: LastAction | None, cities: Sequence[list[list[int]]]) -> dict[str, Any]:
    if last is None:
        return {}
    seat, action = last
    kind, args = decode(action)
    changed: dict[str, Any] = {"seat": seat, "kind": kind}
    if kind == "take":
        changed["open"] = args
    elif kind == "buy":
        changed["slot"] = args[0]
    elif kind in ("put", "remove"):
        changed["cell"] = unfolded(args, [(dy, dx) for _, dy, dx in cities[seat]])
    elif kind == "pick":
        changed["tile"] = args[0]
    return changed
