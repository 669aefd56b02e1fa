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
import os
import shutil
import stat
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
from alhambra_env.engine.state import STATE_BYTES
from alhambra_env.numbers import INPUT_VERSION
from alhambra_env.settings import shortened, shown, whole_number

from .config import LARGEST_COUNT, LARGEST_FILE, Config, dump_config, parse_config
from .networks import LARGEST_WEIGHT, ChoiceNetwork
from .pool import Weights, load_weights, weights_of

FORMAT: Final = "alhambra checkpoint 1"
META: Final = "meta.json"
WEIGHTS: Final = "weights.safetensors"
CONFIG: Final = "config.yaml"
CURVE: Final = "curve.csv"
RESUME: Final = "resume.json"
RESUME_ARRAYS: Final = "resume.safetensors"
EVALUATION: Final = "evaluation.json"  # written by `training.evaluate`
PICTURE: Final = "progress.png"  # written by `training.plot`

_PLAYING: Final = frozenset({WEIGHTS, CONFIG, CURVE})
_LEARNING: Final = frozenset({RESUME, RESUME_ARRAYS})

_LARGEST_META: Final = 1 << 20
_LARGEST_RESUME: Final = 1 << 22
_LARGEST_CURVE: Final = 1 << 24
_MOST_COLUMNS: Final = 200
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
    folder = Path(folder).resolve()
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
        _replace(folder, files, dropped | _PLAYING | _LEARNING | {META})
    except OSError as error:
        raise SaveFailed(
            error.errno, f"the checkpoint {folder} could not be saved: {error.strerror or error}"
        ) from error


def check_target(folder: Path) -> None:
    """Raise `ValueError` if a checkpoint written there would stand among somebody's other files."""
    if folder.is_dir() and not (folder / META).is_file() and any(folder.iterdir()):
        raise ValueError(f"{folder} is no checkpoint, and is not empty: choose another folder")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file, where the folder of a checkpoint should be")


def _replace(folder: Path, files: dict[str, bytes], replaced: set[str] | frozenset[str]) -> None:
    """Put files in the place of a folder, which keeps those that are not replaced."""
    new, old = _beside(folder, "new"), _beside(folder, "old")
    if old.exists() and not folder.exists():
        old.rename(folder)  # a save was cut short between its two renames
    shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    try:
        new.mkdir(parents=True)
        for name, data in files.items():
            _write(new / name, data)
        for kept in folder.iterdir() if folder.exists() else ():
            if kept.name not in replaced:
                _carry_over(kept, new / kept.name)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)  # half of a checkpoint fills the disk for nothing
        raise
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _beside(folder: Path, word: str) -> Path:
    """Return a folder beside another one, whose name no run can have."""
    return folder.with_name(f".{folder.name}.{word}")


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _carry_over(path: Path, target: Path) -> None:
    """Give a file or folder a second name, or a copy where the file system knows no second names.

    It is not moved: until the renames are done, the old folder must be complete.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, target, symlinks=True, copy_function=_link)
    else:
        _link(path, target)


def _link(path: str | Path, target: str | Path) -> None:
    try:
        os.link(path, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(path, target, follow_symlinks=False)


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


def load_checkpoint(folder: str | Path) -> Checkpoint:
    """Read a checkpoint; nothing in it is run.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
    """
    folder = find_checkpoint(folder)
    with explained(folder):
        meta = _read_json(_read(folder / META, _LARGEST_META))
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
        for name in sorted(digests.keys() - data.keys()):
            data[name] = _read_checked(folder, name, limits[name], digests)
        weights = read_tensors(data[WEIGHTS])
        check_weights(weights, shapes)
        resume: dict[str, Any] = {}
        if RESUME in data:
            arrays = read_tensors(data[RESUME_ARRAYS])
            resume = _put_in_arrays(_read_json(data[RESUME]), arrays)
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
        raise DamagedCheckpoint(f"the checkpoint {folder} is damaged: no {error}") from None
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        MemoryError,
        RuntimeError,
        SafetensorError,
        csv.Error,
    ) as error:
        reason = shortened(str(error) or type(error).__name__)
        raise DamagedCheckpoint(f"the checkpoint {folder} is damaged: {reason}") from None


def find_checkpoint(folder: str | Path) -> Path:
    """Return the folder, or the one that was there before a save that was interrupted."""
    # The name of a folder such as `.` is only known once it is resolved.
    with explained(Path(folder)):
        folder = Path(folder) if Path(folder).name.strip(".") else Path(folder).resolve()
        for candidate in (folder, _beside(folder, "old")) if folder.name else ():
            if (candidate / META).is_file():
                return candidate
    raise DamagedCheckpoint(f"there is no checkpoint in {folder}: it has no {META}")


def _read(path: Path, limit: int) -> bytes:
    """Return the content of a file of at most `limit` bytes."""
    # A pipe would be waited for, and a device has no end.
    if not stat.S_ISREG(path.stat().st_mode):
        raise DamagedCheckpoint(f"{path} is damaged: it is no file")
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise DamagedCheckpoint(f"{path} is damaged: it has more than {limit:,} bytes")
    return data


def _read_checked(folder: Path, name: str, limit: int, digests: dict[str, str]) -> bytes:
    data = _read(folder / name, limit)
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
    rows: Curve = []
    for cells in lines:
        if len(cells) != len(names):
            raise ValueError(f"row {len(rows)} of {CURVE} has {len(cells)} cells")
        if not all(math.isfinite(float(cell or 0)) for cell in cells):
            raise ValueError(f"row {len(rows)} of {CURVE} has a number that is not finite")
        rows.append(dict(zip(names, cells, strict=True)))
    return rows


def _put_in_arrays(tree: Any, arrays: Weights) -> Any:
    """Undo `_take_out_arrays`."""
    if isinstance(tree, dict):
        if set(tree) == {_ARRAY}:
            return arrays[tree[_ARRAY]]
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
