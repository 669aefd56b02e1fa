"""Random games through the PettingZoo environments, for their tests."""

import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pettingzoo
import pytest

from alhambra_env import actions, alhambra_v0

ENV_ID: Final = "alhambra_env/Alhambra-v0"
NUMBERS_OF_PLAYERS: Final = range(2, 7)
REWARDS: Final = ("outcome", "score", "margin")
KINDS: Final = [actions.kind_of(action).name for action in range(actions.N_ACTIONS)]

Maker = Callable[..., Any]

both: Final = pytest.mark.parametrize("make", [alhambra_v0.env, alhambra_v0.raw_env])

needs_registry: Final = pytest.mark.skipif(
    not hasattr(pettingzoo, "aec_registry"), reason="PettingZoo has a registry since 1.27"
)


def is_done(env: Any) -> bool:
    """Is the agent whose step it is done?"""
    agent = env.agent_selection
    return bool(env.terminations[agent] or env.truncations[agent])


def choose(env: Any, chooser: random.Random) -> int | None:
    """Return a legal action, of a random kind, of the agent whose step it is."""
    if is_done(env):
        return None
    by_kind: dict[str, list[int]] = {}
    for action in np.flatnonzero(env.infos[env.agent_selection]["action_mask"]).tolist():
        by_kind.setdefault(KINDS[action], []).append(action)
    return chooser.choice(by_kind[chooser.choice(sorted(by_kind))])


def play_some(env: Any, steps: int, seed: int = 0) -> Any:
    """Play random actions, and return the environment."""
    chooser = random.Random(seed)
    for _ in range(steps):
        env.step(choose(env, chooser))
    return env


def started(make: Maker, seed: int = 0, steps: int = 0, **settings: Any) -> Any:
    """Return an environment in which so many random actions were played."""
    env = make(**settings)
    env.reset(seed=seed)
    return play_some(env, steps, seed)


def ended(make: Maker, seed: int = 0, **settings: Any) -> Any:
    """Return an environment in which a game was just finished, and no agent has left yet."""
    env = started(make, seed, **settings)
    chooser = random.Random(seed)
    while not is_done(env):
        env.step(choose(env, chooser))
    return env


def plain(value: Any) -> Any:
    """Return arrays, also inside dictionaries and tuples, as something that `==` compares."""
    match value:
        case np.ndarray():
            return value.dtype.str, value.shape, value.tobytes()
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case tuple() | list():
            return [plain(item) for item in value]
    return value


def picture(env: Any) -> dict[str, Any]:
    """Return all that an environment shows."""
    return {
        "agents": plain(env.agents),
        "agent_selection": env.agent_selection,
        "rewards": plain(env.rewards),
        "cumulative rewards": plain(env._cumulative_rewards),
        "terminations": plain(env.terminations),
        "truncations": plain(env.truncations),
        "infos": plain(env.infos),
        "observations": [plain(env.observe(agent)) for agent in env.possible_agents],
        "last": plain(env.last()) if env.agents else None,
        "num_agents": env.num_agents,
    }
