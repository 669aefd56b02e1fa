"""The batched environments for TorchRL, and TorchRL's own wrappers of ours."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torchrl", reason="needs TorchRL: the extra torchrl")

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.envs import (
    ActionMask,
    Compose,
    EnvBase,
    GymEnv,
    ParallelEnv,
    PettingZooWrapper,
    RewardSum,
    StepCounter,
    TransformedEnv,
    check_env_specs,
)
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives.value import GAE

from alhambra_env import GameBatch, IllegalAction, alhambra_v0
from alhambra_env.adapters.torchrl import OpponentsEnv, SelfPlayEnv, seat_trajectories
from alhambra_env.envs.vector import VectorSingleEnv

WORKER_ID = "alhambra_env:alhambra_env/Alhambra-v0"
SMALL: Any = {"pieces": ["hand", "market", "progress"], "max_turns": 15}
MAKERS = [
    partial(OpponentsEnv, 4, ["builder", "random"], dtype="float32", **SMALL),
    partial(OpponentsEnv, 3, observation="dict", device="cpu", **SMALL),
    partial(SelfPlayEnv, 4, 3, dtype="float32", **SMALL),
    partial(SelfPlayEnv, 3, 2, observation="dict", device="cpu", **SMALL),
]


@pytest.fixture(params=MAKERS, ids=lambda make: f"{make.func.__name__}-{make.args[0]}")
def env(request: pytest.FixtureRequest) -> EnvBase:
    made: EnvBase = request.param()
    made.set_seed(5)
    torch.manual_seed(5)
    return made


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def play(env: EnvBase, steps: int) -> TensorDict:
    """Return a rollout of random legal actions through the ends of games: `[game, time]`."""
    rollout: TensorDict = env.rollout(steps, break_when_any_done=False)
    return rollout


# --- conventions of TorchRL -----------------------------------------------------------------------


def test_specs_are_those_of_the_data(env: EnvBase) -> None:
    check_env_specs(env, break_when_any_done="both")
    check_env_specs(TransformedEnv(env, Compose(RewardSum(), StepCounter(), ActionMask())))
    assert env.batch_size == env.action_spec.shape


def test_random_actions_are_legal_and_games_go_on_after_their_end(env: EnvBase) -> None:
    rollout = play(env, 60)
    chosen = rollout["action"][..., None]
    assert rollout["action_mask"].gather(-1, chosen).all()
    assert rollout["next", "done"].sum() > env.batch_size[0]
    assert torch.equal(rollout["next", "done"], rollout["next", "terminated"])
    assert rollout["next", "action_mask"][rollout["next", "done"].squeeze(-1)].all()
    goes_on = ~rollout["next", "done"][:, :-1, 0]
    for name in set(rollout["next"].keys()) & set(rollout.keys()) - {"done", "terminated"}:
        following, now = rollout["next", name][:, :-1], rollout[name][:, 1:]
        assert torch.equal(following[goes_on], now[goes_on]), name


def test_the_same_seed_gives_the_same_games(env: EnvBase) -> None:
    rollouts = []
    for _ in range(2):
        env.set_seed(11)
        torch.manual_seed(11)
        rollouts.append(play(env, 30))
    assert (rollouts[0] == rollouts[1]).all()
    assert not (env.reset() == env.reset()).all()


def test_only_the_games_of_a_mask_are_reset(env: EnvBase) -> None:
    games = env.batch_size[0]
    data = env.step_mdp(play(env, 5)[:, -1])
    where = torch.zeros(games, 1, dtype=torch.bool)
    where[1] = True
    after = env.reset(data.clone().set("_reset", where))
    for name in env.observation_spec:
        now, before = after[name], data[name]
        assert torch.equal(now[0], before[0]), name
        assert torch.equal(now[2:], before[2:]), name
    assert any(not torch.equal(after[name][1], data[name][1]) for name in env.observation_spec)


def test_games_that_are_over_rest_until_all_are(env: EnvBase) -> None:
    rollout = env.rollout(400, break_when_any_done=False, break_when_all_done=True)
    assert rollout["next", "done"][:, -1].all()
    assert not rollout["next", "done"][:, 0].any()


def test_only_the_games_of_a_mask_are_stepped(env: EnvBase) -> None:
    data = env.reset()
    where = torch.zeros(env.batch_size[0], 1, dtype=torch.bool)
    where[0] = True
    data = env.rand_action(data)
    after = env.step(data.clone().set("_step", where))["next"]
    for name in env.observation_spec:
        assert torch.equal(after[name][1:], data[name][1:]), name
    assert any(not torch.equal(after[name][0], data[name][0]) for name in env.observation_spec)
    following = env.step(env.rand_action(env.step_mdp(data.clone().set("next", after))))
    assert following["next", "reward"].shape == env.reward_spec.shape


def test_an_illegal_action_is_refused(env: EnvBase) -> None:
    data = env.reset()
    wrong = data["action_mask"].int().argmin(dim=1)
    with pytest.raises(IllegalAction, match="No game has moved"):
        env.step(data.set("action", wrong))


def test_a_game_that_is_over_must_be_reset(env: EnvBase) -> None:
    rollout = env.rollout(400)
    with pytest.raises(gymnasium.error.ResetNeeded, match="over"):
        env.step(env.rand_action(rollout[:, -1].exclude("next")))


# --- the games ------------------------------------------------------------------------------------


def test_opponents_games_are_those_of_the_vector_environment() -> None:
    env = OpponentsEnv(3, ["builder", "random"], reward="margin", max_turns=20)
    games = VectorSingleEnv(
        3,
        opponents=["builder", "random"],
        reward="margin",
        max_turns=20,
        autoreset_mode="disabled",
    )
    env.set_seed(7)
    rollout = play(env, 40)
    observations, infos = games.reset(seed=7)
    for data in rollout.unbind(1):
        assert torch.equal(data["observation"], torch.as_tensor(observations))
        assert torch.equal(data["action_mask"], torch.as_tensor(infos["action_mask"] == 1))
        observations, rewards, done, _, infos = games.step(data["action"].numpy())
        assert np.allclose(data["next", "reward"].squeeze(1).numpy(), rewards)
        assert np.array_equal(data["next", "done"].squeeze(1).numpy(), done)
        assert torch.equal(data["next", "observation"], torch.as_tensor(observations))
        if done.any():
            observations, infos = games.reset(options={"reset_mask": done})


def test_games_of_self_play_are_those_of_a_batch() -> None:
    env = SelfPlayEnv(3, 4, reward="score", max_turns=12)
    env.set_seed(7)
    batch = GameBatch(3, 4, reward="score", max_turns=12, seed=7)
    ends = 0
    for data in play(env, 40).unbind(1):
        assert torch.equal(data["observation"], torch.as_tensor(batch.observations))
        assert data["seat"].squeeze(1).tolist() == batch.to_play.tolist()
        last = batch.to_play.copy()
        rewards, done = batch.step(data["action"].numpy())
        assert np.array_equal(data["next", "reward"].numpy(), rewards)
        assert np.array_equal(data["next", "done"].squeeze(1).numpy(), done)
        for game in np.flatnonzero(done).tolist():
            seen = batch.final_observation(game, int(last[game]))
            assert torch.equal(data["next", "observation"][game], torch.as_tensor(seen))
            ends += 1
    assert ends > 3


# --- trajectories of the seats --------------------------------------------------------------------


def expected_trajectories(rollout: TensorDict, players: int) -> list[list[dict[str, Any]]]:
    """Return each seat's decisions, step by step as one would count them by hand."""
    games, steps = rollout.shape
    found = []
    for game in range(games):
        for seat in range(players):
            part: list[dict[str, Any]] = []
            for time in range(steps):
                data = rollout[game, time]
                if int(data["seat"]) == seat:
                    if part and not part[-1]["ends"]:
                        part[-1]["next"] = time
                    part.append({"game": game, "time": time, "reward": 0.0, "ends": False})
                if part and not part[-1]["ends"]:
                    part[-1]["reward"] += float(data["next", "reward"][seat])
                    part[-1]["ends"] = bool(data["next", "done"])
            found.append([each for each in part if each["ends"] or "next" in each])
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_seats_reward_is_all_that_it_earns_until_its_next_decision(players: int) -> None:
    env = SelfPlayEnv(4, players, reward="margin", **SMALL)
    env.set_seed(3)
    rollout = play(env, 70)
    result = seat_trajectories(rollout)
    expected = [each for part in expected_trajectories(rollout, players) for each in part]
    assert result.shape == (len(expected),)
    for data, each in zip(result, expected, strict=True):
        root = rollout[each["game"], each["time"]]
        assert torch.equal(data["observation"], root["observation"])
        assert int(data["action"]) == int(root["action"])
        assert float(data["next", "reward"]) == pytest.approx(each["reward"], abs=1e-4)
        assert bool(data["next", "terminated"]) is each["ends"]
        if not each["ends"]:
            following = rollout[each["game"], each["next"]]
            assert torch.equal(data["next", "observation"], following["observation"])
            assert int(following["seat"]) == int(data["seat"])


def test_advantages_follow_each_seat() -> None:
    env = SelfPlayEnv(4, 3, reward="margin", dtype="float32", **SMALL)
    env.set_seed(4)
    rollout = play(env, 70)
    torch.manual_seed(0)
    critic = ValueOperator(nn.Linear(rollout["observation"].shape[-1], 1))
    result = GAE(gamma=1, lmbda=0.9, value_network=critic)(seat_trajectories(rollout))
    advantages: list[float] = []
    with torch.no_grad():
        values: Tensor = critic(rollout.clone())["state_value"].squeeze(-1)
    for part in expected_trajectories(rollout, 3):
        later, found = 0.0, []
        for index in reversed(range(len(part))):
            each = part[index]
            after = 0.0 if each["ends"] else float(values[each["game"], each["next"]])
            delta = each["reward"] + after - float(values[each["game"], each["time"]])
            is_last = each["ends"] or index == len(part) - 1
            later = delta + (0.0 if is_last else 0.9 * later)
            found.append(later)
        advantages += reversed(found)
    assert result["advantage"].squeeze(1).tolist() == pytest.approx(advantages, abs=1e-3)


def test_a_rollout_without_a_trajectory_is_refused() -> None:
    env = SelfPlayEnv(2, 3)
    with pytest.raises(ValueError, match="too short"):
        seat_trajectories(play(env, 1))
    with pytest.raises(ValueError, match=r"\[game, time\]"):
        seat_trajectories(play(env, 5)[0])


# --- policies and TorchRL's own wrappers ----------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS[::2], ids=["OpponentsEnv", "SelfPlayEnv"])
def test_a_masked_policy_collects_legal_actions(make: Any) -> None:
    env = make()
    network = nn.Linear(env.observation_spec["observation"].shape[-1], env.action_spec.n)
    policy = ProbabilisticActor(
        TensorDictModule(network, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    collector = Collector(
        env,
        policy,
        frames_per_batch=4 * 25,
        total_frames=4 * 50,
        auto_register_policy_transforms=False,
    )
    for data in collector:
        assert data.shape == (4, 25)
        assert data["action_mask"].gather(-1, data["action"][..., None]).all()
        assert data["action_log_prob"].isfinite().all()
    collector.shutdown()


def gym_env() -> EnvBase:
    """Return TorchRL's wrapper of one game. Not a lambda: workers have to import it."""
    return GymEnv(WORKER_ID, mask="observation", max_turns=12, categorical_action_encoding=True)


def test_gym_env_takes_the_mask_from_the_observation() -> None:
    env = TransformedEnv(gym_env(), ActionMask())
    check_env_specs(env)
    rollout = play(env, 50)
    assert rollout["action_mask"].gather(-1, rollout["action"][..., None]).all()
    assert rollout["next", "done"].sum() > 3


def test_gym_env_works_in_worker_processes() -> None:
    workers = ParallelEnv(2, gym_env, mp_start_method="spawn")
    # The mask is read here, where random actions are drawn, and not in the workers.
    env = TransformedEnv(workers, ActionMask())
    try:
        rollout = play(env, 12)
        assert rollout.shape == (2, 12)
        assert rollout["action_mask"].gather(-1, rollout["action"][..., None]).all()
    finally:
        env.close()


def test_pettingzoo_wrapper_plays_and_every_point_is_in_the_rewards() -> None:
    inner = alhambra_v0.env(reward="score", max_turns=30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it is tested with PettingZoo 1.24.3 only
        env = PettingZooWrapper(inner, use_mask=True, seed=2)
        torch.manual_seed(2)
        rollout = env.rollout(1000)
    game = inner.unwrapped.game
    assert game.over
    assert sum(game.scores) > 0
    for seat, points in enumerate(game.scores):
        rewards = rollout["next", f"player_{seat}", "reward"]
        assert float(rewards.sum()) == points
