"""`GameBatch`: many games in lockstep, in arrays that are filled in place.

>>> batch = GameBatch(num_games=4, num_players=3, seed=0)
>>> actions = batch.masks.argmax(axis=1)
>>> rewards, done = batch.step(actions)
"""

from collections.abc import Iterable
from typing import Any, Final

import numba
import numpy as np
from numba import config

from . import actions as names
from .batch_save import FORMAT, SETTINGS, pack, unpack
from .engine.action_ranges import N_ACTIONS
from .engine.material import NONE
from .engine.rng import seed_words
from .engine.seeds import SeedArrays, advance_seeds
from .engine.state import new_states
from .engine.threads import start_threads
from .errors import IllegalAction
from .loops.batch import (
    BatchArrays,
    begin_games,
    find_illegal,
    show_game,
    step_games,
    step_games_parallel,
)
from .observation.layout import Layout
from .options import (
    DEFAULT_EDITION,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    DEFAULT_REWARD,
    AnyEdition,
    GameRules,
    Hands,
    RewardName,
    hands_name,
    reward_number,
)
from .validation import as_list, shortened, whole_number

# Calling numba.get_num_threads() would start Numba's threads, and the process could no longer fork.
# The setting has no type, because Numba reads it from the environment at run time.
MAX_THREADS: Final[int] = getattr(config, "NUMBA_NUM_THREADS")  # noqa: B009
"""The largest `num_threads` of a batch on this machine."""


class GameBatch:
    """N games in lockstep: each step plays one action of the seat to play in every game.

    A game that ends restarts at once with a new seed; `final_states` keeps the record of its end.
    """

    observations: np.ndarray
    """`uint8 [game, byte]`: what the seat to play observes; `layout.split` names the pieces."""
    masks: np.ndarray
    """`int8 [game, action]`: the legal actions of the seat to play."""
    to_play: np.ndarray
    """`int8 [game]`: the seat to play."""
    rewards: np.ndarray
    """`float32 [game, seat]`: the rewards of the last step."""
    done: np.ndarray
    """`bool [game]`: did the last step end the game? The other arrays show the next game then."""
    states: np.ndarray
    """The records. To change them, use `load`."""
    final_states: np.ndarray
    """The record at the end of the last finished game, for each game; zeros before that."""
    seeds: np.ndarray
    """`uint64 [game]`: `Game(seed=...)` with this seed is the same game."""
    arrays: BatchArrays
    """The arrays above that compiled loops work on."""

    def __init__(
        self,
        num_games: int,
        num_players: int = 3,
        edition: AnyEdition = DEFAULT_EDITION,
        seed: int | None = None,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        reward: RewardName = DEFAULT_REWARD,
        num_threads: int = 1,
        max_turns: int = DEFAULT_MAX_TURNS,
    ) -> None:
        """Set up all games.

        Args:
            num_games: how many games.
            num_players: 2 to 6, the same in all games.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            seed: of the whole batch; the same seed and actions give the same games. None draws one.
            hands: `"secret"` or `"open"` (E4).
            pieces: names of the pieces of an observation; None takes the default ones. With an
                empty list the batch has no observations.
            reward: `"outcome"`, `"score"` or `"margin"`.
            num_threads: how many threads step the games. Results do not depend on it.
            max_turns: after this many turns a game is scored and ends (E3).

        Raises:
            ValueError: for a setting that is not allowed; the message says what is allowed.
        """
        self.rules = GameRules(num_players, edition, max_turns)
        self.num_games = whole_number(num_games, "num_games", 1)
        self.num_players = self.rules.num_players
        self.edition = self.rules.edition
        self.reward = reward
        self.num_threads = whole_number(num_threads, "num_threads", 1, MAX_THREADS)
        if seed is not None:
            seed = whole_number(seed, "seed", 0)
        hands_name(hands)  # checked here too, because a batch may have no layout
        wanted = pieces if pieces is None else as_list(pieces, "pieces")
        self.layout = Layout(num_players, hands, wanted) if wanted != [] else None
        self._reward = reward_number(reward)
        self._sequence = np.random.SeedSequence(seed)
        self._key = seed_words(self._sequence)[:2]
        self._make_arrays()
        self.advance_seeds(np.ones(num_games, np.bool_))
        self.reset()

    def _make_arrays(self) -> None:
        games = self.num_games
        size = self.layout.size if self.layout else 0
        self.states = new_states(games)
        self.final_states = new_states(games)
        self.observations = np.zeros((games, size), np.uint8)
        self.masks = np.zeros((games, N_ACTIONS), np.int8)
        self.to_play = np.zeros(games, np.int8)
        self.rewards = np.zeros((games, self.num_players), np.float32)
        self.done = np.zeros(games, np.bool_)
        self.seeds = np.zeros(games, np.uint64)
        self._seed_arrays = SeedArrays(
            begun=np.zeros(games, np.int64),
            seeds=self.seeds,
            next_seeds=np.zeros(games, np.uint64),
            next_words=np.zeros((games, 4), np.uint32),
        )
        self.arrays = BatchArrays(
            states=self.states,
            final_states=self.final_states,
            next_words=self._seed_arrays.next_words,
            observations=self.observations,
            masks=self.masks,
            to_play=self.to_play,
            rewards=self.rewards,
            done=self.done,
        )
        self._bounds = self.layout.bounds if self.layout else np.zeros((0, 2), np.int64)

    def advance_seeds(self, where: np.ndarray) -> None:
        """Update `seeds` after games restarted from their next seeds, and draw new next seeds."""
        advance_seeds(where, self._key, self._seed_arrays)

    # --- playing ------------------------------------------------------------------------------

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play one action in every game.

        Args:
            actions: whole numbers `[game]`, each legal for the seat to play.

        Returns:
            `rewards` and `done`: the batch's own arrays, which the next step overwrites.

        Raises:
            IllegalAction: an action is not legal. The message names the first such game, and no
                game has moved.
        """
        actions = self.check_actions(actions)
        run = step_games if self.num_threads == 1 else step_games_parallel
        if self.num_threads > 1:
            start_threads()
            numba.set_num_threads(self.num_threads)
        run(actions, self.arrays, self._bounds, self._reward, self.layout is not None)
        if self.done.any():
            self.advance_seeds(self.done)
        return self.rewards, self.done

    def check_actions(self, given: Any) -> np.ndarray:
        """Return the actions as int64, or raise an `IllegalAction` that names the first bad one."""
        actions = self.read_actions(given)
        game = find_illegal(self.masks, actions)
        if game != NONE:
            raise IllegalAction(self.why_illegal(game, int(actions[game])))
        return actions

    def read_actions(self, given: Any) -> np.ndarray:
        """Return the actions as int64, or raise `IllegalAction` unless there is one for each game.

        It does not check that they are legal.
        """
        actions: np.ndarray = np.asarray(given)
        if actions.shape != (self.num_games,):
            raise IllegalAction(
                f"actions must be an array of shape ({self.num_games},), one for each game, "
                f"not of shape {actions.shape}"
            )
        if not np.issubdtype(actions.dtype, np.integer):
            raise IllegalAction(
                f"actions must be whole numbers, not {shortened(str(actions.dtype))}"
            )
        return np.ascontiguousarray(actions, np.int64)

    def why_illegal(self, game: int, action: int) -> str:
        """Return a sentence that names an illegal action and what is legal instead."""
        known = 0 <= action < N_ACTIONS
        what = f"{names.name(action)} (action {action})" if known else f"action {action}"
        legal = np.flatnonzero(self.masks[game])
        some = ", ".join(map(names.name, legal[:8].tolist()))
        more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
        return (
            f"game {game}: {what} is not legal; seat {self.to_play[game]} may play {some}{more}. "
            "No game has moved"
        )

    def reset(self, where: np.ndarray | None = None) -> None:
        """Restart all games, or those where the bool array `where` `[game]` is true."""
        chosen = np.ones(self.num_games, np.bool_) if where is None else np.asarray(where)
        if chosen.shape != (self.num_games,) or chosen.dtype != np.bool_:
            raise ValueError(f"where must be a bool array of shape ({self.num_games},)")
        begin_games(chosen, self.rules.numbers, self.arrays, self._bounds, self.layout is not None)
        self.advance_seeds(chosen)

    @property
    def final_scores(self) -> np.ndarray:
        """`int16 [game, seat]`: the scores at the end of the last finished game."""
        scores: np.ndarray = self.final_states["scores"][:, : self.num_players]
        return scores

    def final_observation(self, game: int, seat: int) -> np.ndarray:
        """Return what a seat observed at the end of the last finished game.

        Raises:
            ValueError: there is no such game or seat, or the batch has no observations.
        """
        if self.layout is None:
            raise ValueError("this batch has no observations")
        number = whole_number(game, "game", 0, self.num_games - 1)
        observer = whole_number(seat, "seat", 0, self.num_players - 1)
        return self.layout.observe(self.final_states, number, observer)

    # --- saving -------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return everything needed to continue from here later, as arrays and plain values."""
        return {
            "format": FORMAT,
            **dict(zip(SETTINGS, self.rules.numbers, strict=True)),
            "entropy": self._sequence.entropy,
            "begun": self._seed_arrays.begun.copy(),
            "seeds": self.seeds.copy(),
            "next_seeds": self._seed_arrays.next_seeds.copy(),
            "states": pack(self.states),
            "final_states": pack(self.final_states),
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Continue from what `save` returned, in a batch of the same size and the same rules.

        Raises:
            DamagedRecord: it does not fit this batch, or is damaged. The batch is unchanged.
        """
        arrays = unpack(saved, self.num_games, self.rules.numbers)
        self.states[:] = arrays["states"]
        self.final_states[:] = arrays["final_states"]
        self._sequence = np.random.SeedSequence(arrays["entropy"])
        self._key = seed_words(self._sequence)[:2]
        seeds = self._seed_arrays
        seeds.begun[:] = arrays["begun"]
        seeds.seeds[:] = arrays["seeds"]
        seeds.next_seeds[:] = arrays["next_seeds"]
        for game in range(self.num_games):
            seeds.next_words[game] = seed_words(int(seeds.next_seeds[game]))
            show_game(game, self.arrays, self._bounds, self.layout is not None)
        self.rewards[:] = 0
        self.done[:] = False
