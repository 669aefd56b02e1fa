"""Reads checkpoints. They are plain files from untrusted sources; no code in them is run.

- `meta.json`: versions, game, shapes of the weights, digests of the other files
- `weights.safetensors`: the weights of the network

These two are enough to play. `training.checkpoint` reads and writes the others. Only files with
known names are read, up to the size that follows from the shapes. Anything else is refused.
"""

import csv
import hashlib
import json
import math
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from safetensors import SafetensorError
from safetensors.numpy import load as read_tensors

from ..engine.action_ranges import ENCODING_VERSION
from ..engine.material import MAX_PLAYERS, MIN_PLAYERS
from ..observation.layout import Layout
from ..observation.pieces import OBSERVATION_VERSION
from ..options import Hands, hands_name
from ..turns.feature_groups import FEATURES_VERSION
from ..validation import one_of, real_number, shortened, shown, whole_number
from .network import LARGEST_WIDTH, Weights, check_pieces, check_weights, expected_shapes
from .table_features import INPUT_VERSION
from .turn_network import LARGEST_SCALE, expected_turn_shapes

META: Final = "meta.json"
"""The file that makes a folder a checkpoint."""

FORMATS: Final = "alhambra checkpoint "
"""The start of `format` in `meta.json`, in all versions."""

FORMAT: Final = f"{FORMATS}1"
WEIGHTS: Final = "weights.safetensors"
CONFIG: Final = "config.yaml"
CURVE: Final = "curve.csv"
RESUME: Final = "resume.json"
RESUME_ARRAYS: Final = "resume.safetensors"

PLAYING: Final = frozenset({WEIGHTS, CONFIG, CURVE})
"""The files needed to play, besides `meta.json`."""

LEARNING: Final = frozenset({RESUME, RESUME_ARRAYS})
"""The files needed to resume training."""

ACTIONS_LEVEL, TURNS_LEVEL = LEVELS = ("actions", "turns")
"""What an agent chooses."""

LARGEST_META: Final = 1 << 20
LARGEST_COUNT: Final = 10**12
"""The largest number of training steps that is accepted."""

LARGEST_REWARD: Final = 1e6
"""The largest weight of a reward."""

SLACK: Final = 1 << 20
"""Bytes allowed for the header of a safetensors file, and for small arrays."""


class Agent(NamedTuple):
    """A trained network and the number of players it was trained for."""

    folder: Path
    num_players: int
    layout: Layout
    """The layout of its observations."""
    weights: Weights


class TurnAgent(NamedTuple):
    """A trained network that chooses turns; it plays with any number of players."""

    folder: Path
    hands: Hands
    weights: Weights
    scale: float
    """What a point of lookahead's value adds to a logit."""
    outcome: float
    """Weights of the rewards that its critic expects."""
    margin: float


class DamagedCheckpoint(ValueError):
    """A checkpoint cannot be used; the message says why."""


def read_agent(folder: str | Path) -> Agent | TurnAgent:
    """Read the network of a checkpoint, without what only training needs.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
    """
    with opened(folder) as (found, meta, _, digests):
        if level_of(meta) == TURNS_LEVEL:
            return _read_turn_agent(found, meta, digests)
        players = whole_number(meta["num_players"], "num_players", MIN_PLAYERS, MAX_PLAYERS)
        layout = Layout(players, hands_name(meta["hands"]), list(meta["pieces"]))
        check_pieces(layout.pieces)
        widths = [
            whole_number(meta["shapes"][name][0], f"the width of {name}", 1, LARGEST_WIDTH)
            for name in ("read_table.0.bias", "ask.bias")
        ]
        shapes = expected_shapes(layout, *widths)
        weights = read_tensors(read_checked(found, WEIGHTS, bytes_of(shapes), digests))
        check_weights(weights, shapes)
    return Agent(found, players, layout, weights)


def _read_turn_agent(folder: Path, meta: dict[str, Any], digests: dict[str, str]) -> TurnAgent:
    name = "read_choice.bias"
    width = whole_number(meta["shapes"][name][0], f"the width of {name}", 1, LARGEST_WIDTH)
    shapes = expected_turn_shapes(width)
    weights = read_tensors(read_checked(folder, WEIGHTS, bytes_of(shapes), digests))
    check_weights(weights, shapes)
    scale = meta["scale"]
    if not isinstance(scale, float | int) or not 0 <= scale <= LARGEST_SCALE:
        raise ValueError(f"scale must be a number of 0 to {LARGEST_SCALE:g}, not {shown(scale)}")
    outcome, margin = (
        real_number(meta["reward"][name], name, -LARGEST_REWARD, LARGEST_REWARD)
        for name in ("outcome", "margin")
    )
    return TurnAgent(folder, hands_name(meta["hands"]), weights, float(scale), outcome, margin)


def level_of(meta: dict[str, Any]) -> str:
    """Return what the agent of a checkpoint chooses, one of `LEVELS`."""
    return one_of(meta.get("level", ACTIONS_LEVEL), LEVELS, "level")


def bytes_of(shapes: dict[str, tuple[int, ...]]) -> int:
    """Return the largest size in bytes of a file with float32 weights of these shapes."""
    return sum(4 * math.prod(shape) for shape in shapes.values()) + SLACK


def beside(folder: Path, word: str) -> Path:
    """Return a temporary path beside a folder, used while the folder is replaced."""
    return folder.with_name(f".{folder.name}.alhambra-{word}")


def find_folder(folder: Path) -> Path | None:
    """Return the folder of a checkpoint, or the one beside it after an interrupted save."""
    # The folder may be a symbolic link; its target is replaced.
    real = folder.resolve()
    candidates = (folder, beside(real, "old")) if real.name else (folder,)
    return next((path for path in candidates if (path / META).is_file()), None)


def read_file(path: Path, limit: int) -> bytes:
    """Return the content of an untrusted file of at most `limit` bytes.

    Raises:
        ValueError: it is larger, or not a regular file: reading a pipe or a device may never end.
        OSError: it cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path} is damaged: it is not a regular file")
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{path} is damaged: it has more than {limit:,} bytes")
    return data


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn any error from reading an untrusted file into `DamagedCheckpoint`."""
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
    # Not all errors: one in compiled code, or an index out of bounds, is a bug of this package.
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
    """Return the folder of a checkpoint, or its backup after an interrupted save."""
    with explained(Path(folder)):
        if found := find_folder(Path(folder)):
            return found
    raise DamagedCheckpoint(f"there is no checkpoint in {folder}: it has no {META}")


@contextmanager
def opened(folder: str | Path) -> Iterator[tuple[Path, dict[str, Any], int, dict[str, str]]]:
    """Find a checkpoint; give its folder, `meta.json`, steps and digests, all checked.

    Errors in the block that reads the rest are `explained`, too.
    """
    found = find_checkpoint(folder)
    with explained(found):
        meta = read_json(read_file(found / META, LARGEST_META))
        yield found, meta, *check_meta(found, meta)


def read_checked(folder: Path, name: str, limit: int, digests: dict[str, str]) -> bytes:
    """Return the content of a file; raise an error if its digest is wrong."""
    data = read_file(folder / name, limit)
    if digest(data) != digests[name]:
        raise DamagedCheckpoint(f"{folder / name} is damaged: its digest does not match")
    return data


def digest(data: bytes) -> str:
    """Return the digest of a file's content, as in `meta.json`."""
    return hashlib.sha256(data).hexdigest()


def read_json(data: bytes) -> Any:
    """Return a JSON value. `NaN` and `Infinity`, which only Python knows, are refused."""
    return json.loads(data, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def check_meta(folder: Path, meta: Any) -> tuple[int, dict[str, str]]:
    """Return steps and digests; raise an error if this version cannot read the checkpoint."""
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        found = meta.get("format") if isinstance(meta, dict) else None
        raise DamagedCheckpoint(
            f"{folder} is not a checkpoint of this version: its format is {shown(found)}, "
            f"not {FORMAT!r}"
        )
    if meta["encoding_version"] != ENCODING_VERSION:
        raise DamagedCheckpoint(
            f"the actions of the checkpoint {folder} are encoded in version "
            f"{shown(meta['encoding_version'])}, those of this package in version "
            f"{ENCODING_VERSION}"
        )
    if level_of(meta) == TURNS_LEVEL:
        if meta["features_version"] != FEATURES_VERSION:
            raise DamagedCheckpoint(
                f"the checkpoint {folder} reads features of turns of version "
                f"{shown(meta['features_version'])}, this package has version {FEATURES_VERSION}"
            )
    elif meta["observation_version"] != OBSERVATION_VERSION:
        raise DamagedCheckpoint(
            f"the checkpoint {folder} observes pieces of version "
            f"{shown(meta['observation_version'])}, this package has version {OBSERVATION_VERSION}"
        )
    elif meta["input_version"] != INPUT_VERSION:
        raise DamagedCheckpoint(
            f"the network of the checkpoint {folder} reads its input in version "
            f"{shown(meta['input_version'])}, this package writes it in version {INPUT_VERSION}"
        )
    steps = whole_number(meta["steps"], "steps", 0, LARGEST_COUNT)
    digests = meta["digests"]
    if not isinstance(digests, dict) or set(digests) not in (PLAYING, PLAYING | LEARNING):
        playing, learning = (", ".join(sorted(names)) for names in (PLAYING, LEARNING))
        found = sorted(digests) if isinstance(digests, dict) else digests
        raise DamagedCheckpoint(
            f"{folder / META} is damaged: a checkpoint has the files {playing} and, to resume, "
            f"{learning}; not {shown(found)}"
        )
    return steps, digests
