"""The value of the standing: ranks, the reserve, and what is left for the next player to buy.

The margin of a type depends only on who has how many tiles of it. A search judges thousands of
cities with the same few counts, so each margin is computed once and noted.
"""

from typing import Final, NamedTuple

import numpy as np

from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.material import (
    DIRK,
    N_BUILDINGS,
    N_CURRENCIES,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    TILE_BUILDING,
    TILE_PRICE,
)
from ..engine.state import State
from .majority import count_unseen, margin_of_type
from .planner import gain_of_type
from .weights import LATER, RESERVE, SPITE, SPREADING, THREAT

MEAN_CARD: Final = (N_VALUES + 1) / 2

# In a turn, a seat loses at most one tile of a type, and gets at most four bought ones and one from
# its reserve; the gain of one more is computed, too. Dirk gets at most four.
_MOST_LOST: Final = 1
MARGIN_SHAPE: Final = (N_BUILDINGS, _MOST_LOST + N_SLOTS + 3, N_SLOTS + 1)
"""Types, and how many tiles of a type a seat and Dirk can have in a turn (`place_of`)."""


class Margins(NamedTuple):
    """What is known about the types in the turn of a seat; the margins are noted in place."""

    seat: int
    unseen: Array
    """`int64 [building]`: tiles of each type in the bag."""
    before: Array
    """`int8 [row, building]`: the counts when the search started."""
    own: Array
    """`float64 [building, own count, Dirk's count]`: margins of the seat; NaN if not computed."""
    gains_of_next: Array
    """The same for what one more tile brings the next player."""


@jit
def new_margins(state: State, seat: int) -> Margins:
    """Return the margins of a turn that starts or goes on here; none is computed yet."""
    unseen = np.empty(N_BUILDINGS, np.int64)
    count_unseen(state, unseen)
    return Margins(
        seat,
        unseen,
        state.buildings.copy(),
        np.full(MARGIN_SHAPE, np.nan),
        np.full(MARGIN_SHAPE, np.nan),
    )


@jit
def place_of(state: State, building: int, margins: Margins) -> tuple[int, int]:
    """Return where what is known for the present counts of a type is noted."""
    own = state.buildings[margins.seat, building] - margins.before[margins.seat, building]
    given = state.buildings[DIRK, building] - margins.before[DIRK, building]
    return own + _MOST_LOST, given


@jit
def own_margin(state: State, building: int, extra: int, weights: Array, margins: Margins) -> float:
    """Return the margin of a type for the seat, with `extra` more tiles than it has now."""
    own, given = place_of(state, building, margins)
    margin = margins.own[building, own + extra, given]
    if np.isnan(margin):
        factors = weights[SPREADING], weights[SPITE], weights[LATER]
        unseen = margins.unseen[building]
        margin = margin_of_type(state, margins.seat, building, extra, unseen, *factors)
        margins.own[building, own + extra, given] = margin
    return margin


@jit
def gain_of_next(state: State, building: int, weights: Array, margins: Margins) -> float:
    """Return what one more tile of a type brings the next player."""
    own, given = place_of(state, building, margins)
    gain = margins.gains_of_next[building, own, given]
    if np.isnan(gain):
        following = (margins.seat + 1) % int(state.num_players)
        gain = gain_of_type(state, following, building, margins.unseen[building], weights)
        margins.gains_of_next[building, own, given] = gain
    return gain


@jit
def standing_value(
    state: State, knows_hands: bool, weights: Array, margins: Margins, out_gains: Array
) -> float:
    """Return the value of ranks, reserve and the next player's chances to a seat.

    Also writes the gain of one more tile of each type.
    """
    value = 0.0
    for building in range(N_BUILDINGS):
        now = own_margin(state, building, 0, weights, margins)
        out_gains[building] = own_margin(state, building, 1, weights, margins) - now
        value += now
    if not state.ending:
        reserve = state.reserves[margins.seat]
        for tile in range(N_TILES):
            if reserve[tile]:
                value += weights[RESERVE] * out_gains[TILE_BUILDING[tile]]
    return value - threat(state, knows_hands, weights, margins)


@jit
def threat(state: State, knows_hands: bool, weights: Array, margins: Margins) -> float:
    """Return the value of the best tile on offer to the next player, as it counts for a seat."""
    following = (margins.seat + 1) % int(state.num_players)
    worst = 0.0
    for slot in range(N_SLOTS):
        tile = int(state.market[slot])
        if tile == NONE:
            continue
        money = money_of(state, following, slot, knows_hands)
        chance = min(1.0, money / TILE_PRICE[tile])
        if knows_hands and chance < 1:
            chance = 0.0
        gain = gain_of_next(state, TILE_BUILDING[tile], weights, margins)
        worst = max(worst, chance * gain)
    return weights[THREAT] * weights[SPITE] * worst


@jit
def money_of(state: State, seat: int, currency: int, knows_hands: bool) -> float:
    """Return the money of another seat in a currency; the mean if hands are not known."""
    total = 0.0
    cards = 0
    for slot in range(N_CURRENCIES):
        for i in range(N_VALUES):
            count = int(state.hands[seat, slot, i])
            cards += count
            if slot == currency:
                total += count * (i + 1)
    return total if knows_hands else cards * MEAN_CARD / N_CURRENCIES
