"""Copies and pickles of the PettingZoo environments."""

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from alhambra_env import alhambra_v0
from tests.aec_games import Maker, both, choose, ended, picture, started

copies: Final = pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deep", "pickle"]
)


@copies
@both
@pytest.mark.parametrize(
    "settings", [{"num_players": 2, "reward": "score"}, {"num_players": 5, "observation": "dict"}]
)
def test_copies_in_mid_game_go_on_alike(
    make: Maker, copied: Callable[[Any], Any], settings: dict[str, Any]
) -> None:
    env = started(make, seed=4, steps=120, **settings)
    before = picture(env)
    twin = copied(env)
    assert picture(twin) == before
    one, other = random.Random(1), random.Random(1)
    while twin.agents:
        twin.step(choose(twin, one))
    assert picture(env) == before  # the game itself was left alone
    replayed = copied(env)
    while env.agents:
        action = choose(env, other)
        env.step(action)
        replayed.step(action)
        assert picture(replayed) == picture(env)
        assert replayed.game.to_bytes() == env.game.to_bytes()
    assert picture(twin) == picture(env)


@copies
@both
def test_copies_draw_the_same_next_games(make: Maker, copied: Callable[[Any], Any]) -> None:
    env = started(make, seed=4, steps=30)
    twin = copied(env)
    for _ in range(3):
        env.reset()
        twin.reset()
        assert picture(twin) == picture(env)
        assert twin.game.to_bytes() == env.game.to_bytes()


@copies
@both
def test_copies_keep_points_that_were_not_yet_fetched(
    make: Maker, copied: Callable[[Any], Any]
) -> None:
    env = started(make, seed=2, reward="margin")
    chooser = random.Random(2)
    while not any(env.rewards.values()):
        env.step(choose(env, chooser))
    assert sum(map(bool, env._cumulative_rewards.values())) > 1
    assert picture(copied(env)) == picture(env)


@copies
@both
def test_copies_are_made_while_agents_leave(make: Maker, copied: Callable[[Any], Any]) -> None:
    env = ended(make, num_players=4, reward="margin")
    while env.agents:
        twin = copied(env)
        assert picture(twin) == picture(env)
        env.step(None)
        twin.step(None)
        assert picture(twin) == picture(env)


@copies
def test_copies_before_reset_still_ask_for_it(copied: Callable[[Any], Any]) -> None:
    twin = copied(alhambra_v0.env(num_players=4, reward="score", hands="open"))
    with pytest.raises(AssertionError, match="reset"):
        twin.step(0)
    twin.reset(seed=3)
    env = started(alhambra_v0.env, seed=3, num_players=4, reward="score", hands="open")
    assert picture(twin) == picture(env)
