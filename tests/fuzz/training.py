"""Training that is killed, or runs out of disk."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from alhambra_env.agents.checkpoint import WEIGHTS, beside
from tests.fuzz.attack import ACCEPTED, REFUSED, Broken
from tests.tiny_runs import QUICK_OPPONENTS, TINY, names_in
from training.checkpoint import load_checkpoint

ROOT = Path(__file__).resolve().parent.parent.parent
_STEPS = 1024
_COMMAND = [sys.executable, "-m", "training.train", "x.yaml", *TINY, *QUICK_OPPONENTS]
_FRESH_TOO = [*_COMMAND, f"ppo.steps={_STEPS}", "--continue"]
_PATIENCE = 120.0


def _start(folder: Path, largest_file: int | None = None) -> "subprocess.Popen[str]":
    def limit() -> None:
        assert largest_file is not None
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    (folder / "x.yaml").write_text("seed: 0\n")
    return subprocess.Popen(
        _FRESH_TOO,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=None if largest_file is None else limit,
    )


def _finish(folder: Path) -> Path:
    """Let a run end; return its checkpoint."""
    process = _start(folder)
    _, errors = process.communicate(timeout=_PATIENCE)
    if process.returncode:
        raise Broken(f"a run cannot be resumed after it was stopped: {errors}")
    return folder / "checkpoints" / "tiny"


@cache
def _whole() -> tuple[bytes, float]:
    """Return the weights of a run that was left alone, and how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        weights = (_finish(Path(folder)) / WEIGHTS).read_bytes()
        return weights, time.monotonic() - begin


def attack_kill(rng: random.Random) -> str:
    """Kill a run at some moments, often in the middle of a save, and resume it."""
    whole, seconds = _whole()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(rng.choice((1, 2))):
            process = _start(folder)
            if rng.random() < 0.5:
                _wait_for_a_save(folder, process, rng.randrange(8))
            else:
                _wait(process, rng.uniform(0.3, 1) * seconds)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        if (_finish(folder) / WEIGHTS).read_bytes() != whole:
            raise Broken("a run that was killed and resumed ends with other weights")
        if names_in(folder / "checkpoints") != ["tiny"]:
            raise Broken("half of a checkpoint was left lying about")
    return ACCEPTED


def _wait(process: "subprocess.Popen[str]", seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.005)


def _wait_for_a_save(folder: Path, process: "subprocess.Popen[str]", which: int) -> None:
    """Wait until half of a checkpoint is on the disk, for the so many-th time."""
    half = beside(folder / "checkpoints" / "tiny", "new")
    for _ in range(which + 1):
        end = time.monotonic() + _PATIENCE
        while half.exists() and process.poll() is None:
            time.sleep(0.0002)
        while not half.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.0002)


def attack_disk(rng: random.Random) -> str:
    """Let a run that was saved before meet files that cannot grow, as on a full disk."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _save_some(folder)
        before = load_checkpoint(folder / "checkpoints" / "tiny").steps
        largest = int(2 ** rng.uniform(8, 19))
        process = _start(folder, largest)
        _, errors = process.communicate(timeout=_PATIENCE)
        after = load_checkpoint(folder / "checkpoints" / "tiny").steps
        if after < before:
            raise Broken(f"{before - after} decisions were lost")
        if process.returncode == 0 and after == _STEPS:
            return ACCEPTED
        # Before the last line there may be warnings, of ours and of libraries.
        last = errors.strip().rpartition("\n")[2]
        is_said = "Traceback" not in errors and last.startswith("error: ")
        if process.returncode != 1 or not is_said:
            raise Broken(f"exit code {process.returncode}, {largest} bytes a file: {errors}")
        if names_in(folder / "checkpoints") != ["tiny"]:
            raise Broken("half of a checkpoint was left lying about")
    return REFUSED


@cache
def _saved() -> Path:
    """Return the folder of a run that has made some decisions."""
    from tests.fuzz.checkpoints import fine_checkpoint

    return fine_checkpoint()


def _save_some(folder: Path) -> None:
    shutil.copytree(_saved(), folder / "checkpoints" / "tiny")
