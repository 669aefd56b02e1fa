"""Many learners among bots at once, as a `gymnasium.vector.VectorEnv` in compiled code.

gymnasium.make_vec("alhambra_env/Alhambra-v0", num_envs=256, opponents=["random", "random"])
"""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch import GameBatch
from ..bots import BOT_NAMES, Bot, make
from ..engine.action_ranges import N_ACTIONS
from ..engine.material import NONE
from ..engine.state import OVER
from ..game import Game
from ..loops.versus import begin_learners, play_actions
from ..observation.layout import Layout
from ..options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    DEFAULT_REWARD,
    OBSERVATION_FORMS,
    EditionName,
    GameRules,
    Hands,
    ObservationForm,
    RewardName,
    reward_number,
)
from ..players import Player, Policy, blame, copy_of
from ..validation import as_list, one_of, whole_number
from .single import (
    RESET_AFTER,
    RESET_FIRST,
    TRIES,
    Opponent,
    ask_opponent,
    begin_opponent,
    choose_opponents,
    choose_seat,
)


class VectorSingleEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """`SingleEnv` many times over, stepped together over the records of a `GameBatch`.

    A game that ends begins anew in the same step (`AutoresetMode.SAME_STEP`): the last observation
    is in `infos["final_obs"]`. The legal actions are in `infos["action_mask"]` and
    `action_masks()`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares it so
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [],
    }
    single_action_space: gymnasium.spaces.Space[Any]
    single_observation_space: gymnasium.spaces.Space[Any]
    action_space: gymnasium.spaces.Space[Any]
    observation_space: gymnasium.spaces.Space[Any]

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 3,
        opponents: Sequence[Opponent] | None = None,
        seat: int | str = 0,
        skip_forced: bool = True,
        edition: EditionName = DEFAULT_EDITION,
        hands: Hands = DEFAULT_HANDS,
        reward: RewardName = DEFAULT_REWARD,
        observation: ObservationForm = DEFAULT_FORM,
        pieces: Iterable[str] | None = None,
        max_turns: int = DEFAULT_MAX_TURNS,
        copy: bool = True,
    ) -> None:
        """Choose the settings, which are those of `SingleEnv`.

        Bots play in compiled code; every other opponent is asked game by game, each player through
        a copy for each game. A step then takes as long as they do.

        With `copy=False`, observations and masks are the arrays of the batch, which the next step
        overwrites.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        self.num_envs = whole_number(num_envs, "num_envs", 1)
        self._rules = GameRules(num_players, edition, max_turns)
        self._settings: dict[str, Any] = {
            "num_games": num_envs,
            "num_players": num_players,
            "edition": edition,
            "hands": hands,
            "pieces": pieces if pieces is None else as_list(pieces, "pieces"),
            "reward": reward,
            "max_turns": max_turns,
        }
        self._seat_opponents(choose_opponents(opponents, num_players))
        self._fixed_seat = choose_seat(seat, num_players)
        self._skip_forced = skip_forced
        self._copy = copy
        self._is_flat = one_of(observation, OBSERVATION_FORMS, "form of observation") == "flat"
        self._seats = np.zeros(num_envs, np.int64)
        self._words = np.zeros((num_envs, 4), np.uint32)
        self._earned = np.zeros(num_envs)
        self._is_asked = np.zeros(num_envs, np.bool_)
        """Does a game wait for an opponent who is no bot?"""
        self._rng = np.random.default_rng()
        self._has_reset = False
        self._begin(None)
        self.single_action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self.single_observation_space = (
            self._layout.box() if self._is_flat else gymnasium.spaces.Dict(self._layout.boxes())
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def _seat_opponents(self, others: Sequence[Policy | Player]) -> None:
        """Tell bots from others, and give every game others of its own."""
        no_bot = make(BOT_NAMES[0])
        # A subclass may choose otherwise.
        bots = [other if type(other) is Bot else None for other in others]
        self._bots = np.array([bot.number if bot else NONE for bot in bots], np.int64)
        self._bot_settings = np.array([(bot or no_bot).row for bot in bots])
        self._asked: list[dict[int, Policy | Player]] = [
            {
                place: copy_of(other) if isinstance(other, Player) else other
                for place, other in enumerate(others)
                if bots[place] is None
            }
            for _ in range(self.num_envs)
        ]

    def _begin(self, seed: int | None) -> None:
        """Make the batch; its games are begun by `_begin_games`."""
        self._batch = GameBatch(**self._settings, seed=seed)
        if self._batch.layout is None:
            raise ValueError("a learner needs an observation: choose at least one piece")
        self._layout: Layout = self._batch.layout

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all games anew. With a seed, all games that follow are determined by it."""
        if seed is not None:
            self._rng = np.random.default_rng(np.random.SeedSequence(self._read_seed(seed)))
            self._begin(int(self._rng.integers(2**63)))
        self._has_reset = False  # until all games have begun
        everywhere = np.ones(self.num_envs, np.bool_)
        self._begin_games(everywhere)
        self._has_reset = True
        return self._observations(), self._infos()

    def _read_seed(self, seed: int | Sequence[int | None]) -> int | list[int]:
        """Return a seed, or one for each environment, mixed into one; None draws a number."""
        if not isinstance(seed, Sequence):
            return whole_number(seed, "seed", 0)
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must be one number or {self.num_envs}, not {len(seed)}")
        drawn = iter(np.random.SeedSequence().generate_state(len(seed)).tolist())
        return [next(drawn) if s is None else whole_number(s, "seed", 0) for s in seed]

    def _begin_games(self, where: np.ndarray) -> None:
        """Begin these games; one that ends before the learner can act is begun again."""
        for _ in range(TRIES):
            self._begin_once(where)
            where = where & (self._batch.states["phase"] == OVER)
            if not where.any():
                return
        raise ValueError("with this max_turns, games end before the learner can act")

    def _begin_once(self, where: np.ndarray) -> None:
        games = np.flatnonzero(where)
        drawn = self._rng.integers(self._batch.num_players, size=games.size)
        self._seats[games] = drawn if self._fixed_seat is None else self._fixed_seat
        self._words[games] = self._rng.integers(2**32, size=(games.size, 4), dtype=np.uint32)
        for game in games.tolist():
            for place, opponent in self._asked[game].items():
                if isinstance(opponent, Player):
                    seat = (int(self._seats[game]) + 1 + place) % self._batch.num_players
                    drawn_seed = int(self._rng.integers(2**63))
                    begin_opponent(opponent, drawn_seed, f"seat {seat} of game {game}")
        batch = self._batch
        bounds = self._layout.bounds
        begin_learners(
            where, batch.rules.numbers, batch.arrays, self._table, bounds, self._skip_forced
        )
        batch.advance_seeds(where)
        self._play_asked()

    def _play(self, where: np.ndarray, actions: np.ndarray) -> None:
        """Play an action in each of the chosen games, up to the next one from Python."""
        play_actions(
            where,
            actions,
            self._batch.arrays,
            self._table,
            self._layout.bounds,
            reward_number(self._batch.reward),
            self._skip_forced,
        )

    def _play_asked(self) -> None:
        """Ask opponents who are no bots, until all games wait for their learners or are over."""
        while self._is_asked.any():
            asked = self._is_asked.copy()
            actions = np.zeros(self.num_envs, np.int64)
            for game in np.flatnonzero(asked).tolist():
                actions[game] = self._ask(game)
            self._play(asked, actions)

    def _ask(self, number: int) -> int:
        """Return the action of the opponent who is to play in a game."""
        game = Game.from_state(self._batch.states[number : number + 1])
        seat = game.to_play
        place = (seat - int(self._seats[number]) - 1) % game.num_players
        opponent = self._asked[number][place]
        try:
            # On a copy, only to see whether it is legal.
            game.step(ask_opponent(opponent, game, self._layout, self._is_flat))
        except Exception as error:
            blame(error, f"the opponent on seat {seat} of game {number}", RESET_AFTER)
            raise
        return game.history[-1]  # a plain int; an object may say something else if asked again

    @property
    def _table(self) -> tuple[np.ndarray, ...]:
        return (
            self._seats,
            self._bots,
            self._bot_settings,
            self._words,
            self._earned,
            self._is_asked,
        )

    def step(
        self, actions: np.ndarray
    ) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learners' actions, and go on until their next decisions.

        Raises:
            IllegalAction: an action is not legal; the first such game is named, and none moved.
                Or an opponent's is not: the environment must be reset then, as after any other
                error of an opponent.
            ResetNeeded: no game has begun, or an error broke games off.
        """
        if not self._has_reset:
            raise gymnasium.error.ResetNeeded(RESET_FIRST)
        batch = self._batch
        checked = batch.check_actions(actions)
        self._has_reset = False  # if an opponent fails, games are left in the middle
        self._earned[:] = 0
        self._play(np.ones(self.num_envs, np.bool_), checked)
        self._play_asked()
        rewards = self._earned.copy()
        done = batch.done.copy()
        truncated = done & (batch.states["truncated"] == 1)
        final = self._final(done) if done.any() else {}
        self._has_reset = True
        return self._observations(), rewards, done & ~truncated, truncated, self._infos() | final

    def _final(self, done: np.ndarray) -> dict[str, Any]:
        """Begin the games that are done anew; return how they ended, as Gymnasium has it."""
        observations = np.full(self.num_envs, None, dtype=object)
        scores = self._batch.states["scores"][:, : self._batch.num_players].copy()
        for game in np.flatnonzero(done).tolist():
            buffer = self._batch.observations[game].copy()
            observations[game] = buffer if self._is_flat else self._layout.split(buffer)
        self._begin_games(done)
        return {
            "final_obs": observations,
            "_final_obs": done,
            "final_info": {"scores": scores, "_scores": done},
            "_final_info": done,
        }

    def _observations(self) -> Any:
        buffers = self._batch.observations.copy() if self._copy else self._batch.observations
        return buffers if self._is_flat else self._layout.split(buffers)

    def _infos(self) -> dict[str, Any]:
        masks = self._batch.masks.copy() if self._copy else self._batch.masks
        return {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}

    def action_masks(self) -> np.ndarray:
        """Return the legal actions as flags `[env, action]`."""
        return self._batch.masks.astype(np.bool_)
