"""Libraries that train on the environments: sb3-contrib's MaskablePPO learns and plays legally."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch")

import torch
from gymnasium.vector import VectorEnv
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor

from alhambra_env import ENV_ID
from alhambra_env.envs.vector import VectorSingleEnv

STEPS = 2000
POLICIES = {"flat": "MlpPolicy", "dict": "MultiInputPolicy"}
Env = gymnasium.Env[Any, Any]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make(**settings: Any) -> Env:
    return gymnasium.make(ENV_ID, **settings)


def make_learner(env: VecEnv, form: str, **settings: Any) -> MaskablePPO:
    return MaskablePPO(
        POLICIES[form],
        env,
        n_steps=512 // env.num_envs,
        batch_size=128,
        n_epochs=2,
        policy_kwargs={"net_arch": [32]},
        seed=1,
        device="cpu",
        **settings,
    )


def parameters_of(model: MaskablePPO) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.policy.parameters()])


def learn(model: MaskablePPO) -> None:
    """Learn for a while, and assert that something changed and all of it is finite."""
    before = parameters_of(model)
    model.learn(STEPS)
    after = parameters_of(model)
    assert model.num_timesteps >= STEPS
    assert not torch.equal(before, after)
    assert torch.isfinite(after).all()


def play_a_game(
    model: MaskablePPO, env: Env, deterministic: bool, seed: int | None = 2
) -> list[float]:
    """Let the learner play a game; return the reward of each decision. All must be legal."""
    observation, info = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        mask = env.get_wrapper_attr("action_masks")()
        action, _ = model.predict(observation, action_masks=mask, deterministic=deterministic)
        assert info["action_mask"][action] == 1
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        rewards.append(float(reward))
    return rewards


# --- one environment at a time --------------------------------------------------------------------


@pytest.mark.parametrize("masker", [True, False])
@pytest.mark.parametrize("form", ["flat", "dict"])
def test_maskable_ppo_learns_on_single_environments(form: str, masker: bool) -> None:
    settings: dict[str, Any] = {"observation": form, "max_turns": 200, "reward": "score"}

    def begin() -> Env:
        env = make(**settings)
        if masker:
            env = ActionMasker(env, lambda inner: inner.get_wrapper_attr("action_masks")())
        return Monitor(env)

    vector = DummyVecEnv([begin, begin])
    assert is_masking_supported(vector)
    model = make_learner(vector, form)
    learn(model)
    assert len(model.ep_info_buffer or ()) > 4  # whole games, as they went
    for deterministic in (True, False):
        assert len(play_a_game(model, make(**settings), deterministic)) > 10


def test_what_was_learnt_can_be_evaluated_with_masks() -> None:
    settings: dict[str, Any] = {"max_turns": 60, "pieces": ["hand", "market"], "reward": "score"}
    env = DummyVecEnv([lambda: Monitor(make(**settings))])
    model = make_learner(env, "flat")
    learn(model)
    env.seed(7)
    returns, lengths = evaluate_policy(model, env, n_eval_episodes=3, return_episode_rewards=True)
    # The best legal action each time, from the same seed, gives the same episodes.
    by_hand, single = [], make(**settings)
    for seed in (7, None, None):
        rewards = play_a_game(model, single, deterministic=True, seed=seed)
        by_hand.append((sum(rewards), len(rewards)))
    assert returns == pytest.approx([total for total, _ in by_hand])
    assert lengths == [length for _, length in by_hand]


# --- the vector environment -----------------------------------------------------------------------


class Adapter(VecEnv):
    """The vector environment as Stable-Baselines3 wants it: infos as a list, `env_method`."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        assert isinstance(env.unwrapped, VectorSingleEnv)
        self.env = env.unwrapped
        self._actions = np.zeros(env.num_envs, np.int64)
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> Any:
        seeds = None if None in self._seeds else self._seeds
        observations, _ = self.env.reset(seed=seeds)
        self._reset_seeds()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        done = terminated | truncated
        listed: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done).tolist():
            listed[i]["terminal_observation"] = infos["final_obs"][i]
            listed[i]["TimeLimit.truncated"] = bool(truncated[i])
            if infos["final_info"].get("_truncated_by", terminated & False)[i]:
                listed[i]["truncated_by"] = infos["final_info"]["truncated_by"][i]
        return observations, rewards.astype(np.float32), done, listed

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        assert method_name == "action_masks"
        return list(self.env.action_masks())

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


@pytest.mark.parametrize("form", ["flat", "dict"])
def test_maskable_ppo_learns_on_the_vector_environment(form: str) -> None:
    # PPO reads an observation after the step that follows it, so that it needs copies.
    settings: dict[str, Any] = {"observation": form, "seat": "random", "max_turns": 60}
    vector = VecMonitor(
        Adapter(gymnasium.make_vec(ENV_ID, num_envs=8, autoreset_mode="same_step", **settings))
    )
    assert is_masking_supported(vector)
    assert get_action_masks(vector).shape == (8, 1955)
    model = make_learner(vector, form)
    learn(model)
    assert len(model.ep_info_buffer or ()) > 8
    # It plays in the vector environment ...
    observations: Any = vector.reset()
    for _ in range(50):
        masks = get_action_masks(vector)
        chosen, _ = model.predict(observations, action_masks=masks)
        assert masks[np.arange(8), chosen].all()
        observations, *_ = vector.step(chosen)
    # ... and in a single one.
    assert len(play_a_game(model, make(**settings), deterministic=False)) > 5


def test_the_same_seed_learns_the_same(tmp_path: Any) -> None:
    learnt = []
    for _ in range(2):
        vector = gymnasium.make_vec(
            ENV_ID,
            num_envs=4,
            autoreset_mode="same_step",
            pieces=["hand", "market", "display"],
        )
        model = make_learner(Adapter(vector), "flat")
        learn(model)
        learnt.append(parameters_of(model))
    assert torch.equal(learnt[0], learnt[1])
    model.save(tmp_path / "model")
    again = MaskablePPO.load(tmp_path / "model", device="cpu")
    assert torch.equal(parameters_of(again), learnt[0])


def test_ppo_adds_no_value_to_the_outcome_of_a_game_that_reached_the_turn_limit() -> None:
    # Stable-Baselines3 adds the value of the last observation where "TimeLimit.truncated" is set.
    # The outcome is paid already, so the rollout buffer holds outcomes and nothing else.
    adapter = Adapter(
        gymnasium.make_vec(ENV_ID, num_envs=4, autoreset_mode="same_step", max_turns=12)
    )
    model = MaskablePPO("MlpPolicy", adapter, n_steps=64, batch_size=64, seed=3, device="cpu")
    with torch.no_grad():
        model.policy.value_net.bias.fill_(100.0)
    model.learn(1)
    paid = model.rollout_buffer.rewards
    assert set(np.unique(paid.round(4)).tolist()) <= {-0.5, 0.0, 0.25, 1.0}
    assert (paid != 0).sum() >= 4


def test_the_turn_limit_terminates_and_is_told_in_the_final_info() -> None:
    for max_turns, is_short in ((12, True), (1000, False)):
        adapter = Adapter(
            gymnasium.make_vec(ENV_ID, num_envs=4, autoreset_mode="same_step", max_turns=max_turns)
        )
        adapter.seed(3)
        rng = np.random.default_rng(3)
        adapter.reset()
        ends = 0
        while ends < 4:
            masks = get_action_masks(adapter)
            _, _, done, infos = adapter.step((rng.random(masks.shape) * masks).argmax(axis=1))
            for i in np.flatnonzero(done):
                assert not infos[i]["TimeLimit.truncated"]
                assert infos[i].get("truncated_by") == ("max_turns" if is_short else None)
                assert adapter.observation_space.contains(infos[i]["terminal_observation"])
                ends += 1
