"""Speed of training: rollout collection and updates, measured separately.

    python -m benchmarks.training

The ceiling is the speed of Stable-Baselines3 with the same policy on an empty environment, which
replays recorded observations and masks.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from training.buffer import ByteBuffer
from training.frozen import FrozenPolicy
from training.networks import ChoicePolicy
from training.run import use_threads
from training.vec_env import SelfPlayEnv

BAR: Final = 0.7
"""The target speed of rollout collection, relative to the ceiling."""

NUM_ENVS: Final = 128
ROLLOUT: Final = 64
BATCH_SIZE: Final = 1024
WIDTHS: Final = {"table_width": 128, "choice_width": 64}
REPEATS: Final = 5
SHOWN: Final = 200
"""Steps that are recorded for the empty environment."""


class EmptyEnv(SelfPlayEnv):
    """Replays recorded observations and masks, without a game."""

    def __init__(self, recorded: SelfPlayEnv) -> None:
        """Record some steps of an environment with random actions."""
        super().__init__(NUM_ENVS, recorded.batch.num_players)
        rng = np.random.default_rng(0)
        self._shown: list[tuple[np.ndarray, np.ndarray]] = []
        seen: Any = recorded.reset()
        for _ in range(SHOWN):
            masks = recorded.action_masks().copy()
            self._shown.append((seen, masks))
            actions = (masks * rng.random(masks.shape)).argmax(axis=1)
            recorded.step_async(actions)
            seen = recorded.step_wait()[0]
        self._now = 0
        self._nothing = np.zeros(NUM_ENVS, np.float32)
        self._never = np.zeros(NUM_ENVS, np.bool_)
        self._no_infos: list[dict[str, Any]] = [{} for _ in range(NUM_ENVS)]

    def reset(self) -> np.ndarray:
        """Return the first recorded observations."""
        return self._shown[self._now][0]

    def step_async(self, actions: np.ndarray) -> None:
        """Ignore the actions."""

    def step_wait(self) -> VecEnvStepReturn:
        """Return the next recorded step."""
        self._now = (self._now + 1) % SHOWN
        return self._shown[self._now][0], self._nothing, self._never, self._no_infos

    def action_masks(self) -> np.ndarray:
        """Return the masks of the present step."""
        return self._shown[self._now][1]


def make_model(env: VecEnv, policy: Any = ChoicePolicy, **settings: Any) -> MaskablePPO:
    """Return a learner as `training.run` makes it, or with another policy."""
    return MaskablePPO(
        policy,
        env,
        n_steps=ROLLOUT,
        batch_size=BATCH_SIZE,
        n_epochs=1,
        seed=0,
        device="cpu",
        **settings,
    )


def make_choosing_model(env: SelfPlayEnv) -> MaskablePPO:
    """Return a learner with the network of this project."""
    settings = {"layout": env.layout, **WIDTHS}
    return make_model(env, rollout_buffer_class=ByteBuffer, policy_kwargs=settings)


def collector(model: MaskablePPO, rollout: int = ROLLOUT) -> Callable[[], None]:
    """Return a function that collects a rollout."""
    callback: BaseCallback = model._setup_learn(1, None)[1]
    env = model.get_env()
    assert env is not None

    def collect() -> None:
        model.collect_rollouts(env, callback, model.rollout_buffer, rollout)

    return collect


def rates(
    runs: dict[str, Callable[[], Any]],
    counts: dict[str, int],
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return decisions per second of each, the best of some rounds in which all take turns.

    `counts` says how many decisions each makes.
    """
    best = dict.fromkeys(runs, float("inf"))
    for repeat in range(REPEATS + 1):  # the first is for warming up
        for name, run in runs.items():
            begin = clock()
            run()
            if repeat:
                best[name] = min(best[name], clock() - begin)
    return {name: counts[name] / seconds for name, seconds in best.items()}


def measure(num_players: int) -> dict[str, float]:
    """Return decisions per second by name."""
    bots = SelfPlayEnv(NUM_ENVS, num_players, {"random": 1.0, "builder": 1.0}, seed=0)
    pool = SelfPlayEnv(NUM_ENVS, num_players, {"pool": 0.7, "builder": 0.3}, seed=0)
    empty = EmptyEnv(SelfPlayEnv(NUM_ENVS, num_players, {"random": 1.0, "builder": 1.0}, seed=0))
    model, pool_model = make_choosing_model(bots), make_choosing_model(pool)
    assert isinstance(pool_model.policy, ChoicePolicy)
    pool.set_policies([FrozenPolicy(pool_model.policy.network) for _ in range(2)])
    plain = make_model(empty, "MlpPolicy")
    collecting = {
        "collecting, the ceiling: an empty environment": collector(make_choosing_model(empty)),
        "collecting among bots": collector(model),
        "collecting, opponents 70% frozen policies": collector(pool_model),
        "collecting with MlpPolicy, empty environment": collector(plain),
    }
    learning = {
        "update, one epoch": model.train,
        "update with MlpPolicy, one epoch": plain.train,
    }
    counts = dict.fromkeys({**collecting, **learning}, NUM_ENVS * ROLLOUT)
    return rates(collecting, counts) | rates(learning, counts)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    use_threads(given.threads)
    measured = measure(given.players)
    ceiling, *_ = measured.values()
    print(
        f"{given.players} players, {NUM_ENVS} games, {given.threads} threads; decisions per second:"
    )
    for name, rate in measured.items():
        part = f"  {rate / ceiling:.2f} of the ceiling" if name.startswith("collecting") else ""
        print(f"  {name:48}{rate:9,.0f}{part}")
    reached = measured["collecting among bots"] / ceiling
    print(f"The target is {BAR}: {'reached' if reached >= BAR else 'NOT reached'}")


if __name__ == "__main__":
    main()
