"""Set-up of a game (R4-R7)."""

from typing import NamedTuple

from .arrays import Array
from .city import found_city
from .grid import FOUNTAIN_CELL
from .jit import jit
from .material import (
    DIRK_TILES,
    FOUNTAIN,
    N_COPIES,
    N_COPIES_TWO_PLAYERS,
    N_CURRENCIES,
    N_MONEY,
    N_PILES,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    SCORE_1,
    SCORE_1_PILE,
    SCORE_2,
    SCORE_2_PILE,
    START_MONEY,
)
from .refill import draw_card, draw_tile, give_to_dirk
from .rng import draw_below, shuffle
from .state import TURN, State


class RuleNumbers(NamedTuple):
    """The rules of a game as compiled code takes them."""

    num_players: int
    max_turns: int
    book: int
    """Index into `EDITION_NAMES`; the rules do not read it."""
    min_players: int
    scoring_card_on_top: int
    leftovers_by_cards: int
    may_decline: int


@jit
def rules_of(state: State) -> RuleNumbers:
    """Return the rules that a game is played by."""
    return RuleNumbers(
        int(state.num_players),
        int(state.max_turns),
        int(state.book),
        int(state.min_players),
        int(state.scoring_card_on_top),
        int(state.leftovers_by_cards),
        int(state.may_decline),
    )


@jit
def note_rules(state: State, rules: RuleNumbers) -> None:
    """Write the rules into a record."""
    state.num_players = rules.num_players
    state.max_turns = rules.max_turns
    state.book = rules.book
    state.min_players = rules.min_players
    state.scoring_card_on_top = rules.scoring_card_on_top
    state.leftovers_by_cards = rules.leftovers_by_cards
    state.may_decline = rules.may_decline


@jit
def set_up(state: State, rules: RuleNumbers, rng: Array) -> None:
    """Reset `state` to the start of a new game.

    The random words `rng` are copied into the record. They may be the record's own.
    """
    first, second, third, fourth = rng
    clear_table(state)
    note_rules(state, rules)
    state.rng[0] = first
    state.rng[1] = second
    state.rng[2] = third
    state.rng[3] = fourth
    fill_bag(state)
    for seat in range(rules.num_players):
        found_city(state, seat)
    if rules.num_players == 2:
        give_to_dirk(state, DIRK_TILES)
    for slot in range(N_SLOTS):
        state.market[slot] = draw_tile(state)
    fill_deck(state)
    deal_hands(state)
    for slot in range(N_SLOTS):
        state.display[slot] = draw_card(state)
    pile_up(state)
    state.first_seat = choose_first_seat(state)
    state.to_play = state.first_seat


@jit
def clear_table(state: State) -> None:
    """Empty every field."""
    state.rng[:] = 0
    state.turn = 0
    state.max_turns = 0
    state.closed_rows[:] = 0
    state.closed_columns[:] = 0
    state.fits[:] = 0
    state.scores[:] = 0
    state.dirk_score = 0
    state.cell[:] = NONE
    state.cell[FOUNTAIN] = FOUNTAIN_CELL
    state.num_players = 0
    state.book = 0
    state.min_players = 0
    state.scoring_card_on_top = 0
    state.leftovers_by_cards = 0
    state.may_decline = 0
    state.first_seat = 0
    state.phase = TURN
    state.to_play = 0
    state.actions = 0
    state.exact_slot = NONE
    state.rounds_scored = 0
    state.ending = 0
    state.truncated = 0
    state.market[:] = NONE
    state.picked = NONE
    state.bought[:] = 0
    state.reserves[:] = 0
    state.dirk[:] = 0
    state.award_tiles[:] = NONE
    state.award_seats[:] = NONE
    state.bag_size = 0
    state.bag[:] = NONE
    state.city[:] = NONE
    state.built[:] = 0
    state.removable[:] = 0
    state.buildings[:] = 0
    state.walls[:] = 0
    state.display[:] = NONE
    state.discards[:] = 0
    state.hands[:] = 0
    state.deck_size = 0
    state.pile_cards = 0
    state.deck[:] = NONE
    state.spare[:] = 0


@jit
def fill_bag(state: State) -> None:
    """Put all tiles into the bag, in random order (R4)."""
    for tile in range(N_TILES):
        state.bag[tile] = tile
    state.bag_size = N_TILES
    shuffle(state.rng, N_TILES, state.bag)


@jit
def fill_deck(state: State) -> None:
    """Shuffle the money, without scoring cards, into the deck (R2, R5)."""
    copies = N_COPIES_TWO_PLAYERS if state.num_players == 2 else N_COPIES
    size = copies * N_MONEY
    for i in range(size):
        state.deck[i] = i % N_MONEY
    state.deck_size = size
    shuffle(state.rng, size, state.deck)


@jit
def deal_hands(state: State) -> None:
    """Deal each seat cards until their total is 20 or more (R5)."""
    for seat in range(int(state.num_players)):
        total = 0
        while total < START_MONEY:
            card = draw_card(state)
            state.hands[seat, card // N_VALUES, card % N_VALUES] += 1
            total += card % N_VALUES + 1


@jit
def choose_first_seat(state: State) -> int:
    """Return the seat with the fewest cards; ties go by least money, then by lot (R6)."""
    least = first_turn_rank(state, 0)
    tied = 1
    for seat in range(1, int(state.num_players)):
        rank = first_turn_rank(state, seat)
        if rank < least:
            least = rank
            tied = 1
        elif rank == least:
            tied += 1
    lot = draw_below(state.rng, tied) if tied > 1 else 0
    for seat in range(int(state.num_players)):
        if first_turn_rank(state, seat) == least:
            if lot == 0:
                return seat
            lot -= 1
    return NONE


@jit
def first_turn_rank(state: State, seat: int) -> int:
    """Return a number that is lowest for the seat that takes the first turn (R6)."""
    cards = 0
    total = 0
    for currency in range(N_CURRENCIES):
        for value in range(N_VALUES):
            count = int(state.hands[seat, currency, value])
            cards += count
            total += count * (value + 1)
    return cards * 1000 + total


# --- the deck with its scoring cards (R7) -----------------------------------------------------


@jit
def pile_bottom(pile_cards: int, pile: int) -> int:
    """Return the position of a pile's lowest card in the first deck, counted from the bottom.

    The deck is `pile_cards` money cards and two scoring cards. Pile 0 is on top; for pile -1 the
    result is the size of the deck.
    """
    position = 0
    for lower in range(N_PILES - 1, pile, -1):
        position += pile_cards // N_PILES + (1 if lower < pile_cards % N_PILES else 0)
        if lower in (SCORE_1_PILE, SCORE_2_PILE):
            position += 1
    return position


@jit
def draw_position(rng: Array, pile_cards: int, pile: int, on_top: bool, deck_size: int) -> int:
    """Return a random position for a scoring card in its pile, within a deck of this size."""
    lowest = pile_bottom(pile_cards, pile)
    highest = pile_bottom(pile_cards, pile - 1) - 1
    if on_top:
        return highest
    highest = min(highest, deck_size - 1)
    return lowest + draw_below(rng, highest - lowest + 1)


@jit
def pile_up(state: State) -> None:
    """Mix the scoring cards into the second and the fourth of five piles (R7)."""
    money = int(state.deck_size)
    state.pile_cards = money
    size = money + 2
    on_top = bool(state.scoring_card_on_top)
    first = draw_position(state.rng, money, SCORE_1_PILE, on_top, size)
    second = draw_position(state.rng, money, SCORE_2_PILE, on_top, size)
    cards = state.deck[:money].copy()
    used = 0
    for position in range(size):
        if position == first:
            state.deck[position] = SCORE_1
        elif position == second:
            state.deck[position] = SCORE_2
        else:
            state.deck[position] = cards[used]
            used += 1
    state.deck_size = size
