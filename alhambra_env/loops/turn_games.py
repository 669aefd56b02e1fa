"""The compiled loop of games in which some seats choose whole turns (`turns`).

These seats are the learners. Bots play their actions here; any other opponent is external, and its
game waits until Python has chosen an action. The turn environments and training share this loop.
"""

from typing import NamedTuple

import numba
import numpy as np

from ..bots.best_turns import MOST_STEPS
from ..bots.choose import choose_action
from ..bots.layouts import ALL, Scope
from ..engine.arrays import Array
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.legal import write_mask
from ..engine.material import NONE
from ..engine.random_play import count_legal
from ..engine.rewards import MARGIN, note_scores, write_outcome, write_rewards
from ..engine.setup import RuleNumbers
from ..engine.state import OVER, State
from ..engine.step import step
from ..turns.choices import N_CHOICES
from ..turns.describe import describe_choices
from ..turns.feature_groups import N_FEATURES
from .batch import BatchArrays, begin_game
from .learners import AT_LEARNER, AT_OPPONENT, ENDED, LEARNER


class TurnGames(NamedTuple):
    """Seats and choices of each game; the arrays are changed in place."""

    occupants: Array
    """`int64 [game, seat]`: LEARNER, a bot or an external opponent, as in `Learners`."""
    words: Array
    """`uint32 [game, 4]`: random words of the bots."""
    earned: Array
    """`float64 [game, seat]`: rewards since the caller last set them to 0."""
    waits_for: Array
    """`int64 [game]`: AT_LEARNER, AT_OPPONENT or ENDED."""
    lengths: Array
    """`int8 [game, choice]`: actions of each choice of the seat to play; 0 for no choice."""
    actions: Array
    """`int16 [game, choice, step]`"""
    values: Array
    """`float64 [game, choice]`: the outlook of `lookahead` at the end of each."""
    features: Array
    """`float32 [game, choice, feature]`"""
    bots: Array
    """`int64 [bot]`: kinds of the bots among the opponents."""
    bot_settings: Array
    """`int64 [bot, setting]`: their settings."""

    @classmethod
    def make(
        cls, num_games: int, num_players: int, bots: Array, bot_settings: Array
    ) -> "TurnGames":
        """Return arrays for games that have not started."""
        return cls(
            occupants=np.full((num_games, num_players), LEARNER, np.int64),
            words=np.zeros((num_games, 4), np.uint32),
            earned=np.zeros((num_games, num_players)),
            waits_for=np.full(num_games, ENDED, np.int64),
            lengths=np.zeros((num_games, N_CHOICES), np.int8),
            actions=np.zeros((num_games, N_CHOICES, MOST_STEPS), np.int16),
            values=np.zeros((num_games, N_CHOICES)),
            features=np.zeros((num_games, N_CHOICES, N_FEATURES), np.float32),
            bots=bots,
            bot_settings=bot_settings,
        )


class TurnOptions(NamedTuple):
    """Choices, rewards, and which decisions go to Python.

    Flat, because parallel Numba loops do not accept nested tuples.
    """

    weights: Array
    """The fields of `Scope`: what the choices are searched with."""
    knows_hands: bool = False
    with_removals: bool = False
    width: int = ALL
    outcome: float = 0.0
    """Weight of the reward `outcome`."""
    score: float = 0.0
    """Weight of the reward `score`."""
    margin: float = 0.0
    """Weight of the reward `margin`."""
    skips_forced: bool = True
    """Play a learner's turn without asking if there is only one choice."""


@jit
def play_choices(
    where: Array, chosen: Array, arrays: BatchArrays, games: TurnGames, options: TurnOptions
) -> None:
    """Play a learner's choice in each of the chosen games, until Python has to decide again.

    A game that ends keeps its final position; `start_turn_games` restarts it.
    """
    for game in range(where.size):
        if where[game]:
            play_choice_in(game, chosen[game], arrays, games, options)


@jit_parallel
def play_choices_parallel(
    where: Array, chosen: Array, arrays: BatchArrays, games: TurnGames, options: TurnOptions
) -> None:
    """`play_choices` in several threads. No two games share memory."""
    for game in numba.prange(where.size):
        if where[game]:
            play_choice_in(game, chosen[game], arrays, games, options)


@jit
def play_external(
    where: Array, actions: Array, arrays: BatchArrays, games: TurnGames, options: TurnOptions
) -> None:
    """Play the action of an external opponent in each of the chosen games, and continue."""
    for game in range(where.size):
        if where[game]:
            arrays_row = borrow(arrays.rewards)[game], borrow(games.earned)[game]
            play_action(arrays.states[game], actions[game], options, *arrays_row)
            play_on(game, arrays, games, options)


@jit
def start_turn_games(
    where: Array, rules: RuleNumbers, arrays: BatchArrays, games: TurnGames, options: TurnOptions
) -> None:
    """Restart the chosen games from their next seeds, up to the first decision for Python."""
    for game in range(where.size):
        if where[game]:
            begin_game(game, rules, arrays)
            play_on(game, arrays, games, options)


@jit
def show_choices(arrays: BatchArrays, games: TurnGames, options: TurnOptions) -> None:
    """Write the choices of all games that wait for a learner, from their records."""
    for game in range(arrays.states.size):
        write_mask(arrays.states[game], borrow(arrays.masks)[game])
        arrays.to_play[game] = arrays.states[game].to_play
        if games.waits_for[game] == AT_LEARNER:
            show_choices_in(game, arrays, games, options)


@jit
def play_choice_in(
    game: int, choice: int, arrays: BatchArrays, games: TurnGames, options: TurnOptions
) -> None:
    """Play a choice in one game, and continue until Python has to decide."""
    rewards, earned = borrow(arrays.rewards)[game], borrow(games.earned)[game]
    for i in range(games.lengths[game, choice]):
        action = games.actions[game, choice, i]
        play_action(arrays.states[game], action, options, rewards, earned)
    play_on(game, arrays, games, options)


@jit
def play_on(game: int, arrays: BatchArrays, games: TurnGames, options: TurnOptions) -> None:
    """Play the bots and the forced turns until Python has to decide or the game is over."""
    arrays, games = borrow(arrays), borrow(games)
    state, mask = arrays.states[game], arrays.masks[game]
    rewards, earned = arrays.rewards[game], games.earned[game]
    waits_for = ENDED
    while True:
        write_mask(state, mask)
        if state.phase == OVER:
            break
        occupant = games.occupants[game, state.to_play]
        action = NONE
        if count_legal(mask) == 1 and (occupant != LEARNER or options.skips_forced):
            action = mask.argmax()
        elif occupant >= 0:
            settings = games.bot_settings[occupant]
            action = choose_action(games.bots[occupant], settings, state, mask, games.words[game])
        elif occupant == LEARNER:
            if show_choices_in(game, arrays, games, options) > 1 or not options.skips_forced:
                waits_for = AT_LEARNER
                break
            action = games.actions[game, 0, 0]
        else:
            waits_for = AT_OPPONENT
            break
        play_action(state, action, options, rewards, earned)
    games.waits_for[game] = waits_for
    arrays.to_play[game] = state.to_play


@jit
def show_choices_in(game: int, arrays: BatchArrays, games: TurnGames, options: TurnOptions) -> int:
    """Write the choices of the seat to play and their features; return how many there are."""
    return describe_choices(
        arrays.states[game],
        arrays.masks[game],
        Scope(options.weights, options.knows_hands, options.with_removals, options.width),
        games.lengths[game],
        games.actions[game],
        games.values[game],
        games.features[game],
    )


@jit
def play_action(
    state: State, action: int, options: TurnOptions, rewards: Array, out_earned: Array
) -> None:
    """Play an action of any seat, and add what each seat earns. `rewards` is scratch space."""
    rounds = state.rounds_scored
    note_scores(state, rewards)
    step(state, action)
    if state.rounds_scored == rounds:  # no points, so no rewards
        return
    players = int(state.num_players)
    if options.score != 0:
        for seat in range(players):
            out_earned[seat] += options.score * (float(state.scores[seat]) - float(rewards[seat]))
    if options.margin != 0:
        write_rewards(state, MARGIN, rewards)
        for seat in range(players):
            out_earned[seat] += options.margin * float(rewards[seat])
    if options.outcome != 0 and state.phase == OVER:
        write_outcome(state, rewards)
        for seat in range(players):
            out_earned[seat] += options.outcome * float(rewards[seat])
