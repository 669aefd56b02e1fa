"""`lookahead`: plays every legal sequence of its own turn and takes the one with the best outlook.

Chains of exact purchases are followed to their end. Tiles that were bought are put where the
planner would put them. What the refill will bring is left open: nothing is drawn.
"""

from typing import Final

import numpy as np

from ..actions import N_ACTIONS, PASS, PICK
from ..engine.apply import apply_pick_bought, apply_put, apply_store
from ..engine.city import write_cells
from ..engine.jit import jit
from ..engine.legal import write_mask
from ..engine.state import REBUILD, STATE, TURN
from ..engine.step import apply_action
from ..engine.tileset import TILE_BIT
from ..grid import N_CELLS
from ..material import FOUNTAIN, N_BUILDINGS, N_SLOTS, N_TILES, NONE, TILE_BUILDING
from .outlook import outlook, worth_of_hand, write_prospects
from .planner import ALL_TYPES, best_within, cell_value, tile_value, value_of_city, write_gains
from .weights import RESERVE

_DEPTH: Final = N_SLOTS + 1  # purchases in a turn, and the action after the last
_WORST: Final = -1e9
_MOST_SETS: Final = 64
MOST_ENDS: Final = 2000
"""Ends of a turn that are looked at; more are rare."""


@jit
def choose_like_lookahead(state, mask, is_open, weights):
    """Return the action of the lookahead."""
    values = np.full(N_ACTIONS, _WORST)
    if state.phase == TURN:
        search_turn(state, mask, is_open, weights, values)
    else:
        search_placing(state, mask, is_open, weights, values)
    return best_within(mask, values, 0, N_ACTIONS)


@jit
def search_placing(state, mask, is_open, weights, out_values):
    """Value each way to go on with placing, the rest placed as the planner would."""
    work = np.empty(1, STATE)
    for action in range(PICK, N_ACTIONS):
        if mask[action]:
            work[0] = state
            apply_action(work[0], action)
            settle(work[0], weights)
            out_values[action] = outlook(work[0], is_open, weights)


@jit
def search_turn(state, mask, is_open, weights, out_values):
    """Value each action of a turn by the best sequence that it begins."""
    work = np.empty(_DEPTH + 1, STATE)
    masks = np.zeros((_DEPTH + 1, N_ACTIONS), np.int8)
    tried = np.zeros(_DEPTH + 1, np.int64)  # the action to look at next, by depth
    # What follows from a set of bought tiles is found once; how they were paid changes the hand.
    sets = np.zeros(_MOST_SETS, np.int64)
    prospects = np.zeros(_MOST_SETS, np.float64)
    worths = np.zeros((_MOST_SETS, N_SLOTS), np.float64)
    known = 0
    work[0] = state
    for action in range(N_ACTIONS):
        masks[0, action] = mask[action]
    depth = 0
    first = 0
    ends = 0
    while depth >= 0:
        action = tried[depth]
        if action == N_ACTIONS or ends >= MOST_ENDS:
            depth -= 1
            continue
        tried[depth] = action + 1
        if not masks[depth, action]:
            continue
        if depth == 0:
            first = action
        work[depth + 1] = work[depth]
        then = work[depth + 1]
        # A tile that was picked is put at once, by `settle`; after an exact payment comes a choice.
        goes_on = apply_action(then, action) and then.phase == TURN
        if goes_on and depth + 1 < _DEPTH:
            depth += 1
            write_mask(then, masks[depth])
            tried[depth] = 0
        else:
            ends += 1
            bought = bought_set(then)
            if PICK <= action < PASS:
                bought |= TILE_BIT[FOUNTAIN]  # and rebuilt: like no other
            i = 0
            while i < known and sets[i] != bought:
                i += 1
            if i == known or bought & TILE_BIT[FOUNTAIN]:
                i = min(known, _MOST_SETS - 1)
                known = i + 1
                sets[i] = bought
                settle(then, weights)
                prospects[i] = write_prospects(then, is_open, weights, worths[i])
            value = prospects[i] + worth_of_hand(then, is_open, weights, worths[i])
            out_values[first] = max(out_values[first], value)


@jit
def settle(state, weights):
    """Place what is to be placed as the planner would."""
    gains = np.empty(N_BUILDINGS, np.float64)
    is_rebuilding = state.phase == REBUILD
    while True:
        write_gains(state, int(state.to_play), ALL_TYPES, weights, gains)
        if state.picked == NONE:
            tile = best_bought(state, weights, gains)
            if tile == NONE:
                break
            apply_pick_bought(state, tile)
        put_best(state, is_rebuilding, weights, gains)
        is_rebuilding = False


@jit
def bought_set(state):
    """Return the tiles that were bought and not yet placed, as bits."""
    bought = np.int64(0)
    for tile in range(N_TILES):
        if state.bought[tile]:
            bought |= TILE_BIT[tile]
    return bought


@jit
def best_bought(state, weights, gains):
    """Return the bought tile that is worth most, or NONE."""
    best = NONE
    most = 0.0
    for tile in range(N_TILES):
        if state.bought[tile]:
            value = tile_value(state, tile, False, weights, gains)
            if best == NONE or value > most:
                best = tile
                most = value
    return best


@jit
def put_best(state, with_swaps, weights, gains):
    """Put the picked tile on its best cell, or into the reserve."""
    seat = int(state.to_play)
    tile = int(state.picked)
    cells = np.zeros(N_CELLS, np.int8)
    write_cells(state, seat, tile, with_swaps, cells)
    city = state.city[seat].copy()
    best = NONE
    most = value_of_city(state, city, weights) + weights[RESERVE] * gains[TILE_BUILDING[tile]]
    for cell in range(N_CELLS):
        if cells[cell]:
            value = cell_value(state, city, cell, tile, weights, gains)
            if value > most:
                most = value
                best = cell
    if best == NONE:
        apply_store(state)
    else:
        apply_put(state, best)
