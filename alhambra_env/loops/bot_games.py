"""The compiled loop of a game between bots."""

from ..bots.choose import choose_action
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.legal import write_mask
from ..engine.state import OVER
from ..engine.step import step


@jit
def play_bots(
    states: Array,
    masks: Array,
    bots: tuple[Array, Array, Array],
    out_actions: Array,
    out_decisions: Array,
) -> int:
    """Play the first game of `states` until it is over or `out_actions` is full of its actions.

    `masks` holds the mask of each game. `bots` are numbers, settings and random words by seat; the
    words are changed in place. The decisions of each seat are added to `out_decisions`. Returns how
    many actions were played.
    """
    numbers, settings, words = bots
    state = states[0]
    mask = masks[0]
    for i in range(out_actions.size):
        if state.phase == OVER:
            return i
        seat = int(state.to_play)
        action = choose_action(numbers[seat], settings[seat], state, mask, words[seat])
        step(state, action)
        write_mask(state, mask)
        out_actions[i] = action
        out_decisions[seat] += 1
    return int(out_actions.size)
