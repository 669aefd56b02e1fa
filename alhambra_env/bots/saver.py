"""`saver`: buys the dearest tile that it can pay exactly, otherwise takes the most money."""

from ..engine.action_ranges import N_ACTIONS
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.material import NONE
from ..engine.state import TURN, State
from .placing import choose_placement, first_legal
from .purse import buy_dearest_exactly, take_most


@jit
def choose_like_saver(state: State, mask: Array) -> int:
    """Return the action of the saver."""
    if state.phase != TURN:
        return choose_placement(state, mask)
    best = buy_dearest_exactly(state, mask)
    if best == NONE:
        best = take_most(state, mask)
    return best if best != NONE else first_legal(mask, 0, N_ACTIONS)
