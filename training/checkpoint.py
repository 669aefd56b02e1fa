"""Writes and reads checkpoints: folders of plain files that contain no code.

- `meta.json`: versions, game, shapes of the weights, digests of the other files
- `weights.safetensors`: the weights of the network
- `config.yaml`: the settings of the run
- `curve.csv`: the learning curve
- `resume.json`, `resume.safetensors`: optimiser, opponent pool, games and random states, to resume
  training. They are 90% of the bytes, and an agent that only plays does not need them.

Other files in the folder are kept. A checkpoint may come from an untrusted source: only files with
these names are read, up to the size that follows from the settings. Anything else is refused.
"""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as write_tensors

import alhambra_env
from alhambra_env.actions import ENCODING_VERSION
from alhambra_env.agents.checkpoint import (
    ACTIONS_LEVEL,
    CONFIG,
    CURVE,
    FORMAT,
    LEARNING,
    META,
    PLAYING,
    RESUME,
    RESUME_ARRAYS,
    WEIGHTS,
    bytes_of,
    digest,
    explained,
    opened,
    read_checked,
    read_file,
    read_json,
)
from alhambra_env.agents.network import Weights, check_weights, expected_shapes
from alhambra_env.agents.table_features import INPUT_VERSION
from alhambra_env.agents.turn_network import expected_turn_shapes
from alhambra_env.arena.ladder import Rung, parse_ladder
from alhambra_env.engine.state import STATE_BYTES
from alhambra_env.errors import DamagedRecord
from alhambra_env.observation import OBSERVATION_VERSION
from alhambra_env.turns.feature_groups import FEATURES_VERSION

from .checkpoint_folder import check_target, replace_files
from .config import Config, RunConfig, TurnConfig
from .config_file import LARGEST_FILE, dump_config, parse_config
from .networks import ChoiceNetwork, load_weights, weights_of
from .turns.network import TurnNetwork

EVALUATION: Final = "evaluation.json"  # written by `training.evaluate`
PICTURE: Final = "progress.png"  # written by `training.plot`


_LARGEST_RESUME: Final = 1 << 22
_LARGEST_CURVE: Final = 1 << 24
_LARGEST_EVALUATION: Final = 1 << 20
_MOST_COLUMNS: Final = 200
_LARGEST_NUMBER: Final = 1e15  # in a curve
_COLUMN: Final = re.compile(r"[ -~]{1,200}")
_BYTES_PER_GAME: Final = 2 * STATE_BYTES + 1024

_ARRAY: Final = "array"
Row = dict[str, Any]
"""A row of the learning curve: values by column."""

Curve = list[Row]

Network = ChoiceNetwork | TurnNetwork


class Checkpoint(NamedTuple):
    """The content of a checkpoint."""

    folder: Path
    config: RunConfig
    weights: Weights
    curve: Curve
    steps: int
    resume: dict[str, Any]


class SaveFailed(OSError):
    """A checkpoint could not be written; the previous one is unchanged."""


# --- saving --------------------------------------------------------------------------------------


def save_checkpoint(
    folder: str | Path,
    config: RunConfig,
    network: Network,
    steps: int,
    curve: Curve,
    resume: dict[str, Any],
    *,
    is_new_agent: bool = False,
) -> None:
    """Write a checkpoint; an existing one in this folder is replaced.

    It is written beside the folder and then renamed, so the previous checkpoint stays until the new
    one is complete. Other files in the folder are kept.

    Args:
        folder: the folder of the checkpoint.
        config: the settings of the run.
        network: the network to save.
        steps: decisions of the learner so far.
        curve: the learning curve.
        resume: the state of training. If it is empty, the checkpoint can play but not be resumed.
        is_new_agent: remove the evaluation of a previous agent in this folder.

    Raises:
        SaveFailed: there is no space or no permission. The previous checkpoint is unchanged.
        ValueError: the folder contains something else.
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
        "package_version": alhambra_env.__version__,
        "steps": steps,
        **_meta_of(config),
        "shapes": {key: list(value.shape) for key, value in weights.items()},
        "digests": {name: digest(data) for name, data in files.items()},
    }
    files[META] = json.dumps(meta, indent=2).encode()
    dropped = {EVALUATION, PICTURE} if is_new_agent else set()
    try:
        replace_files(folder, files, dropped | PLAYING | LEARNING | {META})
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


def _take_out_arrays(tree: Any, out_arrays: Weights) -> Any:
    """Return a tree of dictionaries and lists, with its arrays moved to `out_arrays`."""
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
    """Read a checkpoint. No code in it is run.

    Args:
        folder: the folder of the checkpoint.
        only_to_play: skip the files that are only needed to resume training.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
    """
    with opened(folder) as (found, meta, steps, digests):
        data = {CONFIG: read_checked(found, CONFIG, LARGEST_FILE, digests)}
        config = parse_config(data[CONFIG], CONFIG)
        shapes = shapes_of(config)
        _check_fit(meta, config, shapes)
        size = bytes_of(shapes)
        limits = {
            WEIGHTS: size,
            CURVE: _LARGEST_CURVE,
            RESUME: _LARGEST_RESUME,
            # The learner, Adam's two moments, and the opponent pool
            RESUME_ARRAYS: (_pool_size(config) + 3) * size + config.ppo.num_envs * _BYTES_PER_GAME,
        }
        skipped = LEARNING if only_to_play else frozenset()
        for name in sorted(digests.keys() - data.keys() - skipped):
            data[name] = read_checked(found, name, limits[name], digests)
        weights = read_tensors(data[WEIGHTS])
        check_weights(weights, shapes)
        resume: dict[str, Any] = {}
        if RESUME in data:
            arrays = read_tensors(data[RESUME_ARRAYS])
            resume = _put_in_arrays(read_json(data[RESUME]), arrays)
            if arrays:
                raise ValueError(f"{RESUME_ARRAYS} has arrays that are not used")
        curve = _read_curve(data[CURVE].decode())
    return Checkpoint(found, config, _own(weights), curve, steps, _own(resume))


def _read_curve(text: str) -> Curve:
    """Return the rows of a learning curve; its cells are numbers or empty."""
    lines = csv.reader(io.StringIO(text))
    names = next(lines, [])
    if len(names) > _MOST_COLUMNS or len(set(names)) < len(names):
        raise ValueError(f"{CURVE} has duplicate columns, or more than {_MOST_COLUMNS}")
    if not all(map(_COLUMN.fullmatch, names)):
        raise ValueError(f"{CURVE} has a column name that is not printable ASCII")
    rows: Curve = []
    for cells in lines:
        if len(cells) != len(names):
            raise ValueError(f"row {len(rows)} of {CURVE} has {len(cells)} cells")
        if not all(abs(float(cell or 0)) <= _LARGEST_NUMBER for cell in cells):  # nor nan
            raise ValueError(
                f"row {len(rows)} of {CURVE} has a value that is not a number, or too large"
            )
        rows.append(dict(zip(names, cells, strict=True)))
    return rows


def _put_in_arrays(tree: Any, arrays: Weights) -> Any:
    """Undo `_take_out_arrays`; arrays that are used are removed from `arrays`.

    Each array can be used only once: otherwise a small file could fill the memory.
    """
    if isinstance(tree, dict):
        if set(tree) == {_ARRAY}:
            return arrays.pop(tree[_ARRAY])
        return {key: _put_in_arrays(value, arrays) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_put_in_arrays(value, arrays) for value in tree]
    return tree


def _own(tree: Any) -> Any:
    """Return a copy of a tree, with writable arrays."""
    if isinstance(tree, np.ndarray):
        return tree.copy()
    if isinstance(tree, dict):
        return {key: _own(value) for key, value in tree.items()}
    return [_own(value) for value in tree] if isinstance(tree, list) else tree


def read_evaluation(folder: Path) -> list[Rung]:
    """Return the evaluation of a checkpoint in the arena; an empty list if there is none.

    Raises:
        DamagedRecord: the file is not an evaluation.
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


def _meta_of(config: RunConfig) -> dict[str, Any]:
    """Return what `meta.json` says of the agent, besides the shapes of its weights."""
    if isinstance(config, TurnConfig):
        return {
            "level": config.level,
            "features_version": FEATURES_VERSION,
            "num_players": list(config.game.num_players),
            "hands": config.game.hands,
            "scale": config.network.scale,
            "reward": config.reward.model_dump(),
        }
    assert isinstance(config, Config)
    return {
        "level": config.level,
        "observation_version": OBSERVATION_VERSION,
        "input_version": INPUT_VERSION,
        "num_players": config.game.num_players,
        "hands": config.game.hands,
        "pieces": list(config.game.layout().pieces),
    }


def _check_fit(meta: dict[str, Any], config: RunConfig, shapes: dict[str, tuple[int, ...]]) -> None:
    """Raise `ValueError` unless `meta.json` agrees with `config.yaml`."""
    wanted = _meta_of(config) | {"shapes": {key: list(shape) for key, shape in shapes.items()}}
    found = {"level": ACTIONS_LEVEL} | meta
    for key, value in wanted.items():
        if found[key] != value:
            raise ValueError(f"{key} in {META} and in {CONFIG} differ")


def _pool_size(config: RunConfig) -> int:
    return config.pool.size if isinstance(config, Config) else 0


def shapes_of(config: RunConfig) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights for these settings, by name."""
    if isinstance(config, TurnConfig):
        return expected_turn_shapes(config.network.width)
    assert isinstance(config, Config)
    network = config.network
    return expected_shapes(config.game.layout(), network.table_width, network.choice_width)


def new_network(config: RunConfig) -> Network:
    """Return a network with new weights for these settings."""
    if isinstance(config, TurnConfig):
        return TurnNetwork(**config.network.model_dump())
    assert isinstance(config, Config)
    return ChoiceNetwork(config.game.layout(), **config.network.model_dump())


def build_network(checkpoint: Checkpoint, config: RunConfig | None = None) -> Network:
    """Return the network of a checkpoint, with its own settings or with `config`.

    Raises:
        DamagedCheckpoint: the weights do not fit the settings.
    """
    config = config or checkpoint.config
    with explained(checkpoint.folder):
        check_weights(checkpoint.weights, shapes_of(config))
    network = new_network(config)
    load_weights(network, checkpoint.weights)
    return network
