"""Writes the features of the choices of a decision (`feature_groups`): where each would lead.

They depend only on what the seat may know: its own hand, everything open, which tiles are left in
the bag, and the other hands only with `knows_hands` (E4).
"""

from typing import Final, NamedTuple

import numpy as np

from ..bots.best_turns import N_KINDS
from ..bots.layouts import Scope
from ..bots.majority import points_of_type
from ..bots.outlook import N_PURSE, purse_value, spendable, write_purse, write_tile_values
from ..bots.planner import city_value_now, pays_exactly
from ..bots.standing import (
    MARGIN_SHAPE,
    MEAN_CARD,
    Margins,
    gain_of_next,
    money_of,
    new_margins,
    place_of,
    standing_value,
    threat,
)
from ..bots.weights import SPREADING
from ..engine.arrays import Array
from ..engine.jit import borrow, jit
from ..engine.legal import pack_hand
from ..engine.material import (
    DIRK,
    N_BUILDINGS,
    N_ROUNDS,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    TILE_BUILDING,
    TILE_PRICE,
)
from ..engine.sites import MOST_SIDES, N_NOTES, write_sites
from ..engine.state import State
from .choices import Choices
from .feature_groups import (
    BELOW_BEST,
    BELOW_SCALE,
    N_CHOICE_FEATURES,
    OF_SLOT,
    OF_TYPE,
    STARTS,
    VALUE,
    VALUE_SCALE,
)
from .table_features import count_cards, count_tiles, write_table

_KIND: Final = STARTS["kind"]
_TYPES: Final = STARTS["types"]
_SLOTS: Final = STARTS["slots"]
_CITY: Final = STARTS["city"]
_MONEY: Final = STARTS["money"]
_RESERVE: Final = STARTS["reserve"]

_MOST_PRICE: Final = int(TILE_PRICE[:N_TILES].max())


class Notes(NamedTuple):
    """Memory to describe the choices of one decision with."""

    margins: Margins
    points: Array
    """`float64 [building, own, given, own or others, round]`: expected points; NaN if unknown."""
    prices: Array
    """`int64 [price]`: how many tiles of each price are in the bag."""
    sites: Array
    gains: Array
    tile_values: Array
    purse: Array


@jit
def new_notes(state: State) -> Notes:
    """Return memory for the choices of the seat to play."""
    return Notes(
        new_margins(state, int(state.to_play)),
        np.full((*MARGIN_SHAPE, 2, N_ROUNDS), np.nan),
        count_prices(state),
        np.empty((MOST_SIDES, N_NOTES), np.int32),
        np.empty(N_BUILDINGS, np.float64),
        np.empty(N_SLOTS, np.float64),
        np.empty(N_PURSE, np.float64),
    )


@jit
def count_prices(state: State) -> Array:
    """Return how many tiles of each price are in the bag."""
    prices = np.zeros(_MOST_PRICE + 1, np.int64)
    for i in range(int(state.bag_size)):
        prices[TILE_PRICE[state.bag[i]]] += 1
    return prices


@jit
def write_features(
    state: State, scope: Scope, choices: Choices, count: int, notes: Notes, out: Array
) -> None:
    """Write the features of the choices at this position: `float32 [choice, feature]`.

    Rows without a choice are zeros.
    """
    choices, notes, out = borrow(choices), borrow(notes), borrow(out)
    out[:] = 0
    write_table(state, int(state.to_play), scope.knows_hands, out[0, N_CHOICE_FEATURES:])
    for choice in range(count):
        row = out[choice]
        if choice > 0:
            row[N_CHOICE_FEATURES:] = out[0, N_CHOICE_FEATURES:]
        end = choices.ends[choice]
        write_kind(choices.classes[choice], row)
        openings, n_sites = write_judgement(end, scope, notes, row)
        row[BELOW_BEST] = (choices.values[choice] - choices.values[0]) / BELOW_SCALE
        write_types(end, scope, notes, row)
        write_slots(end, scope, notes, row)
        write_city(end, openings, n_sites, row)
        write_money(end, row)
        write_reserve(end, notes.gains, row)


@jit
def write_kind(group: int, out: Array) -> None:
    """Write how many tiles a class of choices buys, and how it ends."""
    bought = group // N_KINDS
    for slot in range(N_SLOTS):
        out[_KIND] += (bought >> slot & 1) / N_SLOTS
    out[_KIND + 1 + group % N_KINDS] = 1


@jit
def write_judgement(end: State, scope: Scope, notes: Notes, out: Array) -> tuple[int, int]:
    """Write the outlook of `lookahead` and its parts; return the city's open sides and sites.

    Also notes the gains of one more tile of each type, and the worth of the tiles on offer.
    """
    seat = int(end.to_play)
    standing = standing_value(end, scope.knows_hands, scope.weights, notes.margins, notes.gains)
    n_sites, openings = write_sites(end, seat, notes.sites)
    sites = notes.sites[:n_sites]
    write_tile_values(end, sites, openings, scope.weights, notes.gains, notes.tile_values)
    write_purse(end, end.hands[seat], scope.knows_hands, scope.weights, notes.purse)
    city = city_value_now(end, seat, openings, scope.weights)
    hand = purse_value(notes.purse, notes.tile_values)
    out[VALUE] = (standing + city + hand) / VALUE_SCALE
    out[VALUE + 2] = standing / VALUE_SCALE
    out[VALUE + 3] = city / 10
    out[VALUE + 4] = hand / 10
    out[VALUE + 5] = threat(end, scope.knows_hands, scope.weights, notes.margins) / 5
    return openings, n_sites


@jit
def write_types(end: State, scope: Scope, notes: Notes, out: Array) -> None:
    """Write the standing in each type of building."""
    seat, players = int(end.to_play), int(end.num_players)
    for building in range(N_BUILDINGS):
        start = _TYPES + building * OF_TYPE
        most = 0
        total = 0
        for other in range(players):
            if other != seat:
                most = max(most, int(end.buildings[other, building]))
                total += end.buildings[other, building]
        out[start] = end.buildings[seat, building] / 6
        out[start + 1] = most / 6
        out[start + 2] = total / (players - 1) / 6
        out[start + 3] = end.buildings[DIRK, building] / 6
        out[start + 4] = notes.margins.unseen[building] / 10
        points = expected_points(end, building, scope.weights[SPREADING], notes)
        for scoring in range(N_ROUNDS):
            out[start + 5 + scoring] = points[0, scoring] / 20
            out[start + 5 + N_ROUNDS + scoring] = points[1, scoring] / 20
        out[start + 11] = notes.gains[building] / 10
        out[start + 12] = gain_of_next(end, building, scope.weights, notes.margins) / 10


@jit
def expected_points(end: State, building: int, spreading: float, notes: Notes) -> Array:
    """Return the expected points for a type: `[own or mean of the others, round]`."""
    own, given = place_of(end, building, notes.margins)
    points: Array = notes.points[building, own, given]
    if np.isnan(points[0, 0]):
        points[:] = 0
        seat, unseen = notes.margins.seat, notes.margins.unseen[building]
        for scoring in range(int(end.rounds_scored), N_ROUNDS):
            mine, others = points_of_type(end, scoring, seat, building, 0, unseen, spreading)
            points[0, scoring] = mine
            points[1, scoring] = others / (int(end.num_players) - 1)
    return points


@jit
def write_slots(end: State, scope: Scope, notes: Notes, out: Array) -> None:
    """Write the tiles on offer, and the money for them."""
    seat = int(end.to_play)
    following = (seat + 1) % int(end.num_players)
    for slot in range(N_SLOTS):
        start = _SLOTS + slot * OF_SLOT
        packed, total = pack_hand(end.hands[seat, slot])
        out[start + 6] = total / 20
        for i in range(N_VALUES):
            out[start + 7] += end.hands[seat, slot, i] / 5
        for place in range(N_SLOTS):
            card = int(end.display[place])
            if card != NONE and card // N_VALUES == slot:
                out[start + 8] += (card % N_VALUES + 1) / 10
                out[start + 9] += 1 / 4
        exactly, payable = shares_of_bag(sums_of(end.hands[seat, slot]), total, notes.prices)
        out[start + 12] = exactly
        out[start + 13] = payable
        tile = int(end.market[slot])
        if tile == NONE:
            continue
        price = int(TILE_PRICE[tile])
        out[start] = 1
        out[start + 1] = price / 13
        out[start + 2] = notes.tile_values[slot] / 10
        out[start + 3] = total >= price
        out[start + 4] = total >= price and pays_exactly(packed, price)
        out[start + 5] = min(1.0, total / price)
        gain = gain_of_next(end, TILE_BUILDING[tile], scope.weights, notes.margins)
        out[start + 10] = gain / 10
        money = money_of(end, following, slot, scope.knows_hands)
        out[start + 11] = min(2.0, money / price)


@jit
def sums_of(hand: Array) -> int:
    """Return the sums that some cards of one currency have, as bits, up to the highest price."""
    sums = 1
    for i in range(N_VALUES):
        for _ in range(int(hand[i])):
            sums |= sums << (i + 1) & (1 << (_MOST_PRICE + 1)) - 1
    return sums


@jit
def shares_of_bag(sums: int, total: int, prices: Array) -> tuple[float, float]:
    """Return which share of the tiles in the bag a hand pays exactly, and which it pays at all."""
    exactly = 0
    payable = 0
    tiles = 0
    for price in range(prices.size):
        tiles += prices[price]
        exactly += prices[price] * (sums >> price & 1)
        if price <= total:
            payable += prices[price]
    return exactly / max(tiles, 1), payable / max(tiles, 1)


@jit
def write_city(end: State, openings: int, n_sites: int, out: Array) -> None:
    """Write the city: its wall and its room to grow."""
    seat, players = int(end.to_play), int(end.num_players)
    longest = 0
    walls = 0
    tiles = 0
    for other in range(players):
        if other != seat:
            longest = max(longest, int(end.walls[other]))
            walls += end.walls[other]
            tiles += count_tiles(end, other)
    own = int(end.walls[seat])
    own_tiles = count_tiles(end, seat)
    out[_CITY] = own / 15
    out[_CITY + 1] = (own - longest) / 10
    out[_CITY + 2] = (own - walls / (players - 1)) / 10
    out[_CITY + 3] = openings / 10
    out[_CITY + 4] = n_sites / 10
    out[_CITY + 5] = own_tiles / 20
    out[_CITY + 6] = (own_tiles - tiles / (players - 1)) / 5


@jit
def write_money(end: State, out: Array) -> None:
    """Write what the hand is like."""
    seat, players = int(end.to_play), int(end.num_players)
    total = 0
    most = 0
    for currency in range(N_SLOTS):
        cards = 0
        for i in range(N_VALUES):
            cards += end.hands[seat, currency, i]
            total += end.hands[seat, currency, i] * (i + 1)
        most = max(most, cards)
    others = 0
    for other in range(players):
        if other != seat:
            others += count_cards(end, other)
    cards = count_cards(end, seat)
    out[_MONEY] = total / 40
    out[_MONEY + 1] = cards / 12
    out[_MONEY + 2] = (cards - others / (players - 1)) / 8
    out[_MONEY + 3] = most / 6
    out[_MONEY + 4] = min(2.0, spendable(end) / max(total, MEAN_CARD))


@jit
def write_reserve(end: State, gains: Array, out: Array) -> None:
    """Write what is in the reserve."""
    for tile in range(N_TILES):
        if end.reserves[end.to_play, tile]:
            out[_RESERVE] += 1 / 4
            out[_RESERVE + 1] += gains[TILE_BUILDING[tile]] / 20
