"""The compiled switch between the bots, for loops that play whole games."""

from ..engine.jit import jit
from .builder import choose_like_builder
from .chance import choose_by_kind, choose_uniform
from .kinds import bot_number
from .saver import choose_like_saver

_RANDOM = bot_number("random")
_UNIFORM = bot_number("uniform")
_SAVER = bot_number("saver")
_BUILDER = bot_number("builder")


@jit
def choose_action(bot, settings, state, mask, words):
    """Return the action that a bot chooses for the seat to play.

    `settings` is its row of `kinds.SETTINGS`, `mask` the mask of the state, and `words` are the
    bot's randomness, which is changed in place.
    """
    if bot == _RANDOM:
        return choose_by_kind(mask, words)
    if bot == _UNIFORM:
        return choose_uniform(mask, words)
    if bot == _SAVER:
        return choose_like_saver(state, mask)
    return choose_like_builder(state, mask)


@jit
def choose_action_of(bot, settings, states, game, masks, words):
    """`choose_action` for one of some games; for callers from Python (see `try_step`)."""
    return choose_action(bot, settings, states[game], masks[game], words)
