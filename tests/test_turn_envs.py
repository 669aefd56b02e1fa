"""The environments of whole turns: Gymnasium (single and vector) and PettingZoo."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from alhambra_env import Game, IllegalAction, alhambra_turns_v0
from alhambra_env.envs.turns.single import TurnsEnv
from alhambra_env.envs.turns.vector import VectorTurnsEnv
from alhambra_env.turns.choices import N_CHOICES
from alhambra_env.turns.feature_groups import N_CHOICE_FEATURES, N_FEATURES, N_TABLE_FEATURES
from alhambra_env.turns.listing import find_choices

ID = "alhambra_env/AlhambraTurns-v0"
QUICK: dict[str, Any] = {"opponents": ["builder", "saver"]}


def last_choice(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


def play(env: Any, seed: int, choose: Any = last_choice) -> list[tuple[Any, float, dict[str, Any]]]:
    """Play an episode; return observations, rewards and infos."""
    seen, info = env.reset(seed=seed)
    steps = [(seen, 0.0, info)]
    is_over = False
    while not is_over:
        seen, reward, is_over, truncated, info = env.step(choose(info["action_mask"]))
        assert not truncated
        steps.append((seen, reward, info))
    return steps


@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("mask", ["info", "observation"])
def test_observations_are_in_their_space(observation: str, mask: str) -> None:
    env = gymnasium.make(ID, observation=observation, mask=mask, **QUICK)
    for seen, _, _ in play(env, 1):
        assert env.observation_space.contains(seen)
    games = gymnasium.make_vec(ID, num_envs=3, observation=observation, mask=mask, **QUICK)
    seen, infos = games.reset(seed=1)
    for _ in range(40):
        assert games.observation_space.contains(seen)
        seen, _, _, _, infos = games.step(infos["action_mask"].argmax(axis=1))


def test_the_spaces_are_as_documented() -> None:
    env = gymnasium.make(ID)
    assert env.action_space == gymnasium.spaces.Discrete(16)
    assert env.observation_space.shape == (N_CHOICES, N_FEATURES)
    parts = gymnasium.make(ID, observation="dict").observation_space
    assert isinstance(parts, gymnasium.spaces.Dict)
    assert parts["choices"].shape == (N_CHOICES, N_CHOICE_FEATURES)
    assert parts["table"].shape == (N_TABLE_FEATURES,)


def test_the_info_says_which_actions_a_choice_stands_for() -> None:
    env = TurnsEnv(seat=1, **QUICK)
    _, info = env.reset(seed=3)
    for _ in range(10):
        assert info["actions"] == find_choices(env.game).actions
        assert info["action_mask"].sum() == len(info["actions"])
        expected = env.game.clone()
        choice = last_choice(info["action_mask"])
        for action in info["actions"][choice]:
            expected.step(action)
        before = len(env.game.history)
        _, _, _, _, info = env.step(choice)
        played = env.game.history[before : before + len(expected.history) - before]
        assert played == expected.history[before:]


def test_the_last_step_has_no_choices_and_the_results() -> None:
    for environment in (TurnsEnv(**QUICK), TurnsEnv(observation="dict", **QUICK)):
        seen, reward, info = play(environment, 5)[-1]
        assert not info["action_mask"].any()
        assert info["actions"] == ()
        assert reward in (-0.5, 0.25, 1.0)
        assert sorted(info["scores"]) == sorted(environment.game.scores)
        choices = seen["choices"] if isinstance(seen, dict) else seen
        assert not choices.any()
        if isinstance(seen, dict):
            assert seen["table"].any()


@pytest.mark.parametrize("reward", ["outcome", "score", "margin"])
def test_single_and_vector_games_agree(reward: str) -> None:
    settings: dict[str, Any] = {"reward": reward, "seat": 2, **QUICK}
    games = VectorTurnsEnv(2, autoreset_mode="disabled", **settings)
    seen, infos = games.reset(seed=4)
    single = TurnsEnv(**settings)
    single.reset(seed=0)
    # The same game in the single environment, up to the learner's first turn
    single.game = Game.from_state(games.batch.states[0:1])
    single._rounds_scored, single._scores = single.game.rounds_scored, single.game.scores
    for step in range(12):
        mask = infos["action_mask"][0]
        assert np.array_equal(single.action_masks(), mask == 1)
        assert np.array_equal(single._observe(), seen[0])
        actions = [tuple(row[row >= 0].tolist()) for row in infos["actions"][0][mask == 1]]
        assert tuple(actions) == single._choices().actions
        choice = step % int(mask.sum())
        _, expected, _, _, _ = single.step(choice)
        chosen = np.array([choice, infos["action_mask"][1].argmax()])
        seen, rewards, _, _, infos = games.step(chosen)
        assert rewards[0] == expected


def test_the_same_seed_gives_the_same_episodes() -> None:
    first = [reward for _, reward, _ in play(TurnsEnv(seat="random", **QUICK), 7)]
    again = [reward for _, reward, _ in play(TurnsEnv(seat="random", **QUICK), 7)]
    assert first == again


def test_a_choice_that_there_is_not_is_refused_and_changes_nothing() -> None:
    env = TurnsEnv(**QUICK)
    _, info = env.reset(seed=1)
    before = env.game.to_bytes()
    count = len(info["actions"])
    for wrong in (count if count < 16 else 16, -1, 99, True, "0", None, 0.5):
        with pytest.raises(IllegalAction, match=f"there are {count}, counted from 0"):
            env.step(wrong)
    assert env.game.to_bytes() == before
    games = VectorTurnsEnv(2, **QUICK)
    games.reset(seed=1)
    with pytest.raises(IllegalAction, match="game 1: 16 is not a choice"):
        games.step(np.array([0, 16]))


@pytest.mark.parametrize("illegal", ["end", "random"])
def test_what_an_illegal_choice_does_can_be_chosen(illegal: Any) -> None:
    env = TurnsEnv(illegal=illegal, **QUICK)
    env.reset(seed=1)
    _, reward, is_over, _, info = env.step(16)
    assert info["illegal_action"] == 16
    assert (reward, is_over) == ((-1.0, True) if illegal == "end" else (0.0, False))


def test_a_function_can_be_an_opponent_and_chooses_turns() -> None:
    asked = []

    def first(observation: np.ndarray, mask: np.ndarray) -> int:
        asked.append((observation.shape, int(mask.sum())))
        return 0

    env = TurnsEnv(opponents=[first, "saver"])
    play(env, 2)
    assert len(asked) > 10
    assert {shape for shape, _ in asked} == {(N_CHOICES, N_FEATURES)}
    assert min(count for _, count in asked) > 1
    games = VectorTurnsEnv(2, opponents=[first, first], autoreset_mode="same_step")
    _, infos = games.reset(seed=1)
    before = len(asked)
    for _ in range(30):
        infos = games.step(infos["action_mask"].argmax(axis=1))[-1]
    assert len(asked) > before


def test_games_restart_in_the_vector_environment() -> None:
    games = VectorTurnsEnv(4, autoreset_mode="same_step", **QUICK)
    _, infos = games.reset(seed=1)
    ends = 0
    for _ in range(80):
        _, rewards, dones, _, infos = games.step(infos["action_mask"].argmax(axis=1))
        ends += int(dones.sum())
        assert (rewards[~dones] == 0).all()
        assert (infos["action_mask"].sum(axis=1) > 1).all()
        if dones.any():
            final = infos["final_info"]
            assert (final["scores"][dones] > 0).any()
    assert ends > 4


def test_pettingzoo_accepts_it() -> None:
    env = alhambra_turns_v0.env(num_players=3)
    with pytest.warns(UserWarning, match="."):  # about dictionaries and negative numbers
        api_test(env, num_cycles=60)
    seed_test(lambda: alhambra_turns_v0.env(num_players=2), num_cycles=10)


def test_every_agent_takes_its_turns_in_pettingzoo() -> None:
    env = alhambra_turns_v0.env(num_players=4, reward="margin")
    env.reset(seed=2)
    totals = dict.fromkeys(env.agents, 0.0)
    turns = []
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        totals[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        assert len(info["actions"]) == seen["action_mask"].sum() > 0
        off_turn = env.observe(env.agents[env.agents.index(agent) - 1])
        assert not off_turn["action_mask"].any()
        assert not off_turn["observation"].any()
        turns.append(agent)
        env.step(last_choice(seen["action_mask"]))
    assert sum(totals.values()) == pytest.approx(0, abs=1e-6)


def test_an_illegal_choice_ends_the_game_in_pettingzoo() -> None:
    env = alhambra_turns_v0.env()
    env.reset(seed=1)
    agent = env.agent_selection
    count = int(env.infos[agent]["action_mask"].sum())
    if count == N_CHOICES:
        env.step(0)
        agent = env.agent_selection
        count = int(env.infos[agent]["action_mask"].sum())
    assert count < N_CHOICES
    env.step(count)
    assert env.rewards[agent] == -1
    assert all(env.terminations.values())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_players": 7}, "num_players must be 2 to 6"),
        ({"hands": "shown"}, "secret"),
        ({"observation": "picture"}, "flat"),
        ({"opponents": ["random"]}, "2 opponents"),
        ({"mask": "observation", "mask_key": "observation"}, "mask_key must differ"),
        ({"seat": 3}, "seat"),
    ],
)
def test_wrong_settings_say_what_is_allowed(settings: dict[str, Any], message: str) -> None:
    for make in (TurnsEnv, VectorTurnsEnv):
        with pytest.raises(ValueError, match=message):
            make(**settings)
