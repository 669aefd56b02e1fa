"""Checkpoints: a folder of plain files, which can be read without running anything in it.

- `meta.json`: what it is: versions, game, shapes of the weights, digests of the other files
- `weights.safetensors`: the weights of the network
- `config.yaml`: the settings of the run
- `curve.csv`: how it went
- `resume.json`: counters and random states, to go on from here; its arrays are in
  `resume.safetensors`. Agents that only play do without both: they are nine tenths of the bytes.

Other files in the folder are left alone. A checkpoint may come from anybody: only these names are
read, none beyond the size that its settings explain, and whatever does not fit is refused.
"""

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as write_tensors

import alhambra_env
from alhambra_env.actions import ENCODING_VERSION
from alhambra_env.agents.table_features import INPUT_VERSION
from alhambra_env.arena.ladder import Rung, parse_ladder
from alhambra_env.engine.state import STATE_BYTES
from alhambra_env.errors import DamagedRecord
from alhambra_env.validation import shortened, shown, whole_number
from training.checkpoint_folder import (
    FORMATS,
    LARGEST_META,
    META,
    check_target,
    find_folder,
    read_file,
    replace_files,
)
from training.config import LARGEST_COUNT, LARGEST_FILE, Config, dump_config, parse_config
from training.networks import LARGEST_WEIGHT, ChoiceNetwork
from training.pool import Weights, load_weights, weights_of

FORMAT: Final = f"{FORMATS}1"
WEIGHTS: Final = "weights.safetensors"
CONFIG: Final = "config.yaml"
CURVE: Final = "curve.csv"
RESUME: Final = "resume.json"
RESUME_ARRAYS: Final = "resume.safetensors"
EVALUATION: Final = "evaluation.json"  # written by `training.evaluate`
PICTURE: Final = "progress.png"  # written by `training.plot`

_PLAYING: Final = frozenset({WEIGHTS, CONFIG, CURVE})
_LEARNING: Final = frozenset({RESUME, RESUME_ARRAYS})

_LARGEST_RESUME: Final = 1 << 22
_LARGEST_CURVE: Final = 1 << 24
_LARGEST_EVALUATION: Final = 1 << 20
_MOST_COLUMNS: Final = 200
_LARGEST_NUMBER: Final = 1e15  # in a curve
_COLUMN: Final = re.compile(r"[ -~]{1,200}")
_SLACK: Final = 1 << 20  # for the header of a file of arrays, and for small ones
_BYTES_PER_GAME: Final = 2 * STATE_BYTES + 1024

_ARRAY: Final = "array"
Row = dict[str, Any]
"""What was measured at some moment: a row of the curve."""

Curve = list[Row]


class Checkpoint(NamedTuple):
    """What a folder holds."""

    folder: Path
    config: Config
    weights: Weights
    curve: Curve
    steps: int
    resume: dict[str, Any]


class DamagedCheckpoint(ValueError):
    """A checkpoint cannot be used, and why."""


class SaveFailed(OSError):
    """A checkpoint could not be written; the one before it is as it was."""


# --- saving --------------------------------------------------------------------------------------


def save_checkpoint(
    folder: str | Path,
    config: Config,
    network: ChoiceNetwork,
    steps: int,
    curve: Curve,
    resume: dict[str, Any],
    *,
    is_new_agent: bool = False,
) -> None:
    """Write a checkpoint, in place of one that is there.

    It is written beside the folder and then renamed, so that the last good one stays until this one
    is complete. Files that are no part of a checkpoint are kept.

    Args:
        folder: where to.
        config: the settings of the run.
        network: whose weights are saved.
        steps: decisions that it has learnt from.
        curve: how it went.
        resume: with nothing in it the checkpoint can play, but not go on learning.
        is_new_agent: what was measured of the agent that was there is dropped.

    Raises:
        SaveFailed: for want of space or permission. What was there before is as it was.
        ValueError: the folder holds something else than a checkpoint.
    """
    folder = Path(folder)
    check_target(folder)
    weights = weights_of(network)
    arrays: Weights = {}
    plain = _take_out_arrays(resume, arrays)
    files = {
        WEIGHTS: write_tensors(weights),
        CONFIG: dump_config(config).encode(),
        CURVE: _csv(curve).encode(),
    }
    if resume:
        files |= {RESUME: json.dumps(plain).encode(), RESUME_ARRAYS: write_tensors(arrays)}
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
    dropped = {EVALUATION, PICTURE} if is_new_agent else set()
    try:
        replace_files(folder, files, dropped | _PLAYING | _LEARNING | {META})
    except OSError as error:
        raise SaveFailed(
            error.errno, f"the checkpoint {folder} could not be saved: {error.strerror or error}"
        ) from error


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
        out_arrays[name] = np.ascontiguousarray(tree).reshape(tree.shape)
        return {_ARRAY: name}
    if isinstance(tree, dict):
        return {key: _take_out_arrays(value, out_arrays) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_take_out_arrays(value, out_arrays) for value in tree]
    return tree.item() if isinstance(tree, np.generic) else tree


# --- loading -------------------------------------------------------------------------------------


def load_checkpoint(folder: str | Path, *, only_to_play: bool = False) -> Checkpoint:
    """Read a checkpoint; nothing in it is run.

    Args:
        folder: where it is.
        only_to_play: leave out what only going on with its training needs, most of the bytes.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
    """
    folder = find_checkpoint(folder)
    with explained(folder):
        meta = _read_json(read_file(folder / META, LARGEST_META))
        steps, digests = _check_meta(folder, meta)
        data = {CONFIG: _read_checked(folder, CONFIG, LARGEST_FILE, digests)}
        config = parse_config(data[CONFIG], CONFIG)
        shapes = expected_shapes(config)
        size = sum(4 * math.prod(shape) for shape in shapes.values())
        limits = {
            WEIGHTS: size + _SLACK,
            CURVE: _LARGEST_CURVE,
            RESUME: _LARGEST_RESUME,
            # The learner, Adam's two moments, and earlier selves
            RESUME_ARRAYS: (config.pool.size + 3) * (size + _SLACK)
            + config.ppo.num_envs * _BYTES_PER_GAME,
        }
        skipped = _LEARNING if only_to_play else frozenset()
        for name in sorted(digests.keys() - data.keys() - skipped):
            data[name] = _read_checked(folder, name, limits[name], digests)
        weights = read_tensors(data[WEIGHTS])
        check_weights(weights, shapes)
        resume: dict[str, Any] = {}
        if RESUME in data:
            arrays = read_tensors(data[RESUME_ARRAYS])
            resume = _put_in_arrays(_read_json(data[RESUME]), arrays)
            if arrays:
                raise ValueError(f"{RESUME_ARRAYS} has arrays that nothing refers to")
        curve = _read_curve(data[CURVE].decode())
    return Checkpoint(folder, config, _own(weights), curve, steps, _own(resume))


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn all that reading what somebody else wrote can raise into `DamagedCheckpoint`."""
    try:
        yield
    except DamagedCheckpoint:
        raise
    except RecursionError:
        raise DamagedCheckpoint(f"the checkpoint {folder} is damaged: nested too deep") from None
    except KeyError as error:
        raise DamagedCheckpoint(
            f"the checkpoint {folder} is damaged: no {shortened(str(error))}"
        ) from None
    # Not all errors: one in compiled code, or an index out of bounds, is a mistake of ours.
    except (
        OSError,
        ValueError,
        TypeError,
        AttributeError,
        OverflowError,
        MemoryError,
        SafetensorError,
        csv.Error,
    ) as error:
        reason = shortened(str(error) or type(error).__name__)
        raise DamagedCheckpoint(f"the checkpoint {folder} is damaged: {reason}") from None


def find_checkpoint(folder: str | Path) -> Path:
    """Return the folder, or the one that was there before a save that was interrupted."""
    with explained(Path(folder)):
        if found := find_folder(Path(folder)):
            return found
    raise DamagedCheckpoint(f"there is no checkpoint in {folder}: it has no {META}")


def _read_checked(folder: Path, name: str, limit: int, digests: dict[str, str]) -> bytes:
    data = read_file(folder / name, limit)
    if _digest(data) != digests[name]:
        raise DamagedCheckpoint(f"{folder / name} is damaged: its digest does not match")
    return data


def _read_json(data: bytes) -> Any:
    return json.loads(data, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that JSON knows")


def _check_meta(folder: Path, meta: Any) -> tuple[int, dict[str, str]]:
    """Return steps and digests of a checkpoint that this version can read."""
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        found = meta.get("format") if isinstance(meta, dict) else None
        raise DamagedCheckpoint(
            f"{folder} is no checkpoint of this version: its format is {shown(found)}, "
            f"not {FORMAT!r}"
        )
    if meta["encoding_version"] != ENCODING_VERSION:
        raise DamagedCheckpoint(
            f"the actions of the checkpoint {folder} are encoded in version "
            f"{shown(meta['encoding_version'])}, those of this package in version "
            f"{ENCODING_VERSION}"
        )
    if meta["input_version"] != INPUT_VERSION:
        raise DamagedCheckpoint(
            f"the network of the checkpoint {folder} reads its input in version "
            f"{shown(meta['input_version'])}, this package writes it in version {INPUT_VERSION}"
        )
    steps = whole_number(meta["steps"], "steps", 0, LARGEST_COUNT)
    digests = meta["digests"]
    if not isinstance(digests, dict) or set(digests) not in (_PLAYING, _PLAYING | _LEARNING):
        playing, learning = (", ".join(sorted(names)) for names in (_PLAYING, _LEARNING))
        found = sorted(digests) if isinstance(digests, dict) else digests
        raise DamagedCheckpoint(
            f"{folder / META} is damaged: a checkpoint has the files {playing} and, to go on, "
            f"{learning}; not {shown(found)}"
        )
    return steps, digests


def _read_curve(text: str) -> Curve:
    """Return the rows of a curve, whose cells are numbers or empty."""
    lines = csv.reader(io.StringIO(text))
    names = next(lines, [])
    if len(names) > _MOST_COLUMNS or len(set(names)) < len(names):
        raise ValueError(f"{CURVE} has columns twice, or more than {_MOST_COLUMNS}")
    if not all(map(_COLUMN.fullmatch, names)):
        raise ValueError(f"{CURVE} has a column without a plain name")
    rows: Curve = []
    for cells in lines:
        if len(cells) != len(names):
            raise ValueError(f"row {len(rows)} of {CURVE} has {len(cells)} cells")
        if not all(abs(float(cell or 0)) <= _LARGEST_NUMBER for cell in cells):  # nor nan
            raise ValueError(f"row {len(rows)} of {CURVE} has a number that is none")
        rows.append(dict(zip(names, cells, strict=True)))
    return rows


def _put_in_arrays(tree: Any, arrays: Weights) -> Any:
    """Undo `_take_out_arrays`; `arrays` is left with those that nothing refers to.

    Each is referred to once: otherwise a small file could fill the memory.
    """
    if isinstance(tree, dict):
        if set(tree) == {_ARRAY}:
            return arrays.pop(tree[_ARRAY])
        return {key: _put_in_arrays(value, arrays) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_put_in_arrays(value, arrays) for value in tree]
    return tree


def _own(tree: Any) -> Any:
    """Return a tree whose arrays can be written to."""
    if isinstance(tree, np.ndarray):
        return tree.copy()
    if isinstance(tree, dict):
        return {key: _own(value) for key, value in tree.items()}
    return [_own(value) for value in tree] if isinstance(tree, list) else tree


def read_evaluation(folder: Path) -> list[Rung]:
    """Return how the agent of a checkpoint did in the arena; nothing if it was not measured.

    Raises:
        DamagedRecord: it is no evaluation.
    """
    path = folder / EVALUATION
    if not path.exists():
        return []
    try:
        data = read_file(path, _LARGEST_EVALUATION)
    except ValueError as error:
        raise DamagedRecord(str(error)) from None
    return parse_ladder(data, str(path))


# --- the network ---------------------------------------------------------------------------------


def expected_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights that the settings ask for, by name."""
    with torch.device("meta"):  # without memory for them
        network = ChoiceNetwork(config.game.layout(), **config.network.model_dump())
    return {key: tuple(value.shape) for key, value in network.state_dict().items()}


def check_weights(weights: Any, shapes: dict[str, tuple[int, ...]]) -> None:
    """Raise `ValueError` unless these are float32 weights of these shapes, and none is huge."""
    if not isinstance(weights, dict):
        raise ValueError(f"weights are arrays by name, not {shown(weights)}")
    found = {key: value.shape for key, value in weights.items()}
    if shapes != found:
        wrong = sorted(key for key in shapes | found if shapes.get(key) != found.get(key))
        raise ValueError(
            f"the weights do not fit the settings: {shown(wrong[0])} is {found.get(wrong[0])}, "
            f"not {shapes.get(wrong[0])}"
        )
    for key, value in weights.items():
        if value.dtype != np.float32:
            raise ValueError(f"the weights {key!r} are {value.dtype}, not float32")
        if not (np.abs(value) <= LARGEST_WEIGHT).all():  # nor nan
            raise ValueError(f"the weights {key!r} are not all numbers of up to {LARGEST_WEIGHT:g}")


def build_network(checkpoint: Checkpoint, config: Config | None = None) -> ChoiceNetwork:
    """Return the network of a checkpoint, for its own settings or for others.

    Raises:
        DamagedCheckpoint: the weights do not fit the settings.
    """
    config = config or checkpoint.config
    with explained(checkpoint.folder):
        check_weights(checkpoint.weights, expected_shapes(config))
    network = ChoiceNetwork(config.game.layout(), **config.network.model_dump())
    load_weights(network, checkpoint.weights)
    return network
