"""The `VecEnv` of Stable-Baselines3."""

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecMonitor

from alhambra_env import ENV_ID
from alhambra_env.adapters.sb3 import CompiledVecEnv, vec_env
from alhambra_env.envs.vector import VectorSingleEnv
from tests.vector_games import choose
from training.vec_env import SelfPlayEnv

SMALL: Any = {"pieces": ["hand", "market", "display", "progress"]}


def test_games_are_those_of_the_vector_environment() -> None:
    ours = vec_env(3, ["builder", "random"], reward="score", max_turns=20)
    theirs = VectorSingleEnv(
        3,
        opponents=["builder", "random"],
        reward="score",
        max_turns=20,
        autoreset_mode="same_step",
    )
    ours.seed(5)
    seen = ours.reset()
    expected, infos = theirs.reset(seed=[5, 6, 7])
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(80):
        assert np.array_equal(seen, expected)
        actions = choose(infos["action_mask"], rng)
        kept = seen.copy()
        following, rewards, dones, listed = ours.step(actions)
        assert np.array_equal(seen, kept)  # not overwritten by the step
        seen = following
        expected, their_rewards, terminated, _, infos = theirs.step(actions)
        assert np.allclose(rewards, their_rewards)
        assert np.array_equal(dones, terminated)
        for game in np.flatnonzero(dones):
            ends += 1
            final = listed[game]
            assert np.array_equal(final["terminal_observation"], infos["final_obs"][game])
            assert np.array_equal(final["scores"], infos["final_info"]["scores"][game])
            assert final["TimeLimit.truncated"] is False
            assert final["episode"]["r"] == pytest.approx(final["scores"][final["seat"]])
    assert ends > 3


def test_masks_are_found_where_sb3_contrib_looks_for_them() -> None:
    env = vec_env(4, **SMALL)
    env.reset()
    assert is_masking_supported(env)
    assert get_action_masks(env).shape == (4, 1955)
    assert get_action_masks(VecMonitor(env)).shape == (4, 1955)
    made = gymnasium.make(ENV_ID)
    made.reset(seed=0)
    assert is_masking_supported(made)
    assert get_action_masks(made).shape == (1955,)


def test_maskable_ppo_learns_on_it() -> None:
    env = vec_env(4, opponents=["random", "random"], reward="margin", dtype="float32", **SMALL)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=0)
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(256)
    after = list(model.policy.parameters())
    assert any((a != b).any() for a, b in zip(before, after, strict=True))


def test_stable_baselines_own_function_makes_environments() -> None:
    env = make_vec_env(ENV_ID, n_envs=2, env_kwargs={"illegal": "random", **SMALL})
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, n_epochs=1, seed=0)
    model.learn(64)
    env.close()


def test_training_uses_the_same_base() -> None:
    assert issubclass(SelfPlayEnv, CompiledVecEnv)
    env = vec_env(2)
    assert env.get_attr("render_mode") == [None, None]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False, False]
    assert env.has_attr("games")
    env.set_attr("label", 3)
    assert env.get_attr("label", indices=[0]) == [3]
    env.close()
