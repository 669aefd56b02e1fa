"""Shared set-up of the tests."""

import pytest

# Importing `training` sets OMP_WAIT_POLICY, which PyTorch reads once, when it is loaded.
import training  # noqa: F401
from alhambra_env import Game


def pytest_configure(config: pytest.Config) -> None:
    # Compile once, before parallel workers would all do it.
    if not hasattr(config, "workerinput"):
        game = Game(seed=0)
        game.step(game.legal_actions()[0])
        game.resample(0, seed=0)
        Game.from_bytes(game.to_bytes())
