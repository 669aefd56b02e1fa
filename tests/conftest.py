"""Shared set-up of the tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path

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


# --- training runs; imported late, because they need PyTorch --------------------------------------


@pytest.fixture
def in_a_folder(tmp_path: Path) -> Iterator[None]:
    """Let a test's runs write their checkpoints and logs to a folder of its own."""
    from tests.tiny_runs import runs_in

    with runs_in(tmp_path):
        yield


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a tiny run, only to be read."""
    from tests.tiny_runs import train_in

    return train_in(tmp_path_factory.mktemp("trained"))


@pytest.fixture
def copy(trained: Path, in_a_folder: None) -> Path:
    """A checkpoint to be changed, where a run of its name has it."""
    return Path(shutil.copytree(trained, "checkpoints/tiny"))
