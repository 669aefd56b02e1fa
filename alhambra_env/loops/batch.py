"""The compiled loops of `GameBatch`: one step of every game, over arrays that it owns."""

from typing import NamedTuple

import numba
import numpy as np

from ..engine.action_ranges import N_ACTIONS
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.legal import write_mask
from ..engine.material import NONE
from ..engine.rewards import note_scores, write_rewards
from ..engine.setup import set_up
from ..engine.state import OVER
from ..engine.step import step
from ..observation.buffer import update_observation, write_observation


class BatchArrays(NamedTuple):
    """The arrays of a `GameBatch` that compiled loops work on."""

    states: np.ndarray
    final_states: np.ndarray
    next_words: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    to_play: np.ndarray
    rewards: np.ndarray
    done: np.ndarray


@jit
def find_illegal(masks, actions):
    """Return the first game whose action is not legal, or NONE."""
    for game in range(actions.size):
        action = actions[game]
        if action < 0 or action >= N_ACTIONS or masks[game, action] == 0:
            return game
    return NONE


@jit
def step_game(game, actions, arrays, bounds, reward, has_observations):
    """Play one game's action and bring everything that belongs to it up to date.

    A game that ends is copied to `final_states` and begins anew from its next words.
    """
    states, final_states, next_words, observations, masks, to_play, rewards, done = arrays
    state = states[game]
    action = actions[game]
    seat, turn, bag_size = int(state.to_play), int(state.turn), int(state.bag_size)
    out_rewards = borrow(rewards)[game]
    note_scores(state, out_rewards)
    step(state, action)
    write_rewards(state, reward, out_rewards)
    done[game] = state.phase == OVER
    out_observation = borrow(observations)[game]
    if done[game]:
        final_states[game] = states[game]
        set_up(state, state.num_players, state.edition, state.max_turns, next_words[game])
        if has_observations:
            write_observation(state, int(state.to_play), bounds, out_observation)
    elif has_observations:
        update_observation(state, action, seat, turn, bag_size, bounds, out_observation)
    to_play[game] = state.to_play
    write_mask(state, borrow(masks)[game])


@jit
def step_games(actions, arrays, bounds, reward, has_observations):
    """`step_game` for every game, one after the other."""
    for game in range(actions.size):
        step_game(game, actions, arrays, bounds, reward, has_observations)


@jit_parallel
def step_games_parallel(actions, arrays, bounds, reward, has_observations):
    """`step_game` for every game, in several threads. Games do not touch each other."""
    for game in numba.prange(actions.size):
        step_game(game, actions, arrays, bounds, reward, has_observations)


@jit
def begin_games(where, settings, arrays, bounds, has_observations):
    """Begin the chosen games anew from their next words.

    `settings` are the number of players, the edition and the limit of turns.
    """
    states, _, next_words, _, _, _, rewards, done = arrays
    num_players, edition, max_turns = settings
    for game in range(where.size):
        if where[game]:
            state = states[game]
            set_up(state, num_players, edition, max_turns, next_words[game])
            show_game(game, arrays, bounds, has_observations)
            rewards[game] = 0
            done[game] = False


@jit
def show_game(game, arrays, bounds, has_observations):
    """Write what follows from a record: mask, seat to play and observation."""
    states, _, _, observations, masks, to_play, _, _ = arrays
    state = states[game]
    to_play[game] = state.to_play
    write_mask(state, masks[game])
    if has_observations:
        write_observation(state, int(state.to_play), bounds, observations[game])
