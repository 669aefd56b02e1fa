"""A long test of training and stepping: `python -m benchmarks.soak_training --minutes 120`.

Two runs with the same settings train in parallel, on one thread each. One is uninterrupted. The
other is killed (SIGKILL) repeatedly, at random times and during saves, and resumed. Both must end
with the same bytes. Then environments of all kinds are stepped until the time is up. Memory is
sampled throughout and must not grow.
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
from training.config_file import load_config
from training.run import folder_of

ROOT: Final = Path(__file__).resolve().parent.parent
SAMPLE_SECONDS: Final = 5.0
WARM_UP: Final = 0.25
"""The share of a process's time in which memory may still grow: compiling, filling the pool."""
GROWTH: Final = 1.05
"""The largest allowed ratio of memory at the end to memory after the warm-up."""

SETTINGS: Final = ("name=soak", "threads=1", "save_every=100_000", "pool.every=200_000")


# --- memory -----------------------------------------------------------------------------------


class Memory:
    """The resident memory of processes, sampled while they run."""

    def __init__(self) -> None:
        self._samples: list[int] = []

    def sample(self, process: int) -> None:
        """Sample the memory of a process, if it is still running."""
        try:
            self._samples.append(psutil.Process(process).memory_info().rss)
        except psutil.NoSuchProcess:
            return

    def ends(self) -> tuple[float, float]:
        """Return megabytes after the warm-up and at the end, each a median over a tenth."""
        settled = self._samples[int(len(self._samples) * WARM_UP) :]
        tenth = max(len(settled) // 10, 1)
        return median(settled[:tenth]) / 1e6, median(settled[-tenth:]) / 1e6

    def largest(self) -> float:
        """Return the largest number of megabytes."""
        return max(self._samples) / 1e6

    def is_flat(self) -> bool:
        """Is memory at the end, up to noise, the same as after the warm-up?"""
        begin, end = self.ends()
        return end <= begin * GROWTH


# --- training ---------------------------------------------------------------------------------


class Trainer:
    """A run in a separate process and folder."""

    def __init__(self, folder: Path, config: str, steps: int) -> None:
        """Choose the folder and the settings; `start` starts the run."""
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
        """Start the run, or resume from the last checkpoint."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self.folder, env=_environment(), stdout=log, stderr=log
            )

    def watch(self, seconds: float, is_time: Callable[[], bool] | None = None) -> None:
        """Sample memory for some time, until a condition holds or the process ends."""
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
        """Is the process still running?"""
        return self._process.poll() is None

    def is_saving(self) -> bool:
        """Is a checkpoint being written?"""
        return self._half_saved.exists()

    def kill(self) -> None:
        """Kill the process (SIGKILL)."""
        self._process.kill()
        self._process.wait()

    def check_exit(self) -> None:
        """Raise `RuntimeError` if the run failed."""
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
    """Kill a run `kills` times, resume it each time, and wait for its end. Return the kills done.

    Every second kill is during a save.
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
        moment = "during a save" if in_save else "at a random time"
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
    """Return the differences between two checkpoints."""
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
        differences.append(f"{CURVE} is not the same, apart from seconds")
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
    """Step all kinds of environments in turn for some time; put the steps of each into a queue."""
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
    """Run `step_for` in a separate process and sample its memory."""
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
    """The result of the test."""

    kills: int
    differences: list[str]
    memory: dict[str, Memory]
    """Memory of processes that ran to their end; killed ones are too short to judge."""
    largest: float
    """The largest memory of the killed run, in megabytes."""
    steps: dict[str, int]

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        said = [f"killed and resumed {self.kills} times"]
        said += self.differences or ["the same bytes as the uninterrupted run"]
        for name, memory in self.memory.items():
            begin, end = memory.ends()
            verdict = "flat" if memory.is_flat() else "GROWS"
            said.append(f"memory of {name}: {begin:,.0f} MB, {end:,.0f} MB at the end: {verdict}")
        said.append(f"memory of the killed run: {self.largest:,.0f} MB at most")
        said += [f"{name}: {count:,} steps" for name, count in self.steps.items()]
        return said

    def is_good(self) -> bool:
        """Are the checkpoints equal, and did memory not grow?"""
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
        say("the uninterrupted run is done; stepping environments")
        return step_apart(max(minutes * 60 - (time.monotonic() - begin), 60), seed)

    rng = random.Random(seed)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(train_whole_and_step)
        mean = minutes * 60 / 2 / max(kills, 1) / 2
        second = threads.submit(train_and_kill, broken, kills, mean, rng, say)
        done = second.result()
        say("the killed run is done")
        counts, stepping = first.result()
    memory = {"training": whole.memory, "stepping": stepping}
    differences = compare(whole.checkpoint, broken.checkpoint)
    return Report(done, differences, memory, broken.memory.largest(), counts)


def main() -> int:
    """Read the command line, run the test and print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=120, help="total time")
    parser.add_argument("--steps", type=int, default=6_000_000, help="decisions of each run")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--config", default=str(ROOT / "configs" / "ppo_3p.yaml"))
    parser.add_argument("--folder", type=Path, default=Path("runs") / "soak")
    parser.add_argument("--seed", type=int, default=0, help="seed of the times of the kills")
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
