"""The value of a position at the end of a seat's turn: the margin that it can expect.

Used by `lookahead`. It depends only on what the seat may know: its own hand, everything open, which
tiles are left in the bag, and the other hands only with `knows_hands` (E4).

It is the sum of three values: the standing (`standing`: ranks, reserve, what is left for the next
player to buy), the city (its wall and its room to grow), and the hand. A hand has a value of its
own and a share of the value of each tile on offer, which depends on the city. So a turn that can
end with many hands and many cities needs `write_purse` once for each hand, and little for each
pair.
"""

from typing import Final

from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.legal import pack_hand
from ..engine.material import N_SLOTS, N_TILES, N_VALUES, NONE, TILE_PRICE
from ..engine.state import State
from .planner import lateness, offer_share, tile_value
from .standing import money_of
from .weights import AWARD, CARD, COIN, FRESH

MEAN_PRICE: Final = float(TILE_PRICE[:N_TILES].mean())

_SLACK: Final = 1.5  # money is never all of the right currencies and values

PLAIN: Final = N_SLOTS
"""Index of a purse's own value; before it are its shares of the tiles on offer, by slot."""

N_PURSE: Final = N_SLOTS + 1


# --- tiles on offer, and money for them -----------------------------------------------------------


@jit
def write_tile_values(
    state: State, sites: Array, openings: int, weights: Array, gains: Array, out_tile_values: Array
) -> None:
    """Write the value of each tile on offer in the city; 0 for an empty slot.

    At the end, leftover tiles that nobody won (R25) are not on offer any more.
    """
    for slot in range(N_SLOTS):
        out_tile_values[slot] = 0.0
        tile = int(state.market[slot])
        if tile != NONE and not state.ending:
            worth = tile_value(state, sites, openings, tile, False, weights, gains)
            out_tile_values[slot] = max(worth, 0.0)


@jit
def write_purse(
    state: State, hand: Array, knows_hands: bool, weights: Array, out_purse: Array
) -> None:
    """Write the shares of a hand of the seat to play in the tiles on offer, and its own value."""
    seat = int(state.to_play)
    near = near_end(state)
    late = lateness(state, weights)
    plain = 0.0
    money = 0
    fresh = 0.0
    for slot in range(N_SLOTS):
        packed, total = pack_hand(hand[slot])
        cards = 0
        for i in range(N_VALUES):
            cards += hand[slot, i]
        plain += weights[COIN] * total + weights[CARD] * cards
        money += total
        tile = int(state.market[slot])
        if tile == NONE:
            out_purse[slot] = 0.0
            share = min(1.0, total / MEAN_PRICE)
            fresh += weights[FRESH] * share * share
        else:
            out_purse[slot] = offer_share(packed, total, tile, weights)
            if near > 0:
                chance = chance_of_award(state, seat, slot, total, knows_hands)
                out_purse[slot] += weights[AWARD] * near * chance
    useful = min(1.0, spendable(state) / max(money, 1))
    out_purse[PLAIN] = (plain * useful + fresh) * late


@jit
def spendable(state: State) -> float:
    """Return how much money a player can still use.

    A bot that has more should spend it: if nobody did, there would be no money left to take.
    """
    tiles = int(state.bag_size)
    for slot in range(N_SLOTS):
        tiles += state.market[slot] != NONE
    return _SLACK * MEAN_PRICE * tiles / state.num_players


@jit
def purse_value(purse: Array, tile_values: Array) -> float:
    """Return the value of a hand, given the values of the tiles on offer."""
    value = purse[PLAIN]
    for slot in range(N_SLOTS):
        value += purse[slot] * tile_values[slot]
    return value


@jit
def near_end(state: State) -> float:
    """Return how near the end is: 0 while everybody has another turn, 1 when the bag is empty."""
    return max(0.0, 1 - state.bag_size / (2.0 * state.num_players))


@jit
def chance_of_award(state: State, seat: int, slot: int, total: int, knows_hands: bool) -> float:
    """Return the chance to hold the most of a currency (R25)."""
    most = 0.0
    for other in range(int(state.num_players)):
        if other != seat:
            most = max(most, money_of(state, other, slot, knows_hands))
    if total == 0 or total <= most - 4:
        return 0.0
    return min(1.0, (total - most + 4) / 8)
