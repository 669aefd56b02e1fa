"""The building rules on an infinite plane, written to be obviously correct, not fast.

A city is a dictionary from `(dy, dx)`, seen from the fountain, to the tile there; the fountain is
in it. It shares only the list of tiles with the engine: no torus, no neighbour tables, no
local tests. Each rule is checked on the whole city, by flood fill.
"""

from collections.abc import Iterable
from typing import Final

from alhambra_env.engine.material import FOUNTAIN, TILES

Cell = tuple[int, int]
City = dict[Cell, int]

START: Final[City] = {(0, 0): FOUNTAIN}

MAX_EXTENT: Final = 17

STEP: Final = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}

WALLS: Final = [*(tile.walls for tile in TILES), ""]
"""The walls of each tile; the last entry is the fountain."""


def beside(cell: Cell, side: str) -> Cell:
    """Return the cell next to this one."""
    dy, dx = STEP[side]
    return cell[0] + dy, cell[1] + dx


def around(cell: Cell) -> list[Cell]:
    """Return the four cells that share a side with this one."""
    y, x = cell
    return [(y - 1, x), (y, x + 1), (y + 1, x), (y, x - 1)]


# --- what makes a city ------------------------------------------------------------------------


def is_city(tiles: City) -> bool:
    """Do tiles that lie like this obey all the building rules?"""
    return (
        tiles.get((0, 0)) == FOUNTAIN
        and has_matching_sides(tiles)
        and is_within_extent(tiles)
        and is_reached_on_foot(tiles)
        and is_without_hole(tiles)
    )


def has_matching_sides(tiles: City) -> bool:
    """Is there, between any two neighbours, a wall on both sides or on none? (R15)"""
    for (y, x), tile in tiles.items():
        east = tiles.get((y, x + 1))
        if east is not None and ("E" in WALLS[tile]) != ("W" in WALLS[east]):
            return False
        south = tiles.get((y + 1, x))
        if south is not None and ("S" in WALLS[tile]) != ("N" in WALLS[south]):
            return False
    return True


def is_reached_on_foot(tiles: City) -> bool:
    """Can every tile be reached from the fountain, over tiles, through open sides? (R16, R17)"""
    reached = {(0, 0)}
    edge = [(0, 0)]
    while edge:
        cell = edge.pop()
        for side in STEP:
            there = beside(cell, side)
            if side not in WALLS[tiles[cell]] and there in tiles and there not in reached:
                reached.add(there)
                edge.append(there)
    return len(reached) == len(tiles)


def is_without_hole(tiles: City) -> bool:
    """Is every empty cell joined by sides to the outside? (R18)"""
    rows, columns = lines_of(tiles)
    # One line of empty cells on every side of the city is outside for sure, and joined.
    box = {
        (y, x)
        for y in range(min(rows) - 1, max(rows) + 2)
        for x in range(min(columns) - 1, max(columns) + 2)
    }
    unseen = box - tiles.keys()
    corner = (min(rows) - 1, min(columns) - 1)
    unseen.remove(corner)
    edge = [corner]
    while edge:
        for there in around(edge.pop()):
            if there in unseen:
                unseen.remove(there)
                edge.append(there)
    return not unseen


def is_within_extent(tiles: City) -> bool:
    """Is the city at most 17 cells wide and high? (E2)"""
    rows, columns = lines_of(tiles)
    return max(rows) - min(rows) < MAX_EXTENT and max(columns) - min(columns) < MAX_EXTENT


def lines_of(tiles: City) -> tuple[set[int], set[int]]:
    """Return the rows and the columns with a tile."""
    return {y for y, _ in tiles}, {x for _, x in tiles}


# --- what may be done to it -------------------------------------------------------------------


def edge_of(city: City) -> list[Cell]:
    """Return the empty cells that touch the city with a side, in reading order."""
    return sorted({there for cell in city for there in around(cell)} - city.keys())


def placements(city: City, tile: int) -> set[Cell]:
    """Return the empty cells where a tile may be added."""
    return {cell for cell in edge_of(city) if is_city({**city, cell: tile})}


def swaps(city: City, tile: int) -> set[Cell]:
    """Return the cells whose tile may be exchanged for this one (R11)."""
    return {cell for cell in city if cell != (0, 0) and is_city({**city, cell: tile})}


def removals(city: City) -> set[Cell]:
    """Return the cells whose tile may be taken away (R11)."""
    return {cell for cell in city if cell != (0, 0) and is_city(without(city, cell))}


def without(city: City, cell: Cell) -> City:
    """Return the city less the tile on this cell."""
    return {other: tile for other, tile in city.items() if other != cell}


# --- its walls --------------------------------------------------------------------------------

Side = tuple[Cell, Cell]
"""A side of a cell, as the two corners it joins; corner (y, x) is north-west of cell (y, x)."""


def ends_of(cell: Cell, side: str) -> Side:
    """Return the side of a cell as the two corners that it joins."""
    y, x = cell
    return {
        "N": ((y, x), (y, x + 1)),
        "E": ((y, x + 1), (y + 1, x + 1)),
        "S": ((y + 1, x), (y + 1, x + 1)),
        "W": ((y, x), (y + 1, x)),
    }[side]


def outline(city: City) -> list[Side]:
    """Return the sides between a tile and an empty cell."""
    return [ends_of(cell, s) for cell in city for s in STEP if beside(cell, s) not in city]


def outer_walls(city: City) -> list[Side]:
    """Return the sides of the outline that have a wall."""
    return [
        ends_of(cell, side)
        for cell, tile in city.items()
        for side in WALLS[tile]
        if beside(cell, side) not in city
    ]


def longest_wall(city: City) -> int:
    """Return the length of the longest stretch of outer wall (R24).

    No corner is on more than two sides of the outline (there is one closed curve), so two outer
    walls that share a corner follow one another on the outline. A stretch is whatever hangs
    together so.
    """
    return max(map(len, stretches(outer_walls(city))), default=0)


def stretches(sides: Iterable[Side]) -> list[set[Side]]:
    """Return the sides, grouped with those they are joined to at corners."""
    groups: list[set[Side]] = []
    for side in sides:
        joined = [group for group in groups if any(set(side) & set(other) for other in group)]
        groups = [group for group in groups if group not in joined]
        groups.append({side}.union(*joined))
    return groups
