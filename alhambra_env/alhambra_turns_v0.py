"""Alhambra for PettingZoo with whole turns as actions, version 0.

| | |
|---|---|
| import | `from alhambra_env import alhambra_turns_v0` |
| agents | `player_0` to `player_5`, as many as play (2 to 6) |
| actions | `Discrete(16)`, with masks: the best turns by the judgement of the bot `lookahead` |
| observations | `float32`, the features of each choice, and `action_mask` |
| parallel | no |

Version history: v0 is the first.
"""

from .envs.turns.aec import CheckedEnv, raw_env
from .options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_MASK_KEY,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_REWARD,
    AnyEdition,
    Hands,
    MaskPlace,
    ObservationForm,
    RenderMode,
    RewardName,
)

__all__ = ["env", "raw_env"]


def env(
    *,
    num_players: int = DEFAULT_NUM_PLAYERS,
    edition: AnyEdition = DEFAULT_EDITION,
    hands: Hands = DEFAULT_HANDS,
    reward: RewardName = DEFAULT_REWARD,
    observation: ObservationForm = DEFAULT_FORM,
    mask: MaskPlace = "observation",
    observation_key: str = DEFAULT_OBSERVATION_KEY,
    mask_key: str = DEFAULT_MASK_KEY,
    max_turns: int = DEFAULT_MAX_TURNS,
    render_mode: RenderMode | None = None,
) -> CheckedEnv:
    """Return the environment with all checks of how it is used; `raw_env` explains the settings."""
    return CheckedEnv(
        num_players=num_players,
        edition=edition,
        hands=hands,
        reward=reward,
        observation=observation,
        mask=mask,
        observation_key=observation_key,
        mask_key=mask_key,
        max_turns=max_turns,
        render_mode=render_mode,
    )
