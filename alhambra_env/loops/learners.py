"""The compiled loop of games with one learner and opponents on the other seats.

A bot's actions are chosen here. Any other opponent is external: its game waits until Python has
chosen the action. The vector environment and training share this loop.
"""

from typing import Final, NamedTuple

import numba
import numpy as np

from ..bots.choose import choose_action
from ..engine.arrays import Array
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.legal import write_mask
from ..engine.material import NONE
from ..engine.random_play import count_legal
from ..engine.rewards import MARGIN, note_scores, write_outcome, write_rewards
from ..engine.setup import RuleNumbers
from ..engine.state import OVER, State
from ..engine.step import step
from ..observation.buffer import (
    change_observer,
    changed_cell,
    update_city_cell,
    write_observation,
    write_small_pieces,
)
from .batch import BatchArrays, begin_game

AT_LEARNER, AT_OPPONENT, ENDED = range(3)
"""What a game waits for: the learner's action, an external opponent's, or a reset."""

LEARNER: Final = -1
"""Occupant of the learner's seat. Occupants from 0 on are bots, by their row in `Learners.bots`."""

FIRST_EXTERNAL: Final = -2
"""Occupant that stands for the first external opponent; the next ones count down."""

SKIP_NONE, SKIP_LEARNERS, SKIP_ALL = range(3)
"""Whose forced moves (only one legal action) are played without asking: nobody's, the learners', or
everybody's, bots included."""

MOST_RESTARTS: Final = 1000
"""Resets in a row before an error blames `max_turns`: only with a tiny one do games end before the
learner's first action."""


class Learners(NamedTuple):
    """Seats, opponents and progress of each game; the arrays are changed in place."""

    seats: Array
    """`int64 [game]`: the learner's seat."""
    occupants: Array
    """`int64 [game, seat]`: LEARNER, a bot, or an external opponent (see above)."""
    words: Array
    """`uint32 [game, 4]`: random words of the bots."""
    earned: Array
    """`float64 [game]`: reward of the learner since the caller last set it to 0."""
    waits_for: Array
    """`int64 [game]`: AT_LEARNER, AT_OPPONENT or ENDED."""
    observers: Array
    """`int64 [game]`: the seat whose view is in the observation, NONE if it has to be rewritten."""
    bots: Array
    """`int64 [bot]`: kinds of the bots among the opponents."""
    bot_settings: Array
    """`int64 [bot, setting]`: their settings."""

    @classmethod
    def make(cls, num_games: int, num_players: int, bots: Array, bot_settings: Array) -> "Learners":
        """Return arrays for games that have not started."""
        return cls(
            seats=np.zeros(num_games, np.int64),
            occupants=np.full((num_games, num_players), LEARNER, np.int64),
            words=np.zeros((num_games, 4), np.uint32),
            earned=np.zeros(num_games),
            waits_for=np.full(num_games, ENDED, np.int64),
            observers=np.full(num_games, NONE, np.int64),
            bots=bots,
            bot_settings=bot_settings,
        )


class LoopOptions(NamedTuple):
    """Observation, rewards, and which decisions go to Python."""

    bounds: Array
    """`int64 [piece, 2]`: where the pieces of an observation lie (`Layout.bounds`)."""
    outcome: float = 0.0
    """Weight of the reward `outcome`."""
    score: float = 0.0
    """Weight of the reward `score`."""
    margin: float = 0.0
    """Weight of the reward `margin`."""
    skips: int = SKIP_NONE
    shows_opponents: bool = False
    """Also write the observations of external opponents."""


@jit
def play_actions(
    where: Array, actions: Array, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """Play an action in each of the chosen games, then continue until Python has to decide.

    A game that ends keeps its final position and the learner's observation; `start_games` restarts
    it.
    """
    for game in range(where.size):
        if where[game]:
            play_on(game, actions[game], arrays, learners, options)


@jit_parallel
def play_actions_parallel(
    where: Array, actions: Array, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """`play_actions` in several threads. No two games share memory."""
    for game in numba.prange(where.size):
        if where[game]:
            play_on(game, actions[game], arrays, learners, options)


@jit
def start_games(
    where: Array, rules: RuleNumbers, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """Restart the chosen games from their next seeds, up to the first decision for Python."""
    for game in range(where.size):
        if where[game]:
            begin_game(game, rules, arrays)
            learners.observers[game] = NONE
            play_on(game, NONE, arrays, learners, options)


@jit
def show_games(arrays: BatchArrays, learners: Learners, options: LoopOptions) -> None:
    """Write mask, seat to play and observation of all games from their records."""
    for game in range(arrays.states.size):
        state = arrays.states[game]
        write_mask(state, borrow(arrays.masks)[game])
        arrays.to_play[game] = state.to_play
        seat = int(state.to_play)
        show_to(state, seat, NONE, options.bounds, borrow(arrays.observations)[game])
        learners.observers[game] = seat


@jit
def play_on(
    game: int, action: int, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """Play an action, unless it is NONE; continue until Python has to decide or the game is over.

    Writes the mask and observation of the seat that decides.
    """
    # The functions in the loop get single rows: passing all arrays would take as long as a step.
    state = arrays.states[game]
    mask, out = borrow(arrays.masks)[game], borrow(arrays.observations)[game]
    rewards = borrow(arrays.rewards)[game]
    earned = borrow(learners.earned)[game : game + 1]
    words = borrow(learners.words)[game]
    seat, observer = learners.seats[game], learners.observers[game]
    waits_for = ENDED
    while True:
        if action != NONE:
            play_action(state, action, seat, observer, options, rewards, out, earned)
        write_mask(state, mask)
        if state.phase == OVER:
            break
        occupant = learners.occupants[game, state.to_play]
        is_skipped = options.skips == SKIP_ALL or (
            options.skips == SKIP_LEARNERS and occupant == LEARNER
        )
        if is_skipped and count_legal(mask) == 1:
            action = mask.argmax()
        elif occupant >= 0:
            settings = borrow(learners.bot_settings)[occupant]
            action = choose_action(learners.bots[occupant], settings, state, mask, words)
        else:
            waits_for = AT_LEARNER if occupant == LEARNER else AT_OPPONENT
            break
    learners.waits_for[game] = waits_for
    arrays.to_play[game] = state.to_play
    if waits_for == AT_OPPONENT:
        if not options.shows_opponents:
            return
        seat = int(state.to_play)
    show_to(state, seat, observer, options.bounds, out)
    learners.observers[game] = seat


@jit
def play_action(
    state: State,
    action: int,
    learner: int,
    observer: int,
    options: LoopOptions,
    rewards: Array,
    out: Array,
    out_earned: Array,
) -> None:
    """Play an action of any seat; update the learner's reward and the observed cities.

    `rewards` is scratch space for all seats; `out` is the observation of the seat `observer`.
    """
    seat = int(state.to_play)
    rounds = state.rounds_scored
    note_scores(state, rewards)
    step(state, action)
    cell = changed_cell(action)
    if cell != NONE and observer != NONE:
        update_city_cell(state, observer, seat, cell, options.bounds, out)
    if state.rounds_scored == rounds:  # no points, so no rewards
        return
    if options.score != 0:
        points = float(state.scores[learner]) - float(rewards[learner])
        out_earned[0] += options.score * points
    if options.margin != 0:
        write_rewards(state, MARGIN, rewards)
        out_earned[0] += options.margin * float(rewards[learner])
    if options.outcome != 0 and state.phase == OVER:
        write_outcome(state, rewards)
        out_earned[0] += options.outcome * float(rewards[learner])


@jit
def show_to(state: State, seat: int, observer: int, bounds: Array, out: Array) -> None:
    """Write the observation of a seat into `out`, which holds that of `observer` (or NONE).

    Cities are redrawn only for another observer.
    """
    if observer == NONE:
        write_observation(state, seat, bounds, out)
    else:
        if observer != seat:
            change_observer(state, observer, seat, bounds, out)
        write_small_pieces(state, seat, bounds, out)
