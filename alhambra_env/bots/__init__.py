"""Scripted players, by name.

A bot decides from what its seat may know and from random words of its own.
"""

from typing import Final

import numpy as np

from ..engine.jit import jit
from ..engine.playout import BY_KIND, choose_in_style
from ..settings import one_of

BOTS: Final = {
    "random": "any legal kind of action, all equally likely, and then any action of that kind",
}
"""The bots and what they do. The number of a bot is its place here."""

BOT_NAMES: Final = tuple(BOTS)


def bot_number(name: str) -> int:
    """Return the number of a bot, or raise `ValueError` with the names there are."""
    return BOT_NAMES.index(one_of(name, BOT_NAMES, "bot"))


@jit
def choose_action(bot: int, mask: np.ndarray, words: np.ndarray) -> int:
    """Return the action that a bot chooses. `words` are its randomness, changed in place."""
    action: int = choose_in_style(BY_KIND, mask, words)
    return action
