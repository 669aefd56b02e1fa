"""The end of the game: leftover tiles and the last scoring (R25-R28, E3)."""

from .jit import jit
from .material import N_ROUNDS, N_SLOTS, N_VALUES, NONE
from .scoring import score_round
from .state import OVER, State


@jit
def award_leftovers(state: State) -> None:
    """Give each tile in the market to the seat with the most of its currency (R25)."""
    for slot in range(N_SLOTS):
        tile = int(state.market[slot])
        winner = richest_seat(state, slot)
        if tile != NONE and winner != NONE:
            state.award_tiles[slot] = tile
            state.award_seats[slot] = winner
            state.market[slot] = NONE


@jit
def richest_seat(state: State, currency: int) -> int:
    """Return the only seat with the most of a currency, or NONE (R25)."""
    by_cards = bool(state.leftovers_by_cards)
    winner = NONE
    most = 0
    for seat in range(int(state.num_players)):
        held = 0
        for value in range(N_VALUES):
            weight = 1 if by_cards else value + 1
            held += int(state.hands[seat, currency, value]) * weight
        if held > most:
            most = held
            winner = seat
        elif held == most:
            winner = NONE
    return winner


@jit
def claim_awards(state: State, seat: int) -> bool:
    """Let a seat place the leftover tiles that it won (R26). Return whether there are any."""
    has_any = False
    for slot in range(N_SLOTS):
        if state.award_seats[slot] == seat:
            state.bought[state.award_tiles[slot]] = 1
            state.award_tiles[slot] = NONE
            state.award_seats[slot] = NONE
            has_any = True
    return has_any


@jit
def finish(state: State) -> None:
    """Score round 3 and end the game (R27)."""
    score_round(state, N_ROUNDS - 1)
    state.phase = OVER
