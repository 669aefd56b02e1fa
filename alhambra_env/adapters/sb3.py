"""Stable-Baselines3: many games in compiled code as one `VecEnv`.

>>> env = vec_env(num_envs=64, opponents=["builder", "random"])  # doctest: +SKIP
>>> MaskablePPO("MlpPolicy", env).learn(100_000)  # doctest: +SKIP
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from ..envs.opponents import Opponent
from ..envs.vector import VectorSingleEnv
from ..extras import extras_explained

with extras_explained():
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn


def vec_env(
    num_envs: int, opponents: Sequence[Opponent] | None = None, **settings: Any
) -> "OpponentsVecEnv":
    """Return a `VecEnv` of games with one learner against opponents.

    Args:
        num_envs: how many games.
        opponents: as in `SingleEnv`; None: random bots.
        settings: the others of `gymnasium.make("alhambra_env/Alhambra-v0", ...)`.

    Raises:
        ValueError: for a setting that is not allowed; the message lists what is.
    """
    games = VectorSingleEnv(
        num_envs, opponents=opponents, autoreset_mode="same_step", copy=False, **settings
    )
    return OpponentsVecEnv(games)


class CompiledVecEnv(VecEnv):
    """What a `VecEnv` has besides `reset` and `step`, for games that are one object.

    An attribute or method is that of the whole, since there is no object for each game.
    """

    render_mode = None

    @abstractmethod
    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions: `[env, action]`."""

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> Any:
        """Call a method; `action_masks` gives one array for all games."""
        return getattr(self, method_name)(*args, **kwargs)

    def has_attr(self, attr_name: str) -> bool:
        """Is there such an attribute?"""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, which is the same for all games."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute for all games."""
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """Return False: the games have no wrappers."""
        return [False] * len(list(self._get_indices(indices)))

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class OpponentsVecEnv(CompiledVecEnv):
    """A `VectorSingleEnv` that resets games in the same step, as a `VecEnv`.

    The info of a game that ended has `terminal_observation`, `episode` (return and length), and
    `scores`, `winners`, `seat` and `margin`.
    """

    def __init__(self, games: VectorSingleEnv) -> None:
        """Wrap the games; `vec_env` makes them."""
        self.games = games
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._begin_time = time.time()

    def reset(self) -> Any:
        """Reset all games, and return the learners' observations."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, _ = self.games.reset(seed=seeds)
        self._reset_seeds()
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return _copied(observations)

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions of the learners."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions, then the opponents' up to the learners' next decisions."""
        observations, rewards, dones, _, batch_infos = self.games.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(dones).tolist():
            infos[game] = self._final_info(game, batch_infos)
        self._returns[dones] = 0
        self._lengths[dones] = 0
        return _copied(observations), rewards.astype(np.float32), dones, infos

    def _final_info(self, game: int, infos: dict[str, Any]) -> dict[str, Any]:
        final = infos["final_info"]
        values = {
            name: value[game]
            for name, value in final.items()
            if not name.startswith("_") and final[f"_{name}"][game]
        }
        return values | {
            "terminal_observation": infos["final_obs"][game],
            # The turn limit gives the outcome reward, too, so there is nothing to bootstrap.
            "TimeLimit.truncated": False,
            "episode": {
                "r": float(self._returns[game]),
                "l": int(self._lengths[game]),
                "t": time.time() - self._begin_time,
            },
        }

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions: bool `[env, action]`."""
        return self.games.action_masks()


def _copied(observations: Any) -> Any:
    """Return a copy: Stable-Baselines3 keeps observations, and the games overwrite theirs."""
    if isinstance(observations, dict):
        return {name: array.copy() for name, array in observations.items()}
    return observations.copy()
