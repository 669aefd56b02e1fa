"""`planner`: weighs what every action does to all scorings to come.

A tile is worth the margin that its type can be expected to bring (`majority`), the wall it adds in
each round to come, and the sides it leaves open. Money is worth its value, its number of cards, and
the tiles on offer that it pays for, exactly above all. `weights` says how much of each.
"""

from typing import Final

import numpy as np

from ..actions import BUY, GIVE, N_ACTIONS, PASS, PICK, PUT, REMOVE, STORE, TAKE
from ..engine.city import write_cells
from ..engine.jit import jit
from ..engine.legal import pack_hand
from ..engine.outline import wall_and_openings
from ..engine.state import PLACE, TURN
from ..engine.state import PUT as PUT_PHASE
from ..grid import N_CELLS
from ..material import (
    DIRK,
    N_BUILDINGS,
    N_CURRENCIES,
    N_ROUNDS,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    TILE_BUILDING,
    TILE_PRICE,
)
from ..payments import (
    FIRST_EXACT,
    GUARDS,
    N_PAYMENTS,
    PAYMENT_CARDS,
    PAYMENT_PACKED,
    PAYMENT_TOTAL,
    VALUE_SHIFT,
)
from .majority import count_unseen, margin_of_type
from .weights import (
    CARD,
    COIN,
    DENY,
    EXACT,
    EXTRA,
    LATE,
    LATER,
    NEARLY,
    OPENING,
    OPENINGS,
    RESERVE,
    SPITE,
    SPREADING,
    WALL,
)
from .weights import PAYABLE as PAYABLE_WEIGHT

_NEVER: Final = -1e9
ALL_TYPES: Final = (1 << N_BUILDINGS) - 1


@jit
def choose_like_planner(state, mask, weights):
    """Return the action of the planner."""
    values = np.empty(N_ACTIONS, np.float64)
    write_values(state, mask, weights, values)
    if state.phase == TURN:
        best = best_within(mask, values, 0, REMOVE)
        if best == NONE:
            best = best_within(mask, values, REMOVE, N_ACTIONS)
    elif state.phase == PLACE:
        best = best_within(mask, values, PICK, REMOVE)
    else:
        best = best_within(mask, values, PUT, N_ACTIONS)
    return best


@jit
def best_within(mask, values, start, end):
    """Return the legal action of a range that is worth most, or NONE."""
    best = NONE
    for action in range(start, end):
        if mask[action] and (best == NONE or values[action] > values[best]):
            best = action
    return best


@jit
def write_values(state, mask, weights, out_values):
    """Write what each legal action is worth to the planner; of the others nothing."""
    gains = np.empty(N_BUILDINGS, np.float64)
    write_gains(state, int(state.to_play), types_in_question(state), weights, gains)
    if state.phase == TURN:
        value_turn(state, mask, weights, gains, out_values)
    elif state.phase == PLACE:
        for tile in range(N_TILES):
            if mask[PICK + tile]:  # the best first, while there is most room for it
                out_values[PICK + tile] = tile_value(state, tile, False, weights, gains)
    else:
        value_put(state, mask, weights, gains, out_values)


@jit
def types_in_question(state):
    """Return the types of tiles that a decision is about, as bits."""
    if state.phase == PUT_PHASE:
        return 1 << TILE_BUILDING[state.picked]
    if state.phase == PLACE:
        return ALL_TYPES
    types = 0
    for slot in range(N_SLOTS):
        if state.market[slot] != NONE:
            types |= 1 << TILE_BUILDING[state.market[slot]]
    for tile in range(N_TILES):
        if state.reserves[state.to_play, tile]:
            return ALL_TYPES  # it may be swapped for any other
    return types if state.phase == TURN else ALL_TYPES


# --- tiles ---------------------------------------------------------------------------------------


@jit
def write_gains(state, seat, types, weights, out_gains):
    """Write what one more tile of some types, as bits, would be worth, wherever it is put."""
    unseen = np.empty(N_BUILDINGS, np.int64)
    count_unseen(state, unseen)
    for building in range(N_BUILDINGS):
        if types >> building & 1:
            out_gains[building] = gain_of_type(state, seat, building, unseen[building], weights)


@jit
def gain_of_type(state, seat, building, unseen, weights):
    """Return what one more tile of a type would be worth to a seat."""
    more = margin_of_type(
        state, seat, building, 1, unseen, weights[SPREADING], weights[SPITE], weights[LATER]
    )
    now = margin_of_type(
        state, seat, building, 0, unseen, weights[SPREADING], weights[SPITE], weights[LATER]
    )
    return more - now


@jit
def value_of_city(state, city, weights):
    """Return what the walls of a city and its room to grow are worth."""
    wall, openings = wall_and_openings(city)
    rounds = N_ROUNDS - int(state.rounds_scored)
    room = weights[OPENING] * min(float(openings), weights[OPENINGS]) * lateness(state, weights)
    return weights[WALL] * wall * rounds + room


@jit
def tile_value(state, tile, with_swaps, weights, gains):
    """Return what a tile is worth to the seat to play, on its best cell or in the reserve."""
    seat = int(state.to_play)
    cells = np.zeros(N_CELLS, np.int8)
    write_cells(state, seat, tile, with_swaps, cells)
    city = state.city[seat].copy()
    before = value_of_city(state, city, weights)
    best = weights[RESERVE] * gains[TILE_BUILDING[tile]]
    for cell in range(N_CELLS):
        if cells[cell]:
            best = max(best, cell_value(state, city, cell, tile, weights, gains) - before)
    return best


@jit
def cell_value(state, city, cell, tile, weights, gains):
    """Return what a city, with a tile put on a cell, and the tile itself are worth."""
    old = city[cell]
    city[cell] = tile
    value = value_of_city(state, city, weights) + gains[TILE_BUILDING[tile]]
    city[cell] = old
    if old != NONE:  # a swap: the old one goes to the reserve
        value -= (1 - weights[RESERVE]) * gains[TILE_BUILDING[old]]
    return value


@jit
def value_put(state, mask, weights, gains, out_values):
    """Value the cells for the picked tile, the reserve, and Dirk."""
    tile = int(state.picked)
    city = state.city[state.to_play].copy()
    before = value_of_city(state, city, weights)
    for cell in range(N_CELLS):
        if mask[PUT + cell]:
            value = cell_value(state, city, cell, tile, weights, gains)
            out_values[PUT + cell] = value - before
    out_values[STORE] = weights[RESERVE] * gains[TILE_BUILDING[tile]]
    if mask[GIVE]:
        out_values[GIVE] = value_of_gift(state, TILE_BUILDING[tile], weights)


@jit
def value_of_gift(state, building, weights):
    """Return what it is worth that Dirk gets a tile of this type."""
    seat = int(state.to_play)
    unseen = np.empty(N_BUILDINGS, np.int64)
    count_unseen(state, unseen)
    settings = weights[SPREADING], weights[SPITE], weights[LATER]
    now = margin_of_type(state, seat, building, 0, unseen[building], *settings)
    state.buildings[DIRK, building] += 1
    then = margin_of_type(state, seat, building, 0, unseen[building], *settings)
    state.buildings[DIRK, building] -= 1
    return then - now


# --- a turn --------------------------------------------------------------------------------------


@jit
def lateness(state, weights):
    """Return 1 for most of the game, falling to 0 when the bag runs out."""
    return min(1.0, state.bag_size / weights[LATE])


@jit
def value_turn(state, mask, weights, gains, out_values):
    """Value the actions of a turn."""
    tile_values = np.zeros(N_SLOTS, np.float64)
    hopes = np.zeros(N_SLOTS, np.float64)  # what the tiles on offer are worth as they can be paid
    hands = np.zeros(N_SLOTS, np.int64)
    totals = np.zeros(N_SLOTS, np.int64)
    for slot in range(N_SLOTS):
        hands[slot], totals[slot] = pack_hand(state.hands[state.to_play, slot])
        tile = int(state.market[slot])
        if tile != NONE:
            tile_values[slot] = tile_value(state, tile, False, weights, gains)
            hopes[slot] = hope(hands[slot], totals[slot], tile, tile_values[slot], weights)
    best_take = value_takes(state, mask, weights, tile_values, hopes, hands, totals, out_values)
    for slot in range(N_SLOTS):
        if state.market[slot] != NONE:
            value = tile_values[slot] - hopes[slot] + denial(state, slot, weights)
            value_purchases(state, mask, slot, value, best_take, weights, out_values)
    for tile in range(N_TILES):
        if mask[PICK + tile]:
            kept = weights[RESERVE] * gains[TILE_BUILDING[tile]]
            out_values[PICK + tile] = tile_value(state, tile, True, weights, gains) - kept
    for action in range(PICK + N_TILES, N_ACTIONS):
        out_values[action] = _NEVER  # to remove a tile helps nobody; it is what is left at last
    out_values[PASS] = 0.0


@jit
def denial(state, slot, weights):
    """Return what it is worth that the next player cannot buy a tile."""
    tile = int(state.market[slot])
    following = (int(state.to_play) + 1) % int(state.num_players)
    building = TILE_BUILDING[tile]
    unseen = 0
    for i in range(int(state.bag_size)):
        unseen += TILE_BUILDING[state.bag[i]] == building
    return weights[DENY] * gain_of_type(state, following, building, unseen, weights)


@jit
def hope(hand, total, tile, tile_value, weights):
    """Return what a tile on offer is worth, given the money there is for it."""
    if tile_value <= 0:
        return 0.0
    price = TILE_PRICE[tile]
    if total < price:
        share = total / price
        return weights[NEARLY] * tile_value * share * share
    for payment in range(FIRST_EXACT[price], FIRST_EXACT[price + 1]):
        if hand - PAYMENT_PACKED[payment] & GUARDS == GUARDS:
            return weights[EXACT] * tile_value
    return weights[PAYABLE_WEIGHT] * tile_value


@jit
def value_takes(state, mask, weights, tile_values, hopes, hands, totals, out_values):
    """Value the ways to take money. Return the best value, or 0."""
    best = 0.0
    for subset in range(1, 1 << N_SLOTS):
        if not mask[TAKE + subset - 1]:
            continue
        value = 0.0
        for currency in range(N_CURRENCIES):
            hand = hands[currency]
            total = totals[currency]
            for slot in range(N_SLOTS):
                card = int(state.display[slot])
                if subset >> slot & 1 and card // N_VALUES == currency:
                    total += card % N_VALUES + 1
                    hand += 1 << VALUE_SHIFT[card % N_VALUES]
                    value += weights[CARD] * lateness(state, weights)
            if total > totals[currency]:
                value += weights[COIN] * (total - totals[currency]) * lateness(state, weights)
                tile = int(state.market[currency])
                if tile != NONE:
                    value += hope(hand, total, tile, tile_values[currency], weights)
                    value -= hopes[currency]
        out_values[TAKE + subset - 1] = value
        best = max(best, value)
    return best


@jit
def value_purchases(state, mask, slot, value, best_take, weights, out_values):
    """Value the payments for a tile that is worth `value` more bought than on offer."""
    price = TILE_PRICE[state.market[slot]]
    for payment in range(N_PAYMENTS):
        action = BUY + slot * N_PAYMENTS + payment
        if mask[action]:
            total = PAYMENT_TOTAL[payment]
            cost = weights[COIN] * total + weights[CARD] * PAYMENT_CARDS[payment]
            out_values[action] = value - cost * lateness(state, weights)
            if total == price:
                out_values[action] += weights[EXTRA] * best_take
