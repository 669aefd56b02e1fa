"""What all panels of a drawing read: a position, and who looks at it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..engine.material import CURRENCIES, N_VALUES
from ..options import Hands, hands_name
from .aid import Standing, standing
from .marks import LastAction, Marked, Marks, read_marks
from .outline import longest_wall, tiles_of


class Panel(NamedTuple):
    """A part of a drawing that can be shown alone."""

    width: int
    height: int
    body: str
    """Elements of SVG, from 0, 0 to the width and height. They refer to `definitions`."""
    title: str
    """What it shows, for people who do not see it."""


class Position(NamedTuple):
    """A snapshot with all that a drawing says about it."""

    snapshot: dict[str, Any]
    observer: int | None
    names: Sequence[str]
    shown_hands: frozenset[int]
    """The seats whose cards are drawn."""
    marked: Marked
    walls: list[int]
    standing: Standing

    @property
    def is_over(self) -> bool:
        """Has the game ended?"""
        return bool(self.snapshot["phase"] == "over")

    @property
    def winners(self) -> list[int]:
        """The seats with the most points, once the game is over (R28)."""
        scores = self.snapshot["scores"]
        return [s for s, score in enumerate(scores) if self.is_over and score == max(scores)]


def read_position(
    snapshot: dict[str, Any],
    observer: int | None,
    names: Sequence[str] | None,
    hands: Hands,
    last: LastAction | None,
    marks: Marks | None,
) -> Position:
    """Check the arguments of a drawing, and compute what several panels show."""
    seats = range(snapshot["num_players"])
    if observer is not None and observer not in seats:
        raise ValueError(f"the observer must be a seat, 0 to {len(seats) - 1}, or None")
    names = [f"Seat {seat}" for seat in seats] if names is None else list(names)
    if len(names) != len(seats):
        raise ValueError(f"{len(seats)} players have {len(seats)} names, not {len(names)}")
    knows_hands = hands_name(hands) == "open" or observer is None
    shown = frozenset(seats if knows_hands else [seat for seat in seats if seat == observer])
    walls = [len(longest_wall(tiles_of(city))) for city in snapshot["cities"]]
    marked = read_marks(marks, last, snapshot["cities"])
    return Position(snapshot, observer, names, shown, marked, walls, standing(snapshot, walls))


def cards_in(counts: list[list[int]]) -> list[tuple[int, int, int]]:
    """Return the cards that a snapshot counts: currency, value, and which of its copies."""
    return [
        (currency, value + 1, copy)
        for currency in range(len(CURRENCIES))
        for value in range(N_VALUES)
        for copy in range(counts[currency][value])
    ]
