"""Writes the features that all choices of a decision share (`feature_groups.TABLE_GROUPS`)."""

from typing import Final

from ..bots.majority import share_to_come
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.material import (
    MIN_PLAYERS,
    N_BUILDINGS,
    N_ROUNDS,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    SCORE_1_PILE,
    SCORE_2_PILE,
)
from ..engine.setup import pile_bottom
from ..engine.state import State
from .feature_groups import N_CHOICE_FEATURES, OF_CARD, STARTS

_PLAYERS: Final = STARTS["players"] - N_CHOICE_FEATURES
_RULES: Final = STARTS["rules"] - N_CHOICE_FEATURES
_PROGRESS: Final = STARTS["progress"] - N_CHOICE_FEATURES
_SCORING_CARDS: Final = STARTS["scoring_cards"] - N_CHOICE_FEATURES
_OTHERS: Final = STARTS["others"] - N_CHOICE_FEATURES

_CARDS_A_TURN: Final = 1.5  # drawn, on average


@jit
def write_table(state: State, seat: int, knows_hands: bool, out: Array) -> None:
    """Write the features that do not depend on the choice; `out` starts with the first of them."""
    players = int(state.num_players)
    at = _PLAYERS
    out[at + players - MIN_PLAYERS] = 1
    at = _RULES
    out[at] = state.scoring_card_on_top
    out[at + 1] = state.leftovers_by_cards
    out[at + 2] = state.may_decline
    out[at + 3] = knows_hands
    at = _PROGRESS
    if state.rounds_scored < N_ROUNDS:
        out[at + state.rounds_scored] = 1
    for scoring in range(int(state.rounds_scored), N_ROUNDS):
        out[at + N_ROUNDS + scoring] = share_to_come(state, scoring)
    at += 2 * N_ROUNDS
    out[at] = state.bag_size / N_TILES
    out[at + 1] = state.deck_size / 100
    out[at + 2] = min(2.0, state.turn / (20.0 * players))
    out[at + 3] = state.ending
    write_scoring_cards(state, players, out[_SCORING_CARDS:])
    write_others(state, seat, players, out[_OTHERS:])


@jit
def write_scoring_cards(state: State, players: int, out: Array) -> None:
    """Write when the scoring cards can come, by what is known of the deck (R7)."""
    for card in range(int(state.rounds_scored), 2):
        pile = SCORE_1_PILE if card == 0 else SCORE_2_PILE
        lowest = pile_bottom(int(state.pile_cards), pile)
        highest = pile_bottom(int(state.pile_cards), pile - 1) - 1
        if state.scoring_card_on_top:
            lowest = highest
        size = int(state.deck_size)
        soonest = size - min(highest, size - 1)
        latest = size - lowest
        place = card * OF_CARD
        out[place] = min(3.0, soonest / 20)
        out[place + 1] = min(3.0, latest / 20)
        drawn = _CARDS_A_TURN * players
        chance = (drawn - soonest + 1) / (latest - soonest + 1)
        out[place + 2] = min(1.0, max(0.0, chance))


@jit
def write_table_of(states: Array, game: int, seat: int, knows_hands: bool, out: Array) -> None:
    """`write_table` for one game of a batch; for callers from Python (see `try_step`)."""
    write_table(states[game], seat, knows_hands, out)


@jit
def write_tables(states: Array, seats: Array, knows_hands: bool, out: Array) -> None:
    """`write_table` for a seat of each game of a batch."""
    out[:] = 0
    for game in range(states.size):
        write_table(states[game], seats[game], knows_hands, out[game])


@jit
def write_others(state: State, seat: int, players: int, out: Array) -> None:
    """Write scores, cards and tiles of the other players."""
    best = 0
    points = 0
    cards = 0
    most_cards = 0
    tiles = 0
    most_tiles = 0
    for other in range(players):
        if other == seat:
            continue
        best = max(best, int(state.scores[other]))
        points += state.scores[other]
        held = count_cards(state, other)
        cards += held
        most_cards = max(most_cards, held)
        built = count_tiles(state, other)
        tiles += built
        most_tiles = max(most_tiles, built)
    following = (seat + 1) % players
    own = int(state.scores[seat])
    out[0] = own / 100
    out[1] = (own - best) / 30
    out[2] = (own - points / (players - 1)) / 30
    out[3] = (own - state.scores[following]) / 30
    out[4] = count_cards(state, following) / 12
    out[5] = cards / (players - 1) / 12
    out[6] = most_cards / 12
    out[7] = tiles / (players - 1) / 20
    out[8] = most_tiles / 20


@jit
def count_tiles(state: State, seat: int) -> int:
    """Return how many tiles a city has, apart from the fountain."""
    count = 0
    for building in range(N_BUILDINGS):
        count += state.buildings[seat, building]
    return count


@jit
def count_cards(state: State, seat: int) -> int:
    """Return how many cards a hand has."""
    count = 0
    for currency in range(N_SLOTS):
        for i in range(N_VALUES):
            count += state.hands[seat, currency, i]
    return count
