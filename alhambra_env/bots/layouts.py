"""All ways to place the bought tiles (R12), for `lookahead`.

Each tile goes to the city, to the reserve or to Dirk. Those for the city are laid in every order on
every cell. If two tiles could each be laid without the other, both orders give the same city, and
only one of them is searched.
"""

from typing import Final, TypeAlias

import numpy as np

from ..engine.arrays import Array
from ..engine.city import add_tile, find_closed, lift_tile
from ..engine.jit import jit
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
from .outlook import purse_value, standing_value, write_tile_values
from .planner import city_value_now

Judgement: TypeAlias = tuple[Array, Array, float]
"""Weights, the gain of one more tile of each type, and the value of the standing."""

_TO_CITY, _TO_RESERVE, _TO_DIRK = range(3)

MOST_CITIES: Final = 10_000
"""The most cities to evaluate for a set of tiles; nearly all games need fewer."""


@jit
def try_layouts(
    state: State, knows_hands: bool, weights: Array, firsts: Array, purses: Array, out_values: Array
) -> int:
    """Place the bought tiles in all ways, and write the value of the best one.

    `purses` are the hands that the turn can end with, and `firsts` the actions that lead there.
    `out_values[action]` is raised to the best value found after that action. The record is
    restored. Returns how many cities were evaluated.
    """
    seat = int(state.to_play)
    tiles = np.empty(N_SLOTS, np.int64)
    count = 0
    for tile in range(N_TILES):
        if state.bought[tile]:
            tiles[count] = tile
            count += 1
    ways = _TO_DIRK + (state.num_players == 2 and state.ending == 0)
    gains = np.empty(N_BUILDINGS, np.float64)
    to_lay = np.empty(N_SLOTS, np.int64)
    n_cities = 0
    for code in range(ways**count):
        if n_cities >= MOST_CITIES:
            break
        n_to_lay = 0
        for i in range(count):
            way = code // ways**i % ways
            count_tile(state, seat, tiles[i], way, 1)
            if way == _TO_CITY:
                to_lay[n_to_lay] = tiles[i]
                n_to_lay += 1
        standing = standing_value(state, seat, knows_hands, weights, gains)
        for i in range(n_to_lay):
            count_tile(state, seat, to_lay[i], _TO_CITY, -1)  # counted again when it is laid
        judgement = weights, gains, standing
        most = MOST_CITIES - n_cities
        n_cities += lay_tiles(state, to_lay[:n_to_lay], most, judgement, firsts, purses, out_values)
        for i in range(count):
            way = code // ways**i % ways
            if way != _TO_CITY:
                count_tile(state, seat, tiles[i], way, -1)
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
def lay_tiles(
    state: State,
    tiles: Array,
    most: int,
    judgement: Judgement,
    firsts: Array,
    purses: Array,
    out_values: Array,
) -> int:
    """Lay tiles, sorted by number, in all orders on all cells, and judge each city.

    Returns how many cities were judged; after `most` it stops.
    """
    seat = int(state.to_play)
    # By depth, the number of tiles laid: the sites, the next pair of tile and site to try, the tile
    # that was laid from there, and the fields that it changed.
    sites = np.empty((N_SLOTS + 1, MOST_SIDES, N_NOTES), np.int32)
    work = np.zeros((7, N_SLOTS + 1), np.int64)
    n_sites, openings, tried = work[0], work[1], work[2]
    laid, walls, rows, columns = work[3], work[4], work[5], work[6]
    n_sites[0], openings[0] = write_sites(state, seat, sites[0])
    depth = 0
    n_cities = 0
    while True:
        pair = tried[depth]
        if depth == tiles.size:
            n_cities += 1
            here = sites[depth, : n_sites[depth]]
            judge_city(state, here, openings[depth], judgement, firsts, purses, out_values)
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
    firsts: Array,
    purses: Array,
    out_values: Array,
) -> None:
    """Raise the value of each first action to that of this city with its hand."""
    weights, gains, standing = judgement
    tile_values = np.empty(N_SLOTS, np.float64)
    write_tile_values(state, sites, openings, weights, gains, tile_values)
    value = standing + city_value_now(state, int(state.to_play), openings, weights)
    for i in range(firsts.size):
        first = firsts[i]
        out_values[first] = max(out_values[first], value + purse_value(purses[i], tile_values))
