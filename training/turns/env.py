"""The training environment of turns: a `VecEnv` in which several seats of a game learn.

An observation is the choices of the seat to play, whichever that is. `Ledger` says who decided and
what every seat earned, so that the buffer can follow each seat through its game.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from alhambra_env.adapters.sb3 import CompiledVecEnv
from alhambra_env.batch import GameBatch
from alhambra_env.bots import make
from alhambra_env.bots.weights import LOOKAHEAD_WEIGHTS
from alhambra_env.engine.rewards import margins, win_shares
from alhambra_env.loops.learners import ENDED, LEARNER
from alhambra_env.loops.turn_games import (
    TurnGames,
    TurnOptions,
    play_choices_parallel,
    start_turn_games,
)
from alhambra_env.options import DEFAULT_EDITION, DEFAULT_MAX_TURNS, AnyEdition
from alhambra_env.turns.choices import N_CHOICES
from alhambra_env.turns.features import N_FEATURES

SELF_PLAY, ONE_BOT, ONE_LEARNER = "self_play", "one_bot", "one_learner"
LINE_UPS: Final = {
    SELF_PLAY: "learners on all seats",
    ONE_BOT: "a bot on one seat",
    ONE_LEARNER: "bots on all seats but one",
}
"""Who sits at a table."""


class Ledger(NamedTuple):
    """Who decided, and what was earned; overwritten by every step."""

    seats: np.ndarray
    """`int64 [game]`: the seat that decided in the last step."""
    earned: np.ndarray
    """`float64 [game, seat]`: what each seat earned in the last step."""
    ended: np.ndarray
    """`bool [game]`: did the last step end the game?"""


class Tables:
    """Games of one number of players."""

    def __init__(
        self,
        num_games: int,
        num_players: int,
        line_ups: Mapping[str, float],
        bots: Sequence[str],
        options: TurnOptions,
        edition: AnyEdition,
        max_turns: int,
        sequence: np.random.SeedSequence,
    ) -> None:
        """Set up games that have not started."""
        self._rng = np.random.default_rng(sequence)
        seed = int(sequence.generate_state(1, np.uint64)[0])
        self.batch = GameBatch(
            num_games, num_players, edition, seed, pieces=[], max_turns=max_turns
        )
        players = [make(name) for name in bots]
        for player in players:
            player.compile()
        self.games = TurnGames.make(
            num_games,
            num_players,
            np.array([player.number for player in players], np.int64),
            np.array([player.row for player in players]),
        )
        self._options = options
        shares = np.array([line_ups.get(name, 0.0) for name in LINE_UPS])
        self._chances = (shares / shares.sum()).cumsum()[:-1]
        self.num_games = num_games

    def start(self, where: np.ndarray) -> None:
        """Start games with new line-ups."""
        numbers = np.flatnonzero(where)
        players = self.batch.num_players
        n_bots = len(self.games.bots)
        line_ups = np.searchsorted(self._chances, self._rng.random(numbers.size), side="right")
        chosen = self._rng.integers(players, size=numbers.size)
        bots = self._rng.integers(n_bots, size=(numbers.size, players))
        is_chosen = np.arange(players) == chosen[:, None]
        occupants = np.full((numbers.size, players), LEARNER, np.int64)
        has_bot = ((line_ups == 1)[:, None] & is_chosen) | ((line_ups == 2)[:, None] & ~is_chosen)
        occupants[has_bot] = bots[has_bot]
        self.games.occupants[numbers] = occupants
        self.games.words[numbers] = self._rng.integers(
            1, 2**32, size=(numbers.size, 4), dtype=np.uint32
        )
        start_turn_games(
            where, self.batch.rules.numbers, self.batch.arrays, self.games, self._options
        )
        self.batch.advance_seeds(where)

    def play(self, where: np.ndarray, chosen: np.ndarray) -> None:
        """Play the learners' choices."""
        play_choices_parallel(where, chosen, self.batch.arrays, self.games, self._options)


class TurnSelfPlayEnv(CompiledVecEnv):
    """Games in which some seats learn, and bots play the others."""

    def __init__(
        self,
        num_envs: int,
        num_players: Sequence[int] = (3,),
        line_ups: Mapping[str, float] | None = None,
        bots: Sequence[str] = ("lookahead",),
        outcome_weight: float = 1.0,
        margin_weight: float = 0.02,
        with_removals: bool = False,
        editions: Sequence[AnyEdition] = (DEFAULT_EDITION,),
        max_turns: int = DEFAULT_MAX_TURNS,
        seed: int | None = None,
    ) -> None:
        """Choose the settings."""
        options = TurnOptions(
            LOOKAHEAD_WEIGHTS,
            with_removals=with_removals,
            outcome=float(outcome_weight),
            margin=float(margin_weight),
        )
        kinds = [(count, edition) for count in num_players for edition in editions]
        sizes = [len(part) for part in np.array_split(np.arange(num_envs), len(kinds))]
        sequences = np.random.SeedSequence(seed).spawn(len(kinds))
        self.tables = [
            Tables(
                size,
                players,
                line_ups or {SELF_PLAY: 0.5, ONE_BOT: 0.4, ONE_LEARNER: 0.1},
                bots,
                options,
                edition,
                max_turns,
                sequence,
            )
            for size, (players, edition), sequence in zip(sizes, kinds, sequences, strict=True)
            if size
        ]
        most = max(num_players)
        self.ledger = Ledger(
            np.zeros(num_envs, np.int64), np.zeros((num_envs, most)), np.zeros(num_envs, np.bool_)
        )
        self._observations = np.zeros((num_envs, N_CHOICES, N_FEATURES), np.float32)
        self._masks = np.zeros((num_envs, N_CHOICES), np.bool_)
        self._begin_time = time.time()
        super().__init__(
            num_envs,
            gymnasium.spaces.Box(-np.inf, np.inf, (N_CHOICES, N_FEATURES), np.float32),
            gymnasium.spaces.Discrete(N_CHOICES),
        )

    def _parts(self) -> list[tuple[Tables, slice]]:
        parts, start = [], 0
        for tables in self.tables:
            parts.append((tables, slice(start, start + tables.num_games)))
            start += tables.num_games
        return parts

    def reset(self) -> np.ndarray:
        """Start all games."""
        for tables, part in self._parts():
            tables.start(np.ones(tables.num_games, np.bool_))
            self._restart_ended(tables)
            self._show(tables, part)
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self._observations.copy()

    def _restart_ended(self, tables: Tables) -> None:
        while (ended := tables.games.waits_for == ENDED).any():
            tables.start(ended)

    def _show(self, tables: Tables, part: slice) -> None:
        self._observations[part] = tables.games.features
        self._masks[part] = tables.games.lengths > 0

    def step_async(self, actions: np.ndarray) -> None:
        """Store the choices."""
        self._chosen = np.asarray(actions, np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the choices, then all others up to the next learners' decisions."""
        rewards = np.zeros(self.num_envs, np.float32)
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for tables, part in self._parts():
            games = tables.games
            seats = tables.batch.to_play.astype(np.int64)
            self.ledger.seats[part] = seats
            games.earned[:] = 0
            tables.play(np.ones(tables.num_games, np.bool_), self._chosen[part])
            players = tables.batch.num_players
            self.ledger.earned[part] = 0
            self.ledger.earned[part, :players] = games.earned
            rewards[part] = games.earned[np.arange(tables.num_games), seats]
            ended = games.waits_for == ENDED
            dones[part] = self.ledger.ended[part] = ended
            self._note_ends(tables, part, ended, infos)
            tables.start(ended)
            self._restart_ended(tables)
            self._show(tables, part)
        return self._observations.copy(), rewards, dones, infos

    def _note_ends(
        self, tables: Tables, part: slice, ended: np.ndarray, infos: list[dict[str, Any]]
    ) -> None:
        """Write how the learners did against bots; without bots there is nothing to tell."""
        scores = tables.batch.states["scores"][:, : tables.batch.num_players].astype(int)
        won, margin = win_shares(scores), margins(scores)
        for game in np.flatnonzero(ended).tolist():
            learns = tables.games.occupants[game] == LEARNER
            infos[part.start + game] = {
                "won": float(won[game][learns].mean()),
                "margin": float(margin[game][learns].mean()),
                "score": float(scores[game][learns].mean()),
                "turns": int(tables.batch.states["turn"][game]),
                "players": tables.batch.num_players,
                "learners": int(learns.sum()),
            }

    def action_masks(self) -> np.ndarray:
        """Return which choices there are: bool `[env, choice]`."""
        return self._masks
