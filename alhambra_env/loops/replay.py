"""The compiled loop that plays recorded actions again, and writes down every decision."""

from typing import NamedTuple

from ..engine.action_ranges import N_ACTIONS
from ..engine.arrays import Array
from ..engine.jit import borrow, jit
from ..engine.legal import write_mask
from ..engine.state import OVER
from ..engine.step import step
from ..observation.buffer import write_observation


class ReplayArrays(NamedTuple):
    """What was known before each action, one decision in each row."""

    seats: Array
    """`int8 [row]`: the seat that decided."""
    scores: Array
    """`int16 [row, seat]`: points so far."""
    masks: Array
    """`int8 [row, action]`: 1 for the legal actions."""
    observations: Array
    """`uint8 [row, byte]`: what the seat observed; no bytes if the layout has no pieces."""


@jit
def replay_actions(states: Array, actions: Array, bounds: Array, out: ReplayArrays) -> int:
    """Play actions in the first game of `states` and write the decisions.

    Stops before an action that is not legal, or if the game is over. Returns how many actions were
    played.
    """
    state = states[0]
    has_observations = out.observations.shape[1] > 0
    for row in range(actions.size):
        if state.phase == OVER:
            return row
        mask = borrow(out.masks)[row]
        write_mask(state, mask)
        action = int(actions[row])
        if action < 0 or action >= N_ACTIONS or mask[action] == 0:
            return row
        seat = int(state.to_play)
        out.seats[row] = seat
        for other in range(int(state.num_players)):
            out.scores[row, other] = state.scores[other]
        if has_observations:
            write_observation(state, seat, bounds, borrow(out.observations)[row])
        step(state, action)
    return int(actions.size)
