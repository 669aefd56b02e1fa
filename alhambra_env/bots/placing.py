"""Where to put a tile: for the longest wall."""

from ..actions import PICK, PUT, STORE
from ..engine.jit import jit
from ..engine.outline import longest_wall
from ..grid import N_CELLS
from ..material import N_TILES, NONE


@jit
def first_legal(mask, start, end):
    """Return the first legal action from `start` up to `end`, or NONE."""
    for action in range(start, end):
        if mask[action]:
            return action
    return NONE


@jit
def put_for_wall(state, mask):
    """Return the action that puts the picked tile where the wall gets longest, or NONE."""
    city = state.city[state.to_play].copy()
    best = NONE
    longest = -1
    for cell in range(N_CELLS):
        if mask[PUT + cell]:
            old = city[cell]
            city[cell] = state.picked
            wall = longest_wall(city)
            city[cell] = old
            if wall > longest:
                longest = wall
                best = PUT + cell
    return best


@jit
def place(state, mask):
    """Return an action that goes on with placing tiles: which is next, or where it goes."""
    best = first_legal(mask, PICK, PICK + N_TILES)
    if best == NONE:
        best = put_for_wall(state, mask)
    return best if best != NONE else STORE
