"""Checkpoints: a folder of plain files, which can be read without running anything in it.

- `meta.json`: what it is: versions, game, shapes of the weights, digests of the other files
- `weights.npz`: the weights of the network
- `config.yaml`: the settings of the run
- `curve.csv`: how it went
- `resume.json`: counters and random states, to go on from here; its arrays are in `resume.npz`.
  Agents that only play do without both: they are nine tenths of the bytes.
"""

import csv
import hashlib
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np

import alhambra_env
from alhambra_env.actions import ENCODING_VERSION
from alhambra_env.numbers import INPUT_VERSION

from .config import Config, dump_config, load_config
from .networks import ChoiceNetwork
from .pool import Weights, load_weights, weights_of

FORMAT: Final = "alhambra checkpoint 0"
META: Final = "meta.json"
WEIGHTS: Final = "weights.npz"
CONFIG: Final = "config.yaml"
CURVE: Final = "curve.csv"
RESUME: Final = "resume.json"
RESUME_ARRAYS: Final = "resume.npz"
EVALUATION: Final = "evaluation.json"  # written by `training.evaluate`

_ARRAY: Final = "array"
Row = dict[str, Any]
"""What was measured at some moment: a row of the curve."""

Curve = list[Row]


class Checkpoint(NamedTuple):
    """What a folder holds."""

    config: Config
    weights: Weights
    curve: Curve
    steps: int
    resume: dict[str, Any]


class DamagedCheckpoint(ValueError):
    """A checkpoint cannot be used, and why."""


# --- saving --------------------------------------------------------------------------------------


def save_checkpoint(
    folder: str | Path,
    config: Config,
    network: ChoiceNetwork,
    steps: int,
    curve: Curve,
    resume: dict[str, Any],
) -> None:
    """Write a checkpoint, in place of one that is there.

    It is written beside the folder and then renamed, so that the last good one stays until this one
    is complete. With nothing in `resume` it can play, but not go on learning.
    """
    folder = Path(folder)
    weights = weights_of(network)
    arrays: Weights = {}
    plain = _take_out_arrays(resume, arrays)
    files = {
        WEIGHTS: _npz(weights),
        CONFIG: dump_config(config).encode(),
        CURVE: _csv(curve).encode(),
    }
    if resume:
        files |= {RESUME: json.dumps(plain).encode(), RESUME_ARRAYS: _npz(arrays)}
    meta = {
        "format": FORMAT,
        "encoding_version": ENCODING_VERSION,
        "input_version": INPUT_VERSION,
        "package_version": alhambra_env.__version__,
        "steps": steps,
        "num_players": config.game.num_players,
        "hands": config.game.hands,
        "pieces": list(network.layout.pieces),
        "shapes": {key: list(value.shape) for key, value in weights.items()},
        "digests": {name: _digest(data) for name, data in files.items()},
    }
    files[META] = json.dumps(meta, indent=2).encode()
    new, old = _beside(folder, "new"), _beside(folder, "old")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for name, data in files.items():
        _write(new / name, data)
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _beside(folder: Path, word: str) -> Path:
    return folder.with_name(f"{folder.name}.{word}")


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _npz(arrays: Weights) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # names that are its own options
    return buffer.getvalue()


def _csv(curve: Curve) -> str:
    text = io.StringIO()
    names = list(dict.fromkeys(key for row in curve for key in row))
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(curve)
    return text.getvalue()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _take_out_arrays(tree: Any, out_arrays: Weights) -> Any:
    """Return a tree of dictionaries and lists with numbers in place of its arrays."""
    if isinstance(tree, np.ndarray):
        name = str(len(out_arrays))
        out_arrays[name] = tree
        return {_ARRAY: name}
    if isinstance(tree, dict):
        return {key: _take_out_arrays(value, out_arrays) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_take_out_arrays(value, out_arrays) for value in tree]
    return tree.item() if isinstance(tree, np.generic) else tree


# --- loading -------------------------------------------------------------------------------------


def load_checkpoint(folder: str | Path) -> Checkpoint:
    """Read a checkpoint; nothing in it is run.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
    """
    folder = find_checkpoint(folder)
    try:
        meta = json.loads((folder / META).read_bytes())
        _check_meta(folder, meta)
        data = {name: (folder / name).read_bytes() for name in meta["digests"]}
        for name, digest in meta["digests"].items():
            if _digest(data[name]) != digest:
                raise DamagedCheckpoint(f"{folder / name} is damaged: its digest does not match")
        config = load_config(folder / CONFIG)
        weights = _read_npz(data[WEIGHTS])
        resume = {}
        if RESUME in data:
            arrays = _read_npz(data[RESUME_ARRAYS])
            resume = _put_in_arrays(json.loads(data[RESUME]), arrays)
        curve = list(csv.DictReader(io.StringIO(data[CURVE].decode())))
        steps = int(meta["steps"])
    except DamagedCheckpoint:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, BadZipFile) as error:
        raise DamagedCheckpoint(f"the checkpoint {folder} is damaged: {error!r}") from None
    return Checkpoint(config, weights, curve, steps, resume)


def find_checkpoint(folder: str | Path) -> Path:
    """Return the folder, or the one that was there before a save that was interrupted."""
    folder = Path(folder)
    for candidate in (folder, _beside(folder, "old")):
        if (candidate / META).is_file():
            return candidate
    raise DamagedCheckpoint(f"there is no checkpoint in {folder}: it has no {META}")


def _check_meta(folder: Path, meta: dict[str, Any]) -> None:
    if meta.get("format") != FORMAT:
        raise DamagedCheckpoint(f"{folder} is no checkpoint: its format is not {FORMAT!r}")
    if meta["encoding_version"] != ENCODING_VERSION:
        raise DamagedCheckpoint(
            f"the actions of the checkpoint {folder} are encoded in version "
            f"{meta['encoding_version']}, those of this package in version {ENCODING_VERSION}"
        )
    if meta.get("input_version", 0) != INPUT_VERSION:
        raise DamagedCheckpoint(
            f"the network of the checkpoint {folder} reads its input in version "
            f"{meta.get('input_version', 0)}, this package writes it in version {INPUT_VERSION}"
        )


def _read_npz(data: bytes) -> Weights:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _put_in_arrays(tree: Any, arrays: Weights) -> Any:
    """Undo `_take_out_arrays`."""
    if isinstance(tree, dict):
        if set(tree) == {_ARRAY}:
            return arrays[tree[_ARRAY]]
        return {key: _put_in_arrays(value, arrays) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_put_in_arrays(value, arrays) for value in tree]
    return tree


def build_network(checkpoint: Checkpoint, config: Config | None = None) -> ChoiceNetwork:
    """Return the network of a checkpoint, for its own settings or for others.

    Raises:
        DamagedCheckpoint: the weights do not fit the settings.
    """
    config = config or checkpoint.config
    network = ChoiceNetwork(config.game.layout(), **config.network.model_dump())
    expected = {key: tuple(value.shape) for key, value in network.state_dict().items()}
    found = {key: value.shape for key, value in checkpoint.weights.items()}
    if expected != found:
        wrong = sorted(key for key in expected | found if expected.get(key) != found.get(key))
        raise DamagedCheckpoint(
            f"the weights do not fit the settings: {wrong[0]} is {found.get(wrong[0])}, "
            f"not {expected.get(wrong[0])}"
        )
    load_weights(network, checkpoint.weights)
    return network
