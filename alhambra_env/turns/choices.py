"""The choices of a turn: the best ways to play it by the judgement of `lookahead`.

A choice is a list of actions that ends the turn. Nothing is drawn before a turn ends, so the record
that a choice ends in is known, apart from the refill.
"""

from typing import Final, NamedTuple

import numpy as np

from ..bots.best_turns import MOST_STEPS, new_turns, order_turns
from ..bots.layouts import Scope
from ..bots.lookahead import search
from ..engine.arrays import Array
from ..engine.jit import borrow, jit
from ..engine.legal import next_legal
from ..engine.state import STATE, State
from ..engine.step import apply_action, step

N_CHOICES: Final = 16
"""The most choices of a decision."""

MOST_OF_A_CLASS: Final = 4
"""The most choices of one class: that buy the same tiles and end with the same kind of action."""


class Choices(NamedTuple):
    """The choices of one decision, best first; written by `write_choices`."""

    lengths: Array
    """`int8 [choice]`: how many actions; 0 where there is no choice."""
    actions: Array
    """`int16 [choice, step]`"""
    values: Array
    """`float64 [choice]`: the outlook of `lookahead` at the end."""
    classes: Array
    """`int64 [choice]`: of `best_turns.class_of`."""
    ends: Array
    """`STATE [choice]`: the record after the last action, before the refill."""


@jit
def new_choices() -> Choices:
    """Return room for the choices of a decision."""
    return Choices(
        np.zeros(N_CHOICES, np.int8),
        np.zeros((N_CHOICES, MOST_STEPS), np.int16),
        np.zeros(N_CHOICES, np.float64),
        np.zeros(N_CHOICES, np.int64),
        np.empty(N_CHOICES, STATE),
    )


@jit
def write_choices(state: State, mask: Array, scope: Scope, out: Choices) -> int:
    """Write the choices of the seat to play; return how many there are, at least one.

    `mask` is the mask of the position, which may also be in the middle of a turn.
    """
    out = borrow(out)
    turns = new_turns(MOST_OF_A_CLASS)
    search(state, mask, scope, turns)
    order = np.empty(N_CHOICES, np.int64)
    count = order_turns(turns, order)
    out.lengths[:] = 0
    if count == 0:  # a turn without an end that `search` looks at: play any action
        out.lengths[0] = 1
        out.actions[0, 0] = next_legal(mask, 0, mask.size)
        count = 1
    else:
        for choice in range(count):
            group, place = order[choice] // MOST_OF_A_CLASS, order[choice] % MOST_OF_A_CLASS
            out.values[choice] = turns.values[group, place]
            out.classes[choice] = group
            out.lengths[choice] = turns.lengths[group, place]
            for i in range(turns.lengths[group, place]):
                out.actions[choice, i] = turns.actions[group, place, i]
    for choice in range(count):
        out.ends[choice] = state
        play_to_end(out.ends[choice], out.lengths[choice], out.actions[choice])
    return count


@jit
def play_to_end(state: State, length: int, actions: Array) -> None:
    """Play the actions of a choice, without the refill after the last one."""
    for i in range(length - 1):
        step(state, actions[i])
    apply_action(state, actions[length - 1])
