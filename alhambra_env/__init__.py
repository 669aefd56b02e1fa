"""Alhambra, the board game, as a fast and exact environment for reinforcement learning."""

from importlib.metadata import version

from .errors import DamagedRecord, IllegalAction
from .game import Game

__all__ = ["DamagedRecord", "Game", "IllegalAction"]
__version__ = version("alhambra-env")
