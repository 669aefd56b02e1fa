"""`rollout`: flat Monte Carlo search, with the planner as the playout policy.

The planner's best few actions are tried on copies in which everything that the seat cannot know is
redrawn (`resample`), and planners play these to the end. All candidates get the same redraws. After
each part of the playouts only the better half of them is kept (sequential halving).
"""

from typing import Final

import numpy as np

from ..engine.action_ranges import BUY, N_ACTIONS, OVERPAY, PICK
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.legal import write_mask
from ..engine.material import N_SLOTS, NONE
from ..engine.payments import N_PAYMENTS
from ..engine.resample import resample
from ..engine.rng import next_word
from ..engine.state import OVER, STATE, State
from ..engine.step import step
from .planner import best_within, choose_like_planner, write_values
from .weights import ROLLOUT_WEIGHTS

_CLEAR_LEAD: Final = 12.0  # points; such a lead counts as most of a win

# The planner's values are a prior worth some playouts, so that a few lucky ones do not decide.
PRIOR_PLAYOUTS: Final = 25
_PRIOR_SLOPE: Final = 0.02  # how much a point of the planner's value changes the expected result
_N_WORDS: Final = 4


@jit
def choose_by_rollout(
    state: State,
    mask: Array,
    knows_hands: bool,
    playouts: int,
    candidates: int,
    rng: Array,
    weights: Array,
) -> int:
    """Return the action with the best results in about `playouts` playouts."""
    tried = np.full(candidates, NONE, np.int64)
    totals = np.zeros(candidates, np.float64)
    count = write_prior(state, mask, weights, tried, totals)
    return best_by_playouts(state, count, tried, totals, knows_hands, playouts, rng, weights)


@jit
def write_prior(
    state: State, mask: Array, weights: Array, out_tried: Array, out_totals: Array
) -> int:
    """Write the candidates and the totals that they start with. Return how many there are."""
    values = np.empty(N_ACTIONS, np.float64)
    write_values(state, mask, weights, values)
    count = write_candidates(mask, values, out_tried)
    for i in range(count):
        lead = values[out_tried[i]] - values[out_tried[0]]
        out_totals[i] = PRIOR_PLAYOUTS * _PRIOR_SLOPE * lead
    return count


@jit
def write_prior_of(
    states: Array, game: int, masks: Array, out_tried: Array, out_totals: Array
) -> int:
    """`write_prior` in one game of a batch; for callers from Python (see `try_step`)."""
    return write_prior(states[game], masks[game], ROLLOUT_WEIGHTS, out_tried, out_totals)


@jit
def best_by_playouts(
    state: State,
    count: int,
    tried: Array,
    totals: Array,
    knows_hands: bool,
    playouts: int,
    rng: Array,
    weights: Array,
) -> int:
    """Return the best of the first `count` actions of `tried`, by sequential halving.

    `totals` are their starting totals; both arrays are changed: they are sorted, best first, and
    the results are added.
    """
    games = np.empty(1, STATE)
    seed = np.empty(_N_WORDS, np.uint32)
    rounds = count_rounds(count)
    for _ in range(rounds):
        for _ in range(playouts_each(playouts, rounds, count)):
            for i in range(_N_WORDS):
                seed[i] = next_word(rng)
            seed[0] |= np.uint32(1)  # random words must not all be 0
            for i in range(count):
                totals[i] += play_out_from(state, tried[i], knows_hands, seed, weights, games)
        sort_by_total(count, tried, totals)
        count = (count + 1) // 2
    return tried[0]


@jit
def count_rounds(count: int) -> int:
    """Return how often half of so many candidates can be dropped until one is left."""
    rounds = 0
    while 1 << rounds < count:
        rounds += 1
    return rounds


@jit
def playouts_each(playouts: int, rounds: int, count: int) -> int:
    """Return how many playouts each of the candidates that are left gets in a round."""
    return max(1, playouts // (rounds * count))


def playouts_by_place(playouts: int, count: int) -> list[int]:
    """Return how many playouts each candidate got, in the order of `best_by_playouts`."""
    made = [0] * count
    rounds = count_rounds(count)
    for _ in range(rounds):
        for place in range(count):
            made[place] += playouts_each(playouts, rounds, count)
        count = (count + 1) // 2
    return made


@jit
def best_of_given(
    states: Array,
    game: int,
    tried: Array,
    totals: Array,
    knows_hands: bool,
    playouts: int,
    rng: Array,
) -> int:
    """`best_by_playouts` in one game of a batch; for callers from Python (see `try_step`)."""
    return best_by_playouts(
        states[game], tried.size, tried, totals, knows_hands, playouts, rng, ROLLOUT_WEIGHTS
    )


@jit
def write_candidates(mask: Array, values: Array, out_tried: Array) -> int:
    """Write the legal actions with the highest values, best first. Return how many there are.

    Of the ways to pay for a tile, and of the ways to overpay, only the best is included, to leave
    room for other actions.
    """
    count = 0
    for slot in range(N_SLOTS):
        start = BUY + slot * N_PAYMENTS
        best = best_within(mask, values, start, start + N_PAYMENTS)
        if best != NONE:
            count = insert_candidate(best, values, count, out_tried)
    for action in range(OVERPAY):
        if mask[action] and not BUY <= action < PICK:
            count = insert_candidate(action, values, count, out_tried)
    best = best_within(mask, values, OVERPAY, N_ACTIONS)
    if best != NONE:
        count = insert_candidate(best, values, count, out_tried)
    return count


@jit
def insert_candidate(action: int, values: Array, count: int, out_tried: Array) -> int:
    """Insert an action by its value among `count` others, if it fits. Return the new count."""
    place = count
    while place > 0 and values[out_tried[place - 1]] < values[action]:
        if place < out_tried.size:
            out_tried[place] = out_tried[place - 1]
        place -= 1
    if place == out_tried.size:
        return count
    out_tried[place] = action
    return min(count + 1, out_tried.size)


@jit
def sort_by_total(count: int, out_tried: Array, out_totals: Array) -> None:
    """Sort candidates and their totals, best first; equal ones keep their order."""
    for i in range(1, count):
        action, total = out_tried[i], out_totals[i]
        place = i
        while place > 0 and out_totals[place - 1] < total:
            out_tried[place], out_totals[place] = out_tried[place - 1], out_totals[place - 1]
            place -= 1
        out_tried[place], out_totals[place] = action, total


@jit
def play_out_from(
    state: State, action: int, knows_hands: bool, seed: Array, weights: Array, games: Array
) -> float:
    """Play an action on a copy with everything unknown redrawn, then planners to the end.

    Returns the result for the seat to play, 0 to 1 (`how_clearly_won`).
    """
    games[0] = state
    game = games[0]
    seat = int(state.to_play)
    resample(game, seat, knows_hands, seed.copy())
    mask = np.zeros(N_ACTIONS, np.int8)
    step(game, action)
    while game.phase != OVER:
        write_mask(game, mask)
        step(game, choose_like_planner(game, mask, weights))
    return how_clearly_won(game, seat)


@jit
def how_clearly_won(state: State, seat: int) -> float:
    """Return how clearly a seat has won a finished game, 0 to 1; 0.5 is a draw."""
    best = 0
    for other in range(int(state.num_players)):
        if other != seat:
            best = max(best, int(state.scores[other]))
    lead = int(state.scores[seat]) - best
    return 1 / (1 + np.exp(-lead / _CLEAR_LEAD))
