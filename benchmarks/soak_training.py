"""Training and stepping for hours: `python -m benchmarks.soak_training --minutes 120`.

Two runs with the same settings on one thread each, side by side. One is left alone; the other is
killed (SIGKILL) again and again, at random moments and in the middle of saves, and resumed. Both
must end with the same bytes. When the first is done, environments of all kinds are stepped until
the time is up. Memory is sampled all the while, and must not grow.
"""

import argparse
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np
import psutil
from rich.console import Console

import alhambra_env
from alhambra_env import GameBatch, alhambra_v0
from alhambra_env.agents.checkpoint import CURVE, RESUME_ARRAYS, WEIGHTS, beside
from training.checkpoint import load_checkpoint
from training.config import load_config
from training.run import folder_of

ROOT: Final = Path(__file__).resolve().parent.parent
SAMPLE_SECONDS: Final = 5.0
WARM_UP: Final = 0.25
"""The part of a process's life in which its memory may still grow: code is compiled, pools fill."""
GROWTH: Final = 1.05
"""What memory at the end may be at most, as a part of that after the warm-up."""

SETTINGS: Final = ("name=soak", "threads=1", "save_every=100_000", "pool.every=200_000")


# --- memory -----------------------------------------------------------------------------------


class Memory:
    """The resident memory of processes, sampled as long as they live."""

    def __init__(self) -> None:
        self._samples: list[int] = []

    def sample(self, process: int) -> None:
        """Note what a process uses now, if it still lives."""
        try:
            self._samples.append(psutil.Process(process).memory_info().rss)
        except psutil.NoSuchProcess:
            return

    def ends(self) -> tuple[float, float]:
        """Return megabytes after the warm-up and at the end, each the median of a tenth."""
        settled = self._samples[int(len(self._samples) * WARM_UP) :]
        tenth = max(len(settled) // 10, 1)
        return median(settled[:tenth]) / 1e6, median(settled[-tenth:]) / 1e6

    def largest(self) -> float:
        """Return the most megabytes that were ever used."""
        return max(self._samples) / 1e6

    def is_flat(self) -> bool:
        """Is there no more at the end than after the warm-up, but for some noise?"""
        begin, end = self.ends()
        return end <= begin * GROWTH


# --- training ---------------------------------------------------------------------------------


class Trainer:
    """A run in a process and a folder of its own."""

    def __init__(self, folder: Path, config: str, steps: int) -> None:
        """Choose where, and what to train; `start` starts it."""
        folder.mkdir(parents=True)
        self.folder = folder
        self.memory = Memory()
        self._log = folder / "log.txt"
        self._command = [
            sys.executable,
            "-m",
            "training.train",
            str(Path(config).resolve()),
            "--continue",
        ]
        self._command += [*SETTINGS, f"ppo.steps={steps}"]
        settings = load_config(config, SETTINGS)
        self.checkpoint = folder / folder_of(settings)
        self._half_saved = beside(self.checkpoint, "new")
        self.start()

    def start(self) -> None:
        """Begin, or go on from the last checkpoint."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self.folder, env=_environment(), stdout=log, stderr=log
            )

    def watch(self, seconds: float, is_time: Callable[[], bool] | None = None) -> None:
        """Sample memory for so long, or until it is time or the process has ended."""
        end = time.monotonic() + seconds
        next_sample = 0.0
        while time.monotonic() < end and self.is_running():
            if is_time is not None and is_time():
                return
            if time.monotonic() >= next_sample:
                self.memory.sample(self._process.pid)
                next_sample = time.monotonic() + SAMPLE_SECONDS
            # A save takes some milliseconds.
            time.sleep(0.2 if is_time is None else 0.001)

    def is_running(self) -> bool:
        """Has the process not ended yet?"""
        return self._process.poll() is None

    def is_saving(self) -> bool:
        """Is half of a checkpoint on the disk?"""
        return self._half_saved.exists()

    def kill(self) -> None:
        """End the process, without a chance to tidy up."""
        self._process.kill()
        self._process.wait()

    def check_exit(self) -> None:
        """Raise `RuntimeError` unless the run ended well."""
        if self._process.wait():
            raise RuntimeError(f"{self._log}: {self._log.read_text()[-2000:]}")


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


def train_and_kill(
    trainer: Trainer,
    kills: int,
    mean_seconds: float,
    rng: random.Random,
    say: Callable[[str], None],
) -> int:
    """Kill a run so many times, resuming it each time, and let it end. Return how often it was.

    Every second time the axe falls in the middle of a save.
    """
    done = 0
    while done < kills and trainer.is_running():
        in_save = done % 2 == 1
        trainer.watch(rng.uniform(0.1, 2) * mean_seconds)
        if in_save:
            trainer.watch(10 * mean_seconds, trainer.is_saving)
        if not trainer.is_running():
            break
        trainer.kill()
        done += 1
        moment = "in the middle of a save" if in_save else "at a random moment"
        say(f"kill {done} of {kills}, {moment}, {_steps_of(trainer.checkpoint)} decisions saved")
        trainer.start()
    trainer.watch(float("inf"))
    trainer.check_exit()
    return done


def _steps_of(folder: Path) -> str:
    try:
        return f"{load_checkpoint(folder).steps:,}"
    except ValueError:
        return "no"


def compare(first: Path, second: Path) -> list[str]:
    """Return what differs between two checkpoints that should be the same."""
    differences = [
        f"{name} is not the same"
        for name in (WEIGHTS, RESUME_ARRAYS)
        if (first / name).read_bytes() != (second / name).read_bytes()
    ]
    one, two = load_checkpoint(first), load_checkpoint(second)
    if one.steps != two.steps:
        differences.append(f"{one.steps} decisions, not {two.steps}")
    curves = [
        [{key: value for key, value in row.items() if key != "seconds"} for row in each.curve]
        for each in (one, two)
    ]
    if curves[0] != curves[1]:
        differences.append(f"{CURVE} is not the same, seconds aside")
    return differences


# --- stepping ---------------------------------------------------------------------------------


def step_batch(rng: np.random.Generator, num_players: int) -> int:
    """Step games in lockstep."""
    batch = GameBatch(64, num_players, seed=int(rng.integers(2**31)))
    for _ in range(500):
        batch.step((batch.masks * rng.random(batch.masks.shape)).argmax(axis=1))
    batch.load(batch.save())
    return 500 * 64


def step_vector(rng: np.random.Generator, num_players: int) -> int:
    """Step the vector environment, against bots."""
    others = ["planner", "builder", "random", "saver", "uniform"][: num_players - 1]
    env = gymnasium.make_vec(
        alhambra_env.ENV_ID, num_envs=16, num_players=num_players, opponents=others, seat="random"
    )
    _, infos = env.reset(seed=int(rng.integers(2**31)))
    for _ in range(300):
        masks = infos["action_mask"]
        infos = env.step((masks * rng.random(masks.shape)).argmax(axis=1))[-1]
    env.close()
    return 300 * 16


def step_single(rng: np.random.Generator, num_players: int) -> int:
    """Step the Gymnasium environment, with its wrappers."""
    env = gymnasium.make(alhambra_env.ENV_ID, num_players=num_players)
    _, info = env.reset(seed=int(rng.integers(2**31)))
    for _ in range(500):
        _, _, terminated, truncated, info = env.step(
            int(rng.choice(np.flatnonzero(info["action_mask"])))
        )
        if terminated or truncated:
            _, info = env.reset()
    env.close()
    return 500


def step_aec(rng: np.random.Generator, num_players: int) -> int:
    """Play a game through PettingZoo."""
    env: Any = alhambra_v0.env(num_players=num_players, observation="dict")
    env.reset(seed=int(rng.integers(2**31)))
    steps = 0
    for _ in env.agent_iter():
        *_, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else int(rng.choice(np.flatnonzero(info["action_mask"]))))
        steps += 1
    return steps


def step_for(seconds: float, seed: int, out_counts: Any) -> None:
    """Step all kinds of environments in turn for so long; put steps by kind into a queue."""
    kinds = (step_batch, step_vector, step_single, step_aec)
    counts = dict.fromkeys((kind.__name__ for kind in kinds), 0)
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    for turn, kind in zip(cycle(range(5 * len(kinds))), cycle(kinds), strict=False):
        if time.monotonic() >= end:
            break
        counts[kind.__name__] += kind(rng, 2 + turn % 5)
    out_counts.put(counts)


def step_apart(seconds: float, seed: int) -> tuple[dict[str, int], Memory]:
    """`step_for` in a process of its own, whose memory is sampled."""
    spawn = multiprocessing.get_context("spawn")
    queue = spawn.Queue()
    process = spawn.Process(target=step_for, args=(seconds, seed, queue))
    memory = Memory()
    process.start()
    while process.is_alive() and queue.empty():
        memory.sample(process.pid or 0)
        time.sleep(SAMPLE_SECONDS)
    counts: dict[str, int] = queue.get(timeout=10)
    process.join()
    return counts, memory


# --- the whole --------------------------------------------------------------------------------


class Report(NamedTuple):
    """How a soak went."""

    kills: int
    differences: list[str]
    memory: dict[str, Memory]
    """Of processes that lived long; those that were killed never settled."""
    largest: float
    """Megabytes that the run which was killed ever used."""
    steps: dict[str, int]

    def lines(self) -> list[str]:
        """Return it in sentences."""
        said = [f"killed and resumed {self.kills} times"]
        said += self.differences or ["the same bytes as the run that was left alone"]
        for name, memory in self.memory.items():
            begin, end = memory.ends()
            verdict = "flat" if memory.is_flat() else "GROWS"
            said.append(f"memory of {name}: {begin:,.0f} MB, {end:,.0f} MB at the end: {verdict}")
        said.append(f"memory of the run that was killed: {self.largest:,.0f} MB at most")
        said += [f"{name}: {count:,} steps" for name, count in self.steps.items()]
        return said

    def is_good(self) -> bool:
        """Is everything the same, and no memory lost?"""
        return not self.differences and all(memory.is_flat() for memory in self.memory.values())


def soak(folder: Path, config: str, steps: int, kills: int, minutes: float, seed: int) -> Report:
    """Train twice, killing one of the runs, and step environments until the time is up."""
    console = Console()
    begin = time.monotonic()

    def say(text: str) -> None:
        console.print(f"{(time.monotonic() - begin) / 60:6.1f} min: {text}", highlight=False)

    whole = Trainer(folder / "whole", config, steps)
    broken = Trainer(folder / "broken", config, steps)

    def train_whole_and_step() -> tuple[dict[str, int], Memory]:
        whole.watch(float("inf"))
        whole.check_exit()
        say("the run that is left alone is done; stepping environments")
        return step_apart(max(minutes * 60 - (time.monotonic() - begin), 60), seed)

    rng = random.Random(seed)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(train_whole_and_step)
        mean = minutes * 60 / 2 / max(kills, 1) / 2
        second = threads.submit(train_and_kill, broken, kills, mean, rng, say)
        done = second.result()
        say("the run that was killed is done")
        counts, stepping = first.result()
    memory = {"training": whole.memory, "stepping": stepping}
    differences = compare(whole.checkpoint, broken.checkpoint)
    return Report(done, differences, memory, broken.memory.largest(), counts)


def main() -> int:
    """Read the command line, soak, and say how it went."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=120, help="how long in all")
    parser.add_argument("--steps", type=int, default=6_000_000, help="decisions of each run")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--config", default=str(ROOT / "configs" / "ppo_3p.yaml"))
    parser.add_argument("--folder", type=Path, default=Path("runs") / "soak")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of the kills")
    given = parser.parse_args()
    if given.folder.exists():
        parser.error(f"{given.folder} exists: remove it, or choose another --folder")
    report = soak(
        given.folder.resolve(), given.config, given.steps, given.kills, given.minutes, given.seed
    )
    for line in report.lines():
        print(line)
    enough = report.kills == given.kills
    if not enough:
        print(f"only {report.kills} of {given.kills} kills: the runs are too short for --minutes")
    return 0 if report.is_good() and enough else 1


if __name__ == "__main__":
    sys.exit(main())
