"""The training environment: a Stable-Baselines3 `VecEnv` with one learner in each game.

The opponents are bots, in compiled code, and frozen policies. Each frozen policy is called on
the batch of all games in which it is to play.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from alhambra_env.actions import N_ACTIONS
from alhambra_env.adapters.sb3 import CompiledVecEnv
from alhambra_env.agents.network import default_pieces
from alhambra_env.agents.policy import AgentPolicy
from alhambra_env.batch import GameBatch
from alhambra_env.bots import Bot, make
from alhambra_env.engine.rewards import margins, win_shares
from alhambra_env.envs.opponents import TOO_SHORT
from alhambra_env.loops.learners import (
    AT_LEARNER,
    AT_OPPONENT,
    ENDED,
    FIRST_EXTERNAL,
    LEARNER,
    MOST_RESTARTS,
    SKIP_ALL,
    Learners,
    LoopOptions,
    play_actions_parallel,
    show_games,
    start_games,
)
from alhambra_env.observation.layout import Layout
from alhambra_env.options import (
    DEFAULT_EDITION,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    TURN_LIMIT,
    AnyEdition,
    Hands,
)

from .random_states import set_generator

POOL: Final = "pool"
"""The name of the opponent pool in `opponents`."""

_NOBODY: Final = np.iinfo(np.int64).min


class SelfPlayEnv(CompiledVecEnv):
    """One learner in each game, at a random seat, against bots and frozen policies.

    The reward is the sum of what the learner earned since its last decision. A game that ends is
    reset in the same step; its last observation is in the info as `terminal_observation`.
    """

    def __init__(
        self,
        num_envs: int,
        num_players: int = 3,
        opponents: Mapping[str, float] | None = None,
        outcome_weight: float = 1.0,
        margin_weight: float = 0.01,
        edition: AnyEdition = DEFAULT_EDITION,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        max_turns: int = DEFAULT_MAX_TURNS,
        seed: int | None = None,
    ) -> None:
        """Choose the settings.

        Args:
            num_envs: how many games.
            num_players: 2 to 6.
            opponents: shares of the other seats, by bot name; `"pool"` is the share of the frozen
                policies. None means random bots.
            outcome_weight: weight of the reward `outcome`.
            margin_weight: weight of the reward `margin`; the reward is the weighted sum.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            hands: `"secret"` or `"open"` (E4).
            pieces: names of observation pieces; None for those that the network needs by default.
            max_turns: after this many turns a game is scored and ends (E3).
            seed: of all games, seats, opponents and their actions.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        sequence = np.random.SeedSequence(seed)
        self._rng = np.random.default_rng(sequence)
        self.batch = GameBatch(
            num_envs,
            num_players,
            edition=edition,
            seed=int(sequence.generate_state(1, np.uint64)[0]),
            hands=hands,
            pieces=default_pieces(hands) if pieces is None else pieces,
            max_turns=max_turns,
        )
        if self.batch.layout is None:
            raise ValueError("a learner needs an observation: choose at least one piece")
        self.layout: Layout = self.batch.layout
        self._loop_options = LoopOptions(
            self.layout.bounds,
            outcome=float(outcome_weight),
            margin=float(margin_weight),
            skips=SKIP_ALL,
            shows_opponents=True,
        )
        self._policies: list[AgentPolicy] = []
        self._choose_opponents({"random": 1.0} if opponents is None else opponents)
        self.learners = Learners.make(
            num_envs,
            num_players,
            np.array([bot.number for bot in self._bots], np.int64),
            np.array([bot.row for bot in self._bots]),
        )
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._is_fresh = np.ones(num_envs, np.bool_)
        """Has the learner not yet acted in its game?"""
        self._actions = np.zeros(num_envs, np.int64)
        self._begin_time = time.time()
        super().__init__(num_envs, self.layout.box(), gymnasium.spaces.Discrete(N_ACTIONS))

    # --- opponents ----------------------------------------------------------------------------

    def _choose_opponents(self, opponents: Mapping[str, float]) -> None:
        names = [name for name, share in opponents.items() if share > 0]
        if not names or min(opponents.values()) < 0:
            raise ValueError(f"the shares of the opponents must be 0 or more, not {opponents}")
        bots = [name for name in names if name != POOL]
        # Bots also play while the pool is empty, so there must be one.
        self._bots: list[Bot] = [make(name) for name in bots] or [make("random")]
        shares = np.array([opponents[name] for name in bots] or [0.0])
        self._pool_share = opponents.get(POOL, 0.0) / (shares.sum() + opponents.get(POOL, 0.0))
        chances = shares / shares.sum() if shares.sum() else np.ones(1)
        self._bot_chances = chances.cumsum()[:-1]

    def set_policies(self, policies: Sequence[AgentPolicy]) -> None:
        """Replace the frozen policies of the opponent pool.

        In running games, the n-th new policy takes over from the n-th old one.
        """
        if len(policies) < len(self._policies):
            raise ValueError(
                f"there were {len(self._policies)} policies; there must be at least as many"
            )
        self._policies = list(policies)

    def _draw_opponents(self, size: tuple[int, ...]) -> np.ndarray:
        """Draw bots and frozen policies at random, by their shares."""
        # The same as `Generator.choice` with these probabilities, but ten times as fast.
        drawn = np.searchsorted(self._bot_chances, self._rng.random(size), side="right")
        if self._policies:
            policies = FIRST_EXTERNAL - self._rng.integers(len(self._policies), size=size)
            drawn = np.where(self._rng.random(size) < self._pool_share, policies, drawn)
        return drawn

    def _draw_occupants(self, games: np.ndarray) -> None:
        drawn = self._draw_opponents((games.size, self.batch.num_players))
        self.learners.seats[games] = self._rng.integers(self.batch.num_players, size=games.size)
        drawn[np.arange(games.size), self.learners.seats[games]] = LEARNER
        self.learners.occupants[games] = drawn
        self.learners.words[games] = self._rng.integers(
            2**32, size=(games.size, 4), dtype=np.uint32
        )

    # --- playing ------------------------------------------------------------------------------

    def reset(self) -> np.ndarray:
        """Reset all games, and return the learners' observations."""
        self.learners.waits_for[:] = ENDED
        self._is_fresh[:] = True
        self._play_on([{} for _ in range(self.num_envs)])
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.batch.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions of the learners."""
        self._actions[:] = self.batch.check_actions(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions, then the opponents' up to the learners' next decisions."""
        everywhere = np.ones(self.num_envs, np.bool_)
        self.learners.earned[:] = (
            self.learners.earned * self._is_fresh
        )  # earned before the first decision
        self._is_fresh[:] = False
        self._lengths += 1
        self._play(everywhere)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._dones = np.zeros(self.num_envs, np.bool_)
        self._play_on(infos)
        going_on = ~self._dones
        self._rewards[going_on] = self.learners.earned[going_on]
        self._returns[going_on] += self.learners.earned[going_on]
        return self.batch.observations.copy(), self._rewards, self._dones, infos

    def _play(self, where: np.ndarray) -> None:
        arrays = self.batch.arrays
        play_actions_parallel(where, self._actions, arrays, self.learners, self._loop_options)

    def _play_on(self, infos: list[dict[str, Any]]) -> None:
        """Play the frozen policies and restart ended games, until all games wait for learners."""
        tries = 0
        while True:
            ended = self.learners.waits_for == ENDED
            if ended.any():
                tries += 1
                if tries > MOST_RESTARTS * self.batch.rules.max_turns:
                    raise ValueError(TOO_SHORT)
                self._note_ends(np.flatnonzero(ended & ~self._is_fresh), infos)
                self._begin(ended)
            asked = self.learners.waits_for == AT_OPPONENT
            if asked.any():
                self._ask_policies(asked)
                self._play(asked)
            elif not (self.learners.waits_for == ENDED).any():
                return

    def _note_ends(self, games: np.ndarray, infos: list[dict[str, Any]]) -> None:
        scores = self.batch.states["scores"][:, : self.batch.num_players].astype(int)
        won, margin = win_shares(scores), margins(scores)
        for game in games.tolist():
            seat = int(self.learners.seats[game])
            self._rewards[game] = self.learners.earned[game]
            self._dones[game] = True
            infos[game] = {
                "terminal_observation": self.batch.observations[game].copy(),
                # The turn limit gives the outcome reward, too, so there is nothing to bootstrap.
                "TimeLimit.truncated": False,
                "episode": {
                    "r": float(self._returns[game] + self.learners.earned[game]),
                    "l": int(self._lengths[game]),
                    "t": time.time() - self._begin_time,
                },
                "won": float(won[game, seat]),
                "score": int(scores[game, seat]),
                "margin": float(margin[game, seat]),
                "seat": seat,
                "occupants": self.learners.occupants[game].tolist(),
            }
            if self.batch.states["truncated"][game]:
                infos[game]["truncated_by"] = TURN_LIMIT

    def _begin(self, where: np.ndarray) -> None:
        self._draw_occupants(np.flatnonzero(where))
        for array in (self.learners.earned, self._returns, self._lengths):
            array[where] = 0
        self._is_fresh[where] = True
        batch = self.batch
        rules = batch.rules.numbers
        start_games(where, rules, batch.arrays, self.learners, self._loop_options)
        batch.advance_seeds(where)

    def _ask_policies(self, asked: np.ndarray) -> None:
        """Write the actions of the frozen policies, one batch for each policy."""
        occupants = self.learners.occupants[np.arange(self.num_envs), self.batch.to_play]
        for number, policy in enumerate(self._policies):
            games = np.flatnonzero(asked & (occupants == FIRST_EXTERNAL - number))
            if games.size:
                self._actions[games] = policy.choose(
                    self.batch.observations[games], self.batch.masks[games], self._rng
                )

    def _saved_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays to save, besides the batch, by name."""
        learners = self.learners
        return {
            "seats": learners.seats,
            "occupants": learners.occupants,
            "words": learners.words,
            "earned": learners.earned,
            "returns": self._returns,
            "lengths": self._lengths,
            "is_fresh": self._is_fresh,
        }

    # --- saving -------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return everything needed to continue later, except the frozen policies."""
        return {
            "batch": self.batch.save(),
            "rng": self._rng.bit_generator.state,
            "bots": [bot.name for bot in self._bots],
            **{name: array.copy() for name, array in self._saved_arrays().items()},
        }

    def load(self, saved: dict[str, Any]) -> tuple[np.ndarray, int]:
        """Continue from what `save` returned, with the present opponents.

        Saved opponents that are not among them are replaced by random ones.

        Returns:
            the learners' observations, and how many opponents were replaced.

        Raises:
            ValueError: the save does not fit the settings, or is damaged.
        """
        present = self._saved_arrays()
        arrays = {name: read_saved(name, saved[name], own) for name, own in present.items()}
        learners = arrays["seats"][:, None] == np.arange(self.batch.num_players)
        if not (learners == (arrays["occupants"] == LEARNER)).all():
            raise ValueError("the seats of the saved learners do not fit their games")
        if not arrays["words"].any(axis=1).all():
            raise ValueError("the random words of a saved game are all 0")
        occupants, is_gone = self._still_there(arrays["occupants"], list(saved["bots"]))
        self.batch.load(saved["batch"])
        if (self.batch.to_play != arrays["seats"]).any():
            raise ValueError("a saved game does not wait for its learner")
        set_generator(self._rng, saved["rng"])
        for name, own in present.items():
            own[:] = arrays[name]
        self.learners.occupants[:] = occupants
        if is_gone.any():
            self.learners.occupants[is_gone] = self._draw_opponents((int(is_gone.sum()),))
        self.learners.waits_for[:] = AT_LEARNER
        show_games(self.batch.arrays, self.learners, self._loop_options)
        return self.batch.observations.copy(), int(is_gone.sum())

    def _still_there(
        self, occupants: np.ndarray, bots: Sequence[Any]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the occupants of saved games by their present numbers, and which are gone.

        `bots` are the saved names of the bots, by their saved numbers.
        """
        if occupants.max() >= len(bots):
            raise ValueError(f"there were {len(bots)} bots, but bot {occupants.max()} plays")
        names = [bot.name for bot in self._bots]
        numbers = [names.index(bot) if bot in names else _NOBODY for bot in bots]
        is_bot = occupants >= 0
        is_policy = occupants <= FIRST_EXTERNAL
        now = occupants.copy()
        now[is_bot] = np.array(numbers, np.int64)[occupants[is_bot]]
        policies = len(self._policies) if self._pool_share > 0 else 0
        is_gone = is_bot & (now == _NOBODY) | is_policy & (FIRST_EXTERNAL - occupants >= policies)
        return now, is_gone

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions: int8 `[env, action]`."""
        return self.batch.masks


def read_saved(name: str, given: Any, own: np.ndarray) -> np.ndarray:
    """Return a saved array; `ValueError` unless it has the expected type and shape."""
    if not isinstance(given, np.ndarray) or (given.dtype, given.shape) != (own.dtype, own.shape):
        raise ValueError(f"{name} of the saved games must be {own.dtype} {own.shape}")
    if not np.isfinite(given).all():
        raise ValueError(f"{name} of the saved games are not all finite numbers")
    return given
