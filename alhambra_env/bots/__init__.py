"""Scripted players, by name: `bots.make("builder")`.

A bot decides from what its seat may know and from its own random numbers.
"""

from .bot import Bot, make
from .kinds import BOT_NAMES, BOTS

__all__ = ["BOTS", "BOT_NAMES", "Bot", "make"]
