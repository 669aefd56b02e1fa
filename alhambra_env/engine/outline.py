"""The outline of a city and the longest outer wall on it (R24).

A city has no hole, so its outer sides form one closed curve. Walking along it clockwise, with the
city on the right, the next outer side after the north side of tile x is one of three:

      . .        . .         . z            z is there:           its west side
      x .        x y         x y            only y is there:      its north side
    (x, east)  (y, north)  (z, west)        neither:              the east side of x

and likewise for the other sides, turned.
"""

from typing import Final

from .arrays import Array
from .grid import FOUNTAIN_CELL, NEIGHBOURS, RING
from .jit import jit
from .material import N_SIDES, NONE, TILE_WALLS

NORTH: Final = 0


@jit
def northmost(city: Array) -> int:
    """Return a cell of the city whose north side is on the outline."""
    cell = FOUNTAIN_CELL
    while city[NEIGHBOURS[cell, NORTH]] != NONE:
        cell = NEIGHBOURS[cell, NORTH]
    return cell


@jit
def next_side(city: Array, cell: int, side: int) -> tuple[int, int]:
    """Return the cell and side that follow on the outline, clockwise."""
    ahead = (side + 1) % N_SIDES
    diagonal = RING[cell, 2 * side + 1]
    if city[diagonal] != NONE:
        return diagonal, (side + 3) % N_SIDES
    straight = NEIGHBOURS[cell, ahead]
    if city[straight] != NONE:
        return straight, side
    return cell, ahead


@jit
def wall_and_openings(city: Array) -> tuple[int, int]:
    """Return the length of the longest wall, and how many sides of the outline are open.

    The city can still grow at the open sides.
    """
    start = northmost(city)
    cell, side = start, NORTH
    longest = 0
    run = 0
    first_run = 0  # the wall at the start of the walk, which its end may continue
    openings = 0
    while True:
        if TILE_WALLS[city[cell]] >> side & 1:
            run += 1
        else:
            if openings == 0:
                first_run = run
            openings += 1
            longest = max(longest, run)
            run = 0
        cell, side = next_side(city, cell, side)
        if cell == start and side == NORTH:
            # If the whole outline is wall, the first run never ended.
            return max(longest, run + first_run), openings


@jit
def longest_wall(city: Array) -> int:
    """Return the length of the longest unbroken stretch of outer wall."""
    return wall_and_openings(city)[0]


@jit
def outline_swapped(city: Array, cell: int, tile: int) -> tuple[int, int]:
    """`wall_and_openings` with another tile on the cell; the city is not changed."""
    old = city[cell]
    city[cell] = tile
    wall, openings = wall_and_openings(city)
    city[cell] = old
    return wall, openings
