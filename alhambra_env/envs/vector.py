"""Many learners among bots at once, as a `gymnasium.vector.VectorEnv` in compiled code.

gymnasium.make_vec("alhambra_env/Alhambra-v0", num_envs=256, opponents=["random", "random"])
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch import GameBatch
from ..bots import BOT_NAMES, Bot, make
from ..engine.action_ranges import N_ACTIONS
from ..engine.rewards import MARGIN, OUTCOME, SCORE
from ..errors import IllegalAction
from ..game import Game
from ..loops.learners import (
    AT_OPPONENT,
    ENDED,
    FIRST_EXTERNAL,
    LEARNER,
    MOST_RESTARTS,
    SKIP_LEARNERS,
    SKIP_NONE,
    Learners,
    LoopOptions,
    play_actions,
    start_games,
)
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
    ILLEGAL_REWARD,
    TURN_LIMIT,
    AnyEdition,
    AutoresetName,
    GameRules,
    Hands,
    IllegalRule,
    MaskPlace,
    ObservationForm,
    ObservationType,
    RewardName,
    autoreset_name,
    illegal_rule,
    reward_number,
)
from ..players import Player, Policy, blame, copy_of
from ..validation import as_list, shown, whole_number
from .opponents import (
    RESET_AFTER,
    RESET_FIRST,
    TOO_SHORT,
    Opponent,
    ask_opponent,
    begin_opponent,
    choose_opponents,
    choose_seat,
    final_values,
)


class VectorSingleEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Many `SingleEnv`s, stepped together over the records of a `GameBatch`.

    The legal actions are in `infos["action_mask"]` and `action_masks()`. At the end of a game the
    infos have `scores`, `winners`, `seat` and `margin`. `autoreset_mode` says when it is reset:

    - `"next_step"`: by the next step, which ignores the action of that game.
    - `"same_step"`: in the same step. The last observation is in `infos["final_obs"]`, the infos
      above are in `infos["final_info"]`.
    - `"disabled"`: by `reset(options={"reset_mask": mask})`.
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
        self.num_envs = whole_number(num_envs, "num_envs", 1)
        self._rules = rules = GameRules(num_players, edition, max_turns)
        wanted = pieces if pieces is None else as_list(pieces, "pieces")
        self._layout = Layout(rules.num_players, hands, wanted, observation)
        self._format = ObservationFormat(
            self._layout,
            dtype=dtype,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        self._illegal = illegal_rule(illegal)
        self.autoreset_mode = _read_autoreset(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        kind = reward_number(reward)
        self._loop_options = LoopOptions(
            self._layout.bounds,
            outcome=float(kind == OUTCOME),
            score=float(kind == SCORE),
            margin=float(kind == MARGIN),
            skips=SKIP_LEARNERS if skip_forced else SKIP_NONE,
        )
        others = choose_opponents(opponents, rules.num_players)
        self._fixed_seat = choose_seat(seat, rules.num_players)
        self._copy = copy
        self._rng = np.random.default_rng()
        self._has_reset = False
        self._has_ended = np.zeros(self.num_envs, np.bool_)
        """Games that ended and were not reset since."""
        self.batch = self._new_batch(None)  # first: if there is no memory, this says so at once
        self._seat_opponents(others)
        self.single_action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self.single_observation_space = self._format.space()
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @cached_property
    # The override: Gymnasium declares an attribute that may be written to.
    def observation_space(self) -> gymnasium.spaces.Space[Any]:  # type: ignore[override]
        """The space of the observations of all games.

        It is made when somebody asks for it: its limits, which Gymnasium writes out for each game,
        take more memory than the games.
        """
        return batch_space(self.single_observation_space, self.num_envs)

    def _seat_opponents(self, others: Sequence[Policy | Player]) -> None:
        """Separate bots from Python opponents, and copy the latter for every game."""
        # Not a subclass, which may override `choose`.
        bots = {place: other for place, other in enumerate(others) if type(other) is Bot}
        table = list(bots.values()) or [make(BOT_NAMES[0])]  # compiled code needs at least one row
        rows = {place: row for row, place in enumerate(bots)}
        places = range(len(others))
        self._occupants = np.array(
            [*(rows.get(place, FIRST_EXTERNAL - place) for place in places), LEARNER], np.int64
        )
        """Clockwise from the seat after the learner's, which is the last."""
        self.learners = Learners.make(
            self.num_envs,
            self._rules.num_players,
            np.array([bot.number for bot in table], np.int64),
            np.array([bot.row for bot in table]),
        )
        self._external: list[dict[int, Policy | Player]] = [
            {
                place: copy_of(other) if isinstance(other, Player) else other
                for place, other in enumerate(others)
                if place not in bots
            }
            for _ in range(self.num_envs)
        ]
        """Python opponents of each game, by their place after the learner."""

    def _new_batch(self, seed: int | None) -> GameBatch:
        layout = self._layout
        return GameBatch(
            self.num_envs,
            **asdict(self._rules),
            hands=layout.hands,
            pieces=layout.pieces,
            seed=seed,
        )

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
        learners.occupants[games] = self._occupants[places]
        learners.words[games] = self._rng.integers(2**32, size=(games.size, 4), dtype=np.uint32)
        for game in games.tolist():
            for place, opponent in self._external[game].items():
                if isinstance(opponent, Player):
                    seat = (int(learners.seats[game]) + 1 + place) % players
                    drawn_seed = int(self._rng.integers(2**63))
                    begin_opponent(opponent, drawn_seed, f"seat {seat} of game {game}")
        rules = self._rules.numbers
        start_games(where, rules, self.batch.arrays, learners, self._loop_options)
        self.batch.advance_seeds(where)
        self._play_external()

    def _play(self, where: np.ndarray, actions: np.ndarray) -> None:
        """Play an action in each of the chosen games, up to the next decision from Python."""
        play_actions(where, actions, self.batch.arrays, self.learners, self._loop_options)

    def _play_external(self) -> None:
        """Ask Python opponents until all games wait for their learners or are over."""
        while (asked := self.learners.waits_for == AT_OPPONENT).any():
            actions = np.zeros(self.num_envs, np.int64)
            for game in np.flatnonzero(asked).tolist():
                actions[game] = self._ask(game)
            self._play(asked, actions)

    def _ask(self, number: int) -> int:
        """Return the action of the Python opponent to play in a game."""
        game = Game.from_state(self.batch.states[number : number + 1])
        seat = game.to_play
        place = FIRST_EXTERNAL - int(self.learners.occupants[number, seat])
        opponent = self._external[number][place]
        try:
            # Steps a copy, to check that the action is legal.
            game.step(ask_opponent(opponent, game, self._format))
        except Exception as error:
            blame(error, f"the opponent on seat {seat} of game {number}", RESET_AFTER)
            raise
        return game.history[-1]  # a plain int; an object with __index__ could change its value

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
        masks = self.batch.masks
        is_known = (actions >= 0) & (actions < N_ACTIONS)
        is_legal = masks[np.arange(self.num_envs), np.where(is_known, actions, 0)] == 1
        is_illegal = ~(is_known & is_legal) & ~ignored
        if not is_illegal.any():
            return actions, is_illegal
        games = np.flatnonzero(is_illegal).tolist()
        if self._illegal == "raise":
            raise IllegalAction(self.batch.why_illegal(games[0], int(actions[games[0]])))
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
            buffer, mask = self.batch.observations[game].copy(), self.batch.masks[game].copy()
            observations[game] = self._format.show(buffer, mask)
        self._start_games(done)
        return {
            "final_obs": observations,
            "_final_obs": done.copy(),
            "final_info": infos,
            "_final_info": done.copy(),
        }

    def _observations(self) -> Any:
        buffers, masks = self.batch.observations, self.batch.masks
        if self._copy and self._format.dtype == "uint8":  # otherwise `show` makes a new array
            buffers = buffers.copy()
        if self._copy and self._format.has_mask:
            masks = masks.copy()
        return self._format.show(buffers, masks)

    def _infos(self) -> dict[str, Any]:
        masks = self.batch.masks.copy() if self._copy else self.batch.masks
        return {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions: bool `[env, action]`."""
        return self.batch.masks.astype(np.bool_)


def _read_autoreset(mode: AutoresetName | AutoresetMode) -> AutoresetMode:
    name = mode.name.lower() if isinstance(mode, AutoresetMode) else autoreset_name(mode)
    return AutoresetMode[name.upper()]
