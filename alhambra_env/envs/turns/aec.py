"""The PettingZoo environment of whole turns: `raw_env`, and `CheckedEnv` with checks of its use."""

from typing import Any, ClassVar

import numpy as np

from ...options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_MASK_KEY,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_REWARD,
    RENDER_MODES,
    AnyEdition,
    GameRules,
    Hands,
    MaskPlace,
    ObservationForm,
    RenderMode,
    RewardName,
    hands_name,
)
from ...turns.choices import N_CHOICES
from ...turns.feature_groups import N_FEATURES
from ...turns.format import TurnFormat
from ...turns.listing import find_choices, table_features
from ..rendering import RENDER_FPS
from ..seats import Checked, Observation, SeatsEnv


class raw_env(SeatsEnv):  # noqa: N801  # the name that PettingZoo expects
    """Alhambra with whole turns as actions, without checks of how it is used.

    The agent on turn chooses among up to 16 turns, the best ones by the judgement of the bot
    `lookahead`. Its info has `action_mask`, and `actions`: which actions each choice stands for.
    Off turn, and in rows without a choice, the features of choices are zeros. The rest is as in
    `alhambra_v0.raw_env`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "alhambra_turns_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
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
    ) -> None:
        """Choose the settings; `reset` starts a game.

        Args:
            num_players: 2 to 6.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            hands: `"open"` if the other players' hands are known (E4), else `"secret"`.
            reward: `"outcome"`, `"score"` or `"margin"`, see `engine.rewards.REWARDS`.
            observation: `"flat"` for an array of choices and features; `"dict"` for `choices`, and
                `table` with the features that all choices have in common.
            mask: `"observation"` for a dictionary with the mask, `"info"` for the mask in the info
                only.
            observation_key: the key of a flat observation in that dictionary.
            mask_key: the key of the mask in it; in the info it is always `"action_mask"`.
            max_turns: after this many turns the game is scored and ends (E3).
            render_mode: `"ansi"` (`render` returns text), `"human"` (a window), `"rgb_array"` (a
                picture as pixels), `"svg"` (as SVG) or None. All hands are shown.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        rules = GameRules(num_players, edition, max_turns)
        self._hands = hands_name(hands)
        self._format = TurnFormat(
            observation=observation,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        super().__init__(rules, reward, render_mode, self._format.space(), N_CHOICES)

    def _choices_info(self) -> dict[str, Any]:
        self._choices = find_choices(self._game, self._hands)
        return {"action_mask": self._choices.mask, "actions": self._choices.actions}

    def _play(self, choice: int | None) -> None:
        for action in self._choices.actions_of(choice):
            self._game.step(action)

    def _show(self, seat: int, mask: np.ndarray) -> Observation:
        features = np.zeros((N_CHOICES, N_FEATURES), np.float32)
        if mask.any():
            features = self._choices.features.copy()
        return self._format.show(features, table_features(self._game, seat, self._hands), mask)


class CheckedEnv(Checked, raw_env):
    """`raw_env` with all checks of how it is used."""
