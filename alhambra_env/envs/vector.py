"""Many learners among bots at once, as a `gymnasium.vector.VectorEnv` in compiled code.

gymnasium.make_vec("alhambra_env/Alhambra-v0", num_envs=256, opponents=["random", "random"])
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ..engine.action_ranges import N_ACTIONS
from ..engine.rewards import MARGIN, OUTCOME, SCORE
from ..game import Game
from ..loops.learners import SKIP_LEARNERS, SKIP_NONE, LoopOptions, play_actions, start_games
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
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
    DEFAULT_TYPE,
    AnyEdition,
    AutoresetName,
    GameRules,
    Hands,
    IllegalRule,
    MaskPlace,
    ObservationForm,
    ObservationType,
    RewardName,
    reward_number,
)
from ..players import Player, Policy
from ..validation import as_list, whole_number
from .opponents import Opponent, ask_opponent, choose_opponents
from .vector_learner import VectorLearnerEnv


class VectorSingleEnv(VectorLearnerEnv):
    """Many `SingleEnv`s, stepped together over the records of a `GameBatch`.

    The legal actions are in `infos["action_mask"]` and `action_masks()`. At the end of a game the
    infos have `scores`, `winners`, `seat` and `margin`. `autoreset_mode` says when it is reset:

    - `"next_step"`: by the next step, which ignores the action of that game.
    - `"same_step"`: in the same step. The last observation is in `infos["final_obs"]`, the infos
      above are in `infos["final_info"]`.
    - `"disabled"`: by `reset(options={"reset_mask": mask})`.
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
        pieces: Iterable[str] | None = None,
        dtype: ObservationType = DEFAULT_TYPE,
        mask: MaskPlace = "info",
        observation_key: str = DEFAULT_OBSERVATION_KEY,
        mask_key: str = DEFAULT_MASK_KEY,
        illegal: IllegalRule = DEFAULT_ILLEGAL,
        max_turns: int = DEFAULT_MAX_TURNS,
        autoreset_mode: AutoresetName | AutoresetMode = DEFAULT_AUTORESET,
        copy: bool = True,
    ) -> None:
        """Choose the settings, which are those of `SingleEnv`, and `autoreset_mode` as above.

        Bots play in compiled code. Every other opponent is called from Python, game by game, and
        each game has its own copy of it. With `copy=False`, observations and masks are the arrays
        of the batch, which the next step overwrites.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        games = whole_number(num_envs, "num_envs", 1)
        rules = GameRules(num_players, edition, max_turns)
        wanted = pieces if pieces is None else as_list(pieces, "pieces")
        layout = Layout(rules.num_players, hands, wanted, observation)
        self._format = ObservationFormat(
            layout,
            dtype=dtype,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        kind = reward_number(reward)
        self._loop_options = LoopOptions(
            layout.bounds,
            outcome=float(kind == OUTCOME),
            score=float(kind == SCORE),
            margin=float(kind == MARGIN),
            skips=SKIP_LEARNERS if skip_forced else SKIP_NONE,
        )
        super().__init__(
            games,
            rules,
            layout.hands,
            layout.pieces,
            choose_opponents(opponents, rules.num_players),
            seat,
            illegal,
            autoreset_mode,
            copy,
            self._format.space(),
            N_ACTIONS,
        )

    @property
    def _masks(self) -> np.ndarray:
        return self.batch.masks

    def _start_loop(self, where: np.ndarray) -> None:
        rules = self._rules.numbers
        start_games(where, rules, self.batch.arrays, self.learners, self._loop_options)

    def _play(self, where: np.ndarray, choices: np.ndarray) -> None:
        play_actions(where, choices, self.batch.arrays, self.learners, self._loop_options)

    def _play_opponents(self, where: np.ndarray, actions: np.ndarray) -> None:
        self._play(where, actions)

    def _ask(self, opponent: Policy | Player, game: Game) -> int:
        return ask_opponent(opponent, game, self._format)

    def _why_illegal(self, game: int, choice: int) -> str:
        return self.batch.why_illegal(game, choice)

    def _observations(self) -> Any:
        buffers, masks = self.batch.observations, self.batch.masks
        if self._copy and self._format.dtype == "uint8":  # otherwise `show` makes a new array
            buffers = buffers.copy()
        if self._copy and self._format.has_mask:
            masks = masks.copy()
        return self._format.show(buffers, masks)

    def _observation_of(self, game: int) -> Any:
        buffer, mask = self.batch.observations[game].copy(), self.batch.masks[game].copy()
        return self._format.show(buffer, mask)
