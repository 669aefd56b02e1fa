"""Data sets of recorded games: read, verified, and continued."""

import json
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path

from alhambra_env import DamagedRecord
from alhambra_env.datasets import create_dataset, open_dataset
from tests.data_sets import META, renew_digest
from tests.fuzz import nasty
from tests.fuzz.attack import refuses
from tests.fuzz.checkpoints import folder_of_this_process

_PLAYERS = ["saver", "random"]
_FOOTER = 3000
"""Bytes at the end of a Parquet file that say where everything lies."""


@cache
def _fine() -> Path:
    """Return a data set, which is not to be changed."""
    folder = folder_of_this_process() / "data"
    create_dataset(
        _PLAYERS, folder, 3, shard_games=2, observations=True, pieces=["hand"], workers=1
    )
    return folder


def attack_dataset(rng: random.Random) -> str:
    """Verify a data set after it was changed, and record more games."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(shutil.copytree(_fine(), Path(parent) / "data"))
        name = rng.choice([META, *(path.name for path in sorted(folder.glob("*.parquet")))])
        data = (folder / name).read_bytes()
        if name != META:
            (folder / name).write_bytes(_damaged_table(data, rng))
            if rng.random() < 0.9:
                renew_digest(folder, name)
        elif rng.random() < 0.7:
            tree = nasty.damaged_tree(json.loads(data), rng)
            (folder / name).write_text(json.dumps(tree, default=str))
        else:
            (folder / name).write_bytes(nasty.damaged_bytes(data, rng))
        return refuses(lambda: _use(folder), DamagedRecord, OtherDataset)


def _damaged_table(data: bytes, rng: random.Random) -> bytes:
    """Return a Parquet file with some bytes changed, often in its footer."""
    if rng.random() < 0.3:
        return nasty.damaged_bytes(data, rng)
    changed = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        changed[rng.randrange(max(0, len(data) - _FOOTER), len(data))] = rng.randrange(256)
    return bytes(changed)


class OtherDataset(Exception):
    """No games are added to a data set of other settings."""


def _use(folder: Path) -> None:
    open_dataset(folder).verify()
    try:
        create_dataset(
            _PLAYERS, folder, 4, shard_games=2, observations=True, pieces=["hand"], workers=1
        )
    except ValueError as error:
        raise OtherDataset from error
