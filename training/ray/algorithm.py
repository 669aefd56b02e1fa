"""PPO of RLlib with a league, and its config from the settings of a run."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME

from alhambra_env.actions import N_ACTIONS
from alhambra_env.agents.network import Weights

from ..networks import ChoiceNetwork, load_weights
from .config import RayConfig
from .env_runner import RUN, SelfPlayRunner, compile_loops, run_settings
from .league import League
from .module import NETWORK, module_spec
from .rollout import RolloutsToBatch

LEAGUE: Final = "league"
"""The key of the league in the state of the algorithm."""


class LeaguePPO(PPO):
    """PPO whose opponents are bots and frozen snapshots of the learner.

    Learners, fault tolerance, checkpoints and Tune are those of RLlib. `league_config` makes its
    config.
    """

    @classmethod
    def get_default_config(cls) -> PPOConfig:
        """Return the config of a run with default settings."""
        return league_config(RayConfig())

    def setup(self, config: Any) -> None:
        """Compile for this machine, then start runners and learners; RLlib calls this."""
        self.settings = run_settings(self.config)
        compile_loops(self.settings)
        self.league = League(self.settings)
        super().setup(config)

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        key = (ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME)
        return int(self.metrics.peek(key, default=0))

    def weights(self) -> Weights:
        """Return the learner's present weights, by their names in `ChoiceNetwork`."""
        state = self.learner_group.get_weights()[DEFAULT_MODULE_ID]
        return {name.removeprefix(NETWORK): np.array(value) for name, value in state.items()}

    def set_weights_of(self, weights: Weights) -> None:
        """Replace the weights of learners and runners."""
        named = {NETWORK + name: value for name, value in weights.items()}
        self.learner_group.set_weights({DEFAULT_MODULE_ID: named})
        self.env_runner_group.sync_weights(
            from_worker_or_learner_group=self.learner_group, inference_only=True
        )

    def network(self) -> ChoiceNetwork:
        """Return a copy of the learner's network."""
        settings = self.settings
        network = ChoiceNetwork(settings.game.layout(), **settings.network.model_dump())
        load_weights(network, self.weights())
        return network

    def training_step(self) -> None:
        """Collect a batch from all runners and learn from it; then add a snapshot if it is due."""
        before = self.steps
        if not self.league.version:
            self.league.add(self.weights())
        self.league.share(self.env_runner_group)
        super().training_step()
        every = self.settings.pool.every
        if self.steps // every > before // every:
            self.league.add(self.weights())

    def cleanup(self) -> None:
        """Stop runners and learners; RLlib calls this."""
        super().cleanup()
        with suppress(
            OSError
        ):  # RLlib makes an empty folder in the user's home for every algorithm
            Path(self.logdir).rmdir()

    # --- saving -------------------------------------------------------------------------------

    def get_state(
        self,
        components: str | Collection[str] | None = None,
        *,
        not_components: str | Collection[str] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Return what RLlib saves, and the league."""
        state: dict[str, Any] = super().get_state(
            components, not_components=not_components, **kwargs
        )
        if self._check_component(LEAGUE, components, not_components):
            state[LEAGUE] = self.league.save()
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` returned."""
        super().set_state(state)
        if LEAGUE in state:
            self.league.load(state[LEAGUE])
        steps = self.steps

        def set_entropy(learner: Any) -> None:
            learner.entropy_coeff_schedulers_per_module[DEFAULT_MODULE_ID].update(timestep=steps)

        # RLlib would use the first value of the schedule until the end of the next update.
        self.learner_group.foreach_learner(set_entropy)


def league_config(settings: RayConfig) -> PPOConfig:
    """Return RLlib's config for a run: build it, or give it to Tune as `param_space`."""
    ppo, cluster = settings.ppo, settings.cluster
    config = PPOConfig(algo_class=LeaguePPO)
    config.environment(
        env=None,
        env_config={RUN: settings.model_dump(mode="json")},
        observation_space=settings.game.layout().box(),
        action_space=spaces.Discrete(N_ACTIONS),
    )
    config.env_runners(
        env_runner_cls=SelfPlayRunner,
        num_env_runners=cluster.runners,
        num_envs_per_env_runner=ppo.num_envs,
        num_cpus_per_env_runner=cluster.cpus_per_runner,
        rollout_fragment_length=ppo.rollout,
        sample_timeout_s=None,  # slow opponents take long; a runner that is lost is an error
        merge_env_runner_states=False,  # there are no connectors with states
    )
    config.learners(
        num_learners=cluster.learners,
        num_cpus_per_learner=cluster.cpus_per_learner,
        num_gpus_per_learner=0,  # the features of the network are computed on the CPU
        learner_connector=make_connector,
        add_default_connectors_to_learner_pipeline=False,
    )
    config.training(
        train_batch_size_per_learner=settings.batch // max(cluster.learners, 1),
        minibatch_size=ppo.batch_size,
        num_epochs=ppo.epochs,
        lr=schedule(ppo.learning_rate, ppo.learning_rate_end, ppo.steps),
        entropy_coeff=schedule(ppo.entropy, ppo.entropy_end, ppo.steps),
        gamma=ppo.gamma,
        lambda_=ppo.gae_lambda,
        clip_param=ppo.clip_range,
        vf_loss_coeff=ppo.value_weight,
        vf_clip_param=float("inf"),
        grad_clip=ppo.max_grad_norm,
        grad_clip_by="global_norm",
        use_kl_loss=ppo.target_kl is not None,
        kl_target=ppo.target_kl or 0.0,
    )
    config.rl_module(rl_module_spec=module_spec(settings))
    config.fault_tolerance(
        restart_failed_env_runners=True,
        delay_between_env_runner_restarts_s=0.0,
        env_runner_health_probe_timeout_s=cluster.probe_seconds,
    )
    config.debugging(seed=settings.seed, log_level="ERROR")
    return config


def make_connector(*_: Any) -> RolloutsToBatch:
    """Return the learner connector; RLlib calls this with the spaces."""
    return RolloutsToBatch()


def schedule(start: float, end: float, steps: int) -> float | list[list[float]]:
    """Return a linear schedule of RLlib over the decisions of a run."""
    return [[0, start], [max(steps, 1), end]]
