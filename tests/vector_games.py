"""Games in the Gymnasium vector environment, for its tests."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

from alhambra_env import ENV_ID, GameBatch
from alhambra_env.envs.vector import VectorSingleEnv

Vector = VectorEnv[Any, Any, Any]


def make(num_envs: int = 4, **settings: Any) -> Vector:
    return gymnasium.make_vec(ENV_ID, num_envs=num_envs, **settings)


# The environment shows neither its games nor where its learners sit. To replay what it does, the
# tests look inside, here and nowhere else.
def inside(env: Vector) -> VectorSingleEnv:
    assert isinstance(env.unwrapped, VectorSingleEnv)
    return env.unwrapped


def batch_of(env: Vector) -> GameBatch:
    return inside(env)._batch


def seats_of(env: Vector) -> np.ndarray:
    return inside(env)._seats


def words_of(env: Vector) -> np.ndarray:
    return inside(env)._words


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a legal action for each learner, all equally likely."""
    chosen: np.ndarray = (rng.random(masks.shape) * masks).argmax(axis=1)
    return chosen


def flatten(observations: Any) -> np.ndarray:
    """Return observations of either form as one array for each learner."""
    if isinstance(observations, dict):
        rows = [piece.reshape(len(piece), -1) for piece in observations.values()]
        return np.concatenate(rows, axis=1)
    assert isinstance(observations, np.ndarray)
    return observations


def flatten_one(observation: Any) -> np.ndarray:
    if isinstance(observation, dict):
        return np.concatenate([piece.ravel() for piece in observation.values()])
    assert isinstance(observation, np.ndarray)
    return observation


def trace(env: Vector, seed: Any, steps: int = 60) -> list[bytes]:
    """Play some steps after a reset; return all that was seen."""
    rng = np.random.default_rng(9)
    observations, infos = env.reset(seed=seed)
    seen = [flatten(observations).tobytes()]
    for _ in range(steps):
        observations, *rest, infos = env.step(choose(infos["action_mask"], rng))
        seen += [flatten(observations).tobytes(), *(array.tobytes() for array in rest)]
        seen.append(infos["action_mask"].tobytes())
        if "final_info" in infos:
            seen.append(infos["final_info"]["scores"][infos["_final_info"]].tobytes())
    return seen
