"""Building sites: the cells where a city can grow, and what a tile there does to its outline (R24).

Going along the outline clockwise, the sides that face a site follow each other, since its
neighbours form one run (R18). A tile there removes these sides from the outline and adds its own
free sides in their place. Everything else stays, so the new longest wall follows from a few numbers
that are computed once for each site. Here a and b replace x and y:

    before --+       after              before --+-- a --+        after
             | x         |                               | b         |
             +---- y ----+                               +-----------+
"""

from typing import Final

import numpy as np

from .arrays import Array
from .city import ACCEPTS, border_of, can_extend
from .grid import NEIGHBOURS
from .jit import borrow, jit
from .material import N_SIDES, N_TILES, NONE, TILE_WALLS
from .outline import NORTH, next_side, northmost
from .state import State

MOST_SIDES: Final = 2 * (N_TILES + 1) + 2
"""Sides of the longest outline: all tiles and the fountain in a row."""

CELL, ACCEPTED, FIRST_FREE, N_FREE, BEFORE, AFTER, ELSEWHERE, REST, OPEN_REST = range(9)
"""The columns of a row of notes about a site.

Its cell · the sets of walls that it accepts, as bits · the first free side of a tile there,
clockwise, and how many there are · the wall that ends where these start, the one that starts where
they end, and the longest of all others · how many sides of the outline stay, and how many of these
are open.
"""

N_NOTES: Final = OPEN_REST + 1


def _free_sides() -> Array:
    table = np.zeros((1 << N_SIDES, N_SIDES, N_SIDES, 4), dtype=np.int8)
    for walls in range(1 << N_SIDES):
        for first in range(N_SIDES):
            for count in range(1, N_SIDES):
                sides = [walls >> (first + i) % N_SIDES & 1 for i in range(count)]
                runs = [len(run) for run in "".join(map(str, sides)).split("0")]
                table[walls, first, count] = runs[0], runs[-1], max(runs), count - sum(sides)
    return table


_FREE: Final = _free_sides()
"""For `[walls, first free side, how many are free]` of a tile: the length of the wall at the start
of the free sides, of the one at their end, of the longest, and how many sides are open."""


@jit
def survey(state: State, seat: int) -> tuple[Array, int]:
    """Return the sites of a city, a row of notes for each, and how many open sides it has."""
    sites = np.empty((MOST_SIDES, N_NOTES), np.int32)
    count, openings = write_sites(state, seat, sites)
    return sites[:count], openings


@jit
def write_sites(state: State, seat: int, out_sites: Array) -> tuple[int, int]:
    """Write the notes of each site of a city. Return how many sites and open sides there are."""
    work = np.empty((7, MOST_SIDES + 1), np.int16)  # one allocation, because that is cheaper
    return write_sites_with(work, state, seat, out_sites)


@jit
def write_sites_with(work: Array, state: State, seat: int, out_sites: Array) -> tuple[int, int]:
    """`write_sites` with memory to work with."""
    work, out_sites = borrow(work), borrow(out_sites)
    city = state.city[seat]
    beyond, facing, has_wall = work[0], work[1], work[2]
    length = write_outline(city, beyond, facing, has_wall)
    openings = 0
    for i in range(length):
        openings += 1 - has_wall[i]
    if openings == 0:
        return 0, openings
    before, after, most_before, most_after = work[3], work[4], work[5], work[6]
    measure_walls(length, has_wall, before, after, most_before, most_after)
    head, tail = after[0], before[length]  # one wall, across the start of the walk
    count = 0
    end = 0
    while end < length:
        start = end
        cell = beyond[start]
        n_open = 0
        while end < length and beyond[end] == cell:
            n_open += 1 - has_wall[end]
            end += 1
        if n_open == 0 or not can_extend(state, seat, cell):
            continue
        elsewhere = max(most_before[start], most_after[end])
        if start >= head and end <= length - tail:
            elsewhere = max(elsewhere, head + tail)
        site = out_sites[count]
        site[CELL] = cell
        site[ACCEPTED] = ACCEPTS[border_of(city, cell)]
        # The first removed side meets the opposite side of the tile; the one after that is free.
        site[FIRST_FREE] = (facing[start] + N_SIDES // 2 + 1) % N_SIDES
        site[N_FREE] = N_SIDES - (end - start)
        # A wall that reaches the start of the walk continues beyond it, up to the site.
        goes_on_back = before[start] == start
        goes_on = after[end] == length - end
        site[BEFORE] = before[start] + (min(tail, length - end) if goes_on_back else 0)
        site[AFTER] = after[end] + (min(head, start) if goes_on else 0)
        site[ELSEWHERE] = elsewhere
        site[REST] = length - (end - start)
        site[OPEN_REST] = openings - n_open
        count += 1
    return count, openings


@jit
def write_outline(city: Array, out_beyond: Array, out_facing: Array, out_has_wall: Array) -> int:
    """Write for each side of the outline: the cell beyond, which side it is, and if it has a wall.

    It starts where the cell beyond changes, so that all sides of a site are adjacent. Returns how
    many sides there are.
    """
    cell, side = northmost(city), NORTH
    beyond = NEIGHBOURS[cell, side]
    while NEIGHBOURS[cell, side] == beyond:
        cell, side = next_side(city, cell, side)
    start, start_side = cell, side
    length = 0
    while length == 0 or cell != start or side != start_side:
        out_beyond[length] = NEIGHBOURS[cell, side]
        out_facing[length] = side
        out_has_wall[length] = TILE_WALLS[city[cell]] >> side & 1
        length += 1
        cell, side = next_side(city, cell, side)
    return length


@jit
def measure_walls(
    length: int,
    has_wall: Array,
    out_before: Array,
    out_after: Array,
    out_most_before: Array,
    out_most_after: Array,
) -> None:
    """Write, by position, the walls that end and start there, and the longest before and after."""
    out_before[0] = 0
    out_most_before[0] = 0
    for i in range(length):
        out_before[i + 1] = out_before[i] + 1 if has_wall[i] else 0
        out_most_before[i + 1] = max(out_most_before[i], out_before[i + 1])
    out_after[length] = 0
    out_most_after[length] = 0
    for i in range(length - 1, -1, -1):
        out_after[i] = out_after[i + 1] + 1 if has_wall[i] else 0
        out_most_after[i] = max(out_most_after[i + 1], out_after[i])


@jit
def is_accepted(site: Array, tile: int) -> bool:
    """May this tile be put on the site?"""
    return site[ACCEPTED] >> TILE_WALLS[tile] & 1 != 0


@jit
def outline_with(site: Array, tile: int) -> tuple[int, int]:
    """Return the longest wall and the number of open sides with a tile on the site."""
    free = site[N_FREE]
    first, last, longest, n_open = _FREE[TILE_WALLS[tile], site[FIRST_FREE], free]
    if first == free:
        if site[BEFORE] == site[REST]:
            wall = site[REST] + free
        else:
            wall = max(site[ELSEWHERE], site[BEFORE] + free + site[AFTER])
    elif site[BEFORE] == site[REST]:
        wall = site[REST] + first + last
    else:
        wall = max(site[ELSEWHERE], longest, site[BEFORE] + first, last + site[AFTER])
    return wall, site[OPEN_REST] + n_open


@jit
def site_on(sites: Array, cell: int) -> int:
    """Return the index of the site on a cell, or NONE."""
    for i in range(len(sites)):
        if sites[i, CELL] == cell:
            return i
    return NONE
