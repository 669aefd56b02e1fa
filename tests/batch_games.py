"""Random games in a `GameBatch`, and the same games played one by one beside it."""

from typing import Any

import numpy as np
import pytest

from alhambra_env import Game, GameBatch, alhambra_v0
from alhambra_env.batch import MAX_THREADS
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import REWARD_NAMES
from tests.rewards import step_rewards

TWO_THREADS = pytest.param(
    2, marks=pytest.mark.skipif(MAX_THREADS < 2, reason="there is only one thread here")
)
NO_CITIES = tuple(
    name for name in PIECE_NAMES if "cit" not in name and name not in ("other_hands", "wall_gain")
)

# Settings of a batch: what it observes
DEFAULT: dict[str, Any] = {}
EVERYTHING: dict[str, Any] = {"hands": "open", "pieces": PIECE_NAMES}
WITHOUT_CITIES: dict[str, Any] = {"pieces": NO_CITIES}
NOTHING: dict[str, Any] = {"pieces": []}

MOST_GAMES = 64


class Chooser:
    """Chooses legal actions at random; a game's choices do not depend on the other games."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, masks: np.ndarray) -> np.ndarray:
        """Return an action for each game."""
        draws = self._rng.random(MOST_GAMES)[: len(masks)]
        wanted = (draws * masks.sum(axis=1, dtype=np.int64)).astype(np.int64)
        is_from_there = masks.cumsum(axis=1, dtype=np.int64) > wanted[:, None]
        chosen: np.ndarray = is_from_there.argmax(axis=1)
        return chosen


def play_batch(batch: GameBatch, steps: int, seed: int = 0) -> int:
    """Play random actions in every game. Return how many games ended."""
    choose = Chooser(seed)
    return sum(int(batch.step(choose(batch.masks))[1].sum()) for _ in range(steps))


def play_alike(batch: GameBatch, twin: GameBatch, steps: int, seed: int = 0) -> None:
    """Play the same random actions in two batches, which must show the same at each step."""
    choose = Chooser(seed)
    for _ in range(steps):
        chosen = choose(batch.masks)
        batch.step(chosen)
        twin.step(chosen)
        assert digest(twin) == digest(batch)


def play_until_all_ended(batch: GameBatch) -> None:
    choose = Chooser()
    ended = np.zeros(batch.num_games, np.bool_)
    while not ended.all():
        ended |= batch.step(choose(batch.masks))[1]


SHOWN = ("states", "observations", "masks", "to_play", "seeds", "rewards", "done")


def digest(batch: GameBatch) -> list[bytes]:
    """Return the bytes of all public arrays of a batch, to compare it with another."""
    return [getattr(batch, name).tobytes() for name in (*SHOWN, "final_states")]


class Twins:
    """A batch, and each of its games beside it as a `Game` and as a PettingZoo environment."""

    def __init__(self, **settings: Any) -> None:
        self.batch = GameBatch(**settings)
        self.settings = {
            key: settings[key] for key in ("num_players", "edition", "max_turns") if key in settings
        }
        self.kind = settings.get("reward", REWARD_NAMES[0])
        watched = {key: settings[key] for key in ("hands", "pieces") if key in settings}
        if self.batch.layout is None:
            watched = {}
        else:
            self.layout = Layout(self.batch.num_players, **watched)
        self.games = [Game(seed=int(seed), **self.settings) for seed in self.batch.seeds]
        self.envs = [
            alhambra_v0.raw_env(reward=self.kind, **watched, **self.settings) for _ in self.games
        ]
        self.ended = 0
        self.truncated = 0
        for env, seed in zip(self.envs, self.batch.seeds, strict=True):
            env.reset(seed=int(seed))
        self.compare()

    def step(self, chosen: np.ndarray) -> None:
        rewards, done = self.batch.step(chosen)
        for i, action in enumerate(chosen.tolist()):
            game, env = self.games[i], self.envs[i]
            before = game.scores
            game.step(action)
            env.step(action)
            expected = step_rewards(self.kind, before, game)
            assert rewards[i] == pytest.approx(expected, abs=1e-5)
            assert list(env.rewards.values()) == pytest.approx(expected, abs=1e-5)
            assert done[i] == game.over
            if game.over:
                self._compare_end(i)
                self.begin(i)
        self.compare()

    def begin(self, i: int) -> None:
        seed = int(self.batch.seeds[i])
        assert seed != self.games[i].seed
        self.games[i] = Game(seed=seed, **self.settings)
        self.envs[i].reset(seed=seed)

    def _compare_end(self, i: int) -> None:
        game, env, batch = self.games[i], self.envs[i], self.batch
        self.ended += 1
        self.truncated += game.truncated
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        assert all(("truncated_by" in info) == game.truncated for info in env.infos.values())
        assert batch.final_states[i].tobytes() == game.states.tobytes()
        assert batch.final_scores[i].tolist() == game.scores
        if batch.layout is not None:
            for seat in range(game.num_players):
                observed = batch.final_observation(i, seat)
                assert np.array_equal(observed, self.layout.observe(game.states, 0, seat))
                assert np.array_equal(observed, env.observe(f"player_{seat}")["observation"])

    def compare(self) -> None:
        """Compare what every game shows now."""
        batch = self.batch
        for i, game in enumerate(self.games):
            agent = self.envs[i].agent_selection
            assert batch.states[i].tobytes() == game.states.tobytes()
            assert batch.to_play[i] == game.to_play == int(agent.removeprefix("player_"))
            assert np.array_equal(batch.masks[i], game.masks[0])
            assert np.array_equal(batch.masks[i], self.envs[i].infos[agent]["action_mask"])
            if batch.layout is not None:
                expected = self.layout.observe(game.states, 0, game.to_play)
                assert np.array_equal(batch.observations[i], expected)
