"""The plain way: PettingZoo's environment in RLlib, with RLlib's own runners and masking module.

It needs nothing of this package but the environment. `docs/ray.md` compares its speed with that of
`training.ray.train`.
"""

from typing import Any, Final

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from alhambra_env import alhambra_v0

NAME: Final = "alhambra"
"""The name under which the environment is registered."""

POLICY: Final = "learner"
"""The policy of all seats."""


def plain_config(**settings: Any) -> PPOConfig:
    """Return RLlib's default PPO for a game in which one policy plays and learns all seats.

    Args:
        settings: of `alhambra_v0.env`, such as `num_players=3`.
    """

    def make(_: Any) -> PettingZooEnv:
        return PettingZooEnv(
            alhambra_v0.env(
                mask="observation", observation_key="observations", dtype="float32", **settings
            )
        )

    register_env(NAME, make)
    return (
        PPOConfig()
        # RLlib's check of an environment plays actions without looking at the mask.
        .environment(NAME, disable_env_checking=True)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda *_, **__: POLICY)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    )
