"""One learner who chooses whole turns, among opponents, as a `gymnasium.Env`.

gymnasium.make("alhambra_env/AlhambraTurns-v0", num_players=3, opponents=["random", "random"])
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_ILLEGAL,
    DEFAULT_MASK_KEY,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_REWARD,
    AnyEdition,
    GameRules,
    Hands,
    IllegalRule,
    MaskPlace,
    ObservationForm,
    RenderMode,
    RewardName,
    hands_name,
)
from ...players import Player, Policy, ask
from ...turns.choices import N_CHOICES
from ...turns.format import TurnFormat
from ...turns.listing import TurnChoices, find_choices, table_features
from ..learner import LearnerEnv
from ..opponents import Opponent
from .opponents import choose_turn_opponents


class TurnsEnv(LearnerEnv):
    """One learner who chooses among up to 16 turns; opponents play the other seats.

    A step plays all actions of the chosen turn, and all opponents up to the learner's next turn.
    The choices are the best turns by the judgement of the bot `lookahead`, best first. Each is
    described by its features (`turns.feature_groups`); rows without a choice are zeros. The info
    has `action_mask`, and `actions`: which actions each choice stands for. The rest is as in
    `SingleEnv`.
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
        mask: MaskPlace = "info",
        observation_key: str = DEFAULT_OBSERVATION_KEY,
        mask_key: str = DEFAULT_MASK_KEY,
        illegal: IllegalRule = DEFAULT_ILLEGAL,
        max_turns: int = DEFAULT_MAX_TURNS,
        render_mode: RenderMode | None = None,
    ) -> None:
        """Choose the settings, which are those of `SingleEnv`, except for:

        Args:
            num_players: 2 to 6.
            opponents: one for each other seat, clockwise from the learner, as in `SingleEnv`; a
                function gets observations like the learner's, and returns a choice.
            seat: the learner's seat, or `"random"` to draw one for each episode.
            skip_forced: play the learner's turn automatically where there is only one choice.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            hands: `"secret"` or `"open"` (E4).
            reward: `"outcome"`, `"score"` or `"margin"`.
            observation: `"flat"` for an array of choices and features; `"dict"` for `choices`, and
                `table` with the features that all choices have in common.
            mask: `"observation"` for a dictionary with the mask, `"info"` for the mask in the info
                only.
            observation_key: the key of a flat observation in that dictionary.
            mask_key: the key of the mask in it; in the info it is always `"action_mask"`.
            illegal: a choice that there is not raises `IllegalAction` (`"raise"`), ends the episode
                with a reward of -1 (`"end"`), or is replaced by a random one (`"random"`).
            max_turns: after this many turns the game is scored and ends (E3).
            render_mode: `"ansi"`, `"human"`, `"rgb_array"`, `"svg"` or None.

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
        super().__init__(
            rules,
            choose_turn_opponents(opponents, rules.num_players, self._format, self._hands),
            seat,
            skip_forced,
            reward,
            illegal,
            render_mode,
            N_CHOICES,
        )
        self.observation_space = self._format.space()
        self._found: tuple[bytes, TurnChoices] | None = None

    def _choices(self) -> TurnChoices:
        """Return the choices of the seat to play, found once for each position."""
        position = self.game.to_bytes()
        if self._found is None or self._found[0] != position:
            self._found = position, find_choices(self.game, self._hands)
        return self._found[1]

    def _mask(self) -> np.ndarray:
        return self._choices().mask.copy()

    def _play(self, choice: Any) -> float:
        return sum(self._step(action) for action in self._choices().actions_of(choice))

    def _play_forced(self) -> float:
        return self._play(0)

    def _ask(self, opponent: Policy | Player) -> int:
        assert isinstance(opponent, Player)  # also functions
        return ask(opponent, self.game)

    def _observe(self) -> Any:
        choices = self._choices()
        table = table_features(self.game, self.seat, self._hands)
        return self._format.show(choices.features.copy(), table, choices.mask.copy())

    def _info(self, *illegal: Any) -> dict[str, Any]:
        return super()._info(*illegal) | {"actions": self._choices().actions}
