"""The features of each legal action, computed from an observation and a mask.

The network scores each legal action from these features, so payments and cells share weights.
`write_action_features` handles a batch. It reads only observations and masks, so it also works on a
rollout buffer.
"""

from itertools import accumulate
from typing import Final

import numba
import numpy as np

from ..engine.action_ranges import BUY, GIVE, N_ACTIONS, OVERPAY, PASS, PICK, PUT, REMOVE, STORE
from ..engine.arrays import Array
from ..engine.grid import COLUMN, MIDDLE, N_CELLS, NEIGHBOURS, ROW
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.legal import pack_hand
from ..engine.material import (
    N_BUILDINGS,
    N_CURRENCIES,
    N_ROUNDS,
    N_SIDES,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    TILE_BUILDING,
    TILE_PRICE,
    TILE_WALLS,
)
from ..engine.payments import MAX_PRICE, N_PAYMENTS, PAYMENT_COUNTS, PAYMENT_TOTAL
from ..engine.random_play import count_legal
from ..engine.scoring import majority_points
from ..engine.state import PLACE
from ..observation.derived import GAIN_OFFSET, OFFER_BYTES, OFFER_GAIN, least_overpayment
from ..observation.pieces import PIECE_NAMES
from ..observation.writers import DISPLAY_BYTES, FOUNTAIN_PLANE, MARKET_BYTES
from .table_features import GAIN_SCALE

NEEDED_PIECES: Final = (
    "city",
    "market",
    "display",
    "hand",
    "picked",
    "buildings",
    "progress",
    "exact_slot",
    "offers",
    "wall_gain",
)
"""The pieces that the observation must contain."""

_CITY: Final = PIECE_NAMES.index("city")
_MARKET: Final = PIECE_NAMES.index("market")
_DISPLAY: Final = PIECE_NAMES.index("display")
_HAND: Final = PIECE_NAMES.index("hand")
_PICKED: Final = PIECE_NAMES.index("picked")
_BUILDINGS: Final = PIECE_NAMES.index("buildings")
_PROGRESS: Final = PIECE_NAMES.index("progress")
_EXACT_SLOT: Final = PIECE_NAMES.index("exact_slot")
_OFFERS: Final = PIECE_NAMES.index("offers")
_WALL_GAIN: Final = PIECE_NAMES.index("wall_gain")

FEATURES: Final = {
    "kind": 10,
    "building": N_BUILDINGS,
    "walls": N_SIDES,
    "tile": 7,
    "ranks": 2 * N_ROUNDS,
    "gain": 4,
    "buying": 6,
    "paid": N_VALUES,
    "taking": 3 + N_CURRENCIES,
    "slots": 3 * N_SLOTS,
    "cell": 5,
    "sides": 3 * N_SIDES,
    "old_building": N_BUILDINGS,
}
"""The groups of features of an action, and the size of each.

- kind (one-hot): take (and overpay, as a negative take), buy, pick to rebuild, pick to place,
  remove, put, swap, store, give, pass
- building, walls: type (one-hot) and walls of the tile
- tile: price, own tiles of its type, lead of the best other player, whether one more leads, whether
  one more ties, whether it is tied now, whether there is a tile
- ranks: for each remaining round, points that one more tile of the type gains at the present ranks,
  and points that the others lose on average
- gain: of the longest wall, difference to the best cell, whether this cell is best, whether it fits
- buying: whether exact, overpayment, cards paid, money and cards left of this currency, slot
- paid: cards of each value
- taking: number of cards, slots that become payable, slots that become exactly payable, money of
  each currency
- slots: for each slot after taking, whether payable, whether exactly payable, the shortfall
- cell: row and column from the fountain, distance, neighbours, sides open to build on
- sides: for each side, whether there is a neighbour, whether the neighbour has a wall there,
  whether the tile has an outer wall there
- old_building: type (one-hot) of the tile that is replaced or removed
"""

N_FEATURES: Final = sum(FEATURES.values())
_STARTS: Final = [0, *accumulate(FEATURES.values())]
_KIND, _BUILDING, _WALLS, _TILE, _RANKS, _GAIN, _BUYING = _STARTS[:7]
_PAID, _TAKING, _SLOTS, _CELL, _SIDES, _OLD = _STARTS[7:-1]

_TAKES, _BUYS, _REBUILDS, _PLACES, _REMOVES, _PUTS, _SWAPS, _STORES, _GIVES, _PASSES = range(10)

# Scales that keep most features between -1 and 1
_PRICE_SCALE: Final = np.float32(1 / MAX_PRICE)
_COUNT_SCALE: Final = np.float32(1 / 4)
_MONEY_SCALE: Final = np.float32(1 / 10)
_CELL_SCALE: Final = np.float32(1 / 5)
_POINT_SCALE: Final = np.float32(1 / 10)


@jit
def count_actions(masks: Array, out_starts: Array) -> None:
    """Write the offset of each row in the flat list of legal actions; the last is its length."""
    out_starts[0] = 0
    for row in range(masks.shape[0]):
        out_starts[row + 1] = out_starts[row] + count_legal(borrow(masks)[row])


@jit_parallel
def write_action_features(
    observations: Array,
    masks: Array,
    bounds: Array,
    starts: Array,
    out_actions: Array,
    out_features: Array,
) -> None:
    """Write the legal actions of each row, and the features of each action.

    `bounds` are those of the layout, which must have `NEEDED_PIECES`. `out_features` must be zeros.
    """
    for row in numba.prange(masks.shape[0]):
        seen, mask = borrow(observations)[row], borrow(masks)[row]
        write_row_features(seen, mask, bounds, starts[row], out_actions, out_features)


@jit
def write_row_features(
    seen: Array, mask: Array, bounds: Array, choice: int, out_actions: Array, out_features: Array
) -> None:
    """`write_action_features` for one row, whose legal actions are listed from `choice` on."""
    best_gain = best_gain_of(seen, bounds)
    for action in range(N_ACTIONS):
        if mask[action]:
            out_actions[choice] = action
            describe_action(seen, action, best_gain, bounds, borrow(out_features)[choice])
            choice += 1


@jit
def find_actions(actions: Array, starts: Array, choices: Array, out_places: Array) -> None:
    """Write the index of each action among the legal actions of its row."""
    for row in range(actions.size):
        for choice in range(starts[row], starts[row + 1]):
            if choices[choice] == actions[row]:
                out_places[row] = choice - starts[row]


@jit
def best_gain_of(seen: Array, bounds: Array) -> int:
    """Return the largest value of the piece `wall_gain`."""
    largest = 0
    for i in range(bounds[_WALL_GAIN, 0], bounds[_WALL_GAIN, 1]):
        largest = max(largest, int(seen[i]))
    return largest


@jit
def describe_action(seen: Array, action: int, best_gain: int, bounds: Array, out: Array) -> None:
    """Write the features of one action."""
    if action < BUY:
        out[_KIND + _TAKES] = 1
        describe_take(seen, action + 1, bounds, out)
    elif action < PICK:
        out[_KIND + _BUYS] = 1
        slot = (action - BUY) // N_PAYMENTS
        describe_purchase(seen, slot, (action - BUY) % N_PAYMENTS, bounds, out)
    elif action < REMOVE:
        is_placing = seen[bounds[_PROGRESS, 0]] == PLACE
        out[_KIND + (_PLACES if is_placing else _REBUILDS)] = 1
        describe_tile_number(seen, action - PICK, bounds, out)
    elif action < PUT:
        out[_KIND + _REMOVES] = 1
        describe_cell(seen, action - REMOVE, 0, bounds, out)
    elif action < STORE:
        describe_put(seen, action - PUT, best_gain, bounds, out)
    elif action >= OVERPAY:
        out[_KIND + _TAKES] = 1
        describe_overpay(seen, action - OVERPAY, bounds, out)
    elif action == PASS:
        out[_KIND + _PASSES] = 1
    else:
        out[_KIND + (_GIVES if action == GIVE else _STORES)] = 1
        describe_picked(seen, bounds, out)
        describe_gain(best_gain, best_gain, out)


@jit
def describe_take(seen: Array, cards: int, bounds: Array, out: Array) -> None:
    """Write the features of taking open cards, given as bits."""
    hand = hand_of(seen, bounds)
    gained = np.zeros(N_CURRENCIES, np.int64)
    count = 0
    for slot in range(N_SLOTS):
        if cards >> slot & 1:
            card = bounds[_DISPLAY, 0] + slot * DISPLAY_BYTES
            value = int(seen[card + N_CURRENCIES])
            for currency in range(N_CURRENCIES):
                if seen[card + currency]:
                    hand[currency, value - 1] += 1
                    gained[currency] += value
            count += 1
    describe_new_hand(seen, hand, count, gained, bounds, out)


@jit
def describe_overpay(seen: Array, value: int, bounds: Array, out: Array) -> None:
    """Write the features of overpaying the last purchase by a card of value `value + 1`."""
    hand = hand_of(seen, bounds)
    gained = np.zeros(N_CURRENCIES, np.int64)
    for slot in range(N_SLOTS):
        if seen[bounds[_EXACT_SLOT, 0] + slot]:
            hand[slot, value] -= 1
            gained[slot] = -value - 1
    describe_new_hand(seen, hand, -1, gained, bounds, out)


@jit
def hand_of(seen: Array, bounds: Array) -> Array:
    """Return a copy of the observer's hand: `[currency, value]`."""
    hand = np.zeros((N_CURRENCIES, N_VALUES), np.uint8)
    first = bounds[_HAND, 0]
    for currency in range(N_CURRENCIES):
        for value in range(N_VALUES):
            hand[currency, value] = seen[first + currency * N_VALUES + value]
    return hand


@jit
def describe_new_hand(
    seen: Array, hand: Array, count: int, gained: Array, bounds: Array, out: Array
) -> None:
    """Write the features of a hand with `count` more cards, worth `gained` by currency."""
    out[_TAKING] = count * _COUNT_SCALE
    for currency in range(N_CURRENCIES):
        out[_TAKING + 3 + currency] = gained[currency] * _MONEY_SCALE
        describe_money(seen, currency, hand[currency], gained[currency] != 0, bounds, out)


@jit
def describe_money(
    seen: Array, slot: int, hand: Array, has_changed: bool, bounds: Array, out: Array
) -> None:
    """Write whether a slot is payable with a hand of its currency, after taking money."""
    price = int(seen[bounds[_MARKET, 0] + slot * MARKET_BYTES + N_BUILDINGS])
    if price == 0:
        return
    offer = bounds[_OFFERS, 0] + slot * OFFER_BYTES
    was_exact, short = int(seen[offer]), int(seen[offer + 2])
    is_exact, was_payable = was_exact, short == 0
    if has_changed:
        packed, total = pack_hand(hand)
        short = max(price - total, 0)
        is_exact = int(short == 0 and least_overpayment(packed, price) == 0)
    out[_TAKING + 1] += _COUNT_SCALE * (short == 0 and not was_payable)
    out[_TAKING + 2] += _COUNT_SCALE * (is_exact - was_exact)
    out[_SLOTS + slot] = short == 0
    out[_SLOTS + N_SLOTS + slot] = is_exact
    out[_SLOTS + 2 * N_SLOTS + slot] = short * _MONEY_SCALE


@jit
def describe_purchase(seen: Array, slot: int, payment: int, bounds: Array, out: Array) -> None:
    """Write the features of buying the tile in a market slot."""
    tile = bounds[_MARKET, 0] + slot * MARKET_BYTES
    price = int(seen[tile + N_BUILDINGS])
    building = 0
    for i in range(N_BUILDINGS):
        building += i * int(seen[tile + i])
    walls = 0
    for side in range(N_SIDES):
        walls |= int(seen[tile + N_BUILDINGS + 1 + side]) << side
    describe_tile(seen, building, price, walls, bounds, out)
    gain = int(seen[bounds[_OFFERS, 0] + slot * OFFER_BYTES + OFFER_GAIN])
    describe_gain(gain, gain, out)
    left, cards_paid, cards_left = -PAYMENT_TOTAL[payment], 0, 0
    for value in range(N_VALUES):
        held = int(seen[bounds[_HAND, 0] + slot * N_VALUES + value])
        paid = int(PAYMENT_COUNTS[payment, value])
        out[_PAID + value] = paid * np.float32(0.5)
        left += held * (value + 1)
        cards_paid += paid
        cards_left += held - paid
    over = PAYMENT_TOTAL[payment] - price
    out[_BUYING] = over == 0
    out[_BUYING + 1] = over * _COUNT_SCALE
    out[_BUYING + 2] = cards_paid * _COUNT_SCALE
    out[_BUYING + 3] = left * _MONEY_SCALE
    out[_BUYING + 4] = cards_left * _COUNT_SCALE
    out[_BUYING + 5] = slot * _COUNT_SCALE


@jit
def describe_tile_number(seen: Array, tile: int, bounds: Array, out: Array) -> None:
    """Write the features of a tile, given by its number."""
    describe_tile(seen, TILE_BUILDING[tile], TILE_PRICE[tile], TILE_WALLS[tile], bounds, out)


@jit
def describe_picked(seen: Array, bounds: Array, out: Array) -> int:
    """Write the features of the picked tile. Return its number, or NONE."""
    for tile in range(N_TILES):
        if seen[bounds[_PICKED, 0] + tile]:
            describe_tile_number(seen, tile, bounds, out)
            return tile
    return NONE


@jit
def describe_tile(
    seen: Array, building: int, price: int, walls: int, bounds: Array, out: Array
) -> None:
    """Write the features of a tile, and the value of one more of its type."""
    out[_BUILDING + building] = 1
    for side in range(N_SIDES):
        out[_WALLS + side] = walls >> side & 1
    own = int(seen[bounds[_BUILDINGS, 0] + building])
    best = 0
    for i in range(bounds[_BUILDINGS, 0] + N_BUILDINGS, bounds[_BUILDINGS, 1], N_BUILDINGS):
        best = max(best, int(seen[i + building]))
    out[_TILE] = price * _PRICE_SCALE
    out[_TILE + 1] = own * _COUNT_SCALE
    out[_TILE + 2] = (best - own) * _COUNT_SCALE
    out[_TILE + 3] = own + 1 > best
    out[_TILE + 4] = own + 1 == best
    out[_TILE + 5] = own == best
    out[_TILE + 6] = 1
    describe_ranks(seen, building, bounds, out)


@jit
def describe_ranks(seen: Array, building: int, bounds: Array, out: Array) -> None:
    """Write how one more tile of a type changes the points for ranks, in each remaining round."""
    first = bounds[_BUILDINGS, 0] + building
    counts = np.empty((bounds[_BUILDINGS, 1] - bounds[_BUILDINGS, 0]) // N_BUILDINGS, np.int64)
    for row in range(counts.size):
        counts[row] = seen[first + row * N_BUILDINGS]
    others = counts.size - 2  # without the observer and Dirk, who is in the last row
    for scoring in range(int(seen[bounds[_PROGRESS, 0] + 1]), N_ROUNDS):
        gain, loss = 0, 0
        for row in range(others + 1):
            before = majority_points(counts, row, scoring, building)
            counts[0] += 1
            change = majority_points(counts, row, scoring, building) - before
            counts[0] -= 1
            if row == 0:
                gain = change
            else:
                loss -= change
        out[_RANKS + scoring] = gain * _POINT_SCALE
        out[_RANKS + N_ROUNDS + scoring] = loss * _POINT_SCALE / others


@jit
def describe_gain(gain: int, best_gain: int, out: Array) -> None:
    """Write the features of a gain of the longest wall, given as in `wall_gain`."""
    if gain:
        out[_GAIN] = (gain - GAIN_OFFSET) * GAIN_SCALE
        out[_GAIN + 1] = (best_gain - gain) * GAIN_SCALE
        out[_GAIN + 2] = best_gain == gain
        out[_GAIN + 3] = 1


@jit
def describe_put(seen: Array, cell: int, best_gain: int, bounds: Array, out: Array) -> None:
    """Write the features of putting the picked tile on a cell."""
    tile = describe_picked(seen, bounds, out)
    is_swap = describe_cell(seen, cell, int(TILE_WALLS[tile]), bounds, out)
    out[_KIND + (_SWAPS if is_swap else _PUTS)] = 1
    describe_gain(int(seen[bounds[_WALL_GAIN, 0] + cell]), best_gain, out)


@jit
def describe_cell(seen: Array, cell: int, walls: int, bounds: Array, out: Array) -> bool:
    """Write the features of a cell for a tile with these walls. Return whether it has a tile."""
    city = bounds[_CITY, 0]
    has_tile = False
    for building in range(N_BUILDINGS):
        if seen[city + building * N_CELLS + cell]:
            out[_OLD + building] = 1
            has_tile = True
    neighbours = 0
    open_sides = 0
    for side in range(N_SIDES):
        other = int(NEIGHBOURS[cell, side])
        facing = city + (N_BUILDINGS + (side + N_SIDES // 2) % N_SIDES) * N_CELLS
        has_wall = walls >> side & 1
        if is_built(seen, city, other):
            neighbours += 1
            out[_SIDES + side] = 1
            out[_SIDES + N_SIDES + side] = seen[facing + other]
        else:
            out[_SIDES + 2 * N_SIDES + side] = has_wall
            open_sides += 1 - has_wall
    dy, dx = ROW[cell] - MIDDLE, COLUMN[cell] - MIDDLE
    out[_CELL] = dy * _CELL_SCALE
    out[_CELL + 1] = dx * _CELL_SCALE
    out[_CELL + 2] = (abs(dy) + abs(dx)) * _CELL_SCALE
    out[_CELL + 3] = neighbours * _COUNT_SCALE
    out[_CELL + 4] = open_sides * _COUNT_SCALE
    return has_tile


@jit
def is_built(seen: Array, city: int, cell: int) -> bool:
    """Is there a tile, or the fountain, on this cell of a city?"""
    built = int(seen[city + FOUNTAIN_PLANE * N_CELLS + cell])
    for building in range(N_BUILDINGS):
        built |= int(seen[city + building * N_CELLS + cell])
    return built != 0
