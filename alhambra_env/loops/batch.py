"""The compiled loops of `GameBatch`: one step of every game, over arrays that it owns."""

from typing import NamedTuple

import numba

from ..engine.action_ranges import N_ACTIONS
from ..engine.arrays import Array
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.legal import write_mask
from ..engine.material import NONE
from ..engine.rewards import note_scores, write_rewards
from ..engine.setup import RuleNumbers, rules_of, set_up
from ..engine.state import OVER
from ..engine.step import step
from ..observation.buffer import update_observation, write_observation


class BatchArrays(NamedTuple):
    """The arrays of a batch that compiled loops read and write in place."""

    states: Array
    """`STATE [game]`: the records of the games being played."""
    final_states: Array
    """`STATE [game]`: the record at the end of the last finished game; zeros before that."""
    next_words: Array
    """`uint32 [game, 4]`: random words of the seed that the next game starts from."""
    observations: Array
    """`uint8 [game, byte]`: what the seat to play observes; no bytes without observations."""
    masks: Array
    """`int8 [game, action]`: 1 for the legal actions of the seat to play."""
    to_play: Array
    """`int8 [game]`: the seat to play."""
    rewards: Array
    """`float32 [game, seat]`: the rewards of the last step."""
    done: Array
    """`bool [game]`: did the last step end the game?"""


@jit
def find_illegal(masks: Array, actions: Array) -> int:
    """Return the first game whose action is not legal, or NONE."""
    for game in range(actions.size):
        action = actions[game]
        if action < 0 or action >= N_ACTIONS or masks[game, action] == 0:
            return game
    return NONE


@jit
def step_game(
    game: int,
    actions: Array,
    arrays: BatchArrays,
    bounds: Array,
    reward: int,
    has_observations: bool,
) -> None:
    """Play one game's action and update everything that belongs to the game.

    A game that ends is copied to `final_states` and restarts from its next seed.
    """
    state = arrays.states[game]
    action = actions[game]
    seat, turn, bag_size = int(state.to_play), int(state.turn), int(state.bag_size)
    out_rewards = borrow(arrays.rewards)[game]
    note_scores(state, out_rewards)
    step(state, action)
    write_rewards(state, reward, out_rewards)
    is_over = state.phase == OVER
    arrays.done[game] = is_over
    out_observation = borrow(arrays.observations)[game]
    if is_over:
        arrays.final_states[game] = arrays.states[game]
        set_up(state, rules_of(state), arrays.next_words[game])
        if has_observations:
            write_observation(state, int(state.to_play), bounds, out_observation)
    elif has_observations:
        update_observation(state, action, seat, turn, bag_size, bounds, out_observation)
    arrays.to_play[game] = state.to_play
    write_mask(state, borrow(arrays.masks)[game])


@jit
def step_games(
    actions: Array, arrays: BatchArrays, bounds: Array, reward: int, has_observations: bool
) -> None:
    """`step_game` for every game, one after the other."""
    for game in range(actions.size):
        step_game(game, actions, arrays, bounds, reward, has_observations)


@jit_parallel
def step_games_parallel(
    actions: Array, arrays: BatchArrays, bounds: Array, reward: int, has_observations: bool
) -> None:
    """`step_game` for every game, in several threads. No two games share memory."""
    for game in numba.prange(actions.size):
        step_game(game, actions, arrays, bounds, reward, has_observations)


@jit
def begin_games(
    where: Array, rules: RuleNumbers, arrays: BatchArrays, bounds: Array, has_observations: bool
) -> None:
    """Restart the chosen games from their next seeds."""
    for game in range(where.size):
        if where[game]:
            begin_game(game, rules, arrays)
            show_game(game, arrays, bounds, has_observations)
            arrays.rewards[game] = 0
            arrays.done[game] = False


@jit
def begin_game(game: int, rules: RuleNumbers, arrays: BatchArrays) -> None:
    """Set a game up from its next seed."""
    set_up(arrays.states[game], rules, arrays.next_words[game])


@jit
def show_game(game: int, arrays: BatchArrays, bounds: Array, has_observations: bool) -> None:
    """Write what follows from a game's record: mask, seat to play and observation."""
    state = arrays.states[game]
    arrays.to_play[game] = state.to_play
    write_mask(state, arrays.masks[game])
    if has_observations:
        write_observation(state, int(state.to_play), bounds, arrays.observations[game])
