"""Training runs of a few seconds."""

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import numpy as np
import torch

from training.config import Config
from training.config_file import make_config
from training.run import use_threads
from training.train import train

TINY = (
    "threads=1",
    "name=tiny",
    "imitation.decisions=2000",
    "imitation.chunk=2048",
    "ppo.num_envs=8",
    "ppo.rollout=16",
    "ppo.batch_size=64",
    "ppo.steps=384",
    "network.table_width=16",
    "network.choice_width=8",
    "pool.every=128",
    "evaluation.deals=2",
    "evaluation.every=256",
    "save_every=128",
)
QUICK_OPPONENTS = (
    "opponents={pool: 0.6, planner: 0.3, builder: 0.1}",
    "evaluation.opponents=[random, planner]",
)


def tiny(*overrides: str) -> Config:
    config = make_config({}, [*TINY, *QUICK_OPPONENTS, *overrides])
    assert isinstance(config, Config)
    return config


def assert_same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    assert first.keys() == second.keys()
    for key, value in first.items():
        assert (value == second[key]).all(), key


@contextmanager
def runs_in(folder: Path) -> Iterator[None]:
    """Run in a folder, and restore the number of threads afterwards."""
    threads = torch.get_num_threads()
    try:
        with chdir(folder):
            yield
    finally:
        use_threads(threads)


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder of checkpoints, without lock files."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith("-lock"))


def train_in(folder: Path, *overrides: str) -> Path:
    """Return the checkpoint of a tiny run."""
    with runs_in(folder):
        return train(tiny(*overrides), is_shown=False).folder.resolve()
