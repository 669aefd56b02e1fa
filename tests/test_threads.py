"""Threads and processes behave as docs/environment.md says."""

import hashlib
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv
from numba.np.ufunc.parallel import threading_layer

from alhambra_env import GameBatch
from alhambra_env.batch import MAX_THREADS
from alhambra_env.envs.single import SingleEnv

ROOT = Path(__file__).parent.parent
several = pytest.mark.skipif(MAX_THREADS == 1, reason="one core")


def play(seed: int, num_threads: int = 1) -> str:
    """Play a batch for a while and return a hash of its records."""
    batch = GameBatch(16, seed=seed, num_threads=num_threads)
    chooser = np.random.default_rng(seed)
    seen = hashlib.sha256()
    for _ in range(200):
        batch.step((batch.masks * chooser.random(batch.masks.shape)).argmax(axis=1))
        seen.update(batch.observations.tobytes() + batch.rewards.tobytes())
    return hashlib.sha256(seen.digest() + batch.states.tobytes()).hexdigest()


def test_batches_in_several_python_threads_play_as_one_after_the_other() -> None:
    seeds = range(6)
    with ThreadPoolExecutor(max_workers=6) as threads:
        together = list(threads.map(play, seeds))
    assert together == [play(seed) for seed in seeds]
    assert len(set(together)) == len(seeds)


@several
def test_threaded_batches_in_several_python_threads_play_as_one_after_the_other() -> None:
    alone = [play(seed, 2) for seed in range(4)]
    if threading_layer() == "workqueue":
        pytest.skip("this layer ends the process, as the documentation says")
    with ThreadPoolExecutor(max_workers=4) as threads:
        assert list(threads.map(play, range(4), [2] * 4)) == alone


@pytest.mark.parametrize("num_threads", [1, pytest.param(2, marks=several)])
def test_spawned_processes_play_as_this_one_does(num_threads: int) -> None:
    alone = [play(seed, num_threads) for seed in range(2)]  # this one has its threads then
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        jobs = [pool.apply_async(play, (seed, num_threads)) for seed in range(2)]
        assert [job.get(timeout=120) for job in jobs] == alone


def test_environments_in_spawned_processes_play_as_in_this_one() -> None:
    def make() -> SingleEnv:
        return SingleEnv(opponents=["builder", "random"])

    env, single = AsyncVectorEnv([make, make], context="spawn"), make()
    try:
        observations, infos = env.reset(seed=3)
        observation, info = single.reset(seed=3)
        for _ in range(10):
            assert np.array_equal(observations[0], observation)
            action = int(info["action_mask"].argmax())
            observations, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
            observation, *_, info = single.step(action)
    finally:
        env.close()


FORK = """
import os
import alhambra_env
from tests.test_threads import play
alone = play(5)  # in one thread
child = os.fork()
if child == 0:
    os._exit(play(5, num_threads=2) != alone)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@several
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_has_used_one_thread_only_can_fork() -> None:
    subprocess.run([sys.executable, "-c", FORK], cwd=ROOT, check=True, timeout=120)


@several
def test_other_libraries_keep_their_number_of_threads() -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    code = (
        "import torch; torch.set_num_threads(1)\n"
        "import alhambra_env\n"
        "assert torch.get_num_threads() == 1, 'after import'\n"
        "from alhambra_env.players import as_player\n"
        "player = as_player('ppo_3p')\n"
        "player.choose(alhambra_env.Game(3, seed=0))\n"
        "assert torch.get_num_threads() == 1, 'after a decision of an agent'\n"
        "batch = alhambra_env.GameBatch(64, num_threads=2, seed=0)\n"
        "batch.step(batch.masks.argmax(axis=1))\n"
        "assert torch.get_num_threads() == 1, 'after a step with two threads'\n"
        "import numba; assert numba.get_num_threads() == 2"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
