"""Many learners who choose whole turns, as a `gymnasium.vector.VectorEnv` in compiled code.

gymnasium.make_vec("alhambra_env/AlhambraTurns-v0", num_envs=64, opponents=["random", "random"])
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ...bots.best_turns import MOST_STEPS
from ...engine.rewards import MARGIN, OUTCOME, SCORE
from ...game import Game
from ...loops.learners import AT_LEARNER
from ...loops.turn_games import (
    TurnGames,
    TurnOptions,
    play_choices,
    play_external,
    start_turn_games,
)
from ...options import (
    DEFAULT_AUTORESET,
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
    AutoresetName,
    GameRules,
    Hands,
    IllegalRule,
    MaskPlace,
    ObservationForm,
    RewardName,
    hands_name,
    reward_number,
)
from ...players import Player, Policy, ask
from ...turns.choices import N_CHOICES
from ...turns.feature_groups import N_FEATURES, N_TABLE_FEATURES
from ...turns.format import TurnFormat
from ...turns.listing import no_choice, scope_of
from ...turns.table_features import write_tables
from ...validation import whole_number
from ..opponents import Opponent
from ..vector_learner import VectorLearnerEnv
from .opponents import choose_turn_opponents


class VectorTurnsEnv(VectorLearnerEnv):
    """Many `TurnsEnv`s, stepped together in compiled code.

    Masks are in `infos["action_mask"]` and `action_masks()`. `infos["actions"]` says which actions
    the choices stand for: `int16 [env, choice, step]`, filled up with -1. The rest is as in
    `VectorSingleEnv`.
    """

    def __init__(
        self,
        num_envs: int = 1,
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
        autoreset_mode: AutoresetName | AutoresetMode = DEFAULT_AUTORESET,
        copy: bool = True,
    ) -> None:
        """Choose the settings, which are those of `TurnsEnv` and `VectorSingleEnv`.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        games = whole_number(num_envs, "num_envs", 1)
        rules = GameRules(num_players, edition, max_turns)
        known = hands_name(hands)
        self._format = TurnFormat(
            observation=observation,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        super().__init__(
            games,
            rules,
            known,
            [],
            choose_turn_opponents(opponents, rules.num_players, self._format, known),
            seat,
            illegal,
            autoreset_mode,
            copy,
            self._format.space(),
            N_CHOICES,
        )
        kind = reward_number(reward)
        self._options = TurnOptions(
            *scope_of(known),
            outcome=float(kind == OUTCOME),
            score=float(kind == SCORE),
            margin=float(kind == MARGIN),
            skips_forced=bool(skip_forced),
        )
        learners = self.learners
        made = TurnGames.make(games, rules.num_players, learners.bots, learners.bot_settings)
        self._games = made._replace(  # the same arrays
            occupants=learners.occupants, words=learners.words, waits_for=learners.waits_for
        )
        self._tables = np.zeros((games, N_TABLE_FEATURES), np.float32)

    @property
    def _masks(self) -> np.ndarray:
        masks: np.ndarray = (self._games.lengths > 0).astype(np.int8)
        masks[self.learners.waits_for != AT_LEARNER] = 0
        return masks

    def _start_loop(self, where: np.ndarray) -> None:
        rules = self._rules.numbers
        start_turn_games(where, rules, self.batch.arrays, self._games, self._options)
        self._note_earned()

    def _play(self, where: np.ndarray, choices: np.ndarray) -> None:
        self._games.earned[:] = 0
        play_choices(where, choices, self.batch.arrays, self._games, self._options)
        self._note_earned()

    def _play_opponents(self, where: np.ndarray, actions: np.ndarray) -> None:
        play_external(where, actions, self.batch.arrays, self._games, self._options)
        self._note_earned()

    def _note_earned(self) -> None:
        seats = self.learners.seats
        self.learners.earned[:] = self._games.earned[np.arange(self.num_envs), seats]

    def _ask(self, opponent: Policy | Player, game: Game) -> int:
        assert isinstance(opponent, Player)  # also functions
        return ask(opponent, game)

    def _why_illegal(self, game: int, choice: int) -> str:
        return f"game {game}: {choice} {no_choice(int(self._masks[game].sum()))}"

    def _observations(self) -> Any:
        self._games.features[self.learners.waits_for != AT_LEARNER] = 0
        features = self._games.features.copy() if self._copy else self._games.features
        return self._format.show(features, self._table_features(), self._masks)

    def _table_features(self) -> np.ndarray:
        if not self._format.is_flat:
            knows_hands = self._options.knows_hands
            write_tables(self.batch.states, self.learners.seats, knows_hands, self._tables)
        return self._tables.copy() if self._copy else self._tables

    def _observation_of(self, game: int) -> Any:
        # Only asked at the end of a game, when there are no choices.
        nothing = np.zeros((N_CHOICES, N_FEATURES), np.float32)
        mask = np.zeros(N_CHOICES, np.int8)
        return self._format.show(nothing, self._table_features()[game].copy(), mask)

    def _infos(self) -> dict[str, Any]:
        actions = self._games.actions.copy()
        is_action = np.arange(MOST_STEPS) < self._games.lengths[:, :, None]
        is_action &= self._masks[:, :, None] == 1
        actions[~is_action] = -1
        everywhere = np.ones(self.num_envs, np.bool_)
        return super()._infos() | {"actions": actions, "_actions": everywhere}
