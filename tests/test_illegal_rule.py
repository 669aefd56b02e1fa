"""Illegal actions in the Gymnasium environments: refused, the end, or replaced."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as check_gymnasium_env

from alhambra_env import ENV_ID, IllegalAction
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv


def illegal_of(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask == 0)[0])


def test_an_illegal_action_raises_unless_told_otherwise() -> None:
    env = SingleEnv()
    _, info = env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(illegal_of(info["action_mask"]))


@pytest.mark.parametrize("action", ["illegal", -1, 10**9, "text", None, True, 0.5])
def test_an_illegal_action_can_end_the_episode(action: Any) -> None:
    env = SingleEnv(illegal="end")
    before, info = env.reset(seed=1)
    wrong = illegal_of(info["action_mask"]) if action == "illegal" else action
    observation, reward, terminated, truncated, info = env.step(wrong)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert np.array_equal(observation, before)
    assert info["illegal_action"] is wrong
    assert "scores" not in info
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(wrong)
    env.reset()
    env.step(env.game.legal_actions()[0])


def test_an_illegal_action_can_be_replaced_by_a_random_one() -> None:
    played = set()
    for seed in range(20):
        env = SingleEnv(illegal="random")
        _, info = env.reset(seed=seed)
        wrong = illegal_of(info["action_mask"])
        _, _, terminated, _, info = env.step(wrong)
        assert not terminated
        assert info["illegal_action"] == wrong
        played.add(env.game.history[0])
    assert len(played) > 3
    _, _, _, _, info = env.step(env.game.legal_actions()[0])
    assert "illegal_action" not in info


def test_an_array_of_one_action_is_an_action() -> None:
    env = SingleEnv()
    _, info = env.reset(seed=1)
    env.step(np.array([int(info["action_mask"].argmax())]))
    env.step(np.array(env.game.legal_actions()[0]))
    with pytest.raises(IllegalAction):
        env.step(np.array([1, 2]))


@pytest.mark.parametrize("illegal", ["end", "random"])
@pytest.mark.parametrize("settings", [{}, {"dtype": "float32", "mask": "observation"}])
def test_gymnasiums_check_of_environments_passes(illegal: Any, settings: Any) -> None:
    env = gymnasium.make(ENV_ID, illegal=illegal, **settings)
    check_gymnasium_env(env.unwrapped, skip_render_check=False)


@pytest.mark.parametrize("illegal", ["end", "random"])
def test_stable_baselines_check_of_environments_passes(illegal: Any) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(ENV_ID, illegal=illegal, dtype="float32"), warn=False)


def test_only_the_game_of_an_illegal_action_ends() -> None:
    env = VectorSingleEnv(4, illegal="end", autoreset_mode="disabled")
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[2] = illegal_of(infos["action_mask"][2])
    _, rewards, terminated, _, infos = env.step(actions)
    assert rewards.tolist() == [0, 0, -1, 0]
    assert terminated.tolist() == [False, False, True, False]
    assert infos["_illegal_action"].tolist() == [False, False, True, False]
    assert infos["illegal_action"][2] == actions[2]
    assert "scores" not in infos


def test_a_vector_environment_replaces_illegal_actions() -> None:
    env = VectorSingleEnv(4, illegal="random")
    env.reset(seed=1)
    for _ in range(300):
        _, _, _, _, infos = env.step(np.full(4, -1))
    assert infos["_illegal_action"].any()


def test_a_vector_environment_refuses_illegal_actions_by_default() -> None:
    env = VectorSingleEnv(4)
    _, infos = env.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[3] = 1954
    with pytest.raises(IllegalAction, match=r"game 3: overpay:9 .*No game has moved"):
        env.step(actions)
    with pytest.raises(IllegalAction, match="shape"):
        env.step(actions[:2])


def test_an_unknown_rule_is_refused() -> None:
    for make in (SingleEnv, VectorSingleEnv):
        with pytest.raises(ValueError, match="unknown rule for illegal actions 'ignore'"):
            make(illegal="ignore")  # type: ignore[arg-type]  # that is what is tested
