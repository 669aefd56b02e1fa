"""Games in the Gymnasium vector environment, for its tests."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

from alhambra_env import ENV_ID, GameBatch
from alhambra_env.envs.vector import VectorSingleEnv

Vector = VectorEnv[Any, Any, Any]


def make(num_envs: int = 4, **settings: Any) -> Vector:
    """Return an environment that resets games at once, unless settings say otherwise."""
    if "vectorization_mode" not in settings:
        settings = {"autoreset_mode": "same_step"} | settings
    return gymnasium.make_vec(ENV_ID, num_envs=num_envs, **settings)


def inside(env: Vector) -> VectorSingleEnv:
    """Return the environment within its wrappers."""
    assert isinstance(env.unwrapped, VectorSingleEnv)
    return env.unwrapped


# Views of the running games, to replay them.


def batch_of(env: Vector) -> GameBatch:
    """Return the batch with the records and seeds of the running games."""
    return inside(env).batch


def seats_of(env: Vector) -> np.ndarray:
    """Return the learner's seat in each game, `[env]`."""
    return inside(env).learners.seats


def words_of(env: Vector) -> np.ndarray:
    """Return the state of the random generator of each game's bots, `[env, 4]`."""
    return inside(env).learners.words


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


def peak_memory(action: Callable[[], object]) -> int:
    """Return the bytes that are in use at most while something is done, more than before."""
    action()  # so that nothing is compiled below
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
