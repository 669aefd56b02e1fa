"""Checkpoints: loaded to play, and to resume training."""

import atexit
import hashlib
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as write_tensors

from alhambra_env import Game
from alhambra_env.agents.checkpoint import (
    CONFIG,
    CURVE,
    META,
    RESUME,
    RESUME_ARRAYS,
    WEIGHTS,
    DamagedCheckpoint,
)
from alhambra_env.agents.loading import load_player
from tests.fuzz import nasty
from tests.fuzz.attack import ACCEPTED, REFUSED, Broken, refuses
from tests.tiny_runs import train_in
from training.checkpoint import EVALUATION, Checkpoint, load_checkpoint
from training.plot import draw_progress
from training.run import Diverged
from training.train import make_run

_LADDER = Path(__file__).resolve().parent.parent.parent / "docs" / "ladder.json"
_LARGEST = 1 << 30  # bytes; a file that has more was made so on purpose

_DATA = (WEIGHTS, CONFIG, CURVE, RESUME, RESUME_ARRAYS)


@cache
def folder_of_this_process() -> Path:
    """Return a folder that is removed when the process ends; runs write there."""
    folder = Path(tempfile.mkdtemp(prefix="alhambra-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def fine_checkpoint() -> Path:
    """Return a checkpoint of a few seconds, which is not to be changed."""
    return train_in(folder_of_this_process(), "ppo.steps=256")


@cache
def _costly_settings() -> str:
    return _settings_that_cost(load_checkpoint(fine_checkpoint()))


def _settings_that_cost(start: Checkpoint) -> str:
    """Return what decides how long a run takes: other settings are accepted, but not tried."""
    chosen = {"game", "network", "ppo", "pool", "opponents", "threads"}
    return start.config.model_dump_json(include=chosen)


def attack_checkpoint(rng: random.Random) -> str:
    """Read a checkpoint after it was changed; one that is accepted must play and learn."""
    work = folder_of_this_process() / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(fine_checkpoint(), work)
    damages = rng.choice((0, *[1] * 30, *[2] * 10))
    for _ in range(damages):
        kinds = (_damage_bytes, _damage_tree, _damage_arrays, _damage_kind, _damage_evaluation)
        rng.choices(kinds, (20, 40, 40, 10, 3))[0](work, rng)
    result = _use(work)
    if damages == 0 and result == REFUSED:
        raise Broken("a checkpoint that was not changed is refused")
    return result


def _use(work: Path) -> str:
    """Do all that can be done with a checkpoint that is accepted."""
    try:
        start = load_checkpoint(work)
    except DamagedCheckpoint:
        return REFUSED
    if (work / EVALUATION).exists() and refuses(lambda: draw_progress(work), ValueError) == REFUSED:
        return REFUSED
    if _settings_that_cost(start) != _costly_settings():
        return ACCEPTED
    _play(work)
    return _learn(start)


def _play(folder: Path) -> None:
    player = load_player(str(folder))
    game = Game(num_players=3, seed=1)
    for _ in range(6):
        game.step(player.choose(game))


def _learn(start: Checkpoint) -> str:
    before = Path.cwd()
    os.chdir(folder_of_this_process())
    run = make_run(start.config)
    try:
        if refuses(lambda: run.load(start), ValueError) == REFUSED:
            return REFUSED
        with suppress(Diverged):  # finite weights can be so large that nothing can be learnt
            run.learn()
    finally:
        run.close()
        os.chdir(before)
    return ACCEPTED


# --- damage ---------------------------------------------------------------------------------------


def _put(folder: Path, name: str, data: bytes) -> None:
    """Write a file, and mostly the digest that it then needs."""
    path = folder / name
    if path.is_symlink() or (path.exists() and not path.is_file()):
        return  # an earlier attack replaced the file by a link, pipe or folder
    path.write_bytes(data)
    if name == META or not (folder / META).is_file():
        return
    try:
        meta = json.loads(_content(folder, META))
        meta["digests"][name] = hashlib.sha256(data).hexdigest()
    except (ValueError, LookupError, TypeError):
        return  # that was damaged before
    (folder / META).write_text(json.dumps(meta))


def _content(folder: Path, name: str) -> bytes:
    path = folder / name
    if not path.is_file() or path.is_symlink() or path.stat().st_size > _LARGEST:
        return b""
    return path.read_bytes()


def _damage_bytes(folder: Path, rng: random.Random) -> None:
    name = rng.choice((*_DATA, META))
    data = nasty.damaged_bytes(_content(folder, name), rng)
    if rng.random() < 0.1 and (folder / name).is_file():
        (folder / name).write_bytes(data)  # and the digest stays as it was
    else:
        _put(folder, name, data)


def _damage_tree(folder: Path, rng: random.Random) -> None:
    name = rng.choice((META, RESUME, RESUME))
    try:
        tree = json.loads(_content(folder, name))
    except ValueError:
        return
    changed = nasty.damaged_tree(tree, rng)
    _put(folder, name, json.dumps(changed, default=str).encode())


def _damage_arrays(folder: Path, rng: random.Random) -> None:
    name = rng.choice((WEIGHTS, RESUME_ARRAYS, RESUME_ARRAYS))
    try:
        arrays = read_tensors(_content(folder, name))
    except (SafetensorError, KeyError):  # an earlier attack damaged the file; KeyError: the dtype
        return
    for _ in range(rng.choice((1, 1, 3)) if arrays else 0):
        key = rng.choice(sorted(arrays))
        if rng.random() < 0.05:
            del arrays[key]
            break
        arrays[key] = nasty.damaged_array(arrays[key], rng).copy()
    _put(folder, name, write_tensors(arrays))


def _damage_evaluation(folder: Path, rng: random.Random) -> None:
    """Lay an evaluation beside the files, which may be anything."""
    ladder = json.loads(_LADDER.read_text(encoding="utf-8"))
    ladder["rungs"] = ladder["rungs"][: rng.randrange(4)]
    tree = nasty.damaged_tree(ladder, rng)
    path = folder / EVALUATION
    if not path.is_symlink() and (path.is_file() or not path.exists()):  # not what waits for ever
        path.write_text(json.dumps(tree, default=str), encoding="utf-8")


def _damage_kind(folder: Path, rng: random.Random) -> None:
    path = folder / rng.choice((*_DATA, META, EVALUATION))
    if path.name != EVALUATION and not path.is_file():
        return
    if path.is_dir():
        return
    path.unlink(missing_ok=True)
    makers: tuple[Callable[[], object], ...] = (
        lambda: None,
        lambda: path.mkdir(),
        lambda: os.mkfifo(path),
        lambda: path.symlink_to("/dev/zero"),
        lambda: path.symlink_to(path),
        lambda: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 1 << 40),
    )
    rng.choice(makers)()
