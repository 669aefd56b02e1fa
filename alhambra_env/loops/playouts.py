"""The compiled loop that plays a position on to the end, many times."""

from ..bots.choose import choose_action
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.legal import write_mask
from ..engine.resample import resample
from ..engine.rng import next_word
from ..engine.state import OVER
from ..engine.step import step


@jit
def play_on(
    states: Array,
    work: Array,
    mask: Array,
    bot: int,
    settings: Array,
    words: Array,
    out_scores: Array,
) -> None:
    """Play the first game of `states` to the end, once for each row of `out_scores`.

    Each time the order of deck and bag is redrawn; hands stay. A bot plays all seats. The game is
    not changed.

    Args:
        states: an array of the game.
        work: room for a game.
        mask: room for a mask.
        bot: its number.
        settings: of the bot.
        words: random words, changed in place.
        out_scores: `int64 [playout, seat]`: points at the end.
    """
    seed = words.copy()
    game = work[0]
    for playout in range(len(out_scores)):
        work[0] = states[0]
        for i in range(seed.size):
            seed[i] = next_word(words)
        seed[0] |= 1  # random words must not all be 0
        resample(game, 0, True, seed)
        write_mask(game, mask)
        while game.phase != OVER:
            step(game, choose_action(bot, settings, game, mask, words))
            write_mask(game, mask)
        for seat in range(out_scores.shape[1]):
            out_scores[playout, seat] = game.scores[seat]
