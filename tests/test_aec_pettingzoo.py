"""PettingZoo's own tests of `env()` and `raw_env()`, and its registry."""

from itertools import product
from typing import Any, Final

import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from alhambra_env import alhambra_v0
from alhambra_env.engine.editions import EDITION_NAMES, EditionName
from tests.aec_games import (
    ENV_ID,
    NUMBERS_OF_PLAYERS,
    REWARDS,
    Maker,
    both,
    needs_registry,
    picture,
    started,
)

# What `api_test` says of every environment with action masks that is not on its list of them.
with_masks: Final = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)

# And of every one whose players are done.
to_the_end: Final = pytest.mark.filterwarnings(
    "ignore:Action mask numpy array is all zeros:UserWarning"
)

SETTINGS: Final = [
    {"num_players": players, "observation": form, "hands": hands, "reward": reward}
    for players, form, hands, reward in product(
        NUMBERS_OF_PLAYERS, ("flat", "dict"), ("secret", "open"), REWARDS
    )
]


def seeded(env: Any) -> Any:
    """Return the environment; the actions that a test samples are the same each time."""
    for seat, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seat)
    return env


@with_masks
@both
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
def test_pettingzoos_api_test_passes(make: Maker, settings: dict[str, Any]) -> None:
    api_test(seeded(make(**settings)), num_cycles=5)


@with_masks
@to_the_end
@both
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_pettingzoos_api_test_passes_in_games_to_the_end(make: Maker, num_players: int) -> None:
    form = ("flat", "dict")[num_players % 2]
    env = make(num_players=num_players, reward=REWARDS[num_players % 3], observation=form)
    api_test(seeded(env), num_cycles=1000)


@with_masks
@to_the_end
@both
@pytest.mark.parametrize("edition", EDITION_NAMES)
def test_pettingzoos_api_test_passes_in_truncated_games(make: Maker, edition: EditionName) -> None:
    env = make(num_players=4, edition=edition, max_turns=9)
    api_test(seeded(env), num_cycles=1000)


@both
@pytest.mark.parametrize("settings", SETTINGS[::7], ids=lambda s: "-".join(map(str, s.values())))
def test_pettingzoos_seed_test_passes(make: Maker, settings: dict[str, Any]) -> None:
    seed_test(lambda: make(**settings), num_cycles=200)


@both
@pytest.mark.parametrize("settings", SETTINGS[::7], ids=lambda s: "-".join(map(str, s.values())))
def test_pettingzoos_parallel_api_test_passes(make: Maker, settings: dict[str, Any]) -> None:
    parallel_api_test(turn_based_aec_to_parallel(seeded(make(**settings))), num_cycles=1000)


def test_env_and_raw_env_are_both_pettingzoo_environments() -> None:
    for make in (alhambra_v0.env, alhambra_v0.raw_env):
        assert isinstance(make(), pettingzoo.AECEnv)
        assert isinstance(make().unwrapped, alhambra_v0.raw_env)


@needs_registry
def test_the_environment_is_registered() -> None:
    assert ENV_ID in pettingzoo.aec_registry
    env = pettingzoo.make("aec", ENV_ID, num_players=4, reward="score")
    env.reset(seed=3)
    assert picture(env) == picture(started(alhambra_v0.env, seed=3, num_players=4, reward="score"))
    with pytest.raises(AssertionError):
        env.step(-1)
