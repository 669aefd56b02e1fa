"""All ways to place the bought tiles (R12), judged with all hands.

Each tile goes to the city, to the reserve or to Dirk. Each way to divide the bought tiles is judged
with the cities of those that are laid (`layouts`).
"""

from typing import TypeAlias

from ..engine.action_ranges import GIVE, PICK, PUT, STORE
from ..engine.arrays import Array
from ..engine.jit import borrow, jit
from ..engine.material import DIRK, NONE, TILE_BUILDING
from ..engine.state import State
from .best_turns import Paths, Turns, keep_turn
from .layouts import (
    CELL_OF,
    NEXT,
    OPENINGS_OF,
    PARENT,
    TILE_OF,
    WALL_OF,
    Desk,
    Scope,
    list_tiles,
    want_subsets,
    write_layouts,
)
from .outlook import purse_value
from .planner import city_value
from .standing import standing_value
from .weights import RESERVE

Hands: TypeAlias = tuple[Array, Array, Array]
"""The purses and classes of `Paths`, and what the value of a way of each class must reach."""

_TO_CITY, _TO_RESERVE, _TO_DIRK = range(3)


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
        wall, n_open = layouts.notes[layout, WALL_OF], layouts.notes[layout, OPENINGS_OF]
        value = city_value(state, wall, n_open, scope.weights)
        write_offers(state, scope, layout, value, desk)
        count = judge_hands(standing + value, tile_values, hands, good)
        if count > 0:
            n_steps = write_laying(layout, n_placing, left, desk)
            for i in range(count):
                keep_turn(good[1][i], paths, good[0][i], desk.placing, n_steps, out)
        layout = layouts.notes[layout, NEXT]
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
        desk.placing[step] = PUT + notes[layout, CELL_OF]
        if i > 0:
            step -= 1
            desk.placing[step] = PICK + desk.tiles[0, notes[layout, TILE_OF]]
        layout = notes[layout, PARENT]
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
