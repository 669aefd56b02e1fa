"""The training environment of turns: a `VecEnv` in which several seats of a game learn.

An observation is the choices of the seat to play, whichever that is. `Ledger` says who decided and
what every seat earned, so that the buffer can follow each seat through its game.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from alhambra_env.adapters.sb3 import CompiledVecEnv
from alhambra_env.batch import GameBatch
from alhambra_env.bots import Bot, make
from alhambra_env.engine.rewards import margins, win_shares
from alhambra_env.loops.learners import AT_LEARNER, ENDED, LEARNER
from alhambra_env.loops.turn_games import (
    TurnGames,
    TurnOptions,
    play_choices_parallel,
    show_choices,
    start_turn_games,
)
from alhambra_env.options import DEFAULT_HANDS, GameRules, Hands
from alhambra_env.turns.choices import N_CHOICES
from alhambra_env.turns.feature_groups import N_FEATURES
from alhambra_env.turns.listing import scope_of

from ..random_states import set_generator
from ..vec_env import read_saved

SELF_PLAY, ONE_BOT, ONE_LEARNER = "self_play", "one_bot", "one_learner"
LINE_UPS: Final = {
    SELF_PLAY: "learners on all seats",
    ONE_BOT: "a bot on one seat",
    ONE_LEARNER: "bots on all seats but one",
}
"""Who sits at a table."""


def divide(number: int, shares: Sequence[float]) -> list[int]:
    """Divide a number into whole parts of at least 1, about as these shares."""
    exact = number * np.array(shares) / sum(shares)
    parts = np.maximum(np.floor(exact), 1)
    while parts.sum() < number:
        parts[np.argmax(exact - parts)] += 1
    while parts.sum() > number:
        parts[np.argmax(np.where(parts > 1, parts - exact, -np.inf))] -= 1
    return [int(part) for part in parts]


class Ledger(NamedTuple):
    """Who decided, and what was earned; overwritten by every step."""

    seats: np.ndarray
    """`int64 [game]`: the seat that decided in the last step."""
    earned: np.ndarray
    """`float64 [game, seat]`: what each seat earned in the last step."""
    ended: np.ndarray
    """`bool [game]`: did the last step end the game?"""


class Tables:
    """Games with the same rules."""

    def __init__(
        self,
        num_games: int,
        rules: GameRules,
        line_ups: Mapping[str, float],
        bots: Sequence[Bot],
        options: TurnOptions,
        sequence: np.random.SeedSequence,
    ) -> None:
        """Set up games that have not started."""
        self._rng = np.random.default_rng(sequence)
        seed = int(sequence.generate_state(1, np.uint64)[0])
        self.batch = GameBatch(num_games, **asdict(rules), seed=seed, pieces=[])
        self._bots = bots
        self.games = TurnGames.make(
            num_games,
            rules.num_players,
            np.array([bot.number for bot in bots], np.int64),
            np.array([bot.row for bot in bots]),
        )
        self._options = options
        shares = np.array([line_ups.get(name, 0.0) for name in LINE_UPS])
        self._chances = (shares / shares.sum()).cumsum()[:-1]
        self.num_games = num_games
        self.returns = np.zeros((num_games, rules.num_players))
        """`float64 [game, seat]`: what was earned in the present game."""

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
        self.returns[where] = 0

    def play(self, where: np.ndarray, chosen: np.ndarray) -> None:
        """Play the learners' choices."""
        self.games.earned[:] = 0
        play_choices_parallel(where, chosen, self.batch.arrays, self.games, self._options)
        self.returns += self.games.earned

    # --- saving -------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return everything needed to continue later."""
        return {
            "batch": self.batch.save(),
            "rng": self._rng.bit_generator.state,
            "bots": [bot.name for bot in self._bots],
            "occupants": self.games.occupants.copy(),
            "words": self.games.words.copy(),
            "returns": self.returns.copy(),
        }

    def load(self, saved: dict[str, Any]) -> int:
        """Continue from what `save` returned; return how many bots were replaced by present ones.

        Raises:
            ValueError: the save does not fit the settings, or is damaged.
        """
        games = self.games
        occupants = read_saved("occupants", saved["occupants"], games.occupants)
        words = read_saved("words", saved["words"], games.words)
        returns = read_saved("returns", saved["returns"], self.returns)
        if not words.any(axis=1).all():
            raise ValueError("the random words of a saved game are all 0")
        before, now = list(saved["bots"]), [bot.name for bot in self._bots]
        if occupants.min() < LEARNER or occupants.max() >= len(before):
            raise ValueError(f"there were {len(before)} bots, but bot {occupants.max()} plays")
        self.batch.load(saved["batch"])
        if (occupants[np.arange(self.num_games), self.batch.to_play] != LEARNER).any():
            raise ValueError("a saved game does not wait for a learner")
        set_generator(self._rng, saved["rng"])
        numbers = np.array([now.index(name) if name in now else len(now) for name in before])
        is_bot = occupants != LEARNER
        games.occupants[:] = LEARNER
        games.occupants[is_bot] = numbers[occupants[is_bot]]
        is_gone = games.occupants == len(now)
        games.occupants[is_gone] = self._rng.integers(len(now), size=int(is_gone.sum()))
        games.words[:] = words
        self.returns[:] = returns
        games.waits_for[:] = AT_LEARNER
        show_choices(self.batch.arrays, games, self._options)
        return int(is_gone.sum())


class TurnSelfPlayEnv(CompiledVecEnv):
    """Games in which some seats learn, and bots play the others."""

    def __init__(
        self,
        num_envs: int,
        rules: Sequence[GameRules] | Mapping[GameRules, float] = (GameRules(),),
        line_ups: Mapping[str, float] | None = None,
        bots: Sequence[str] = ("lookahead",),
        hands: Hands = DEFAULT_HANDS,
        outcome_weight: float = 1.0,
        margin_weight: float = 0.02,
        seed: int | None = None,
    ) -> None:
        """Choose the settings.

        Args:
            num_envs: how many games.
            rules: of the games, which are divided evenly among them, or by the shares in a mapping.
            line_ups: shares of `LINE_UPS`; None for learners on all seats.
            bots: names of the bots in the line-ups; each seat draws one.
            hands: `"secret"` or `"open"` (E4).
            outcome_weight: weight of the reward `outcome`.
            margin_weight: weight of the reward `margin`; the reward is the weighted sum.
            seed: of all games, line-ups and bots.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        if len(rules) > num_envs:
            raise ValueError(f"{len(rules)} kinds of tables need as many games, not {num_envs}")
        options = TurnOptions(
            *scope_of(hands), outcome=float(outcome_weight), margin=float(margin_weight)
        )
        shares = rules if isinstance(rules, Mapping) else dict.fromkeys(rules, 1.0)
        sizes = divide(num_envs, list(shares.values()))
        sequences = np.random.SeedSequence(seed).spawn(len(rules))
        players = [make(name) for name in bots]
        for player in players:
            player.compile()
        self.tables = [
            Tables(size, kind, line_ups or {SELF_PLAY: 1.0}, players, options, sequence)
            for size, kind, sequence in zip(sizes, shares, sequences, strict=True)
        ]
        most = max(kind.num_players for kind in shares)
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
        """Write how the learners did; who won only if there was one: several share the wins."""
        scores = tables.batch.states["scores"][:, : tables.batch.num_players].astype(int)
        won, margin = win_shares(scores), margins(scores)
        for game in np.flatnonzero(ended).tolist():
            learns = tables.games.occupants[game] == LEARNER
            info: dict[str, Any] = {
                "episode": {
                    "r": float(tables.returns[game][learns].mean()),
                    "l": int(tables.batch.states["turn"][game]),
                    "t": time.time() - self._begin_time,
                }
            }
            if learns.sum() == 1:
                info |= {
                    "won": float(won[game][learns].mean()),
                    "margin": float(margin[game][learns].mean()),
                    "score": float(scores[game][learns].mean()),
                }
            infos[part.start + game] = info

    def save(self) -> dict[str, Any]:
        """Return everything needed to continue later."""
        return {"tables": [tables.save() for tables in self.tables]}

    def load(self, saved: dict[str, Any]) -> tuple[np.ndarray, int]:
        """Continue from what `save` returned, with the present bots.

        Returns:
            the observations, and how many bots were replaced.

        Raises:
            ValueError: the save does not fit the settings, or is damaged.
        """
        parts = saved["tables"]
        if not isinstance(parts, list) or len(parts) != len(self.tables):
            raise ValueError(f"there must be {len(self.tables)} kinds of saved tables")
        replaced = 0
        for (tables, part), saved_tables in zip(self._parts(), parts, strict=True):
            replaced += tables.load(saved_tables)
            self._show(tables, part)
        return self._observations.copy(), replaced

    def action_masks(self) -> np.ndarray:
        """Return which choices there are: bool `[env, choice]`."""
        return self._masks
