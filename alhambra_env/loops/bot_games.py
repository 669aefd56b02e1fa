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
    limit: int,
    out_decisions: Array,
) -> bool:
    """Play the first game of `states` until it is over, at most `limit` decisions. Is it over?

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
