"""Between two turns: drawing money and tiles (R19-R21, R30)."""

from .jit import jit
from .material import DIRK, N_MONEY, N_SLOTS, N_VALUES, NONE, SCORE_1, SCORE_2, TILE_BUILDING
from .rng import shuffle
from .state import State


@jit
def draw_tile(state: State) -> int:
    """Draw the next tile from the bag, or NONE if it is empty."""
    size = int(state.bag_size) - 1
    if size < 0:
        return NONE
    tile = int(state.bag[size])
    state.bag[size] = NONE
    state.bag_size = size
    return tile


@jit
def draw_card(state: State) -> int:
    """Draw the next card, shuffling the discards if the deck is empty; NONE if both are (R19)."""
    if state.deck_size == 0:
        shuffle_discards(state)
    size = int(state.deck_size) - 1
    if size < 0:
        return NONE
    card = int(state.deck[size])
    state.deck[size] = NONE
    state.deck_size = size
    return card


@jit
def shuffle_discards(state: State) -> None:
    """Make the discard pile the new deck."""
    size = 0
    for card in range(N_MONEY):
        currency, value = card // N_VALUES, card % N_VALUES
        for _ in range(int(state.discards[currency, value])):
            state.deck[size] = card
            size += 1
        state.discards[currency, value] = 0
    state.deck_size = size
    shuffle(state.rng, size, state.deck)


@jit
def refill_display(state: State) -> int:
    """Refill the display to four money cards. Return how many scoring cards came up (R19, R20)."""
    scorings = 0
    for slot in range(N_SLOTS):
        if state.display[slot] != NONE:
            continue
        card = draw_card(state)
        while card == SCORE_1 or card == SCORE_2:
            scorings += 1
            card = draw_card(state)
        state.display[slot] = card
    return scorings


@jit
def refill_market(state: State) -> bool:
    """Refill the empty slots in order. Return whether all four are full (R19, R21)."""
    is_full = True
    for slot in range(N_SLOTS):
        if state.market[slot] == NONE:
            tile = draw_tile(state)
            state.market[slot] = tile
            if tile == NONE:
                is_full = False
    return is_full


@jit
def give_to_dirk(state: State, number: int) -> None:
    """Let Dirk draw this many tiles, or all that are left (R4, R30)."""
    for _ in range(min(number, int(state.bag_size))):
        tile = draw_tile(state)
        state.dirk[tile] = 1
        state.buildings[DIRK, TILE_BUILDING[tile]] += 1
