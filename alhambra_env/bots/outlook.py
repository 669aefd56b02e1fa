"""What a position at the end of a seat's own turn is worth: the margin that it can expect.

Used by `lookahead`. Everything is what the seat may know: its own hand, what lies open, which tiles
are left in the bag, and the others' hands only if they are open (E4).
"""

from typing import Final

import numpy as np

from ..engine.jit import jit
from ..engine.legal import pack_hand
from ..material import (
    N_BUILDINGS,
    N_CURRENCIES,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    TILE_BUILDING,
    TILE_PRICE,
)
from .majority import count_unseen, margin_of_type
from .planner import gain_of_type, hope, lateness, tile_value, value_of_city
from .weights import AWARD, CARD, COIN, FRESH, LATER, RESERVE, SPITE, SPREADING, THREAT

MEAN_PRICE: Final = float(TILE_PRICE[:N_TILES].mean())
MEAN_CARD: Final = (N_VALUES + 1) / 2


@jit
def outlook(state, is_open, weights):
    """Return what a position is worth to the seat to play, whose turn is at its end."""
    worths = np.empty(N_SLOTS, np.float64)
    value = write_prospects(state, is_open, weights, worths)
    return value + worth_of_hand(state, is_open, weights, worths)


@jit
def write_prospects(state, is_open, weights, out_worths):
    """Return what all but the hand is worth, and write the worth of each tile on offer."""
    seat = int(state.to_play)
    gains = np.empty(N_BUILDINGS, np.float64)
    unseen = np.empty(N_BUILDINGS, np.int64)
    count_unseen(state, unseen)
    value = value_of_city(state, state.city[seat], weights)
    for building in range(N_BUILDINGS):
        settings = weights[SPREADING], weights[SPITE], weights[LATER]
        now = margin_of_type(state, seat, building, 0, unseen[building], *settings)
        more = margin_of_type(state, seat, building, 1, unseen[building], *settings)
        gains[building] = more - now
        value += now
    for tile in range(N_TILES):
        if state.reserves[seat, tile]:
            value += weights[RESERVE] * gains[TILE_BUILDING[tile]]
    for slot in range(N_SLOTS):
        tile = int(state.market[slot])
        out_worths[slot] = tile_value(state, tile, False, weights, gains) if tile != NONE else 0.0
    return value - threat(state, seat, is_open, unseen, weights)


@jit
def worth_of_hand(state, is_open, weights, worths):
    """Return what the money is worth: by itself, and for the tiles on offer."""
    seat = int(state.to_play)
    value = 0.0
    near = near_end(state)
    for slot in range(N_SLOTS):
        hand, total = pack_hand(state.hands[seat, slot])
        cards = 0
        for i in range(N_VALUES):
            cards += state.hands[seat, slot, i]
        plain = weights[COIN] * total + weights[CARD] * cards
        value += plain * lateness(state, weights)
        tile = int(state.market[slot])
        if tile == NONE:
            share = min(1.0, total / MEAN_PRICE)
            value += weights[FRESH] * share * share * lateness(state, weights)
            continue
        value += hope(hand, total, tile, worths[slot], weights)
        if near > 0 and worths[slot] > 0:
            chance = chance_of_award(state, seat, slot, total, is_open)
            value += weights[AWARD] * near * worths[slot] * chance
    return value


@jit
def near_end(state):
    """Return how near the end is: 0 while everybody has another turn, 1 when the bag is empty."""
    return max(0.0, 1 - state.bag_size / (2.0 * state.num_players))


@jit
def chance_of_award(state, seat, slot, total, is_open):
    """Return the chance to hold the most of a currency (R25)."""
    most = 0.0
    for other in range(int(state.num_players)):
        if other != seat:
            most = max(most, money_of(state, other, slot, is_open))
    if total == 0 or total <= most - 4:
        return 0.0
    return min(1.0, (total - most + 4) / 8)


@jit
def money_of(state, seat, currency, is_open):
    """Return what another seat has of a currency, or what it has on average."""
    total = 0.0
    cards = 0
    for slot in range(N_CURRENCIES):
        for i in range(N_VALUES):
            count = int(state.hands[seat, slot, i])
            cards += count
            if slot == currency:
                total += count * (i + 1)
    return total if is_open else cards * MEAN_CARD / N_CURRENCIES


@jit
def threat(state, seat, is_open, unseen, weights):
    """Return what the tiles that are left on offer are worth to the next player."""
    following = (seat + 1) % int(state.num_players)
    worst = 0.0
    for slot in range(N_SLOTS):
        tile = int(state.market[slot])
        if tile == NONE:
            continue
        money = money_of(state, following, slot, is_open)
        chance = min(1.0, money / TILE_PRICE[tile])
        if is_open and chance < 1:
            chance = 0.0
        building = TILE_BUILDING[tile]
        gain = gain_of_type(state, following, building, unseen[building], weights)
        worst = max(worst, chance * gain)
    return weights[THREAT] * weights[SPITE] * worst
