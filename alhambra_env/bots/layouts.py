"""All ways to place the bought tiles (R12).

Each tile goes to the city, to the reserve or to Dirk. What can be laid is the same whatever was
paid, and whatever becomes of the other tiles. So the cities are found once for all sets of bought
tiles (`write_layouts`): from each city of a set, those with one tile more, each of them once. Then
each way to divide bought tiles is judged with the cities of those that are laid (`judge_tiles`).
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ..engine.action_ranges import GIVE, PICK, PUT, STORE
from ..engine.arrays import Array
from ..engine.city import add_tile, find_closed, lift_tile
from ..engine.jit import borrow, jit
from ..engine.material import DIRK, N_BUILDINGS, N_SLOTS, N_TILES, NONE, TILE_BUILDING
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
from .best_turns import MOST_STEPS, Paths, Turns, keep_turn
from .outlook import purse_value
from .planner import city_value
from .standing import Margins, new_margins, standing_value
from .weights import RESERVE


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

_PARENT, _TILE, _CELL, _WALL, _OPENINGS, _FIRST, _NEXT, _PLACE = range(8)
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
        np.empty((MOST_LAYOUTS, _PLACE + 1), np.int32),
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


Hands: TypeAlias = tuple[Array, Array, Array]
"""The purses and classes of `Paths`, and what the value of a way of each class must reach."""

_TO_CITY, _TO_RESERVE, _TO_DIRK = range(3)


# --- which cities there are -----------------------------------------------------------------------


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
            layout = layouts.notes[layout, _NEXT]


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
    while layouts.notes[last, _PARENT] != NONE:
        add_tile(state, seat, desk.tiles[0, layouts.notes[last, _TILE]], layouts.notes[last, _CELL])
        last = layouts.notes[last, _PARENT]
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
    while layouts.notes[last, _PARENT] != NONE:
        lift_tile(state, seat, layouts.notes[last, _CELL])
        last = layouts.notes[last, _PARENT]
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
        if layouts.notes[parent, _PARENT] != NONE:
            first = layouts.notes[parent, _FIRST]
    size = int(layouts.size[0])
    place = key % _TABLE_SIZE
    while True:
        layout = layouts.table[place]
        if layout < 0 or layout >= size or layouts.notes[layout, _PLACE] != place:
            break
        if layouts.keys[layout] == key:
            if first < layouts.notes[layout, _FIRST]:
                layouts.notes[layout, _PARENT] = parent
                layouts.notes[layout, _TILE] = tile
                layouts.notes[layout, _CELL] = cell
                layouts.notes[layout, _FIRST] = first
            return
        place = (place + 1) % _TABLE_SIZE
    if size == MOST_LAYOUTS:
        return
    layouts.table[place] = size
    layouts.keys[size] = key
    notes = layouts.notes[size]
    notes[_PARENT], notes[_TILE], notes[_CELL] = parent, tile, cell
    notes[_WALL], notes[_OPENINGS], notes[_FIRST] = wall, openings, first
    notes[_NEXT], notes[_PLACE] = layouts.firsts[tiles], place
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
        wall, n_open = layouts.notes[layout, _WALL], layouts.notes[layout, _OPENINGS]
        value = city_value(state, wall, n_open, scope.weights)
        at = kept
        while at > 0 and values[at - 1] < value:
            at -= 1
        if at < scope.width:
            kept = min(kept + 1, scope.width)
            for i in range(kept - 1, at, -1):
                values[i], order[i] = values[i - 1], order[i - 1]
            values[at], order[at] = value, layout
        layout = layouts.notes[layout, _NEXT]
    layouts.firsts[tiles] = order[0]
    layouts.counts[tiles] = kept
    for i in range(kept):
        layouts.notes[order[i], _NEXT] = order[i + 1] if i + 1 < kept else NONE


@jit
def try_layouts(
    state: State, scope: Scope, paths: Paths, n_paths: int, desk: Desk, out: Turns
) -> int:
    """Place the bought tiles after each of the first paths, and keep the best ways.

    The record is restored. Returns how many cities were judged.
    """
    n_tiles = list_tiles(state, False, desk)
    desk.wanted[:] = False
    everything = (1 << n_tiles) - 1
    want_subsets(everything, desk.wanted)
    write_layouts(state, scope, n_tiles, desk)
    return judge_tiles(state, scope, everything, n_tiles, paths, n_paths, desk, out)


# --- what they are worth --------------------------------------------------------------------------


@jit
def judge_tiles(
    state: State,
    scope: Scope,
    bought: int,
    n_tiles: int,
    paths: Paths,
    n_paths: int,
    desk: Desk,
    out: Turns,
) -> int:
    """Place a set of bought tiles after each of the first paths, and keep the best ways.

    `state` is the position after the purchases. Returns how many cities were judged.
    """
    scope, paths, desk, out = borrow(scope), borrow(paths), borrow(desk), borrow(out)
    seat = int(state.to_play)
    count = 0
    for i in range(n_tiles):
        count += bought >> i & 1
    n_ways = _TO_DIRK + (state.num_players == 2 and state.ending == 0)
    n_cities = 0
    for code in range(n_ways**count):
        laid = 0
        n_placing = 0
        left = count
        rest = code
        for i in range(n_tiles):
            if not bought >> i & 1:
                continue
            tile, way = desk.tiles[0, i], rest % n_ways
            rest //= n_ways
            count_tile(state, seat, tile, way, 1)
            if way == _TO_CITY:
                laid |= 1 << i
            else:
                action = STORE if way == _TO_RESERVE else GIVE
                n_placing = write_placing(tile, action, left, n_placing, desk.placing)
                left -= 1
        if desk.layouts.firsts[laid] != NONE:
            n_cities += judge_layouts(
                state, scope, laid, n_placing, left, paths, n_paths, desk, out
            )
        rest = code
        for i in range(n_tiles):
            if bought >> i & 1:
                count_tile(state, seat, desk.tiles[0, i], rest % n_ways, -1)
                rest //= n_ways
    return n_cities


@jit
def count_tile(state: State, seat: int, tile: int, way: int, change: int) -> None:
    """Count a tile where it goes; a `change` of -1 reverts it."""
    if way == _TO_CITY:
        state.buildings[seat, TILE_BUILDING[tile]] += change
    elif way == _TO_RESERVE:
        state.reserves[seat, tile] += change
    else:
        state.buildings[DIRK, TILE_BUILDING[tile]] += change


@jit
def write_placing(tile: int, action: int, left: int, n_placing: int, out_placing: Array) -> int:
    """Add the actions that place a tile, of which `left` are left; return how many there are now.

    The last one is picked without an action.
    """
    if left > 1:
        out_placing[n_placing] = PICK + tile
        n_placing += 1
    out_placing[n_placing] = action
    return n_placing + 1


@jit
def judge_layouts(
    state: State,
    scope: Scope,
    laid: int,
    n_placing: int,
    left: int,
    paths: Paths,
    n_paths: int,
    desk: Desk,
    out: Turns,
) -> int:
    """Judge the cities of a set of laid tiles with all hands; return how many cities.

    The tiles are counted where they go; the actions that place the others are on the desk.
    """
    layouts, gains, tile_values = desk.layouts, desk.gains, desk.tile_values
    hands = paths.purses[:n_paths], paths.classes[:n_paths], out.bars
    good = desk.good_hands, desk.good_values
    standing = standing_value(state, scope.knows_hands, scope.weights, desk.margins, gains)
    layout = layouts.firsts[laid]
    while layout != NONE:
        wall, n_open = layouts.notes[layout, _WALL], layouts.notes[layout, _OPENINGS]
        value = city_value(state, wall, n_open, scope.weights)
        write_offers(state, scope, layout, value, desk)
        count = judge_hands(standing + value, tile_values, hands, good)
        if count > 0:
            n_steps = write_laying(layout, n_placing, left, desk)
            for i in range(count):
                keep_turn(good[1][i], paths, good[0][i], desk.placing, n_steps, out)
        layout = layouts.notes[layout, _NEXT]
    return int(layouts.counts[laid])


@jit
def write_offers(state: State, scope: Scope, layout: int, value: float, desk: Desk) -> None:
    """Write what the tiles on offer are worth in a city of this value (`write_tile_values`)."""
    desk.tile_values[:] = 0
    if state.ending:
        return
    for i in range(desk.tiles.shape[1]):
        slot = desk.tiles[1, i]
        if slot == NONE or state.market[slot] == NONE:
            continue
        gain = desk.gains[TILE_BUILDING[desk.tiles[0, i]]]
        worth = max(scope.weights[RESERVE] * gain, desk.layouts.rooms[layout, i] + gain - value)
        desk.tile_values[slot] = max(worth, 0.0)


@jit
def write_laying(layout: int, n_placing: int, left: int, desk: Desk) -> int:
    """Add the actions that lay a city; return how many there are with those before.

    `left` is how many tiles are to be laid.
    """
    notes = desk.layouts.notes
    n_steps = n_placing + 2 * left - (left > 0)
    step = n_steps
    for i in range(left):
        step -= 1
        desk.placing[step] = PUT + notes[layout, _CELL]
        if i > 0:
            step -= 1
            desk.placing[step] = PICK + desk.tiles[0, notes[layout, _TILE]]
        layout = notes[layout, _PARENT]
    return n_steps


@jit
def judge_hands(city: float, tile_values: Array, hands: Hands, out: tuple[Array, Array]) -> int:
    """Write the hands that are among the best of their class with a city of this value.

    Written are their numbers and values. Returns how many.
    """
    purses, classes, bars = hands
    out_hands, out_values = out
    count = 0
    for hand in range(classes.size):
        value = city + purse_value(purses[hand], tile_values)
        if value >= bars[classes[hand]]:
            out_hands[count] = hand
            out_values[count] = value
            count += 1
    return count
