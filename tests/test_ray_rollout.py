"""What a runner sends to the learners."""

import numpy as np
import pytest

pytest.importorskip("ray", reason="needs Ray: the extra `ray`")

from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

from alhambra_env.actions import N_ACTIONS
from training.networks import NO_CHOICE
from training.ray.rollout import (
    Rollout,
    RolloutsToBatch,
    advantages_of,
    pack_masks,
    unpack_masks,
)

RNG = np.random.default_rng(0)


def test_packed_masks_are_the_same_masks() -> None:
    masks = RNG.integers(2, size=(3, 5, N_ACTIONS), dtype=np.int8)
    packed = pack_masks(masks)
    assert packed.nbytes < masks.nbytes / 7.9
    assert (unpack_masks(packed) == masks).all()


def test_advantages_are_the_sum_of_later_errors_until_the_game_ends() -> None:
    steps, games, gamma, gae_lambda = 7, 5, 0.9, 0.8
    values = RNG.normal(size=(steps + 1, games)).astype(np.float32)
    rewards = RNG.normal(size=(steps, games)).astype(np.float32)
    ends = (RNG.random((steps, games)) < 0.3).astype(np.float32)
    advantages, targets = advantages_of(values, rewards, ends, gamma, gae_lambda)
    for game in range(games):
        for step in range(steps):
            total, weight = 0.0, 1.0
            for later in range(step, steps):
                follows = 1 - ends[later, game]
                expected = gamma * follows * values[later + 1, game]
                total += weight * (rewards[later, game] + expected - values[later, game])
                weight *= gamma * gae_lambda * follows
            assert advantages[step, game] == pytest.approx(total, abs=1e-5)
    np.testing.assert_allclose(targets, advantages + values[:-1], rtol=1e-5)


def rollout(rows: int, width: int) -> Rollout:
    return Rollout(
        {
            Columns.OBS: RNG.integers(200, size=(rows, 4), dtype=np.uint8),
            Columns.ACTIONS: np.arange(rows),
            Columns.ACTION_DIST_INPUTS: np.zeros((rows, width), np.float32),
            Postprocessing.ADVANTAGES: RNG.normal(3, 2, rows).astype(np.float32),
        }
    )


def test_a_rollout_is_split_among_learners_without_loss() -> None:
    whole = rollout(10, 3)
    first, second = whole[:4], whole.slice(slice(4, None), len_lookback_buffer=0)
    assert (len(first), len(second)) == (4, 6)
    for name, column in whole.columns.items():
        assert (np.concatenate([first.columns[name], second.columns[name]]) == column).all()


def test_rollouts_become_one_batch_with_normalised_advantages() -> None:
    parts = [rollout(10, 3), rollout(20, 5)]
    batch = RolloutsToBatch()(rl_module=None, batch={}, episodes=parts)[DEFAULT_MODULE_ID]
    assert batch[Columns.ACTIONS].tolist() == [*range(10), *range(20)]
    inputs = batch[Columns.ACTION_DIST_INPUTS]
    assert inputs.shape == (30, 5)
    assert (inputs[:10, 3:] == NO_CHOICE).all()
    assert (inputs[10:] == 0).all()
    advantages = batch[Postprocessing.ADVANTAGES]
    assert advantages.mean().item() == pytest.approx(0, abs=1e-6)
    assert advantages.std(correction=0).item() == pytest.approx(1, abs=1e-5)
