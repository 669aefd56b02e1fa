"""Training goes on after a process, a node or the driver is lost."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

pytest.importorskip("ray", reason="needs Ray: the extra `ray`")

import ray
import torch

from tests.ray_runs import (
    TINY,
    ask_runners,
    build,
    iterations,
    kill_first_runner,
    saved,
    tiny,
    train_until,
    two_nodes,
)
from training.ray.algorithm import LeaguePPO
from training.ray.train import main

ROOT = Path(__file__).parent.parent


def healthy(algorithm: LeaguePPO) -> int:
    return int(algorithm.env_runner_group.num_healthy_remote_workers())


def test_training_goes_on_after_a_killed_process_and_a_lost_node() -> None:
    with two_nodes() as (cluster, other):
        algorithm = build("cluster.runners=2", "cluster.probe_seconds=0.5")
        algorithm.train()
        nodes = ask_runners(algorithm, lambda _: ray.get_runtime_context().get_node_id())
        assert len(set(nodes)) == 2
        threads = ask_runners(
            algorithm, lambda _: (torch.get_num_threads(), numba.get_num_threads())
        )
        assert threads == [(1, 1), (1, 1)]

        # A process is killed: the iteration is complete without it, and it comes back.
        steps = algorithm.steps
        kill_first_runner(algorithm)
        algorithm.train()
        assert algorithm.steps - steps >= 256
        train_until(algorithm, lambda: healthy(algorithm) == 2)
        check_runners(algorithm, count=2)

        # It is killed and restarted between two iterations, which RLlib does not notice.
        kill_first_runner(algorithm)
        wait_for_restart(algorithm)
        algorithm.train()
        train_until(algorithm, lambda: healthy(algorithm) == 2)
        check_runners(algorithm, count=2)

        # A node is lost: there is no room for its runner, and the other one goes on alone.
        steps, iteration = algorithm.steps, algorithm.iteration
        cluster.remove_node(other)
        for _ in range(3):
            algorithm.train()
        assert algorithm.iteration == iteration + 3
        assert algorithm.steps - steps >= 3 * 256
        check_runners(algorithm, count=1)

        # Another node joins: the runner starts there.
        cluster.add_node(num_cpus=1, object_store_memory=2**27)
        train_until(algorithm, lambda: healthy(algorithm) == 2)
        check_runners(algorithm, count=2)
        algorithm.stop()


def check_runners(algorithm: LeaguePPO, count: int) -> None:
    """After one more iteration, all runners have the learner's weights and the present league."""
    version = algorithm.league.version
    algorithm.train()
    states = ask_runners(algorithm, lambda runner: (runner.module.get_state(), runner.league))
    assert len(states) == count
    present = algorithm.weights()
    for weights, (number, size) in states:
        assert number == version
        assert size == algorithm.settings.pool.active
        for name, value in weights.items():
            np.testing.assert_array_equal(value, present[name.removeprefix("network.")])


def wait_for_restart(algorithm: LeaguePPO) -> None:
    """Wait until Ray has restarted the first runner."""
    actor = algorithm.env_runner_group._worker_manager.actors()[1]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            assert ray.get(actor.ping.remote()) == "pong"
        except ray.exceptions.RayActorError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the runner was not restarted")


def test_no_iteration_is_lost_when_the_driver_is_killed(in_a_folder: None) -> None:
    Path("x.yaml").write_text("seed: 1\n")
    config = tiny("cluster.keep=1000")
    words = [*TINY, "cluster.keep=1000"]
    driver = subprocess.Popen(
        [sys.executable, "-m", "training.ray.train", "x.yaml", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    while "000003" not in saved(config):
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    before = [name for name in saved(config) if name.isdigit()]
    assert before == [f"{number:06d}" for number in range(len(before))]
    last = len(before) - 1
    assert main(["x.yaml", *words, f"ppo.steps={128 * (last + 2)}", "--continue"]) == 0
    assert iterations("tiny") == ["", *(str(number) for number in range(1, last + 3))]
