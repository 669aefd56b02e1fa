"""The building rules for a whole city, by flood fill over the whole grid (R15-R18, E2).

Slow and simple, and independent of the local rules in `city` that games are played by, so that
`check` can compare the two.
"""

import numpy as np

from .arrays import Array
from .grid import COLUMN, FOUNTAIN_CELL, MAX_EXTENT, N_CELLS, NEIGHBOURS, ROW, SIZE
from .jit import jit
from .material import N_SIDES, NONE, TILE_WALLS


@jit
def has_matching_sides(city: Array, cell: int) -> bool:
    """Does the tile here meet wall with wall and open side with open side? (R15)"""
    for side in range(N_SIDES):
        other = city[NEIGHBOURS[cell, side]]
        if other != NONE:
            here = TILE_WALLS[city[cell]] >> side & 1
            there = TILE_WALLS[other] >> (side + 2) % N_SIDES & 1
            if here != there:
                return False
    return True


@jit
def is_reached_on_foot(city: Array) -> bool:
    """Can every tile be reached from the fountain through open sides? (R16, which implies R17)"""
    return flood(city, FOUNTAIN_CELL, False) == (city != NONE).sum()


@jit
def flood(city: Array, start: int, over_empty: bool) -> int:
    """Return how many cells are reached from `start`: over empty cells, or on foot over tiles."""
    seen = np.zeros(N_CELLS, np.bool_)
    cells = np.empty(N_CELLS, np.int64)  # reached cells, in order
    seen[start] = True
    cells[0] = start
    reached = 1
    done = 0
    while done < reached:
        cell = cells[done]
        done += 1
        for side in range(N_SIDES):
            there = NEIGHBOURS[cell, side]
            if seen[there] or (city[there] == NONE) != over_empty:
                continue
            if over_empty or TILE_WALLS[city[cell]] >> side & 1 == 0:
                seen[there] = True
                cells[reached] = there
                reached += 1
    return reached


@jit
def is_within_extent(city: Array) -> bool:
    """Does the city occupy at most 17 rows and 17 columns? (E2)"""
    rows = np.zeros(SIZE, np.int64)
    columns = np.zeros(SIZE, np.int64)
    for cell in range(N_CELLS):
        if city[cell] != NONE:
            rows[ROW[cell]] = 1
            columns[COLUMN[cell]] = 1
    return rows.sum() <= MAX_EXTENT and columns.sum() <= MAX_EXTENT


@jit
def is_without_hole(city: Array) -> bool:
    """Are all empty cells joined with each other by sides, and so with the outside? (R18)"""
    start = 0
    while city[start] != NONE:
        start += 1
    return flood(city, start, True) == (city == NONE).sum()
