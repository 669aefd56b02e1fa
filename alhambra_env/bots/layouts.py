"""All ways to place the bought tiles (R12).

Each tile goes to the city, to the reserve or to Dirk. Those for the city are laid in every order on
every cell. If two tiles could each be laid without the other, both orders give the same city, and
only one of them is searched.
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ..engine.action_ranges import GIVE, PICK, PUT, STORE
from ..engine.arrays import Array
from ..engine.city import add_tile, find_closed, lift_tile
from ..engine.jit import borrow, jit
from ..engine.material import DIRK, N_BUILDINGS, N_SLOTS, N_TILES, NONE, TILE_BUILDING
from ..engine.sites import (
    CELL,
    MOST_SIDES,
    N_NOTES,
    is_accepted,
    outline_with,
    site_on,
    write_sites,
)
from ..engine.state import State
from .best_turns import MOST_STEPS, Paths, Turns, keep_turn
from .outlook import purse_value, write_tile_values
from .planner import city_value_now
from .standing import Margins, new_margins, standing_value


class Scope(NamedTuple):
    """What a search looks at, and how it judges."""

    weights: Array
    """Of the outlook."""
    knows_hands: bool
    """Does the seat know the other hands (E4)?"""
    with_removals: bool
    """Also turns that remove a tile, which take half of the time?"""


class Desk(NamedTuple):
    """Memory to work with: allocating it for each city would take as long as judging it."""

    sites: Array
    """`int32 [depth, site, note]`: the sites of a city, by the number of tiles laid."""
    depths: Array
    """`int64 [what, depth]`: other notes by the number of tiles laid."""
    tiles: Array
    """`int64 [2, place]`: the bought tiles, and those of them to lay."""
    placing: Array
    """`int64 [step]`: the actions that place them."""
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
    return Desk(
        np.empty((N_SLOTS + 1, MOST_SIDES, N_NOTES), np.int32),
        np.empty((_N_DEPTH_NOTES, N_SLOTS + 1), np.int64),
        np.empty((2, N_SLOTS), np.int64),
        np.empty(MOST_STEPS, np.int64),
        np.empty(N_BUILDINGS, np.float64),
        np.empty(N_SLOTS, np.float64),
        np.empty(most_hands, np.int64),
        np.empty(most_hands, np.float64),
        new_margins(state, int(state.to_play)),
    )


Judgement: TypeAlias = tuple[Array, Array, float]
"""Weights, the gain of one more tile of each type, and the value of the standing."""

Hands: TypeAlias = tuple[Array, Array, Array]
"""The purses and classes of `Paths`, and what the value of a way of each class must reach."""

_TO_CITY, _TO_RESERVE, _TO_DIRK = range(3)

_N_DEPTH_NOTES: Final = 8

MOST_CITIES: Final = 10_000
"""The most cities to evaluate for a set of tiles; nearly all games need fewer."""


@jit
def try_layouts(
    state: State,
    scope: Scope,
    paths: Paths,
    n_paths: int,
    desk: Desk,
    out: Turns,
) -> int:
    """Place the bought tiles after each of the first paths, and keep the best ways.

    The record is restored. Returns how many cities were evaluated.
    """
    scope, paths, desk, out = borrow(scope), borrow(paths), borrow(desk), borrow(out)
    seat = int(state.to_play)
    tiles, to_lay = desk.tiles[0], desk.tiles[1]
    placing, gains = desk.placing, desk.gains
    count = 0
    for tile in range(N_TILES):
        if state.bought[tile]:
            tiles[count] = tile
            count += 1
    ways = _TO_DIRK + (state.num_players == 2 and state.ending == 0)
    n_cities = 0
    for code in range(ways**count):
        if n_cities >= MOST_CITIES:
            break
        n_to_lay = 0
        n_placing = 0
        for i in range(count):
            way = code // ways**i % ways
            count_tile(state, seat, tiles[i], way, 1)
            if way == _TO_CITY:
                to_lay[n_to_lay] = tiles[i]
                n_to_lay += 1
            else:
                left = count - (i - n_to_lay)
                action = STORE if way == _TO_RESERVE else GIVE
                n_placing = write_placing(tiles[i], action, left, n_placing, placing)
        standing = standing_value(state, scope.knows_hands, scope.weights, desk.margins, gains)
        for i in range(n_to_lay):
            count_tile(state, seat, to_lay[i], _TO_CITY, -1)  # counted again when it is laid
        most = MOST_CITIES - n_cities
        n_cities += lay_tiles(
            state, scope, n_to_lay, most, standing, paths, n_paths, n_placing, desk, out
        )
        for i in range(count):
            way = code // ways**i % ways
            if way != _TO_CITY:
                count_tile(state, seat, tiles[i], way, -1)
    return n_cities


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
def count_tile(state: State, seat: int, tile: int, way: int, change: int) -> None:
    """Count a tile where it goes; a `change` of -1 reverts it."""
    if way == _TO_CITY:
        state.buildings[seat, TILE_BUILDING[tile]] += change
    elif way == _TO_RESERVE:
        state.reserves[seat, tile] += change
    else:
        state.buildings[DIRK, TILE_BUILDING[tile]] += change


@jit
def lay_tiles(
    state: State,
    scope: Scope,
    n_tiles: int,
    most: int,
    standing: float,
    paths: Paths,
    n_paths: int,
    n_placing: int,
    desk: Desk,
    out: Turns,
) -> int:
    """Lay tiles, sorted by number, in all orders, and judge each city.

    The tiles are on the desk, and so are the actions that place others before. Returns how many
    cities were judged; after `most` it stops.
    """
    seat = int(state.to_play)
    # By depth, the number of tiles laid: the sites, the next pair of tile and site to try, the tile
    # that was laid from there, the fields that it changed, and the number of actions so far.
    sites, work = desk.sites, desk.depths
    tiles, placing = desk.tiles[1, :n_tiles], desk.placing
    n_sites, openings, tried = work[0], work[1], work[2]
    laid, walls, rows, columns, n_steps = work[3], work[4], work[5], work[6], work[7]
    n_steps[0] = n_placing
    hands = paths.purses[:n_paths], paths.classes[:n_paths], out.bars
    good = desk.good_hands, desk.good_values, desk.tile_values
    judgement = scope.weights, desk.gains, standing
    tried[0] = 0
    n_sites[0], openings[0] = write_sites(state, seat, sites[0])
    depth = 0
    n_cities = 0
    while True:
        pair = tried[depth]
        if depth == tiles.size:
            n_cities += 1
            here = sites[depth, : n_sites[depth]]
            count = judge_city(state, here, openings[depth], judgement, hands, good)
            for i in range(count):
                keep_turn(good[1][i], paths, good[0][i], placing, n_steps[depth], out)
        elif n_cities < most and pair < tiles.size * n_sites[depth]:
            tried[depth] = pair + 1
            tile = tiles[pair // n_sites[depth]]
            site = sites[depth, pair % n_sites[depth]]
            if state.cell[tile] != NONE or not is_accepted(site, tile):
                continue
            if depth > 0 and tile < laid[depth - 1]:
                before = sites[depth - 1, : n_sites[depth - 1]]
                if could_be_laid(before, site[CELL], tile):
                    continue
            laid[depth] = tile
            walls[depth] = state.walls[seat]
            rows[depth] = state.closed_rows[seat]
            columns[depth] = state.closed_columns[seat]
            add_tile(state, seat, tile, site[CELL])
            state.walls[seat] = outline_with(site, tile)[0]
            state.closed_rows[seat], state.closed_columns[seat] = find_closed(state, seat)
            put = PUT + site[CELL]
            left = tiles.size - depth
            n_steps[depth + 1] = write_placing(tile, put, left, n_steps[depth], placing)
            depth += 1
            n_sites[depth], openings[depth] = write_sites(state, seat, sites[depth])
            tried[depth] = 0
            continue
        if depth == 0:
            return n_cities
        depth -= 1
        lift_tile(state, seat, state.cell[laid[depth]])
        state.walls[seat] = walls[depth]
        state.closed_rows[seat] = rows[depth]
        state.closed_columns[seat] = columns[depth]


@jit
def could_be_laid(sites: Array, cell: int, tile: int) -> bool:
    """Is there a site on this cell that accepts the tile?"""
    site = site_on(sites, cell)
    return site != NONE and is_accepted(sites[site], tile)


@jit
def judge_city(
    state: State,
    sites: Array,
    openings: int,
    judgement: Judgement,
    hands: Hands,
    out: tuple[Array, Array, Array],
) -> int:
    """Write the hands that are among the best of their class with the present city.

    Written are their numbers and values; the third array is scratch space. Returns how many.
    """
    weights, gains, standing = judgement
    purses, classes, bars = hands
    out_hands, out_values, tile_values = out
    write_tile_values(state, sites, openings, weights, gains, tile_values)
    city = standing + city_value_now(state, int(state.to_play), openings, weights)
    count = 0
    for hand in range(classes.size):
        value = city + purse_value(purses[hand], tile_values)
        if value >= bars[classes[hand]]:
            out_hands[count] = hand
            out_values[count] = value
            count += 1
    return count
