"""Names under which Gymnasium and PettingZoo make the environments."""

from typing import Final

import gymnasium
import pettingzoo

ENV_ID: Final = "alhambra_env/Alhambra-v0"


def register_environments() -> None:
    """Register the environments; `import alhambra_env` does it."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="alhambra_env.envs.single:SingleEnv",
            vector_entry_point="alhambra_env.envs.vector:VectorSingleEnv",
            # The environment itself checks how it is used. Without wrappers around it, libraries
            # find `action_masks` where they look for it.
            disable_env_checker=True,
            order_enforce=False,
        )
    # PettingZoo has a registry since 1.27; before that, `alhambra_v0.env` is the only way.
    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is not None and ENV_ID not in registry:
        pettingzoo.register("aec", ENV_ID, entry_point="alhambra_env.alhambra_v0:env")
