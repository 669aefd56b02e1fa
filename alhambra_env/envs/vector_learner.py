"""Many learners among opponents at once, as a `VectorEnv`: what all levels of decisions share."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch import GameBatch
from ..errors import IllegalAction
from ..game import Game
from ..loops.learners import AT_OPPONENT, ENDED, MOST_RESTARTS, Learners
from ..options import (
    ILLEGAL_REWARD,
    TURN_LIMIT,
    AutoresetName,
    GameRules,
    Hands,
    IllegalRule,
    autoreset_name,
    illegal_rule,
)
from ..players import Player, Policy
from ..validation import shown, whole_number
from .opponents import RESET_FIRST, TOO_SHORT, choose_seat, final_values
from .python_opponents import PythonOpponents


class VectorLearnerEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Games with one learner each, stepped together over the records of a `GameBatch`.

    A subclass says what a decision is.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares it so
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "render_modes": [],
    }
    autoreset_mode: AutoresetMode
    single_action_space: gymnasium.spaces.Space[Any]
    single_observation_space: gymnasium.spaces.Space[Any]
    action_space: gymnasium.spaces.Space[Any]
    batch: GameBatch
    """The games; read only."""
    learners: Learners
    """Seats and opponents of each game; read only."""

    def __init__(
        self,
        num_envs: int,
        rules: GameRules,
        hands: Hands,
        pieces: Sequence[str],
        others: Sequence[Policy | Player],
        seat: int | str,
        illegal: IllegalRule,
        autoreset_mode: AutoresetName | AutoresetMode,
        copy: bool,
        observation_space: gymnasium.spaces.Space[Any],
        num_choices: int,
    ) -> None:
        """Choose what all levels of decisions share; `num_choices` is the size of a mask."""
        self.num_envs = num_envs
        self._rules = rules
        self._hands, self._pieces = hands, list(pieces)
        self._illegal = illegal_rule(illegal)
        self.autoreset_mode = _read_autoreset(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._fixed_seat = choose_seat(seat, rules.num_players)
        self._copy = copy
        self._rng = np.random.default_rng()
        self._has_reset = False
        self._has_ended = np.zeros(self.num_envs, np.bool_)
        """Games that ended and were not reset since."""
        self.batch = self._new_batch(None)  # first: if there is no memory, this says so at once
        self._others = PythonOpponents(others, num_envs)
        bots = self._others.bots
        self.learners = Learners.make(
            num_envs,
            rules.num_players,
            np.array([bot.number for bot in bots], np.int64),
            np.array([bot.row for bot in bots]),
        )
        self.single_action_space = gymnasium.spaces.Discrete(num_choices)
        self.single_observation_space = observation_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _new_batch(self, seed: int | None) -> GameBatch:
        return GameBatch(
            self.num_envs,
            **asdict(self._rules),
            hands=self._hands,
            pieces=self._pieces,
            seed=seed,
        )

    # --- what a decision is ---------------------------------------------------------------------

    @property
    @abstractmethod
    def _masks(self) -> np.ndarray:
        """What the learners may choose: int8 `[env, choice]`."""

    @abstractmethod
    def _start_loop(self, where: np.ndarray) -> None:
        """Start these games, up to the first decision from Python."""

    @abstractmethod
    def _play(self, where: np.ndarray, choices: np.ndarray) -> None:
        """Play the learners' choices in these games, up to the next decision from Python."""

    @abstractmethod
    def _play_opponents(self, where: np.ndarray, actions: np.ndarray) -> None:
        """The same for the actions of Python opponents."""

    @abstractmethod
    def _ask(self, opponent: Policy | Player, game: Game) -> int:
        """Return the action of an opponent, who is to play."""

    @abstractmethod
    def _why_illegal(self, game: int, choice: int) -> str:
        """Return why a choice is not legal."""

    @abstractmethod
    def _observations(self) -> Any:
        """Return the observations of all learners."""

    @abstractmethod
    def _observation_of(self, game: int) -> Any:
        """Return a copy of the observation of one learner."""

    @cached_property
    def observation_space(self) -> gymnasium.spaces.Space[Any]:  # type: ignore[override]  # not to write
        """The space of the observations of all games.

        It is made when somebody asks for it: its limits, which Gymnasium writes out for each game,
        take more memory than the games.
        """
        return batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Reset all games, or with `options={"reset_mask": mask}` some of them.

        A seed determines all games that follow, so it cannot be given for some of them only.

        Raises:
            ValueError: for a wrong seed, or a mask that is not a bool array with a game to reset.
            ResetNeeded: some games are to be reset, but not all have started.
        """
        where = self._read_reset_mask(options)
        if where.all():
            if seed is not None:
                self._rng = np.random.default_rng(np.random.SeedSequence(self._read_seed(seed)))
                self.batch = self._new_batch(int(self._rng.integers(2**63)))
        elif seed is not None:
            raise ValueError("a seed resets all games, so it cannot be given with a reset_mask")
        elif not self._has_reset:
            raise gymnasium.error.ResetNeeded(RESET_FIRST)
        self._has_reset = False  # until all games have started
        self._start_games(where)
        self._has_ended[where] = False
        self._has_reset = True
        return self._observations(), self._infos()

    def _read_reset_mask(self, options: dict[str, Any] | None) -> np.ndarray:
        given = (options or {}).get("reset_mask")
        if given is None:
            return np.ones(self.num_envs, np.bool_)
        where = np.asarray(given)
        if not self._is_mask(where) or not where.any():
            raise ValueError(
                f"reset_mask must be a bool array of shape ({self.num_envs},), not all false"
            )
        return where

    def _is_mask(self, where: np.ndarray) -> bool:
        """Is it one flag for each game?"""
        return where.shape == (self.num_envs,) and where.dtype == np.bool_

    def _read_seed(self, seed: int | Sequence[int | None]) -> int | list[int]:
        """Return the seed; seeds for each environment are combined, and None draws one."""
        if not isinstance(seed, Sequence):
            return whole_number(seed, "seed", 0)
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must be one number or {self.num_envs}, not {len(seed)}")
        drawn = iter(np.random.SeedSequence().generate_state(len(seed)).tolist())
        return [next(drawn) if s is None else whole_number(s, "seed", 0) for s in seed]

    def _start_games(self, where: np.ndarray) -> None:
        """Restart these games, again if they end before the learner can act."""
        for _ in range(MOST_RESTARTS):
            self._start_once(where)
            where = where & (self.learners.waits_for == ENDED)
            if not where.any():
                return
        raise ValueError(TOO_SHORT)

    def _start_once(self, where: np.ndarray) -> None:
        games = np.flatnonzero(where)
        learners, players = self.learners, self._rules.num_players
        drawn = self._rng.integers(players, size=games.size)
        learners.seats[games] = drawn if self._fixed_seat is None else self._fixed_seat
        places = (np.arange(players) - learners.seats[games, None] - 1) % players
        learners.occupants[games] = self._others.occupants[places]
        learners.words[games] = self._rng.integers(2**32, size=(games.size, 4), dtype=np.uint32)
        for game in games.tolist():
            self._others.begin(game, int(learners.seats[game]), self._rng)
        self._start_loop(where)
        self.batch.advance_seeds(where)
        self._play_external()

    def _play_external(self) -> None:
        """Ask Python opponents until all games wait for their learners or are over."""
        while (asked := self.learners.waits_for == AT_OPPONENT).any():
            actions = np.zeros(self.num_envs, np.int64)
            for game in np.flatnonzero(asked).tolist():
                occupants = self.learners.occupants
                actions[game] = self._others.ask(game, self.batch.states, occupants, self._ask)
            self._play_opponents(asked, actions)

    def step(
        self, actions: np.ndarray, *, where: np.ndarray | None = None
    ) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learners' actions, then the opponents' up to the learners' next decisions.

        Args:
            actions: whole numbers `[env]`.
            where: bool `[env]`: with `autoreset_mode="disabled"`, play only in these games. The
                others do not move, and their actions are ignored.

        Raises:
            ValueError: `where` is not such an array, or games are reset automatically.
            IllegalAction: an action is not legal; the message names the first such game, and no
                game has moved. Or an opponent's action is not legal: then the environment must be
                reset, as after any error of an opponent.
            ResetNeeded: `reset` was not called, an error interrupted the games, or with
                `autoreset_mode="disabled"` a game that ended was not reset.
        """
        if not self._has_reset:
            raise gymnasium.error.ResetNeeded(RESET_FIRST)
        rests = self._read_rests(where)
        resets = self._has_ended & ~rests
        if resets.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            raise gymnasium.error.ResetNeeded(
                f"games {shown(np.flatnonzero(resets).tolist())} are over: reset them with "
                'options={"reset_mask": ...}'
            )
        checked, is_illegal = self._legal_or_other(actions, resets | rests)
        ends_illegally = is_illegal if self._illegal == "end" else np.zeros_like(is_illegal)
        self._has_reset = False  # if an opponent fails, games are left in the middle
        if resets.any():
            self._start_games(resets)
        self.learners.earned[:] = 0
        self._play(~resets & ~rests & ~ends_illegally, checked)
        self._play_external()
        rewards = self.learners.earned.copy()
        rewards[ends_illegally] = ILLEGAL_REWARD
        is_over = self.learners.waits_for == ENDED
        done = is_over | ends_illegally | (rests & self._has_ended)
        infos = self._final_infos(is_over)
        if is_illegal.any():
            infos |= {"illegal_action": np.asarray(actions), "_illegal_action": is_illegal}
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos = self._reset_at_once(done, infos)
        else:
            self._has_ended = done.copy()
        self._has_reset = True
        # The turn limit gives the outcome reward, too: nothing to bootstrap, so it terminates.
        never = np.zeros(self.num_envs, np.bool_)
        return self._observations(), rewards, done, never, self._infos() | infos

    def _read_rests(self, where: np.ndarray | None) -> np.ndarray:
        """Return the games that do not move."""
        if where is None:
            return np.zeros(self.num_envs, np.bool_)
        given = np.asarray(where)
        if self.autoreset_mode != AutoresetMode.DISABLED:
            raise ValueError('where needs autoreset_mode="disabled"')
        if not self._is_mask(given):
            raise ValueError(f"where must be a bool array of shape ({self.num_envs},)")
        return ~given

    def _legal_or_other(
        self, given: np.ndarray, ignored: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the actions to play, and in which games the given one is not legal.

        Raises:
            IllegalAction: one is not legal, and `illegal` is `"raise"`; or they are no actions.
        """
        actions = self.batch.read_actions(given)
        masks = self._masks
        is_known = (actions >= 0) & (actions < masks.shape[1])
        is_legal = masks[np.arange(self.num_envs), np.where(is_known, actions, 0)] == 1
        is_illegal = ~(is_known & is_legal) & ~ignored
        if not is_illegal.any():
            return actions, is_illegal
        games = np.flatnonzero(is_illegal).tolist()
        if self._illegal == "raise":
            raise IllegalAction(self._why_illegal(games[0], int(actions[games[0]])))
        if self._illegal == "random":
            actions = actions.copy()
            for game in games:
                actions[game] = self._rng.choice(np.flatnonzero(masks[game]))
        return actions, is_illegal

    def _final_infos(self, is_over: np.ndarray) -> dict[str, Any]:
        """Return how games ended, in Gymnasium's form: arrays, and flags of the games they are of.

        The values of other games are 0.
        """
        if not is_over.any():
            return {}
        scores = self.batch.states["scores"][:, : self._rules.num_players]
        values = final_values(scores, self.learners.seats.copy())
        for value in values.values():
            value[~is_over] = 0
        infos = values | {f"_{name}": is_over.copy() for name in values}
        is_cut = is_over & (self.batch.states["truncated"] == 1)
        if is_cut.any():
            reasons = np.full(self.num_envs, None, dtype=object)
            reasons[is_cut] = TURN_LIMIT
            infos |= {"truncated_by": reasons, "_truncated_by": is_cut}
        return infos

    def _reset_at_once(self, done: np.ndarray, infos: dict[str, Any]) -> dict[str, Any]:
        """Restart the games that are done; return Gymnasium's `final_obs` and `final_info`."""
        if not done.any():
            return infos
        observations = np.full(self.num_envs, None, dtype=object)
        for game in np.flatnonzero(done).tolist():
            observations[game] = self._observation_of(game)
        self._start_games(done)
        return {
            "final_obs": observations,
            "_final_obs": done.copy(),
            "final_info": infos,
            "_final_info": done.copy(),
        }

    def _infos(self) -> dict[str, Any]:
        masks = self._masks.copy() if self._copy else self._masks
        return {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions: bool `[env, action]`."""
        return self._masks.astype(np.bool_)


def _read_autoreset(mode: AutoresetName | AutoresetMode) -> AutoresetMode:
    name = mode.name.lower() if isinstance(mode, AutoresetMode) else autoreset_name(mode)
    return AutoresetMode[name.upper()]
