"""Alhambra for PettingZoo, version 0.

| | |
|---|---|
| import | `from alhambra_env import alhambra_v0` |
| agents | `player_0` to `player_5`, as many as play (2 to 6) |
| actions | `Discrete(1946)`, with masks |
| observations | `uint8`, flat or one array for each piece, and `action_mask` |
| parallel | no |

Version history: v0 is the first.
"""

from typing import Any

from .envs.aec import Guarded, raw_env

__all__ = ["env", "raw_env"]


def env(**settings: Any) -> Guarded:
    """Return the environment with all checks; the settings are those of `raw_env`."""
    return Guarded(**settings)
