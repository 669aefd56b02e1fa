"""`planner`: weighs what each action does to all remaining scorings.

The value of a tile is the expected margin of its type (`majority`), the wall it adds in each
remaining round, and the sides it leaves open. The value of money is its total, its number of cards,
and the tiles on offer that it pays for, above all exactly. `weights` has the factors.
"""

from typing import Final

import numpy as np

from ..engine.action_ranges import (
    BUY,
    GIVE,
    N_ACTIONS,
    OVERPAY,
    PASS,
    PICK,
    PUT,
    REMOVE,
    STORE,
    TAKE,
)
from ..engine.arrays import Array
from ..engine.city import find_swaps
from ..engine.jit import jit
from ..engine.legal import next_legal, pack_hand
from ..engine.material import (
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
from ..engine.outline import outline_swapped
from ..engine.payments import (
    FIRST_EXACT,
    GUARDS,
    N_PAYMENTS,
    PAYMENT_CARDS,
    PAYMENT_PACKED,
    PAYMENT_TOTAL,
    VALUE_SHIFT,
)
from ..engine.sites import CELL, is_accepted, outline_with, survey
from ..engine.state import PLACE, REBUILD, TURN, State
from ..engine.state import PUT as PUT_PHASE
from ..engine.tileset import lowest_tile
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
    PLANNER_WEIGHTS,
    RESERVE,
    SPITE,
    SPREADING,
    WALL,
)
from .weights import PAYABLE as PAYABLE_WEIGHT

NEVER: Final = -1e9
"""The value of what is only done if nothing else is legal."""

ALL_TYPES: Final = (1 << N_BUILDINGS) - 1


@jit
def choose_like_planner(state: State, mask: Array, weights: Array) -> int:
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
def best_within(mask: Array, values: Array, start: int, end: int) -> int:
    """Return the legal action of a range with the highest value, or NONE."""
    best = NONE
    action = next_legal(mask, start, end)
    while action < end:
        if best == NONE or values[action] > values[best]:
            best = action
        action = next_legal(mask, action + 1, end)
    return best


@jit
def write_values(state: State, mask: Array, weights: Array, out_values: Array) -> None:
    """Write the value of each legal action; those of other actions are undefined."""
    gains = np.empty(N_BUILDINGS, np.float64)
    unseen = np.empty(N_BUILDINGS, np.int64)
    count_unseen(state, unseen)
    write_gains(state, types_in_question(state), unseen, weights, gains)
    if state.phase == TURN:
        write_turn_values(state, mask, unseen, weights, gains, out_values)
    elif state.phase == PLACE:
        sites, openings = survey(state, int(state.to_play))
        for tile in range(N_TILES):
            if mask[PICK + tile]:  # the best first, while there is most room for it
                value = tile_value(state, sites, openings, tile, False, weights, gains)
                out_values[PICK + tile] = value
    else:
        write_put_values(state, mask, unseen, weights, gains, out_values)


@jit
def write_values_of(states: Array, game: int, masks: Array, out_values: Array) -> None:
    """`write_values` in one game of a batch; for callers from Python (see `try_step`)."""
    write_values(states[game], masks[game], PLANNER_WEIGHTS, out_values)


@jit
def types_in_question(state: State) -> int:
    """Return the types of tiles that matter for a decision, as bits."""
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
def write_gains(state: State, types: int, unseen: Array, weights: Array, out_gains: Array) -> None:
    """Write the gain of one more tile of some types, as bits, for the seat to play.

    `unseen` is how many tiles of each type are in the bag.
    """
    for building in range(N_BUILDINGS):
        if types >> building & 1:
            seat = int(state.to_play)
            out_gains[building] = gain_of_type(state, seat, building, unseen[building], weights)


@jit
def gain_of_type(state: State, seat: int, building: int, unseen: int, weights: Array) -> float:
    """Return the gain of one more tile of a type for a seat."""
    more = margin_of_type(
        state, seat, building, 1, unseen, weights[SPREADING], weights[SPITE], weights[LATER]
    )
    now = margin_of_type(
        state, seat, building, 0, unseen, weights[SPREADING], weights[SPITE], weights[LATER]
    )
    return more - now


@jit
def city_value(state: State, wall: int, openings: int, weights: Array) -> float:
    """Return the value of a longest wall and a number of open sides."""
    rounds = N_ROUNDS - int(state.rounds_scored)
    room = weights[OPENING] * min(float(openings), weights[OPENINGS]) * lateness(state, weights)
    return weights[WALL] * wall * rounds + room


@jit
def city_value_now(state: State, seat: int, openings: int, weights: Array) -> float:
    """`city_value` of the present city."""
    return city_value(state, state.walls[seat], openings, weights)


@jit
def tile_value(
    state: State,
    sites: Array,
    openings: int,
    tile: int,
    with_swaps: bool,
    weights: Array,
    gains: Array,
) -> float:
    """Return the value of a tile to the seat to play, on its best cell or in the reserve.

    `sites` and `openings` are those of its city, by `survey`.
    """
    before = city_value_now(state, int(state.to_play), openings, weights)
    best = weights[RESERVE] * gains[TILE_BUILDING[tile]]
    for i in range(len(sites)):
        if is_accepted(sites[i], tile):
            best = max(best, site_value(state, sites[i], tile, weights, gains) - before)
    if with_swaps:
        tiles = find_swaps(state, int(state.to_play), tile)
        while tiles != 0:
            cell = state.cell[lowest_tile(tiles)]
            tiles &= tiles - 1
            best = max(best, swap_value(state, cell, tile, weights, gains) - before)
    return best


@jit
def site_value(state: State, site: Array, tile: int, weights: Array, gains: Array) -> float:
    """Return the value of the city with a tile on a site, and of the tile itself."""
    wall, openings = outline_with(site, tile)
    return city_value(state, wall, openings, weights) + gains[TILE_BUILDING[tile]]


@jit
def swap_value(state: State, cell: int, tile: int, weights: Array, gains: Array) -> float:
    """Return the value of the city with a tile in place of another, and of both tiles."""
    city = state.city[state.to_play]
    wall, openings = outline_swapped(city, cell, tile)
    value = city_value(state, wall, openings, weights) + gains[TILE_BUILDING[tile]]
    return value - (1 - weights[RESERVE]) * gains[TILE_BUILDING[city[cell]]]  # the old one is kept


@jit
def write_put_values(
    state: State, mask: Array, unseen: Array, weights: Array, gains: Array, out_values: Array
) -> None:
    """Write the values of the cells for the picked tile, of the reserve, and of Dirk."""
    seat, tile = int(state.to_play), int(state.picked)
    sites, openings = survey(state, seat)
    before = city_value_now(state, seat, openings, weights)
    for i in range(len(sites)):
        action = PUT + sites[i, CELL]
        if mask[action]:
            out_values[action] = site_value(state, sites[i], tile, weights, gains) - before
    if state.phase == REBUILD:
        tiles = find_swaps(state, seat, tile)
        while tiles != 0:
            cell = state.cell[lowest_tile(tiles)]
            tiles &= tiles - 1
            out_values[PUT + cell] = swap_value(state, cell, tile, weights, gains) - before
    out_values[STORE] = weights[RESERVE] * gains[TILE_BUILDING[tile]]
    if mask[GIVE]:
        building = TILE_BUILDING[tile]
        out_values[GIVE] = gift_value(state, building, unseen[building], weights)


@jit
def gift_value(state: State, building: int, unseen: int, weights: Array) -> float:
    """Return the value of giving Dirk a tile of this type."""
    seat = int(state.to_play)
    factors = weights[SPREADING], weights[SPITE], weights[LATER]
    now = margin_of_type(state, seat, building, 0, unseen, *factors)
    state.buildings[DIRK, building] += 1
    then = margin_of_type(state, seat, building, 0, unseen, *factors)
    state.buildings[DIRK, building] -= 1
    return then - now


# --- a turn --------------------------------------------------------------------------------------


@jit
def lateness(state: State, weights: Array) -> float:
    """Return 1 for most of the game, falling to 0 when the bag runs out."""
    return min(1.0, state.bag_size / weights[LATE])


@jit
def write_turn_values(
    state: State, mask: Array, unseen: Array, weights: Array, gains: Array, out_values: Array
) -> None:
    """Write the values of the actions of a turn."""
    tile_values = np.zeros(N_SLOTS, np.float64)
    offer_values = np.zeros(
        N_SLOTS, np.float64
    )  # what the tiles on offer are worth as they can be paid
    hands = np.zeros(N_SLOTS, np.int64)
    totals = np.zeros(N_SLOTS, np.int64)
    sites, openings = survey(state, int(state.to_play))
    for slot in range(N_SLOTS):
        hands[slot], totals[slot] = pack_hand(state.hands[state.to_play, slot])
        tile = int(state.market[slot])
        if tile != NONE:
            tile_values[slot] = tile_value(state, sites, openings, tile, False, weights, gains)
            offer_values[slot] = offer_value(
                hands[slot], totals[slot], tile, tile_values[slot], weights
            )
    best_take = write_take_values(
        state, mask, weights, tile_values, offer_values, hands, totals, out_values
    )
    for slot in range(N_SLOTS):
        start = BUY + slot * N_PAYMENTS
        if next_legal(mask, start, start + N_PAYMENTS) < start + N_PAYMENTS:
            value = tile_values[slot] - offer_values[slot] + denial(state, slot, unseen, weights)
            write_purchase_values(state, mask, slot, value, best_take, weights, out_values)
    for tile in range(N_TILES):
        if mask[PICK + tile]:
            kept = weights[RESERVE] * gains[TILE_BUILDING[tile]]
            value = tile_value(state, sites, openings, tile, True, weights, gains)
            out_values[PICK + tile] = value - kept
    for action in range(PICK + N_TILES, N_ACTIONS):
        out_values[action] = NEVER  # removing a tile never helps; it is the last resort
    out_values[PASS] = 0.0
    for value in range(N_VALUES):  # stops without taking money, for the price of a card
        cost = weights[COIN] * (value + 1) + weights[CARD]
        out_values[OVERPAY + value] = -cost * lateness(state, weights)


@jit
def denial(state: State, slot: int, unseen: Array, weights: Array) -> float:
    """Return the value of keeping a tile from the next player."""
    building = TILE_BUILDING[state.market[slot]]
    following = (int(state.to_play) + 1) % int(state.num_players)
    return weights[DENY] * gain_of_type(state, following, building, unseen[building], weights)


@jit
def offer_value(hand: int, total: int, tile: int, tile_value: float, weights: Array) -> float:
    """Return the value of a tile on offer, given a hand of its currency (packed, and its total)."""
    if tile_value <= 0:
        return 0.0
    return offer_share(hand, total, tile, weights) * tile_value


@jit
def offer_share(hand: int, total: int, tile: int, weights: Array) -> float:
    """Return the share of a tile's value that it has on offer, given a hand of its currency."""
    price = TILE_PRICE[tile]
    if total < price:
        share = total / price
        return weights[NEARLY] * share * share
    return weights[EXACT] if pays_exactly(hand, price) else weights[PAYABLE_WEIGHT]


@jit
def pays_exactly(hand: int, price: int) -> bool:
    """Can a hand of one currency, packed, pay exactly this price?"""
    for payment in range(FIRST_EXACT[price], FIRST_EXACT[price + 1]):
        if hand - PAYMENT_PACKED[payment] & GUARDS == GUARDS:
            return True
    return False


@jit
def write_take_values(
    state: State,
    mask: Array,
    weights: Array,
    tile_values: Array,
    offer_values: Array,
    hands: Array,
    totals: Array,
    out_values: Array,
) -> float:
    """Write the values of the ways to take money. Return the best value, or 0."""
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
                    value += offer_value(hand, total, tile, tile_values[currency], weights)
                    value -= offer_values[currency]
        out_values[TAKE + subset - 1] = value
        best = max(best, value)
    return best


@jit
def write_purchase_values(
    state: State,
    mask: Array,
    slot: int,
    value: float,
    best_take: float,
    weights: Array,
    out_values: Array,
) -> None:
    """Write the values of the payments for a tile, whose value is `value` higher when bought."""
    price = TILE_PRICE[state.market[slot]]
    start = BUY + slot * N_PAYMENTS
    action = next_legal(mask, start, start + N_PAYMENTS)
    while action < start + N_PAYMENTS:
        total = PAYMENT_TOTAL[action - start]
        cost = weights[COIN] * total + weights[CARD] * PAYMENT_CARDS[action - start]
        out_values[action] = value - cost * lateness(state, weights)
        if total == price:
            out_values[action] += weights[EXTRA] * best_take
        action = next_legal(mask, action + 1, start + N_PAYMENTS)
