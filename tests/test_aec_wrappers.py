"""`env()` behaves like `raw_env()` in PettingZoo's three usual wrappers."""

import copy
import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from alhambra_env import IllegalAction, actions, alhambra_v0
from alhambra_env.actions import N_ACTIONS
from tests.aec_games import NUMBERS_OF_PLAYERS, REWARDS, choose, ended, is_done, picture, started


def wrapped(**settings: Any) -> Any:
    """Return `raw_env` in the three wrappers whose behaviour `env` has."""
    env = TerminateIllegalWrapper(alhambra_v0.raw_env(**settings), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env))


def together(seed: int | None = None, **settings: Any) -> tuple[Any, Any]:
    """Return `env` and what it has to behave like, after a reset unless there is no seed."""
    pair = alhambra_v0.env(**settings), wrapped(**settings)
    if seed is not None:
        for env in pair:
            env.reset(seed=seed)
    return pair


def without_masks(shown: dict[str, Any], agent: str, number: int) -> dict[str, Any]:
    """Return a picture less the masks of an agent."""
    shown = copy.deepcopy(shown)
    shown["infos"].pop(agent, None)
    shown["observations"][number].pop("action_mask")
    shown.pop("last")
    return shown


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_game_goes_as_in_the_wrappers(num_players: int, reward: str) -> None:
    env, like = together(5, num_players=num_players, reward=reward)
    chooser = random.Random(num_players)
    while env.agents:
        assert picture(env) == picture(like)
        action = choose(env, chooser)
        env.step(action)
        like.step(action)
    assert picture(env) == picture(like)


@pytest.mark.parametrize("seed", range(12))
def test_an_illegal_action_ends_the_game_as_in_the_wrappers(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chooser = random.Random(seed)
    settings = {
        "num_players": 2 + seed % 5,
        "reward": REWARDS[seed % 3],
        "observation": ("flat", "dict")[seed % 2],
    }
    env, like = together(seed, **settings)
    for _ in range(chooser.randrange(250) if seed else 0):
        action = choose(env, chooser)
        if action is None:
            break
        env.step(action)
        like.step(action)
    if is_done(env):  # the game was short: all the better, begin another
        env.reset(seed=seed)
        like.reset(seed=seed)
    mover = env.agent_selection
    number = env.possible_agents.index(mover)
    action = chooser.choice(np.flatnonzero(env.last()[4]["action_mask"] == 0).tolist())
    position = env.game.to_bytes()
    for each in (env, like):
        caplog.clear()
        each.step(action)
        assert ["Illegal move made" in message for message in caplog.messages] == [True]
    assert env.game.to_bytes() == position
    assert env.rewards == {agent: -1.0 if agent == mover else 0 for agent in env.agents}
    assert env._cumulative_rewards[mover] == -1
    assert set(env.terminations.values()) == set(env.truncations.values()) == {True}
    assert env.agents == env.possible_agents
    while env.agents:
        # The wrappers leave the mover's mask as it was; here nobody has a legal action any more.
        assert not any(info["action_mask"].any() for info in env.infos.values())
        assert not env.observe(mover)["action_mask"].any()
        assert without_masks(picture(env), mover, number) == without_masks(
            picture(like), mover, number
        )
        assert env.last(observe=False)[:4] == like.last(observe=False)[:4]
        env.step(None)
        like.step(None)
    assert picture(env) == picture(like)
    env.reset(seed=seed)
    like.reset(seed=seed)
    assert picture(env) == picture(like)


def test_points_are_not_lost_to_others_by_an_illegal_action() -> None:
    env, like = together(2, reward="score")
    chooser = random.Random(2)
    while not any(env.rewards.values()):
        action = choose(env, chooser)
        env.step(action)
        like.step(action)
    owed = dict(env._cumulative_rewards)
    mover = env.agent_selection
    assert owed[mover] > 0
    for each in (env, like):
        each.step(actions.parse("give"))
        assert each._cumulative_rewards == {**owed, mover: -1}


OUTSIDE: Final = [-1, N_ACTIONS, 10**9, None, "take:0", 1.5, np.int64(N_ACTIONS), [0], (0,)]


@pytest.mark.parametrize("action", OUTSIDE, ids=repr)
def test_an_action_outside_the_space_is_refused_as_in_the_wrappers(action: Any) -> None:
    for env in together(1):
        before = picture(env)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)
        assert picture(env) == before


@pytest.mark.parametrize("action", [True, False, np.True_])
def test_a_truth_value_is_no_action(action: Any) -> None:
    # The wrappers refuse only NumPy's: Python counts True as 1.
    for env in (started(alhambra_v0.env, seed=1), ended(alhambra_v0.env)):
        before = picture(env)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)
        assert picture(env) == before
    env = started(alhambra_v0.raw_env, seed=1)
    with pytest.raises(IllegalAction, match=f"a whole number, not {action!r}"):
        env.step(action)


@pytest.mark.parametrize("action", [a for a in OUTSIDE if a is not None], ids=repr)
def test_an_agent_that_is_done_is_refused_actions_outside_the_space(action: Any) -> None:
    for env in (ended(alhambra_v0.env), ended(wrapped)):
        before = picture(env)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(action)
        assert picture(env) == before


@pytest.mark.parametrize("action", [0, 7, np.int64(7), N_ACTIONS - 1])
def test_an_agent_that_is_done_is_refused_actions(action: Any) -> None:
    for env in (ended(alhambra_v0.env), ended(wrapped), ended(alhambra_v0.raw_env)):
        before = picture(env)
        with pytest.raises(ValueError, match="when an agent is dead, the only valid action"):
            env.step(action)
        assert picture(env) == before
    for env in together(1):
        env.step(actions.parse("give"))  # illegal: it ends the game
        with pytest.raises(ValueError, match="when an agent is dead, the only valid action"):
            env.step(action)


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(0),
        lambda env: env.step(None),
        lambda env: env.step(-1),
        lambda env: env.observe("player_0"),
        lambda env: env.render(),
        lambda env: env.agent_iter(),
        lambda env: env.last(),
        lambda env: env.state(),
    ],
    ids=["step", "step None", "step -1", "observe", "render", "agent_iter", "last", "state"],
)
def test_use_before_reset_is_refused_as_in_the_wrappers(use: Callable[[Any], Any]) -> None:
    errors = []
    for env in together(render_mode="ansi"):
        with pytest.raises((AssertionError, AttributeError), match="reset") as error:
            use(env)
        errors.append((error.type, str(error.value)))
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    "name",
    [
        *("rewards", "terminations", "truncations", "infos"),
        *("agent_selection", "num_agents", "agents"),
    ],
)
def test_attributes_before_reset_are_refused_as_in_the_wrappers(name: str) -> None:
    for env in together():
        with pytest.raises(AttributeError, match=f"^{name} cannot be accessed before reset$"):
            getattr(env, name)
        assert not hasattr(env, name)
        env.reset(seed=1)
        assert hasattr(env, name)


def test_what_does_not_need_a_game_is_there_before_reset() -> None:
    for env in together():
        assert env.possible_agents == ["player_0", "player_1", "player_2"]
        assert env.max_num_agents == 3
        assert env.action_space("player_1").n == N_ACTIONS
        assert env.observation_space("player_1").contains(
            env.observation_space("player_1").sample()
        )
        assert env.metadata["name"] == "alhambra_v0"
        assert env.render_mode is None
        assert str(env) == "alhambra_v0"
        env.close()


def test_an_attribute_that_does_not_exist_is_missing() -> None:
    for env in together(1):
        with pytest.raises(AttributeError, match="no attribute 'colour'"):
            _ = env.colour


def test_a_step_after_all_agents_left_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    for env in (ended(alhambra_v0.env), ended(wrapped)):
        while env.agents:
            env.step(None)
        for action in (None, 0, -1):
            caplog.clear()
            env.step(action)
            assert ["step() called after all agents" in m for m in caplog.messages] == [True]
            assert env.agents == []
        env.reset(seed=1)
        assert env.agents == env.possible_agents


def test_a_loop_over_agents_without_a_step_is_refused() -> None:
    for env in together(1):
        agents = iter(env.agent_iter())
        next(agents)
        with pytest.raises(AssertionError, match="need to call step"):
            next(agents)
        for seed in (1, 2):  # a reset will do
            env.reset(seed=seed)
            assert next(agents) == env.agent_selection


def test_a_loop_over_agents_that_was_refused_a_step_goes_on_as_in_the_wrappers() -> None:
    for env in together(1):
        for number, _ in enumerate(env.agent_iter(3)):
            if number == 1:
                with pytest.raises(AssertionError, match="action space"):
                    env.step(-1)
            else:
                env.step(0)


def test_a_loop_over_agents_ends_after_so_many_steps() -> None:
    for env in together(1):
        chooser = random.Random(1)
        met = []
        for agent in env.agent_iter(max_iter=7):
            met.append(agent)
            assert agent == env.agent_selection
            env.step(choose(env, chooser))
        assert len(met) == 7
        assert not env.game.over
