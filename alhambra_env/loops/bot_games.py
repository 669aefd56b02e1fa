"""The compiled loop of a game between bots."""

from typing import Any

from ..bots.choose import choose_action
from ..engine.jit import jit
from ..engine.legal import write_mask
from ..engine.state import OVER
from ..engine.step import step


@jit
def play_bots(states: Any, masks: Any, bots: Any, limit: int, out_decisions: Any) -> bool:
    """Play on in the first of some games until it is over, or for so many decisions. Is it over?

    `masks` holds the mask of each game. `bots` are numbers, settings and random words by seat; the
    words are changed in place. The decisions of each seat are added to `out_decisions`.
    """
    numbers, settings, words = bots
    state = states[0]
    mask = masks[0]
    for _ in range(limit):
        if state.phase == OVER:
            return True
        seat = int(state.to_play)
        step(state, choose_action(numbers[seat], settings[seat], state, mask, words[seat]))
        write_mask(state, mask)
        out_decisions[seat] += 1
    return bool(state.phase == OVER)
