"""The vector environment plays the same games as singles, step by step and on average."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from alhambra_env import ENV_ID, Game, bots
from alhambra_env.bots.chance import choose_by_kind
from alhambra_env.engine.editions import EDITION_NAMES, EditionName
from alhambra_env.engine.rng import seed_words
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import REWARD_NAMES
from tests.learner_games import LearnerGame, ask_bot, assert_begun
from tests.vector_games import (
    Vector,
    batch_of,
    choose,
    flatten,
    flatten_one,
    inside,
    make,
    seats_of,
    words_of,
)

# --- playing beside it ----------------------------------------------------------------------------


class Replay:
    """A vector environment, and each of its games played beside it as a `Game`."""

    def __init__(self, seed: int, **settings: Any) -> None:
        self.env = make(**settings)
        self.kind = settings.get("reward", REWARD_NAMES[0])
        self.skip_forced = settings.get("skip_forced", True)
        self.players = settings.get("num_players", 3)
        names = settings.get("opponents", ["random"] * (self.players - 1))
        self.bots = [bots.make(name) for name in names]
        self.has_chance = "random" in names
        rules = ("num_players", "edition", "max_turns")
        self.rules = {key: settings[key] for key in rules if key in settings}
        watched = {key: settings[key] for key in ("hands", "pieces") if key in settings}
        self.layout = Layout(self.players, **watched)
        self.rng = np.random.default_rng(seed)
        self.ended = self.truncated = 0
        observations, infos = self.env.reset(seed=seed)
        self.games = [self._begin(i) for i in range(self.env.num_envs)]
        self._compare(observations, infos)

    def _begin(self, i: int) -> LearnerGame:
        """Return a game that has just begun, after comparing it with what its seed says."""
        seat = int(seats_of(self.env)[i])

        def ask(game: Game, words: np.ndarray) -> int:
            return ask_bot(self.bots[(game.to_play - seat - 1) % self.players], game, words)

        batch = batch_of(self.env)
        start = Game(seed=int(batch.seeds[i]), **self.rules)
        record = batch.states[i : i + 1].copy()
        if self.has_chance:
            game = Game.from_state(record)
            assert_begun(game, start, seat)
            return LearnerGame(game, seat, ask, self.skip_forced)
        learner = LearnerGame(start, seat, ask, self.skip_forced)
        learner.play_on()
        assert learner.game.states.tobytes() == record.tobytes()
        return learner

    def step(self) -> None:
        words = words_of(self.env).copy()
        chosen = choose(inside(self.env).action_masks(), self.rng)
        observations, rewards, terminated, truncated, infos = self.env.step(chosen)
        for i, action in enumerate(chosen.tolist()):
            learner = self.games[i]
            learner.words = words[i]
            learner.decide(action)
            game = learner.game
            assert rewards[i] == pytest.approx(learner.earned[self.kind], abs=1e-5)
            assert terminated[i] == game.over
            assert not truncated[i]
            if game.over:
                self._compare_end(i, infos)
                self.games[i] = self._begin(i)
            else:
                assert seats_of(self.env)[i] == learner.seat
                assert batch_of(self.env).states[i].tobytes() == game.states.tobytes()
        if not (terminated | truncated).any():
            assert set(infos) == {"action_mask", "_action_mask"}
        else:
            for key in ("final_obs", "final_info"):
                assert infos[f"_{key}"].tolist() == (terminated | truncated).tolist()
        self._compare(observations, infos)

    def _compare_end(self, i: int, infos: dict[str, Any]) -> None:
        game, seat = self.games[i].game, self.games[i].seat
        self.ended += 1
        self.truncated += game.truncated
        expected = self.layout.observe(game.states, 0, seat)
        assert self.env.single_observation_space.contains(infos["final_obs"][i])
        assert np.array_equal(flatten_one(infos["final_obs"][i]), expected)
        assert infos["final_info"]["scores"][i].tolist() == game.scores
        assert infos["final_info"]["_scores"][i]
        if game.truncated:
            assert infos["final_info"]["truncated_by"][i] == "max_turns"
        assert infos["final_info"].get("_truncated_by", [False] * (i + 1))[i] == game.truncated

    def _compare(self, observations: Any, infos: dict[str, Any]) -> None:
        """Compare what every learner sees now."""
        assert self.env.observation_space.contains(observations)
        masks = infos["action_mask"]
        assert masks.dtype == np.int8
        assert infos["_action_mask"].all()
        flags = inside(self.env).action_masks()
        assert flags.dtype == np.bool_
        assert np.array_equal(flags, masks)
        flat = flatten(observations)
        for i, learner in enumerate(self.games):
            assert seats_of(self.env)[i] == learner.game.to_play == learner.seat
            assert np.array_equal(masks[i], learner.game.action_mask())
            assert masks[i].sum() > self.skip_forced
            expected = self.layout.observe(learner.game.states, 0, learner.seat)
            assert np.array_equal(flat[i], expected)


@pytest.mark.parametrize(
    ("ends", "settings"),
    [
        (12, {"num_envs": 6}),
        (9, {"num_envs": 3, "seat": "random", "observation": "dict", "reward": "score"}),
        (12, {"num_envs": 5, "num_players": 2, "seat": 1, "skip_forced": False}),
        (30, {"num_envs": 8, "num_players": 6, "max_turns": 45, "seat": 4, "reward": "score"}),
        (40, {"num_envs": 8, "num_players": 4, "max_turns": 20, "seat": "random"}),
        (6, {"num_envs": 2, "num_players": 5, "edition": "polish", "reward": "margin"}),
        (
            6,
            {
                "num_envs": 3,
                "hands": "open",
                "pieces": PIECE_NAMES,
                "observation": "dict",
                "reward": "margin",
                "seat": "random",
            },
        ),
        (6, {"num_envs": 3, "opponents": ["builder", "saver"], "seat": "random"}),
        (6, {"num_envs": 3, "num_players": 2, "opponents": ["planner"], "reward": "score"}),
        (20, {"num_envs": 7, "pieces": ["other_cities", "picked"], "max_turns": 60}),
        (20, {"num_envs": 7, "pieces": ["hand", "scores"], "max_turns": 60, "copy": False}),
    ],
)
def test_every_step_is_the_same_as_in_single_games(ends: int, settings: dict[str, Any]) -> None:
    replay = Replay(seed=1, **settings)
    while replay.ended < ends:
        replay.step()
    assert (replay.truncated > 0) == ("max_turns" in settings)


@pytest.mark.parametrize("edition", EDITION_NAMES)
def test_every_edition_can_be_played(edition: EditionName) -> None:
    replay = Replay(seed=2, num_envs=2, edition=edition, reward="score")
    while replay.ended < 2:
        replay.step()


# --- how games go ---------------------------------------------------------------------------------


def play_many(env: Vector, steps: int, choose_all: Callable[[np.ndarray], np.ndarray]) -> Any:
    """Play many steps; return the sums of rewards and the numbers of decisions of whole games."""
    _, infos = env.reset(seed=22)
    returns, lengths = np.zeros(env.num_envs), np.zeros(env.num_envs)
    ended = []
    for _ in range(steps):
        _, rewards, terminated, truncated, infos = env.step(choose_all(infos["action_mask"]))
        returns += rewards
        lengths += 1
        done = terminated | truncated
        ended += list(zip(returns[done].tolist(), lengths[done].tolist(), strict=True))
        returns[done] = lengths[done] = 0
    return np.array(ended)


@pytest.mark.parametrize("num_players", [2, 4])
def test_a_learner_that_plays_like_the_others_wins_as_often_as_they(num_players: int) -> None:
    env = make(64, num_players=num_players, seat="random", pieces=["hand"])
    words = seed_words(23)

    def like_a_bot(masks: np.ndarray) -> np.ndarray:
        return np.array([choose_by_kind(mask, words) for mask in masks])

    games = play_many(env, 800, like_a_bot)
    assert len(games) > 200
    error = games[:, 0].std() / np.sqrt(len(games))
    assert abs(games[:, 0].mean()) < 4 * error < 0.4


@pytest.mark.parametrize("reward", ["outcome", "score"])
def test_games_go_as_in_single_environments(reward: str) -> None:
    rng = np.random.default_rng(24)
    settings: dict[str, Any] = {"reward": reward, "seat": "random", "pieces": ["hand"]}
    many = play_many(make(32, **settings), 600, lambda masks: choose(masks, rng))
    env = gymnasium.make(ENV_ID, **settings)
    single = []
    for seed in range(50):
        _, info = env.reset(seed=seed)
        total, length, over = 0.0, 0, False
        while not over:
            action = choose(info["action_mask"][None], rng)[0]
            _, earned, terminated, truncated, info = env.step(action)
            total, length, over = total + float(earned), length + 1, terminated or truncated
        single.append((total, length))
    few = np.array(single)
    error = np.sqrt(many.var(axis=0) / len(many) + few.var(axis=0) / len(few))
    assert (abs(many.mean(axis=0) - few.mean(axis=0)) < 4 * error).all()
