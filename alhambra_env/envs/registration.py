"""Names under which Gymnasium and PettingZoo make the environments."""

from typing import Final, NamedTuple

import gymnasium
import pettingzoo

ENV_ID: Final = "alhambra_env/Alhambra-v0"
TURNS_ENV_ID: Final = "alhambra_env/AlhambraTurns-v0"


class _Registered(NamedTuple):
    """Where an environment is: for Gymnasium (one game, many) and for PettingZoo."""

    single: str
    vector: str
    aec: str


_ENVIRONMENTS: Final = {
    ENV_ID: _Registered(
        "alhambra_env.envs.single:SingleEnv",
        "alhambra_env.envs.vector:VectorSingleEnv",
        "alhambra_env.alhambra_v0:env",
    ),
    TURNS_ENV_ID: _Registered(
        "alhambra_env.envs.turns.single:TurnsEnv",
        "alhambra_env.envs.turns.vector:VectorTurnsEnv",
        "alhambra_env.alhambra_turns_v0:env",
    ),
}


def register_environments() -> None:
    """Register the environments; `import alhambra_env` does it."""
    for name, found in _ENVIRONMENTS.items():
        _register(name, found)


def _register(name: str, found: _Registered) -> None:
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point=found.single,
            vector_entry_point=found.vector,
            # The environment itself checks how it is used. Without wrappers around it, libraries
            # find `action_masks` where they look for it.
            disable_env_checker=True,
            order_enforce=False,
        )
    # PettingZoo has a registry since 1.27; before that, `alhambra_v0.env` is the only way.
    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is not None and name not in registry:
        pettingzoo.register("aec", name, entry_point=found.aec)
