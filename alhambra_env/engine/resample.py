"""Redrawing what a seat cannot know (E4), for search that does not cheat."""

import numpy as np

from .arrays import Array
from .jit import jit
from .material import (
    DECK_ROOM,
    N_MONEY,
    N_VALUES,
    NONE,
    SCORE_1,
    SCORE_1_PILE,
    SCORE_2,
    SCORE_2_PILE,
)
from .rng import shuffle
from .setup import draw_position
from .state import State


@jit
def resample(state: State, seat: int, knows_hands: bool, rng: Array) -> None:
    """Redraw the order of deck and bag and, unless the seat `knows_hands`, the other hands.

    What the seat can see stays: its own hand, the size of every hand, and which tiles and cards are
    unseen. A scoring card stays within what is left of its pile, which is public knowledge. The
    record's random words are replaced by `rng` as it is after the redraw. The result depends only
    on `rng` and on what the seat can see, because everything is sorted before it is shuffled.
    """
    sort_few(int(state.bag_size), state.bag)
    shuffle(rng, int(state.bag_size), state.bag)
    redraw_money(state, seat, knows_hands, rng)
    state.rng[:] = rng


@jit
def sort_few(size: int, out_items: Array) -> None:
    """Sort the first `size` items, which are tiles or cards, in place."""
    counts = np.zeros(DECK_ROOM, np.int8)
    for i in range(size):
        counts[out_items[i]] += 1
    i = 0
    for item in range(counts.size):
        for _ in range(int(counts[item])):
            out_items[i] = item
            i += 1


@jit
def redraw_money(state: State, seat: int, knows_hands: bool, rng: Array) -> None:
    """Gather the unseen money, shuffle it, and deal the same number of cards everywhere."""
    pool = np.empty(state.deck.size, np.int8)
    size = 0
    first = NONE
    second = NONE
    for position in range(int(state.deck_size)):
        card = int(state.deck[position])
        if card == SCORE_1:
            first = position
        elif card == SCORE_2:
            second = position
        else:
            pool[size] = card
            size += 1
    if not knows_hands:
        for other in range(int(state.num_players)):
            if other != seat:
                size = gather_hand(state, other, size, pool)
    sort_few(size, pool)
    shuffle(rng, size, pool)
    if not knows_hands:
        for other in range(int(state.num_players)):
            if other != seat:
                size = deal_hand(state, other, size, pool)
    if first != NONE:
        first = redraw_scoring_card(state, SCORE_1_PILE, rng)
    if second != NONE:
        second = redraw_scoring_card(state, SCORE_2_PILE, rng)
    for position in range(int(state.deck_size)):
        if position == first:
            state.deck[position] = SCORE_1
        elif position == second:
            state.deck[position] = SCORE_2
        else:
            size -= 1
            state.deck[position] = pool[size]


@jit
def gather_hand(state: State, seat: int, size: int, out_pool: Array) -> int:
    """Add a hand to the pool, which holds `size` cards. Return its new size."""
    for card in range(N_MONEY):
        for _ in range(int(state.hands[seat, card // N_VALUES, card % N_VALUES])):
            out_pool[size] = card
            size += 1
    return size


@jit
def deal_hand(state: State, seat: int, size: int, pool: Array) -> int:
    """Replace a hand by as many cards from the end of the pool. Return the pool's new size."""
    number = int(state.hands[seat].sum())
    state.hands[seat, :, :] = 0
    for _ in range(number):
        size -= 1
        card = int(pool[size])
        state.hands[seat, card // N_VALUES, card % N_VALUES] += 1
    return size


@jit
def redraw_scoring_card(state: State, pile: int, rng: Array) -> int:
    """Return a new position for a scoring card that is still in the deck."""
    on_top = bool(state.scoring_card_on_top)
    return draw_position(rng, int(state.pile_cards), pile, on_top, int(state.deck_size))
