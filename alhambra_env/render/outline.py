"""The longest outer wall of a city as a line (R24), from a city of `Game.snapshot()`.

`engine.outline` finds its length; a drawing also needs to know where it is.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..engine.material import FOUNTAIN, N_SIDES, TILE_WALLS

Cell = tuple[int, int]
"""How far south and east of the fountain a cell is."""

_STEPS: Final = ((-1, 0), (0, 1), (1, 0), (0, -1))
_WALLS: Final = tuple(int(walls) for walls in TILE_WALLS)


class Edge(NamedTuple):
    """A side of a tile: 0 to 3 for north, east, south and west."""

    cell: Cell
    side: int


def tiles_of(city: list[list[int]]) -> dict[Cell, int]:
    """Return the tile on each cell of a city, with the fountain."""
    return {(0, 0): FOUNTAIN} | {(dy, dx): tile for tile, dy, dx in city}


def outline(tiles: Mapping[Cell, int]) -> list[Edge]:
    """Return the edges around a city, clockwise from the north side of its northmost tile."""
    start = Edge(min(tiles), 0)
    edges = [start]
    while (edge := _next_edge(tiles, edges[-1])) != start:
        edges.append(edge)
    return edges


def _next_edge(tiles: Mapping[Cell, int], edge: Edge) -> Edge:
    (dy, dx), side = edge
    ahead = (side + 1) % N_SIDES
    straight = (dy + _STEPS[ahead][0], dx + _STEPS[ahead][1])
    diagonal = (straight[0] + _STEPS[side][0], straight[1] + _STEPS[side][1])
    if diagonal in tiles:
        return Edge(diagonal, (side - 1) % N_SIDES)
    return Edge(straight, side) if straight in tiles else Edge((dy, dx), ahead)


def longest_wall(tiles: Mapping[Cell, int]) -> list[Edge]:
    """Return the edges of the longest unbroken stretch of outer wall, clockwise."""
    edges = outline(tiles)
    is_wall = [_WALLS[tiles[cell]] >> side & 1 for cell, side in edges]
    if all(is_wall):
        return edges
    first_gap = is_wall.index(0)  # the walk starts after it, so no stretch is cut in two
    longest: list[Edge] = []
    stretch: list[Edge] = []
    for i in range(first_gap, first_gap + len(edges)):
        if is_wall[i % len(edges)]:
            stretch.append(edges[i % len(edges)])
            if len(stretch) > len(longest):
                longest = stretch
        else:
            stretch = []
    return longest


def corners(edges: list[Edge]) -> list[Cell]:
    """Return the corners of a stretch of edges, as rows and columns of the grid's corners."""
    return [_corner(edge, 0) for edge in edges] + [_corner(edge, 1) for edge in edges[-1:]]


def _corner(edge: Edge, end: int) -> Cell:
    """Return the corner at the start (0) or the end (1) of an edge, clockwise."""
    (dy, dx), side = edge
    turned = (side + end) % N_SIDES
    return dy + (turned in (2, 3)), dx + (turned in (1, 2))
