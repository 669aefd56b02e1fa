"""A city: the building rules, and the fields derived from a city (R14-R18, R24, E2).

Legality is local. A city is joined by sides and has no hole, so two of its tiles never touch by a
corner alone and its outline is one closed curve. Hence:

- A tile on an empty cell makes a hole exactly when the occupied cells among the eight around it
  form more than one run (R18, `ONE_RUN`).
- A tile fits a cell when its walls equal those that face it (R15) and one facing side is open
  (R16, R17). Both depend only on the four neighbours (`ACCEPTS`).
- A swap changes neither the outline nor, if the facing sides agree, any way on foot.
- Only a removal needs a search: no other tile may be reachable only through the removed one.
"""

from typing import Final

import numpy as np

from .arrays import Array
from .grid import COLUMN, FOUNTAIN_CELL, MAX_EXTENT, N_RING, NEIGHBOURS, ONE_RUN, RING, ROW, SIZE
from .jit import jit
from .material import FOUNTAIN, N_BUILDINGS, N_SIDES, N_TILES, NONE, TILE_BUILDING, TILE_WALLS
from .outline import longest_wall
from .state import State
from .tileset import TILE_BIT, TileSet, lowest_tile

# --- which tiles a cell accepts ---------------------------------------------------------------
#
# The border of a cell is eight bits: for each side, is there a neighbour (upper four), and has it a
# wall facing the cell (lower four)?

_TOUCH: Final = N_SIDES
_ALL_SIDES: Final = (1 << N_SIDES) - 1


def _faces() -> Array:
    faces = np.zeros((N_TILES + 2, N_SIDES), dtype=np.int16)
    for tile in range(N_TILES + 1):
        for side in range(N_SIDES):
            opposite = (side + 2) % N_SIDES
            has_wall = int(TILE_WALLS[tile]) >> opposite & 1
            faces[tile, side] = (1 << _TOUCH | has_wall) << side
    return faces


FACES: Final = _faces()
"""What a tile adds to the border of the cell whose neighbour on this side it is: [tile, side].

The last row, at index NONE (-1), is for empty cells: nothing.
"""


def _accepts() -> Array:
    accepts = np.zeros(1 << 2 * N_SIDES, dtype=np.int32)
    for border in range(1 << 2 * N_SIDES):
        touching, facing = border >> _TOUCH, border & _ALL_SIDES
        if touching & ~facing:
            accepts[border] = sum(
                1 << walls for walls in range(1 << N_SIDES) if walls & touching == facing
            )
    return accepts


ACCEPTS: Final = _accepts()
"""The sets of walls that a tile may have on a cell with this border: bit w for walls w."""

FITS_ALL: Final = (1 << (1 << N_SIDES) - 1) - 1
"""All sets of walls except walls on all four sides, which fit nowhere."""


@jit
def border_of(city: Array, cell: int) -> int:
    """Return the border of a cell: which neighbours there are, and their walls facing it."""
    return (
        FACES[city[NEIGHBOURS[cell, 0]], 0]
        | FACES[city[NEIGHBOURS[cell, 1]], 1]
        | FACES[city[NEIGHBOURS[cell, 2]], 2]
        | FACES[city[NEIGHBOURS[cell, 3]], 3]
    )


@jit
def ring_of(city: Array, cell: int) -> int:
    """Return which of the eight cells around a cell are occupied, as bits."""
    ring = 0
    for i in range(N_RING):
        if city[RING[cell, i]] != NONE:
            ring |= 1 << i
    return ring


@jit
def can_extend(state: State, seat: int, cell: int) -> bool:
    """May this empty cell be built on, by R18 and E2? The walls of the tile are not checked."""
    rows = np.int64(state.closed_rows[seat]) >> ROW[cell]
    columns = np.int64(state.closed_columns[seat]) >> COLUMN[cell]
    return (rows | columns) & 1 == 0 and ONE_RUN[ring_of(state.city[seat], cell)]


@jit
def can_swap(city: Array, cell: int, tile: int) -> bool:
    """May this tile replace the one on the cell? Not defined for the cell of the fountain."""
    return ACCEPTS[border_of(city, cell)] >> TILE_WALLS[tile] & 1 != 0


@jit
def find_swaps(state: State, seat: int, tile: int) -> TileSet:
    """Return the tiles of a city that this one may replace (R11)."""
    swaps = np.int64(0)
    tiles = state.built[seat] & ~TILE_BIT[FOUNTAIN]
    while tiles != 0:
        other = lowest_tile(tiles)
        tiles &= tiles - 1
        if can_swap(state.city[seat], state.cell[other], tile):
            swaps |= TILE_BIT[other]
    return swaps


@jit
def write_cells(state: State, seat: int, tile: int, with_swaps: bool, out_cells: Array) -> None:
    """Set a flag for each cell where the tile may be put: empty cells and, optionally, swaps."""
    city = state.city[seat]
    walls = TILE_WALLS[tile]
    tiles = state.built[seat]
    while tiles != 0:
        other = lowest_tile(tiles)
        tiles &= tiles - 1
        home = state.cell[other]
        if with_swaps and other != FOUNTAIN and can_swap(city, home, tile):
            out_cells[home] = 1
        for side in range(N_SIDES):
            cell = NEIGHBOURS[home, side]
            # A tile is reached through an open side, so it is enough to look beyond those (R16).
            if (
                city[cell] == NONE
                and TILE_WALLS[other] >> side & 1 == 0
                and ACCEPTS[border_of(city, cell)] >> walls & 1
                and can_extend(state, seat, cell)
            ):
                out_cells[cell] = 1


# --- changes ----------------------------------------------------------------------------------


@jit
def found_city(state: State, seat: int) -> None:
    """Lay the fountain of a new city (R3)."""
    state.city[seat, FOUNTAIN_CELL] = FOUNTAIN
    state.built[seat] = TILE_BIT[FOUNTAIN]
    refresh_city(state, seat)


@jit
def add_tile(state: State, seat: int, tile: int, cell: int) -> None:
    """Lay a tile on a cell of a city."""
    state.city[seat, cell] = tile
    state.cell[tile] = cell
    state.built[seat] |= TILE_BIT[tile]
    state.buildings[seat, TILE_BUILDING[tile]] += 1


@jit
def lift_tile(state: State, seat: int, cell: int) -> int:
    """Take the tile off a cell of a city, and return it."""
    tile = int(state.city[seat, cell])
    state.city[seat, cell] = NONE
    state.cell[tile] = NONE
    state.built[seat] &= ~TILE_BIT[tile]
    state.buildings[seat, TILE_BUILDING[tile]] -= 1
    return tile


@jit
def refresh_city(state: State, seat: int) -> None:
    """Update the derived fields of a city after it changed."""
    rows, columns = find_closed(state, seat)
    state.closed_rows[seat] = rows
    state.closed_columns[seat] = columns
    state.fits[seat] = find_fits(state, seat)
    state.walls[seat] = longest_wall(state.city[seat])
    state.removable[seat] = find_removable(state, seat)


@jit
def find_closed(state: State, seat: int) -> tuple[int, int]:
    """Return the rows and columns, as bits, where a new tile would make the city too wide (E2)."""
    size = 1  # the fountain
    for building in range(N_BUILDINGS):
        size += state.buildings[seat, building]
    if size < MAX_EXTENT:
        return 0, 0
    rows = 0
    columns = 0
    tiles = state.built[seat]
    while tiles != 0:
        cell = state.cell[lowest_tile(tiles)]
        tiles &= tiles - 1
        rows |= 1 << ROW[cell]
        columns |= 1 << COLUMN[cell]
    return close_lines(rows), close_lines(columns)


@jit
def close_lines(used: int) -> int:
    """Return the lines that must stay unused when these are in use."""
    count = 0
    for line in range(SIZE):
        count += used >> line & 1
    return (1 << SIZE) - 1 & ~used if count >= MAX_EXTENT else 0


@jit
def find_fits(state: State, seat: int) -> int:
    """Return which sets of walls a tile may have to fit somewhere, as an addition or a swap."""
    city = state.city[seat]
    fits = 0
    tiles = state.built[seat]
    while tiles != 0 and fits != FITS_ALL:
        tile = lowest_tile(tiles)
        tiles &= tiles - 1
        home = state.cell[tile]
        if tile != FOUNTAIN:
            fits |= ACCEPTS[border_of(city, home)]
        for side in range(N_SIDES):
            cell = NEIGHBOURS[home, side]
            if city[cell] == NONE and TILE_WALLS[tile] >> side & 1 == 0:  # as in `write_cells`
                new = ACCEPTS[border_of(city, cell)] & ~fits
                if new != 0 and can_extend(state, seat, cell):
                    fits |= new
    return fits


# --- removal -------------------------------------------------------------------------------------


@jit
def find_removable(state: State, seat: int) -> TileSet:
    """Return the tiles of a city that may be removed: R16 and R18 still hold without them."""
    city = state.city[seat]
    removable = np.int64(0)
    may_cut = False
    tiles = state.built[seat] & ~TILE_BIT[FOUNTAIN]
    while tiles != 0:
        tile = lowest_tile(tiles)
        tiles &= tiles - 1
        cell = state.cell[tile]
        border = border_of(city, cell)
        is_outside = border >> _TOUCH != _ALL_SIDES
        if is_outside and ONE_RUN[ring_of(city, cell)]:
            removable |= TILE_BIT[tile]
            ways = border >> _TOUCH & ~border
            if ways & ways - 1:  # with one way only, nothing is reached through the tile
                may_cut = True
    return removable & ~find_cuts(city) if may_cut else removable


@jit
def find_cuts(city: Array) -> TileSet:
    """Return the tiles whose removal would cut another tile off from the fountain (R16).

    A depth-first search for articulation points: a tile is one if some tile first reached from it
    has no way back to a lower depth.
    """
    cuts = np.int64(0)
    work = np.zeros((4, N_TILES + 1), np.int16)  # one allocation, because that is cheaper
    depths = work[0]  # steps from the start, from 1; 0 where the search has not been
    lowest = work[1]  # the least depth that can be reached
    sides = work[2]  # the side to try next
    trail = work[3]  # the cells on the path to here
    depth = 1
    trail[0] = FOUNTAIN_CELL
    depths[FOUNTAIN] = depth
    lowest[FOUNTAIN] = depth
    while depth > 0:
        cell = trail[depth - 1]
        here = city[cell]
        side = sides[here]
        if side == N_SIDES:
            depth -= 1
            if depth > 0:
                back = city[trail[depth - 1]]
                lowest[back] = min(lowest[back], lowest[here])
                if lowest[here] >= depth:
                    cuts |= TILE_BIT[back]
            continue
        sides[here] = side + 1
        cell_there = NEIGHBOURS[cell, side]
        there = city[cell_there]
        if there == NONE or TILE_WALLS[here] >> side & 1:
            continue
        if depths[there] == 0:
            trail[depth] = cell_there
            depth += 1
            depths[there] = depth
            lowest[there] = depth
        else:
            lowest[here] = min(lowest[here], depths[there])
    return cuts
