"""The PettingZoo environment: `raw_env`, and `CheckedEnv`, which checks how it is used."""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from ..engine.action_ranges import N_ACTIONS
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_MASK_KEY,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_REWARD,
    DEFAULT_TYPE,
    RENDER_MODES,
    AnyEdition,
    GameRules,
    Hands,
    MaskPlace,
    ObservationForm,
    ObservationType,
    RenderMode,
    RewardName,
)
from .rendering import RENDER_FPS
from .seats import Checked, Observation, SeatsEnv


class raw_env(SeatsEnv):  # noqa: N801  # the name that PettingZoo expects
    """Alhambra as an AEC environment, without checks of how it is used.

    Agents are `player_0` to `player_5`, by seat. An observation is a dictionary: `observation`
    (flat form) or one entry for each piece (dict form), and `action_mask`, which is also in
    `infos`. Off turn the mask is all zeros. An illegal action raises `IllegalAction`. `mask`,
    `dtype` and the names of the keys are settings.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "alhambra_v0",
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
        pieces: Iterable[str] | None = None,
        dtype: ObservationType = DEFAULT_TYPE,
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
            hands: `"open"` if the other players' hands are observed (E4), else `"secret"`.
            reward: `"outcome"`, `"score"` or `"margin"`, see `engine.rewards.REWARDS`.
            observation: `"flat"` or `"dict"`.
            pieces: names of pieces, from `observation.PIECE_NAMES`; None for the default.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.
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
        self._layout = Layout(rules.num_players, hands, pieces, observation)
        self._format = ObservationFormat(
            self._layout,
            dtype=dtype,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        super().__init__(rules, reward, render_mode, self._format.space(), N_ACTIONS)

    def _choices_info(self) -> dict[str, Any]:
        return {"action_mask": self._game.action_mask()}

    def _play(self, choice: int | None) -> None:
        self._game.step(choice)  # type: ignore[arg-type]  # refuses None

    def _show(self, seat: int, mask: np.ndarray) -> Observation:
        return self._format.show(self._layout.observe(self._game.states, 0, seat), mask)


class CheckedEnv(Checked, raw_env):
    """`raw_env` with all checks of how it is used."""
