"""The grid of a city: a torus of 19 x 19 cells, so that no city reaches an edge.

The fountain lies on the middle cell. The cell `dy` south and `dx` east of it is
`((9 + dy) mod 19) * 19 + (9 + dx) mod 19`:

            dx -9   ...    0   ...    9
    dy -9       0   ...    9   ...   18
       ...    ...
        0     171   ...  180   ...  189      180: the fountain
       ...    ...
        9     342   ...  351   ...  360

A city is at most 17 cells wide and high (E2), wherever it lies, so it never touches itself around
the torus, and rules about neighbouring cells hold as on a plane.
"""

from typing import Final

import numpy as np

from .material import N_SIDES

SIZE: Final = 19
N_CELLS: Final = SIZE * SIZE
MIDDLE: Final = SIZE // 2
FOUNTAIN_CELL: Final = MIDDLE * SIZE + MIDDLE
MAX_EXTENT: Final = 17
"""The most rows, and the most columns, that a city may occupy (E2)."""


def cell_at(dy: int, dx: int) -> int:
    """Return the cell `dy` south and `dx` east of the fountain."""
    return (MIDDLE + dy) % SIZE * SIZE + (MIDDLE + dx) % SIZE


def offset_of(cell: int) -> tuple[int, int]:
    """Return `(dy, dx)` of a cell, each -9 to 9."""
    return cell // SIZE - MIDDLE, cell % SIZE - MIDDLE


# The eight cells around a cell, clockwise from north; the even ones share a side with it.
#
#     7 0 1
#     6 . 2
#     5 4 3
_AROUND: Final = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))

N_RING: Final = len(_AROUND)


def _shifted(dy: int, dx: int) -> list[int]:
    offsets = (offset_of(cell) for cell in range(N_CELLS))
    return [cell_at(y + dy, x + dx) for y, x in offsets]


# Unsigned and small: the compiler sees that no index is negative, and the tables stay in the cache.
RING: Final = np.array([_shifted(dy, dx) for dy, dx in _AROUND], dtype=np.uint16).T.copy()
"""The cells around each cell: [cell, 0..7], as in the drawing above."""

NEIGHBOURS: Final = RING[:, ::2].copy()
"""The cells that share a side with each cell: [cell, side]."""

ROW: Final = np.arange(N_CELLS) // SIZE
COLUMN: Final = np.arange(N_CELLS) % SIZE

assert NEIGHBOURS.shape == (N_CELLS, N_SIDES)


def _has_one_run(ring: int) -> bool:
    starts = sum(ring >> i & 1 and not ring >> (i - 1) % N_RING & 1 for i in range(N_RING))
    return starts == 1 or ring == (1 << N_RING) - 1


ONE_RUN: Final = np.array([_has_one_run(ring) for ring in range(1 << N_RING)])
"""For a set of cells of the ring: are they one unbroken run around it? (R18)"""


def true_offsets(cells: list[int]) -> list[tuple[int, int]]:
    """Return the offsets from the fountain of a city's cells, not folded around the torus.

    The cell of the fountain may be left out.
    """
    return list(
        zip(
            _unroll([cell // SIZE for cell in cells]),
            _unroll([cell % SIZE for cell in cells]),
            strict=True,
        )
    )


def unfolded(offset: tuple[int, int], city: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the true offset of a cell in or beside a city, given as an action names it.

    Actions fold offsets around the torus. `city` has the true offsets of its tiles.
    """
    return true_offsets([cell_at(*offset), *(cell_at(*each) for each in city)])[0]


def _unroll(lines: list[int]) -> list[int]:
    # A city is connected, so the rows it occupies are one range that holds the fountain's row. A
    # row south of that range has been wrapped around from the north.
    used = {*lines, MIDDLE}
    reach = 0
    while reach < MAX_EXTENT and (MIDDLE + reach + 1) % SIZE in used:
        reach += 1
    ahead = [(line - MIDDLE) % SIZE for line in lines]
    return [d if d <= reach else d - SIZE for d in ahead]
