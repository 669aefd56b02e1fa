"""The compiled loop that records imitation data: a bot, the teacher, plays all seats."""

from typing import Final, NamedTuple

import numba
import numpy as np

from ..bots.choose import choose_action
from ..bots.kinds import bot_number
from ..engine.arrays import Array
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.legal import write_mask
from ..engine.random_play import count_legal
from ..engine.rewards import MARGIN, note_scores, write_outcome, write_rewards
from ..engine.rng import draw_below, next_word
from ..engine.setup import RuleNumbers, set_up
from ..engine.state import OVER, State
from ..engine.step import step
from ..observation.buffer import write_observation

NOISE_RANGE: Final = 1 << 16
"""`Teacher.noise` is a probability in parts of this."""

_RANDOM: Final = bot_number("random")


class Teacher(NamedTuple):
    """The bot to imitate, and the rewards that make up the returns."""

    bot: int
    """Kind of the bot."""
    settings: Array
    """`int64 [setting]`: its settings."""
    noise: int
    """Probability that a random action replaces the teacher's, in parts of NOISE_RANGE."""
    outcome: float
    """Weight of the reward `outcome`."""
    margin: float
    """Weight of the reward `margin`."""


class Decisions(NamedTuple):
    """Decisions with more than one legal action, one in each row."""

    observations: Array
    """`uint8 [row, byte]`"""
    masks: Array
    """`int8 [row, action]`"""
    actions: Array
    """`int64 [row]`: the teacher's action, even where a random one was played."""
    returns: Array
    """`float32 [row]`: return of the seat, from there to the end of the episode."""

    def rows(self, chosen: Array) -> "Decisions":
        """Return a copy of some rows."""
        return Decisions(*(array[chosen] for array in self))


@jit_parallel
def record_games(
    teacher: Teacher, rules: RuleNumbers, words: Array, states: Array, bounds: Array, out: Decisions
) -> Array:
    """Play whole games and record the decisions. Return how many rows each worker filled.

    There are as many workers as `states`; each has its own random words and an equal share of the
    rows of `out`.
    """
    counts = np.zeros(states.size, np.int64)
    for worker in numba.prange(states.size):
        counts[worker] = record_share(worker, teacher, rules, words, states, bounds, out)
    return counts


@jit
def record_share(
    worker: int,
    teacher: Teacher,
    rules: RuleNumbers,
    words: Array,
    states: Array,
    bounds: Array,
    out: Decisions,
) -> int:
    """Fill a worker's rows with whole games; return how many rows that took."""
    room = out.actions.size // states.size
    start, end = worker * room, (worker + 1) * room
    row = start
    while True:
        rng = borrow(words)[worker]
        added = record_game(states[worker], teacher, rules, rng, bounds, row, end, out)
        if added == 0:
            return row - start
        row += added


@jit
def record_game(
    state: State,
    teacher: Teacher,
    rules: RuleNumbers,
    words: Array,
    bounds: Array,
    start: int,
    end: int,
    out: Decisions,
) -> int:
    """Record the decisions of one game; return their number, or 0 if they did not fit.

    Random actions are played with probability `noise`, but never recorded, so the data also shows
    how the teacher recovers from mistakes.
    """
    seeds = np.zeros(4, np.uint32)
    for i in range(seeds.size):
        seeds[i] = next_word(words)
    set_up(state, rules, seeds)
    rewards = np.zeros(rules.num_players)
    earned = np.zeros(rules.num_players)
    seats = np.zeros(end - start, np.int8)
    row = start
    while state.phase != OVER:
        if row == end:
            return 0
        mask = borrow(out.masks)[row]
        write_mask(state, mask)
        action = mask.argmax()
        if count_legal(mask) > 1:
            seat = int(state.to_play)
            action = choose_action(teacher.bot, teacher.settings, state, mask, words)
            write_observation(state, seat, bounds, borrow(out.observations)[row])
            out.actions[row] = action
            out.returns[row] = -earned[seat]
            seats[row - start] = seat
            row += 1
            if draw_below(words, NOISE_RANGE) < teacher.noise:
                action = choose_action(_RANDOM, teacher.settings, state, mask, words)
        rounds = state.rounds_scored
        note_scores(state, rewards)
        step(state, action)
        if state.rounds_scored != rounds:
            write_rewards(state, MARGIN, rewards)
            for seat in range(rules.num_players):
                earned[seat] += teacher.margin * rewards[seat]
    write_outcome(state, rewards)
    for i in range(row - start):
        out.returns[start + i] += earned[seats[i]] + teacher.outcome * rewards[seats[i]]
    return row - start
