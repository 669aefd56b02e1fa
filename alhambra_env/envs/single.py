"""One learner among bots, as a `gymnasium.Env`.

gymnasium.make("alhambra_env/Alhambra-v0", num_players=3, opponents=["random", "random"])
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..engine.action_ranges import N_ACTIONS
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_ILLEGAL,
    DEFAULT_MASK_KEY,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_REWARD,
    DEFAULT_TYPE,
    AnyEdition,
    GameRules,
    Hands,
    IllegalRule,
    MaskPlace,
    ObservationForm,
    ObservationType,
    RenderMode,
    RewardName,
)
from ..players import Player, Policy
from .learner import LearnerEnv
from .opponents import Opponent, ask_opponent, choose_opponents


class SingleEnv(LearnerEnv):
    """One learner; the other seats are played by opponents: bots, agents or functions.

    A step plays the learner's action and all opponents up to its next decision. The reward is the
    sum of what the learner's seat earned meanwhile. The legal actions are in `info["action_mask"]`
    and `action_masks()`. An illegal action raises `IllegalAction` and changes nothing, unless
    `illegal` says otherwise. At the end the info has `scores`, `winners`, `seat` and `margin`.

    After an error of an opponent the environment must be reset.
    """

    def __init__(
        self,
        *,
        num_players: int = DEFAULT_NUM_PLAYERS,
        opponents: Sequence[Opponent] | None = None,
        seat: int | str = 0,
        skip_forced: bool = True,
        edition: AnyEdition = DEFAULT_EDITION,
        hands: Hands = DEFAULT_HANDS,
        reward: RewardName = DEFAULT_REWARD,
        observation: ObservationForm = DEFAULT_FORM,
        pieces: Iterable[str] | None = None,
        dtype: ObservationType = DEFAULT_TYPE,
        mask: MaskPlace = "info",
        observation_key: str = DEFAULT_OBSERVATION_KEY,
        mask_key: str = DEFAULT_MASK_KEY,
        illegal: IllegalRule = DEFAULT_ILLEGAL,
        max_turns: int = DEFAULT_MAX_TURNS,
        render_mode: RenderMode | None = None,
    ) -> None:
        """Choose the settings.

        Args:
            num_players: 2 to 6.
            opponents: one for each other seat, clockwise from the learner: the name of a bot or a
                shipped agent, a checkpoint (`"ppo:PATH"`), an import path, a function
                `(observation, mask) -> action`, or a player (see `players`). None: random bots.
            seat: the learner's seat, or `"random"` to draw one for each episode.
            skip_forced: play the learner's action automatically where only one is legal.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            hands: `"secret"` or `"open"` (E4).
            reward: `"outcome"`, `"score"` or `"margin"`.
            observation: `"flat"` or `"dict"`.
            pieces: names of observation pieces; None for the default.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.
            mask: `"observation"` for a dictionary with the mask, `"info"` for the mask in the info
                only.
            observation_key: the key of a flat observation in that dictionary.
            mask_key: the key of the mask in it; in the info it is always `"action_mask"`.
            illegal: an illegal action raises `IllegalAction` (`"raise"`), ends the episode with a
                reward of -1 (`"end"`), or is replaced by a random legal one (`"random"`).
            max_turns: after this many turns the game is scored and ends (E3).
            render_mode: `"ansi"`, `"human"`, `"rgb_array"`, `"svg"` or None.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        rules = GameRules(num_players, edition, max_turns)
        super().__init__(
            rules,
            choose_opponents(opponents, rules.num_players),
            seat,
            skip_forced,
            reward,
            illegal,
            render_mode,
            N_ACTIONS,
        )
        self._format = ObservationFormat(
            Layout(rules.num_players, hands, pieces, observation),
            dtype=dtype,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        self.observation_space = self._format.space()

    def _mask(self) -> np.ndarray:
        return self.game.action_mask()

    def _play(self, choice: Any) -> float:
        return self._step(choice)

    def _play_forced(self) -> float:
        return self._step(self.game.legal_actions()[0])

    def _ask(self, opponent: Policy | Player) -> int:
        return ask_opponent(opponent, self.game, self._format)

    def _observe(self) -> Any:
        buffer = self._format.layout.observe(self.game.states, 0, self.seat)
        return self._format.show(buffer, self.game.action_mask())
