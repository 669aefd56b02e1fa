"""Placing a tile for the longest wall."""

import numpy as np

from ..engine.action_ranges import N_ACTIONS, PICK, PUT, STORE
from ..engine.arrays import Array
from ..engine.city import write_cells
from ..engine.grid import N_CELLS
from ..engine.jit import jit
from ..engine.material import N_TILES, NONE
from ..engine.sites import CELL, outline_with, survey
from ..engine.state import State


@jit
def first_legal(mask: Array, start: int, end: int) -> int:
    """Return the first legal action from `start` up to `end`, or NONE."""
    for action in range(start, end):
        if mask[action]:
            return action
    return NONE


@jit
def put_for_wall(state: State, mask: Array) -> int:
    """Return the action that puts the picked tile where the wall gets longest, or NONE.

    It does not swap tiles: a bot that always swaps would never end a game.
    """
    sites, _ = survey(state, int(state.to_play))
    best = NONE
    longest = -1
    for i in range(len(sites)):
        action = PUT + sites[i, CELL]
        if mask[action]:
            wall, _ = outline_with(sites[i], int(state.picked))
            if wall > longest or (wall == longest and action < best):
                longest = wall
                best = action
    return best


@jit
def choose_placement(state: State, mask: Array) -> int:
    """Return an action that continues placing: which tile is next, or where it goes."""
    best = first_legal(mask, PICK, PICK + N_TILES)
    if best == NONE:
        best = put_for_wall(state, mask)
    if best == NONE:
        best = first_legal(mask, STORE, N_ACTIONS)
    return best if best != NONE else first_legal(mask, PUT, STORE)


@jit
def pick_to_add(state: State, mask: Array) -> int:
    """Return the pick of the first reserve tile that can be added to the city, or NONE."""
    cells = np.zeros(N_CELLS, np.int8)
    for tile in range(N_TILES):
        if mask[PICK + tile]:
            write_cells(state, int(state.to_play), tile, False, cells)
            if cells.any():
                return PICK + tile
    return NONE
