"""The action space: which numbers stand for which kind of action.

`ACTIONS` is the table: one flat range of numbers, the same for every edition and player count.
`alhambra_env.actions` gives the numbers names.
"""

from typing import Final, NamedTuple

from .grid import N_CELLS
from .material import N_SLOTS, N_TILES, N_VALUES
from .payments import N_PAYMENTS

ENCODING_VERSION: Final = 1
"""Rises whenever a number gets a meaning or changes it. Records and checkpoints carry it.

1 added `overpay`; the other numbers mean the same as in 0."""


class Kind(NamedTuple):
    """A range of actions of one kind."""

    name: str
    start: int
    size: int
    meaning: str

    @property
    def end(self) -> int:
        """The first number after the range."""
        return self.start + self.size


def _lay_out(*kinds: tuple[str, int, str]) -> tuple[Kind, ...]:
    table: list[Kind] = []
    for kind, size, meaning in kinds:
        table.append(Kind(kind, table[-1].end if table else 0, size, meaning))
    return tuple(table)


ACTIONS: Final = _lay_out(
    ("take", 2**N_SLOTS - 1, "take these open money cards (a set, as a bit mask 1 to 15)"),
    ("buy", N_SLOTS * N_PAYMENTS, "buy the tile in this market slot with this payment"),
    ("pick", N_TILES, "pick this tile: of the reserve, to rebuild; or bought, to place it next"),
    ("remove", N_CELLS, "rebuild: move the city tile on this cell to the reserve"),
    ("put", N_CELLS, "put the picked tile on this cell; on a city tile it is a swap"),
    ("store", 1, "move the picked tile to the reserve"),
    ("give", 1, "give the picked tile to Dirk"),
    ("pass", 1, "decline the extra action, or pass if nothing else is legal"),
    ("overpay", N_VALUES, "after an exact purchase: pay one more card of this value and stop"),
)
"""The kinds of actions in order of their numbers."""

TAKE, BUY, PICK, REMOVE, PUT, STORE, GIVE, PASS, OVERPAY = (kind.start for kind in ACTIONS)

N_ACTIONS: Final = ACTIONS[-1].end
