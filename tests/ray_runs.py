"""Runs with Ray of a few seconds."""

import contextlib
import csv
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

from training.ray.algorithm import LeaguePPO, league_config
from training.ray.config import RayConfig, make_ray_config
from training.ray.storage import Storage
from training.ray.train import start_ray

TINY = (
    "name=tiny",
    "imitation.decisions=0",
    "ppo.num_envs=8",
    "ppo.rollout=16",
    "ppo.batch_size=64",
    "ppo.steps=100_000",
    "network.table_width=16",
    "network.choice_width=8",
    "pool.every=256",
    "evaluation.deals=2",
    "evaluation.opponents=[random]",
    "opponents={pool: 0.5, builder: 0.5}",
    "cluster.runners=0",
)

STORE = 100 * 2**20
"""Bytes of Ray's object store in tests: containers have little shared memory."""


def tiny(*overrides: str) -> RayConfig:
    return make_ray_config({}, [*TINY, *overrides])


def build(*overrides: str) -> LeaguePPO:
    algorithm = league_config(tiny(*overrides)).build_algo()
    assert isinstance(algorithm, LeaguePPO)
    return algorithm


@contextlib.contextmanager
def ray_here(cpus: int = 2) -> Iterator[None]:
    """Start Ray on this machine, and stop it afterwards."""
    start_ray(None, cpus, object_store_memory=STORE)
    try:
        yield
    finally:
        ray.shutdown()


@contextlib.contextmanager
def two_nodes() -> Iterator[tuple[Cluster, Any]]:
    """Start a cluster of two nodes with one CPU each; yield it and the node without the driver."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "include_dashboard": False,
            "object_store_memory": STORE,
        },
    )
    try:
        other = cluster.add_node(num_cpus=1, object_store_memory=STORE)
        start_ray(cluster.address)
        yield cluster, other
    finally:
        ray.shutdown()
        cluster.shutdown()


def ask_runners(algorithm: LeaguePPO, question: Callable[[Any], Any]) -> list[Any]:
    """Return the answer of each healthy remote runner."""
    return list(algorithm.env_runner_group.foreach_env_runner(question, local_env_runner=False))


def kill_first_runner(algorithm: LeaguePPO) -> int:
    """Kill the process of a runner, and return its id."""
    pid = int(ask_runners(algorithm, lambda runner: os.getpid())[0])
    os.kill(pid, signal.SIGKILL)
    return pid


def train_until(algorithm: LeaguePPO, is_reached: Callable[[], bool], seconds: float = 60) -> int:
    """Train until a condition is true, and return the number of iterations."""
    begin, count = time.monotonic(), 0
    while not is_reached():
        assert time.monotonic() < begin + seconds, "it took too long"
        algorithm.train()
        count += 1
    return count


def iterations(name: str) -> list[str]:
    """Return the column `iteration` of the learning curve of an exported agent."""
    with Path("checkpoints", name, "curve.csv").open() as file:
        return [row["iteration"] for row in csv.DictReader(file)]


def saved(config: RayConfig) -> list[str]:
    """Return the names of a run's checkpoints."""
    folder = Storage(config).folder
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []
