"""The compiled loop of learners: in each game one seat learns, the others are opponents.

An opponent is either a bot, whose moves are played here, or external: its game waits until Python
has chosen its action. The vector environment and training share this loop.
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
from ..engine.state import OVER
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
"""Whose forced moves, where only one action is legal, are played without asking: nobody's, the
learners', or everybody's, bots included."""

MOST_RESTARTS: Final = 1000
"""Resets in a row before `max_turns` is blamed: only a tiny one ends games before the learner's
first action."""


class Learners(NamedTuple):
    """Who sits where, and how the games stand; the arrays are changed in place."""

    seats: Array
    """`int64 [game]`: the learner's seat."""
    occupants: Array
    """`int64 [game, seat]`: LEARNER, a bot, or an external opponent (see above)."""
    words: Array
    """`uint32 [game, 4]`: randomness of the bots."""
    earned: Array
    """`float64 [game]`: reward of the learner since the caller last set it to 0."""
    waits_for: Array
    """`int64 [game]`: AT_LEARNER, AT_OPPONENT or ENDED."""
    observers: Array
    """`int64 [game]`: the seat whose view is in the observation, NONE if it has to be rewritten."""
    bots: Array
    """`int64 [bot]`: kinds of the bots that may sit somewhere."""
    bot_settings: Array
    """`int64 [bot, setting]`: their settings."""

    @classmethod
    def make(cls, num_games: int, num_players: int, bots: Array, bot_settings: Array) -> "Learners":
        """Return arrays for so many games, none of which has begun."""
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
    """What learners observe, how they are paid, and when Python is asked."""

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
    """Write the observation of an external opponent, too."""


@jit
def play_game(
    game: int,
    where: Array,
    actions: Array,
    arrays: BatchArrays,
    learners: Learners,
    options: LoopOptions,
) -> None:
    """Play an action in a game, if it is a chosen one, then go on until Python has to decide.

    A game that ends is left at its end, as the learner observes it; `start_games` restarts it.
    """
    if where[game]:
        play_action(game, actions[game], arrays, learners, options)
        play_on(game, arrays, learners, options)


@jit
def play_actions(
    where: Array, actions: Array, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """`play_game` for all games, one after the other."""
    for game in range(where.size):
        play_game(game, where, actions, arrays, learners, options)


@jit_parallel
def play_actions_parallel(
    where: Array, actions: Array, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """`play_game` for all games, in several threads. Games do not touch each other."""
    for game in numba.prange(where.size):
        play_game(game, where, actions, arrays, learners, options)


@jit
def start_games(
    where: Array, rules: RuleNumbers, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """Restart the chosen games from their next seeds, up to the first decision of Python's."""
    for game in range(where.size):
        if where[game]:
            begin_game(game, rules, arrays)
            learners.observers[game] = NONE
            play_on(game, arrays, learners, options)


@jit
def show_games(arrays: BatchArrays, learners: Learners, options: LoopOptions) -> None:
    """Write mask, seat to play and observation of all games from their records."""
    for game in range(arrays.states.size):
        state = arrays.states[game]
        write_mask(state, borrow(arrays.masks)[game])
        arrays.to_play[game] = state.to_play
        learners.observers[game] = NONE
        show_to(game, int(state.to_play), arrays, learners, options)


@jit
def play_action(
    game: int, action: int, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """Play an action of any seat, pay the learner, and redraw what changed in a city."""
    state = arrays.states[game]
    seat = int(state.to_play)
    rounds = state.rounds_scored
    rewards = borrow(arrays.rewards)[game]  # room for the rewards of all seats
    note_scores(state, rewards)
    step(state, action)
    cell = changed_cell(action)
    observer = learners.observers[game]
    if cell != NONE and observer != NONE:
        out = borrow(arrays.observations)[game]
        update_city_cell(state, observer, seat, cell, options.bounds, out)
    if state.rounds_scored == rounds:  # nobody earned anything
        return
    learner = learners.seats[game]
    if options.score != 0:
        points = float(state.scores[learner]) - float(rewards[learner])
        learners.earned[game] += options.score * points
    if options.margin != 0:
        write_rewards(state, MARGIN, rewards)
        learners.earned[game] += options.margin * float(rewards[learner])
    if options.outcome != 0 and state.phase == OVER:
        write_outcome(state, rewards)
        learners.earned[game] += options.outcome * float(rewards[learner])


@jit
def play_on(game: int, arrays: BatchArrays, learners: Learners, options: LoopOptions) -> None:
    """Play until Python has to decide or the game is over; write what whoever decides needs."""
    state = arrays.states[game]
    mask = borrow(arrays.masks)[game]
    learners.waits_for[game] = ENDED
    write_mask(state, mask)
    while state.phase != OVER:
        occupant = learners.occupants[game, state.to_play]
        is_skipped = options.skips == SKIP_ALL or (
            options.skips == SKIP_LEARNERS and occupant == LEARNER
        )
        if is_skipped and count_legal(mask) == 1:
            action = mask.argmax()
        elif occupant >= 0:
            bot, settings = learners.bots[occupant], borrow(learners.bot_settings)[occupant]
            action = choose_action(bot, settings, state, mask, borrow(learners.words)[game])
        else:
            learners.waits_for[game] = AT_LEARNER if occupant == LEARNER else AT_OPPONENT
            break
        play_action(game, action, arrays, learners, options)
        write_mask(state, mask)
    arrays.to_play[game] = state.to_play
    if learners.waits_for[game] != AT_OPPONENT:
        show_to(game, learners.seats[game], arrays, learners, options)
    elif options.shows_opponents:
        show_to(game, int(state.to_play), arrays, learners, options)


@jit
def show_to(
    game: int, seat: int, arrays: BatchArrays, learners: Learners, options: LoopOptions
) -> None:
    """Bring the observation up to date for a seat; cities are only redrawn for another seat."""
    state = arrays.states[game]
    out = borrow(arrays.observations)[game]
    observer = learners.observers[game]
    bounds = borrow(options.bounds)
    if observer == NONE:
        write_observation(state, seat, bounds, out)
    else:
        if observer != seat:
            change_observer(state, observer, seat, bounds, out)
        write_small_pieces(state, seat, bounds, out)
    learners.observers[game] = seat
