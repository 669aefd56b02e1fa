"""Measures training with Ray RLlib: `python -m benchmarks.rllib`.

The plain way is PettingZoo's environment with RLlib's own runners and masking module, the fast way
`training.ray`. Both are measured with one and two runners in the same run: decisions per second of
sampling alone, and of whole iterations with learning. In the plain way one policy plays and learns
all seats, and all decisions are counted. In the fast way only those of the learner are, not those
of its opponents.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import ray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.execution.rollout_ops import synchronous_parallel_sample
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED
from rich.console import Console
from rich.table import Table

from training.ray.algorithm import league_config
from training.ray.config import load_ray_config
from training.ray.plain import plain_config
from training.ray.train import start_ray
from training.run import use_threads

CONFIG: Final = "configs/rllib.yaml"
RUNNERS: Final = (1, 2)
ROUNDS: Final = 3
"""Iterations that are measured after the first; the fastest counts, which has the least noise."""

PLAIN_BATCH: Final = 1000
"""Decisions in an iteration of the plain way. RLlib's default of 4000 takes four times as long."""

TUNED_ENVS: Final = 8
"""Games of each runner in the plain way with other settings."""


class Speed(NamedTuple):
    """Decisions per second."""

    name: str
    runners: int
    sampling: float
    training: float


@contextmanager
def built(config: PPOConfig) -> Iterator[Algorithm]:
    """Start the runners and learners of a config, and stop them afterwards."""
    algorithm = config.build_algo()
    try:
        yield algorithm
    finally:
        algorithm.stop()


def measure(name: str, runners: int, config: PPOConfig, rounds: int = ROUNDS) -> Speed:
    """Measure an algorithm of RLlib."""
    with built(config) as algorithm:
        algorithm.train()  # compiles, and fills caches
        sampling = max(_sampling_rate(algorithm) for _ in range(rounds))
        training = max(_training_rate(algorithm) for _ in range(rounds))
    return Speed(name, runners, sampling, training)


def _sampling_rate(algorithm: Algorithm) -> float:
    begin = time.perf_counter()
    # As PPO itself collects a batch: the data is then in the driver.
    _, stats = synchronous_parallel_sample(
        worker_set=algorithm.env_runner_group,
        max_env_steps=algorithm.config.total_train_batch_size,
        _uses_new_env_runners=True,
        _return_metrics=True,
    )
    seconds = time.perf_counter() - begin
    return sum(int(part[NUM_ENV_STEPS_SAMPLED]) for part in stats) / seconds


def _training_rate(algorithm: Algorithm) -> float:
    begin = time.perf_counter()
    result = algorithm.train()
    seconds = time.perf_counter() - begin
    return int(result["env_runners"][NUM_ENV_STEPS_SAMPLED]) / seconds


def plain(runners: int, num_players: int) -> PPOConfig:
    """Return the plain way with RLlib's default settings, and a smaller batch."""
    config = plain_config(num_players=num_players)
    config.env_runners(num_env_runners=runners)
    config.training(train_batch_size_per_learner=PLAIN_BATCH)
    return config


def tuned(runners: int, num_players: int, epochs: int) -> PPOConfig:
    """Return the plain way with the epochs of the fast way, several games and large minibatches."""
    config = plain(runners, num_players)
    config.env_runners(num_envs_per_env_runner=TUNED_ENVS)
    config.training(num_epochs=epochs, minibatch_size=PLAIN_BATCH // 4)
    return config


def measure_all(overrides: Sequence[str], rounds: int) -> list[Speed]:
    """Measure both ways with one and two runners."""
    speeds = []
    for runners in RUNNERS:
        settings = load_ray_config(CONFIG, [*overrides, f"cluster.runners={runners}"])
        use_threads(settings.threads)  # for both ways
        players, epochs = settings.game.num_players, settings.ppo.epochs
        ways = {
            f"plain, RLlib's defaults ({PPOConfig().num_epochs} epochs)": plain(runners, players),
            f"plain, {epochs} epochs, {TUNED_ENVS} games": tuned(runners, players, epochs),
            f"fast, {epochs} epochs, {settings.ppo.num_envs} games": league_config(settings),
        }
        speeds += [measure(name, runners, config, rounds) for name, config in ways.items()]
    return speeds


def as_table(speeds: Sequence[Speed]) -> Table:
    """Return a table; ratios are to the first row with as many runners."""
    table = Table("way", "runners", "sampling", "times", "training", "times")
    for speed in speeds:
        first = next(other for other in speeds if other.runners == speed.runners)
        cells: list[Any] = [speed.name, speed.runners]
        for rate, reference in (
            (speed.sampling, first.sampling),
            (speed.training, first.training),
        ):
            cells += [f"{rate:,.0f}", f"{rate / reference:,.1f}"]
        table.add_row(*map(str, cells))
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, and print the table."""
    parser = argparse.ArgumentParser(description="Measure training with Ray RLlib.")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help=f"settings of {CONFIG}")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="measurements of each")
    given = parser.parse_args(arguments)
    start_ray(None, cpus=max(RUNNERS))
    try:
        Console().print(as_table(measure_all(given.overrides, given.rounds)))
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
