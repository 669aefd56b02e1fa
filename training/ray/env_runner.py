"""The fast `EnvRunner` of RLlib: whole batches of games in compiled code.

RLlib's own runners step environments one by one and build Python objects for every step. This one
steps `SelfPlayEnv`, in which opponents play in compiled code, and returns a few large arrays.
"""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from typing import Any, Final

import numpy as np
import ray
import torch
from filelock import FileLock
from gymnasium import spaces
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_AGENT_ID, DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.utils.checkpoints import Checkpointable
from ray.rllib.utils.metrics import (
    EPISODE_LEN_MEAN,
    EPISODE_RETURN_MEAN,
    NUM_AGENT_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES,
    NUM_EPISODES_LIFETIME,
    NUM_MODULE_STEPS_SAMPLED,
    SAMPLE_TIMER,
    WEIGHTS_SEQ_NO,
)
from torch import Tensor

from alhambra_env.actions import N_ACTIONS
from alhambra_env.agents.policy import AgentPolicy
from alhambra_env.engine.cache import find_folder

from ..action_run import make_env
from ..frozen import FrozenPolicy
from ..networks import NO_CHOICE, ChoiceNetwork, list_choices
from ..run import use_threads
from ..vec_env import SelfPlayEnv
from .config import RayConfig
from .module import ChoiceModule
from .rollout import MASK_BITS, Rollout, advantages_of, pack_masks

RUN: Final = "run"
"""The key of a run's settings in `env_config`."""

SUMS: Final = ("won", "score", "margin", "length")
"""Results of ended games, which a runner adds up for each iteration as `sum of NAME`."""

_LOCKS: Final = "locks"
_LOCK: Final = "compile.lock"


def run_settings(config: AlgorithmConfig) -> RayConfig:
    """Return the settings of the run that a config of RLlib was made from."""
    return RayConfig.model_validate(config.env_config[RUN])


class SelfPlayRunner(EnvRunner, Checkpointable):
    """Plays `ppo.num_envs` games at a time: the learner against bots and frozen policies."""

    def __init__(self, *, config: AlgorithmConfig, **kwargs: Any) -> None:
        """Create the module; the games start with the first `sample`."""
        super().__init__(config=config, **kwargs)
        self.settings = run_settings(config)
        self._layout = self.settings.game.layout()
        is_remote = bool(self.worker_index)
        cluster = self.settings.cluster
        use_threads(cluster.cpus_per_runner if is_remote else self.settings.threads)
        self.module: ChoiceModule
        self.make_module()
        self._weights_seq_no = 0
        self._has_weights = False
        self._league: Sequence[AgentPolicy] = ()
        self._league_version = 0
        self._env: SelfPlayEnv | None = None
        self._observations = np.empty(0)
        if is_remote:
            compile_loops(self.settings)

    # --- what RLlib asks for ------------------------------------------------------------------

    def assert_healthy(self) -> None:
        """Raise `AssertionError` if the module is missing."""
        assert self.module is not None

    def make_module(self) -> None:
        """Create the module that chooses the learner's actions."""
        spec = self.config.get_rl_module_spec(spaces=self.get_spaces(), inference_only=True)
        self.module = spec.build()

    def get_spaces(self) -> dict[str, tuple[spaces.Space[Any], spaces.Space[Any]]]:
        """Return the spaces of observations and actions."""
        pair = (self._layout.box(), spaces.Discrete(N_ACTIONS))
        return {INPUT_ENV_SPACES: pair, INPUT_ENV_SINGLE_SPACES: pair, DEFAULT_MODULE_ID: pair}

    def get_metrics(self) -> Any:
        """Return what was logged since the last call."""
        return self.metrics.reduce()

    def get_state(
        self,
        components: str | Collection[str] | None = None,
        *,
        not_components: str | Collection[str] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Return the weights and counters; a restarted runner gets them from the driver."""
        state: dict[str, Any] = {
            NUM_ENV_STEPS_SAMPLED_LIFETIME: self.num_env_steps_sampled_lifetime
        }
        if self._check_component(COMPONENT_RL_MODULE, components, not_components):
            state[COMPONENT_RL_MODULE] = self.module.get_state(**kwargs)
            state[WEIGHTS_SEQ_NO] = self._weights_seq_no
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over weights and counters."""
        if COMPONENT_RL_MODULE in state:
            weights = state[COMPONENT_RL_MODULE]
            if isinstance(weights, ray.ObjectRef):
                weights = ray.get(weights)
            self.module.set_state(weights.get(DEFAULT_MODULE_ID, weights))
            self._weights_seq_no = int(state.get(WEIGHTS_SEQ_NO, 0))
            self._has_weights = True
        if NUM_ENV_STEPS_SAMPLED_LIFETIME in state:
            self.num_env_steps_sampled_lifetime = state[NUM_ENV_STEPS_SAMPLED_LIFETIME]

    def get_ctor_args_and_kwargs(self) -> tuple[tuple[()], dict[str, Any]]:
        """Return the arguments that create this runner again."""
        return (), {"config": self.config}

    def get_checkpointable_components(self) -> list[tuple[str, Checkpointable]]:
        """Return none: the learners' checkpoint has the weights."""
        return []

    # --- playing ------------------------------------------------------------------------------

    def set_league(self, version: int, active: ray.ObjectRef) -> None:
        """Take over the frozen opponents, unless this version is here already.

        Args:
            version: changes with each snapshot.
            active: where the weights of the active snapshots are in Ray's object store.
        """
        if version == self._league_version:
            return
        self._league = [AgentPolicy(self._layout, weights) for weights in ray.get(active)]
        self._league_version = version
        if self._env is not None:
            self._env.set_policies(self._league)

    @property
    def league(self) -> tuple[int, int]:
        """The version of the league that this runner has, and the number of its policies."""
        return self._league_version, len(self._league)

    def sample(self, *, explore: bool | None = None, **_: Any) -> list[Rollout]:
        """Play `ppo.rollout` decisions in each game, and return them as one rollout.

        Raises:
            RuntimeError: this runner was restarted and has no weights yet. RLlib then restarts it
                and sends them.
        """
        if not self._has_weights:
            raise RuntimeError("this runner was restarted and has no weights yet")
        if self._env is None:
            self._start_games()
        with self.metrics.log_time(SAMPLE_TIMER):
            rollout = self._play(is_exploring=self.config.explore if explore is None else explore)
        self._count(len(rollout))
        return [rollout]

    def _start_games(self) -> None:
        # The number of updates so far is a part of the seed. Otherwise a restarted runner, or one
        # of a resumed run, would play the same games again.
        words = (self.settings.seed, self.worker_index or 0, self._weights_seq_no)
        seeds = np.random.SeedSequence(words).generate_state(2)
        torch.manual_seed(int(seeds[0]))
        self._env = make_env(self.settings, int(seeds[1]))
        self._env.set_policies(self._league)
        self._observations = self._env.reset()

    def _play(self, is_exploring: bool) -> Rollout:
        env, ppo = self._env, self.settings.ppo
        assert env is not None
        shape = (ppo.rollout, env.num_envs)
        observations = np.empty((*shape, self._layout.size), np.uint8)
        masks = np.empty((*shape, (N_ACTIONS + 7) // 8), np.uint8)
        actions = np.empty(shape, np.int64)
        log_prob, rewards, ends = (np.empty(shape, np.float32) for _ in range(3))
        values = np.empty((ppo.rollout + 1, env.num_envs), np.float32)
        log_probs: list[np.ndarray] = []
        decide = self.module.forward_exploration if is_exploring else self.module.forward_inference
        for step in range(ppo.rollout):
            observations[step] = self._observations
            masks[step] = pack_masks(env.action_masks())
            made = decide(_batch(observations[step], masks[step]))
            actions[step] = made[Columns.ACTIONS].numpy()
            log_prob[step] = made[Columns.ACTION_LOGP].numpy()
            values[step] = made[Columns.VF_PREDS].numpy()
            log_probs.append(made[Columns.ACTION_DIST_INPUTS].numpy())
            played = env.step(made[Columns.ACTIONS_FOR_ENV])
            seen, rewards[step], ends[step], infos = played
            self._observations = np.asarray(seen)
            self._note_ends([info for info in infos if info])
        with torch.no_grad():
            last = _batch(self._observations, masks[0])
            values[-1] = self.module.compute_values(last).numpy()
        advantages, targets = advantages_of(values, rewards, ends, ppo.gamma, ppo.gae_lambda)
        columns: dict[str, np.ndarray] = {
            Columns.OBS: observations,
            MASK_BITS: masks,
            Columns.ACTIONS: actions,
            Columns.ACTION_LOGP: log_prob,
            Postprocessing.ADVANTAGES: advantages,
            Postprocessing.VALUE_TARGETS: targets,
        }
        rows = ppo.rollout * env.num_envs
        flat = {name: array.reshape(rows, *array.shape[2:]) for name, array in columns.items()}
        return Rollout({**flat, Columns.ACTION_DIST_INPUTS: _stacked(log_probs)})

    # --- counting -----------------------------------------------------------------------------

    def _note_ends(self, infos: Sequence[dict[str, Any]]) -> None:
        """Log the results of games that ended."""
        for info in infos:
            result = {**info, "length": info["episode"]["l"]}
            for name in SUMS:
                self.metrics.log_value(f"sum of {name}", result[name], reduce="sum")
            self.metrics.log_value(EPISODE_RETURN_MEAN, info["episode"]["r"], window=100)
            self.metrics.log_value(EPISODE_LEN_MEAN, info["episode"]["l"], window=100)
        self.metrics.log_value(NUM_EPISODES, len(infos), reduce="sum")
        self.metrics.log_value(NUM_EPISODES_LIFETIME, len(infos), reduce="lifetime_sum")

    def _count(self, steps: int) -> None:
        """Log the decisions of a rollout, by the names that RLlib's algorithms read."""
        log = self.metrics.log_value
        log(NUM_ENV_STEPS_SAMPLED, steps, reduce="sum")
        log((NUM_AGENT_STEPS_SAMPLED, DEFAULT_AGENT_ID), steps, reduce="sum")
        log((NUM_MODULE_STEPS_SAMPLED, DEFAULT_MODULE_ID), steps, reduce="sum")
        log(NUM_ENV_STEPS_SAMPLED_LIFETIME, steps, reduce="lifetime_sum", with_throughput=True)
        self.num_env_steps_sampled_lifetime += steps


def _batch(observations: np.ndarray, masks: np.ndarray) -> dict[str, Tensor]:
    return {Columns.OBS: torch.from_numpy(observations), MASK_BITS: torch.from_numpy(masks)}


def _stacked(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return log-probabilities of all steps as one array, with padding."""
    width = max(part.shape[1] for part in parts)
    rows = len(parts[0])
    stacked = np.full((len(parts) * rows, width), NO_CHOICE, np.float32)
    for step, part in enumerate(parts):
        stacked[step * rows : (step + 1) * rows, : part.shape[1]] = part
    return stacked


def compile_loops(settings: RayConfig) -> None:
    """Compile everything that a runner and a learner need, or load it from the compile cache.

    One process of a machine at a time: the others would all compile the same.
    """
    folder = find_folder(_LOCKS)
    with FileLock(folder / _LOCK) if folder else nullcontext():
        few = settings.model_copy(
            update={"ppo": settings.ppo.model_copy(update={"num_envs": 2, "rollout": 2})}
        )
        env = make_env(few, seed=0)
        spec = few.network.model_dump()
        policy = FrozenPolicy(ChoiceNetwork(env.layout, **spec))
        env.set_policies([policy])
        rng = np.random.default_rng(0)
        observations = env.reset()
        for _ in range(2):
            list_choices(observations, env.action_masks(), env.layout)
            actions = policy.choose(observations, env.action_masks(), rng)
            observations = np.asarray(env.step(actions)[0])
        policy.choose(observations[:1], env.action_masks()[:1], rng)
