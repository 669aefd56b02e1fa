"""The cities that can be built from the tiles that a turn can buy.

What can be laid is the same whatever was paid, and whatever becomes of the other tiles. So the
cities are found once for all sets of bought tiles: from each city of a set, those with one tile
more, each of them once. `placements` judges them.
"""

from typing import Final, NamedTuple

import numpy as np

from ..engine.arrays import Array
from ..engine.city import add_tile, find_closed, lift_tile
from ..engine.jit import borrow, jit
from ..engine.material import N_BUILDINGS, N_SLOTS, N_TILES, NONE
from ..engine.outline import wall_and_openings
from ..engine.sites import (
    CELL,
    MOST_SIDES,
    N_NOTES,
    is_accepted,
    outline_with,
    write_sites,
)
from ..engine.state import State
from .best_turns import MOST_STEPS
from .planner import city_value
from .standing import Margins, new_margins


class Scope(NamedTuple):
    """What a search looks at, and how it judges."""

    weights: Array
    """Of the outlook."""
    knows_hands: bool
    """Does the seat know the other hands (E4)?"""
    with_removals: bool
    """Also turns that remove a tile, which take half of the time?"""
    width: int
    """How many cities are kept for each set of laid tiles, the best by walls and room; or ALL."""


ALL: Final = 1 << 30
"""A width that leaves nothing out."""

MOST_LAYOUTS: Final = 10_000
"""The most cities to find for a turn; nearly all games need fewer."""

_N_SETS: Final = 1 << N_SLOTS
_TABLE_SIZE: Final = 20_011  # a prime, twice the number of layouts
_CELL_BITS: Final = 9

PARENT, TILE_OF, CELL_OF, WALL_OF, OPENINGS_OF, FIRST_OF, NEXT, PLACE_OF = range(8)
"""Columns of the notes of a layout.

The layout before the last tile, this tile and its cell · the longest wall, the open sides · the
tile laid first · the next layout of the same set · its place in the table of keys.
"""

_NO_ROOM: Final = -1e9


class Layouts(NamedTuple):
    """The cities that can be built, each once; changed in place.

    A set of tiles is a number whose bits are places in `Desk.tiles`.
    """

    size: Array
    """`int64 [1]`: how many."""
    notes: Array
    """`int32 [layout, column]`"""
    keys: Array
    """`int64 [layout]`: which tile lies where."""
    rooms: Array
    """`float64 [layout, tile]`: the best value of the city with this tile laid next."""
    firsts: Array
    """`int64 [set]`: the first layout of each set, or NONE."""
    counts: Array
    """`int64 [set]`: how many layouts."""
    table: Array
    """`int32 [place]`: layouts by their keys. It is never cleared: an entry is valid if the layout
    points back at it."""


class Desk(NamedTuple):
    """Memory to work with: allocating it for each city would take as long as judging it."""

    layouts: Layouts
    tiles: Array
    """`int64 [2, place]`: tiles that can be laid, then others on offer; and their market slots."""
    wanted: Array
    """`bool [set]`: which sets of tiles may be laid."""
    order: Array
    """`int64 [layout]`: scratch space."""
    sites: Array
    """`int32 [site, note]`: the sites of a city."""
    placing: Array
    """`int64 [step]`: the actions that place tiles."""
    gains: Array
    """`float64 [building]`: the gain of one more tile of each type."""
    tile_values: Array
    """`float64 [slot]`: what the tiles on offer are worth."""
    good_hands: Array
    """`int64 [place]`: hands that are among the best with the present city."""
    good_values: Array
    """`float64 [place]`: their values."""
    margins: Margins


@jit
def new_desk(state: State, most_hands: int) -> Desk:
    """Return memory for a search that starts here, with so many hands."""
    layouts = Layouts(
        np.zeros(1, np.int64),
        np.empty((MOST_LAYOUTS, PLACE_OF + 1), np.int32),
        np.empty(MOST_LAYOUTS, np.int64),
        np.empty((MOST_LAYOUTS, 2 * N_SLOTS), np.float64),
        np.empty(_N_SETS, np.int64),
        np.empty(_N_SETS, np.int64),
        np.empty(_TABLE_SIZE, np.int32),
    )
    return Desk(
        layouts,
        np.full((2, 2 * N_SLOTS), NONE),
        np.zeros(_N_SETS, np.bool_),
        np.empty(MOST_LAYOUTS, np.int64),
        np.empty((MOST_SIDES, N_NOTES), np.int32),
        np.empty(MOST_STEPS, np.int64),
        np.empty(N_BUILDINGS, np.float64),
        np.empty(N_SLOTS, np.float64),
        np.empty(most_hands, np.int64),
        np.empty(most_hands, np.float64),
        new_margins(state, int(state.to_play)),
    )


@jit
def list_tiles(state: State, may_buy: bool, desk: Desk) -> int:
    """Write the tiles that can be laid, by number, then other tiles on offer.

    These are the bought tiles, and with `may_buy` those on offer. Returns how many can be laid.
    """
    desk = borrow(desk)
    tiles, slots = desk.tiles[0], desk.tiles[1]
    tiles[:] = NONE
    slots[:] = NONE
    count = 0
    for tile in range(N_TILES):
        slot = NONE
        if may_buy:
            for i in range(N_SLOTS):
                if state.market[i] == tile:
                    slot = i
        if (state.bought[tile] or slot != NONE) and count < N_SLOTS:
            tiles[count] = tile
            slots[count] = slot
            count += 1
    last = count
    if not may_buy and not state.ending:
        for i in range(N_SLOTS):
            if state.market[i] != NONE:
                tiles[last] = state.market[i]
                slots[last] = i
                last += 1
    return count


@jit
def want_subsets(tiles: int, out_wanted: Array) -> None:
    """Mark all subsets of a set of tiles as wanted, besides those that are already."""
    subset = tiles
    while subset > 0:
        out_wanted[subset] = True
        subset = (subset - 1) & tiles
    out_wanted[0] = True


@jit
def write_layouts(state: State, scope: Scope, n_tiles: int, desk: Desk) -> None:
    """Find the cities of all wanted sets of the first `n_tiles` tiles of the desk."""
    scope, desk = borrow(scope), borrow(desk)
    layouts, seat = desk.layouts, int(state.to_play)
    layouts.size[0] = 0
    layouts.firsts[:] = NONE
    layouts.counts[:] = 0
    wall, openings = wall_and_openings(state.city[seat])
    add_layout(layouts, 0, 0, NONE, NONE, NONE, wall, openings)
    for tiles in range(1 << n_tiles):
        if not desk.wanted[tiles]:
            continue
        if layouts.counts[tiles] > scope.width:
            keep_best(state, scope, tiles, desk)
        if not leads_further(tiles, n_tiles, desk):
            continue
        layout = layouts.firsts[tiles]
        while layout != NONE:
            extend_layout(state, scope, layout, tiles, n_tiles, desk)
            layout = layouts.notes[layout, NEXT]


@jit
def leads_further(tiles: int, n_tiles: int, desk: Desk) -> bool:
    """Can more than this set be laid, or do the cities matter for what is on offer?"""
    for i in range(desk.tiles.shape[1]):
        is_laid = i < n_tiles and tiles >> i & 1 != 0
        if desk.tiles[0, i] != NONE and not is_laid:
            if desk.tiles[1, i] != NONE or desk.wanted[tiles | 1 << i]:
                return True
    return False


@jit
def extend_layout(
    state: State, scope: Scope, layout: int, tiles: int, n_tiles: int, desk: Desk
) -> None:
    """Add all layouts with one tile more, and note the room for each tile."""
    seat = int(state.to_play)
    layouts = desk.layouts
    rows, columns = state.closed_rows[seat], state.closed_columns[seat]
    last = layout
    while layouts.notes[last, PARENT] != NONE:
        add_tile(
            state, seat, desk.tiles[0, layouts.notes[last, TILE_OF]], layouts.notes[last, CELL_OF]
        )
        last = layouts.notes[last, PARENT]
    if layout > 0:
        state.closed_rows[seat], state.closed_columns[seat] = find_closed(state, seat)
    n_sites, _ = write_sites(state, seat, desk.sites)
    for i in range(desk.tiles.shape[1]):
        tile = desk.tiles[0, i]
        if tile == NONE or (i < n_tiles and tiles >> i & 1):
            continue
        more = tiles | 1 << i
        is_wanted = i < n_tiles and desk.wanted[more]
        room = _NO_ROOM
        for j in range(n_sites):
            site = desk.sites[j]
            if is_accepted(site, tile):
                wall, n_open = outline_with(site, tile)
                room = max(room, city_value(state, wall, n_open, scope.weights))
                if is_wanted:
                    add_layout(
                        layouts, more, layouts.keys[layout], layout, i, site[CELL], wall, n_open
                    )
        layouts.rooms[layout, i] = room
    last = layout
    while layouts.notes[last, PARENT] != NONE:
        lift_tile(state, seat, layouts.notes[last, CELL_OF])
        last = layouts.notes[last, PARENT]
    state.closed_rows[seat], state.closed_columns[seat] = rows, columns


@jit
def add_layout(
    layouts: Layouts,
    tiles: int,
    key: int,
    parent: int,
    tile: int,
    cell: int,
    wall: int,
    openings: int,
) -> None:
    """Add a layout to its set, unless it is known or there is no more memory.

    Of the orders in which a city can be laid, one that begins with the lowest tile is kept.
    """
    first = tile
    if parent != NONE:
        key += (cell + 1) << (_CELL_BITS * tile)
        if layouts.notes[parent, PARENT] != NONE:
            first = layouts.notes[parent, FIRST_OF]
    size = int(layouts.size[0])
    place = key % _TABLE_SIZE
    while True:
        layout = layouts.table[place]
        if layout < 0 or layout >= size or layouts.notes[layout, PLACE_OF] != place:
            break
        if layouts.keys[layout] == key:
            if first < layouts.notes[layout, FIRST_OF]:
                layouts.notes[layout, PARENT] = parent
                layouts.notes[layout, TILE_OF] = tile
                layouts.notes[layout, CELL_OF] = cell
                layouts.notes[layout, FIRST_OF] = first
            return
        place = (place + 1) % _TABLE_SIZE
    if size == MOST_LAYOUTS:
        return
    layouts.table[place] = size
    layouts.keys[size] = key
    notes = layouts.notes[size]
    notes[PARENT], notes[TILE_OF], notes[CELL_OF] = parent, tile, cell
    notes[WALL_OF], notes[OPENINGS_OF], notes[FIRST_OF] = wall, openings, first
    notes[NEXT], notes[PLACE_OF] = layouts.firsts[tiles], place
    layouts.firsts[tiles] = size
    layouts.counts[tiles] += 1
    layouts.size[0] = size + 1


@jit
def keep_best(state: State, scope: Scope, tiles: int, desk: Desk) -> None:
    """Keep only the best layouts of a set."""
    layouts, order = desk.layouts, desk.order
    values = np.empty(scope.width, np.float64)
    kept = 0
    layout = layouts.firsts[tiles]
    while layout != NONE:
        wall, n_open = layouts.notes[layout, WALL_OF], layouts.notes[layout, OPENINGS_OF]
        value = city_value(state, wall, n_open, scope.weights)
        at = kept
        while at > 0 and values[at - 1] < value:
            at -= 1
        if at < scope.width:
            kept = min(kept + 1, scope.width)
            for i in range(kept - 1, at, -1):
                values[i], order[i] = values[i - 1], order[i - 1]
            values[at], order[at] = value, layout
        layout = layouts.notes[layout, NEXT]
    layouts.firsts[tiles] = order[0]
    layouts.counts[tiles] = kept
    for i in range(kept):
        layouts.notes[order[i], NEXT] = order[i + 1] if i + 1 < kept else NONE
