"""Derived pieces: features that a large network could learn itself, precomputed for small ones.

Their writers follow the same rules as those in `writers`.
"""

from typing import Final

import numpy as np

from ..engine.arrays import Array
from ..engine.city import find_swaps
from ..engine.grid import N_CELLS
from ..engine.jit import jit
from ..engine.legal import pack_hand
from ..engine.material import DIRK, MAX_PLAYERS, N_BUILDINGS, N_ROUNDS, N_SLOTS, NONE, TILE_PRICE
from ..engine.outline import outline_swapped
from ..engine.payments import (
    END_PAYABLE,
    FIRST_PAYABLE,
    GUARDS,
    PAYABLE,
    PAYMENT_PACKED,
    PAYMENT_TOTAL,
)
from ..engine.scoring import write_points
from ..engine.sites import CELL, is_accepted, outline_with, survey
from ..engine.state import REBUILD, State
from ..engine.tileset import lowest_tile
from .writers import LARGEST, seat_at

OFFER_BYTES: Final = 4
OFFER_GAIN: Final = OFFER_BYTES - 1
"""Index of the wall gain within an offer."""

GAIN_OFFSET: Final = 64
"""Added to a change of the longest wall so that it is never negative; 0 means impossible."""


@jit
def write_standing(state: State, seat: int, out: Array) -> None:
    """Points of each player in the next scoring if it came now, Dirk last; then the gap by type.

    A gap is how many tiles of a type the observer needs to tie with the next player ahead.
    """
    players = int(state.num_players)
    points = np.zeros(MAX_PLAYERS + 1, np.int64)
    write_points(state, min(int(state.rounds_scored), N_ROUNDS - 1), points)
    for rel in range(players):
        out[rel] = min(points[seat_at(seat, rel, players)], LARGEST)
    out[players] = min(points[DIRK], LARGEST)
    for building in range(N_BUILDINGS):
        own = state.buildings[seat, building]
        gap = 0
        for row in range(MAX_PLAYERS + 1):
            lead = int(state.buildings[row, building]) - own
            if lead > 0 and (gap == 0 or lead < gap):
                gap = lead
        out[players + 1 + building] = gap


@jit
def write_offers(state: State, seat: int, out: Array) -> None:
    """For each slot: can it be paid exactly, least overpayment, shortfall, best wall gain.

    The wall gain is the change of the longest wall if the tile is put on the best cell of the
    observer's city, plus `GAIN_OFFSET` (64); 0 if it fits nowhere.
    """
    sites, _ = survey(state, seat)
    for slot in range(N_SLOTS):
        first = slot * OFFER_BYTES
        for i in range(OFFER_BYTES):
            out[first + i] = 0
        tile = int(state.market[slot])
        if tile == NONE:
            continue
        price = TILE_PRICE[tile]
        hand, total = pack_hand(state.hands[seat, slot])
        if total < price:
            out[first + 2] = price - total
        else:
            over = least_overpayment(hand, price)
            out[first] = over == 0
            out[first + 1] = over
        longest = NONE
        for i in range(len(sites)):
            if is_accepted(sites[i], tile):
                longest = max(longest, outline_with(sites[i], tile)[0])
        if longest != NONE:
            out[first + OFFER_GAIN] = longest - state.walls[seat] + GAIN_OFFSET


@jit
def least_overpayment(hand: int, price: int) -> int:
    """Return the smallest possible overpayment of a price from a packed hand that can pay it."""
    least = LARGEST
    for payment in range(FIRST_PAYABLE[price], END_PAYABLE[price]):
        if hand - PAYMENT_PACKED[payment] & GUARDS == GUARDS and PAYABLE[price, payment]:
            least = min(least, PAYMENT_TOTAL[payment] - price)
    return least


@jit
def write_wall_gain(state: State, seat: int, out: Array) -> None:
    """Change of the longest wall if the picked tile is put on a cell, plus `GAIN_OFFSET` (64).

    0 where the tile cannot be put, and everywhere unless the observer is placing a tile.
    """
    for cell in range(N_CELLS):
        out[cell] = 0
    tile = int(state.picked)
    if tile == NONE or state.to_play != seat:
        return
    shift = GAIN_OFFSET - state.walls[seat]
    sites, _ = survey(state, seat)
    for i in range(len(sites)):
        if is_accepted(sites[i], tile):
            out[sites[i, CELL]] = outline_with(sites[i], tile)[0] + shift
    if state.phase == REBUILD:
        city = state.city[seat]
        tiles = find_swaps(state, seat, tile)
        while tiles != 0:
            cell = state.cell[lowest_tile(tiles)]
            tiles &= tiles - 1
            out[cell] = outline_swapped(city, cell, tile)[0] + shift
