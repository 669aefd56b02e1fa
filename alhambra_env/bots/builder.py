"""`builder`: buys if it can, otherwise builds from the reserve, otherwise takes the most money."""

from ..engine.action_ranges import N_ACTIONS
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.material import NONE
from ..engine.state import TURN, State
from .placing import choose_placement, first_legal, pick_to_add
from .purse import buy_least_overpaid, take_most


@jit
def choose_like_builder(state: State, mask: Array) -> int:
    """Return the action of the builder. An exact payment is the least overpaid."""
    if state.phase != TURN:
        return choose_placement(state, mask)
    best = buy_least_overpaid(state, mask)
    if best == NONE:
        best = pick_to_add(state, mask)
    if best == NONE:
        best = take_most(state, mask)
    return best if best != NONE else first_legal(mask, 0, N_ACTIONS)
