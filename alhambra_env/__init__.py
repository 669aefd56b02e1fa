"""Alhambra, the board game, as a fast and exact environment for reinforcement learning."""

from importlib.metadata import version

from . import alhambra_turns_v0, alhambra_v0
from .batch import GameBatch
from .engine.editions import Edition
from .envs.registration import ENV_ID, TURNS_ENV_ID, register_environments
from .errors import DamagedRecord, IllegalAction
from .game import Game

__all__ = [
    "ENV_ID",
    "TURNS_ENV_ID",
    "DamagedRecord",
    "Edition",
    "Game",
    "GameBatch",
    "IllegalAction",
    "alhambra_turns_v0",
    "alhambra_v0",
]
__version__ = version("alhambra-env")

register_environments()
