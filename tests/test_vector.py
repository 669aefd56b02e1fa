"""The Gymnasium vector environment: many learners among bots at once."""

import copy
import hashlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from alhambra_env import ENV_ID, Game, GameBatch, IllegalAction, actions, bots
from alhambra_env.actions import N_ACTIONS
from alhambra_env.bots import BOT_NAMES
from alhambra_env.bots.chance import choose_by_kind
from alhambra_env.engine.editions import EDITION_NAMES, EditionName
from alhambra_env.engine.rng import seed_words
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import REWARD_NAMES
from tests.plain_python import call_in_plain_python

Vector = VectorEnv[Any, Any, Any]


def make(num_envs: int = 4, **settings: Any) -> Vector:
    return gymnasium.make_vec(ENV_ID, num_envs=num_envs, **settings)


# The environment shows neither its games nor where its learners sit. To replay what it does, the
# tests look inside, here and nowhere else.


def inside(env: Vector) -> VectorSingleEnv:
    assert isinstance(env.unwrapped, VectorSingleEnv)
    return env.unwrapped


def batch_of(env: Vector) -> GameBatch:
    return inside(env)._batch


def seats_of(env: Vector) -> np.ndarray:
    return inside(env)._seats


def words_of(env: Vector) -> np.ndarray:
    return inside(env)._words


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a legal action for each learner, all equally likely."""
    chosen: np.ndarray = (rng.random(masks.shape) * masks).argmax(axis=1)
    return chosen


def flatten(observations: Any) -> np.ndarray:
    """Return observations of either form as one array for each learner."""
    if isinstance(observations, dict):
        rows = [piece.reshape(len(piece), -1) for piece in observations.values()]
        return np.concatenate(rows, axis=1)
    assert isinstance(observations, np.ndarray)
    return observations


def flatten_one(observation: Any) -> np.ndarray:
    if isinstance(observation, dict):
        return np.concatenate([piece.ravel() for piece in observation.values()])
    assert isinstance(observation, np.ndarray)
    return observation


# --- playing beside it ----------------------------------------------------------------------------


class Replay:
    """A vector environment, and each of its games played beside it as a `Game`."""

    def __init__(self, seed: int, **settings: Any) -> None:
        self.env = make(**settings)
        self.kind = settings.get("reward", REWARD_NAMES[0])
        self.skip_forced = settings.get("skip_forced", True)
        self.players = settings.get("num_players", 3)
        names = ("num_players", "edition", "max_turns")
        self.rules = {key: settings[key] for key in names if key in settings}
        watched = {key: settings[key] for key in ("hands", "pieces") if key in settings}
        self.layout = Layout(self.players, **watched)
        self.rng = np.random.default_rng(seed)
        self.ended = self.truncated = 0
        observations, infos = self.env.reset(seed=seed)
        self.games = [self._begin(i) for i in range(self.env.num_envs)]
        self._compare(observations, infos)

    def _begin(self, i: int) -> Game:
        """Return a game that has just begun, after comparing it with what its seed says."""
        batch = batch_of(self.env)
        game = Game.from_state(batch.states[i : i + 1].copy())
        start = Game(seed=int(batch.seeds[i]), **self.rules)
        state, first = game.state, start.state
        seat = int(seats_of(self.env)[i])
        assert state.first_seat == first.first_seat
        assert state.turn < self.players
        assert state.max_turns == first.max_turns
        assert state.edition == first.edition
        # What is not yet drawn lies as it did, and the learner holds what it was dealt.
        assert state.bag[: state.bag_size].tolist() == first.bag[: state.bag_size].tolist()
        assert state.deck[: state.deck_size].tolist() == first.deck[: state.deck_size].tolist()
        if start.to_play == seat:
            assert game.to_bytes() == start.to_bytes()
        elif state.turn == (seat - start.to_play) % self.players and game.phase == "turn":
            assert state.hands[seat].tolist() == first.hands[seat].tolist()
        return game

    def step(self) -> None:
        seats, words = seats_of(self.env).copy(), words_of(self.env).copy()
        chosen = choose(inside(self.env).action_masks(), self.rng)
        observations, rewards, terminated, truncated, infos = self.env.step(chosen)
        for i, action in enumerate(chosen.tolist()):
            game, seat = self.games[i], int(seats[i])
            assert rewards[i] == pytest.approx(self._play(game, action, seat, words[i]), abs=1e-5)
            assert terminated[i] == (game.over and not game.truncated)
            assert truncated[i] == game.truncated
            if game.over:
                self._compare_end(i, seat, infos)
                self.games[i] = self._begin(i)
            else:
                assert seats_of(self.env)[i] == seat
                assert batch_of(self.env).states[i].tobytes() == game.states.tobytes()
        if not (terminated | truncated).any():
            assert set(infos) == {"action_mask", "_action_mask"}
        else:
            for key in ("final_obs", "final_info"):
                assert infos[f"_{key}"].tolist() == (terminated | truncated).tolist()
        self._compare(observations, infos)

    def _play(self, game: Game, action: int, seat: int, words: np.ndarray) -> float:
        """Play a learner's action and all that follows. Return what it earned."""
        earned = 0.0
        while True:
            before = game.scores
            game.step(action)
            earned += self._earned(game, before, seat)
            if game.over:
                return earned
            legal = game.legal_actions()
            if game.to_play != seat:
                action = choose_by_kind(game.masks[0], words)
            elif len(legal) == 1 and self.skip_forced:
                action = legal[0]
            else:
                return earned

    def _earned(self, game: Game, before: list[int], seat: int) -> float:
        if self.kind == "outcome" and not game.over:
            return 0.0
        if self.kind == "outcome":
            share = self.players / len(game.winners) if seat in game.winners else 0.0
            return float((share - 1) / (self.players - 1))
        gains = [new - old for new, old in zip(game.scores, before, strict=True)]
        others = (sum(gains) - gains[seat]) / (self.players - 1)
        return float(gains[seat] - (others if self.kind == "margin" else 0))

    def _compare_end(self, i: int, seat: int, infos: dict[str, Any]) -> None:
        game = self.games[i]
        self.ended += 1
        self.truncated += game.truncated
        expected = self.layout.observe(game.states, 0, seat)
        assert self.env.single_observation_space.contains(infos["final_obs"][i])
        assert np.array_equal(flatten_one(infos["final_obs"][i]), expected)
        assert infos["final_info"]["scores"][i].tolist() == game.scores
        assert infos["final_info"]["_scores"][i]

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
        for i, game in enumerate(self.games):
            seat = int(seats_of(self.env)[i])
            assert game.to_play == seat
            assert np.array_equal(masks[i], game.action_mask())
            assert masks[i].sum() > self.skip_forced
            assert np.array_equal(flat[i], self.layout.observe(game.states, 0, seat))


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


# --- what Gymnasium expects -----------------------------------------------------------------------


@pytest.mark.parametrize("num_envs", [1, 5])
@pytest.mark.parametrize("form", ["flat", "dict"])
def test_the_spaces_are_those_of_single_environments_in_a_batch(form: str, num_envs: int) -> None:
    settings: dict[str, Any] = {"num_players": 4, "observation": form}
    env, one = make(num_envs, **settings), gymnasium.make(ENV_ID, **settings)
    same = make(num_envs, vectorization_mode="sync", **settings)
    assert isinstance(inside(env), VectorSingleEnv)
    assert env.num_envs == num_envs
    assert env.single_action_space == one.action_space
    assert env.single_observation_space == one.observation_space
    assert env.action_space == same.action_space
    assert env.observation_space == same.observation_space
    observations, _ = env.reset(seed=3)
    assert env.observation_space.contains(observations)


def test_games_begin_anew_in_the_step_in_which_they_end() -> None:
    assert make().metadata["autoreset_mode"] == AutoresetMode.SAME_STEP


def test_results_are_shaped_like_those_of_gymnasiums_own_vector_environment() -> None:
    theirs = make(
        3,
        max_turns=12,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
    )
    ours = make(3, max_turns=12)
    last = []
    for env in (ours, theirs):
        rng = np.random.default_rng(4)
        _, infos = env.reset(seed=4)
        keys = set(infos)
        while "final_obs" not in infos:
            assert set(infos) == keys
            result = env.step(choose(infos["action_mask"], rng))
            infos = result[4]
        last.append(result)
    for mine, its in zip(last[0][:4], last[1][:4], strict=True):
        assert (mine.dtype, mine.shape) == (its.dtype, its.shape)
    for key in last[1][4]:
        mine, its = last[0][4][key], last[1][4][key]
        assert type(mine) is type(its), key
        if isinstance(its, np.ndarray):
            assert (mine.dtype, mine.shape) == (its.dtype, its.shape), key


def test_gymnasiums_statistics_of_episodes_work_with_it() -> None:
    env = RecordEpisodeStatistics(make(4, max_turns=20, reward="score", pieces=["hand"]))
    rng = np.random.default_rng(5)
    _, infos = env.reset(seed=5)
    returns = np.zeros(4)
    for _ in range(60):
        _, rewards, terminated, truncated, infos = env.step(choose(infos["action_mask"], rng))
        returns += rewards
        for i in np.flatnonzero(terminated | truncated):
            assert infos["episode"]["r"][i] == pytest.approx(returns[i])
            assert infos["final_info"]["scores"][i][0] == pytest.approx(returns[i])
            returns[i] = 0
    assert env.episode_count > 8


def test_it_can_be_closed_twice_and_shows_no_pictures() -> None:
    env = make()
    assert env.metadata["render_modes"] == []
    assert env.render_mode is None
    env.close()
    env.close()


def test_a_step_before_the_first_reset_is_an_error() -> None:
    # As with `gymnasium.make`. In a process of its own, because bots without randomness may draw
    # for ever, and nothing stops compiled code.
    script = (
        "import gymnasium, alhambra_env\n"
        "env = gymnasium.make_vec(alhambra_env.ENV_ID, num_envs=8, seat=2)\n"
        "try:\n"
        "    env.step(env.unwrapped.action_masks().argmax(axis=1))\n"
        "except gymnasium.error.ResetNeeded:\n"
        "    print('refused')\n"
    )
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert run.stdout.strip() == "refused"


def test_after_a_reset_every_learner_can_act() -> None:
    # A game so short that it is over before the learner's turn must not be offered as one.
    for max_turns in (1, 2):
        try:
            env = make(16, max_turns=max_turns, seat=2)
        except ValueError:
            continue  # refusing such a limit is fine
        _, infos = env.reset(seed=6)
        assert infos["action_mask"].any(axis=1).all()


# --- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["flat", "dict"])
def test_results_are_the_callers_own(form: str) -> None:
    env = make(3, observation=form)
    rng = np.random.default_rng(6)
    observations, infos = env.reset(seed=7)
    for _ in range(20):
        seen, masks = flatten(observations).copy(), infos["action_mask"].copy()
        result = env.step(choose(masks, rng))
        assert np.array_equal(flatten(observations), seen)
        assert np.array_equal(infos["action_mask"], masks)
        observations, infos = result[0], result[4]


def test_changing_results_changes_nothing_inside() -> None:
    env, twin = make(3), make(3)
    rng = np.random.default_rng(6)
    observations, infos = env.reset(seed=7)
    twin.reset(seed=7)
    for _ in range(40):
        chosen = choose(infos["action_mask"], rng)
        infos["action_mask"][:] = 1
        observations[:] = 77
        observations, rewards, terminated, truncated, infos = env.step(chosen)
        other, *_, their_infos = twin.step(chosen)
        assert np.array_equal(observations, other)
        assert np.array_equal(infos["action_mask"], their_infos["action_mask"])
        for array in (rewards, terminated, truncated):
            array[:] = 1


def test_without_copying_observations_and_masks_are_views() -> None:
    env, twin = make(3, copy=False), make(3)
    rng = np.random.default_rng(7)
    observations, infos = env.reset(seed=8)
    twin.reset(seed=8)
    masks = infos["action_mask"]
    for _ in range(200):
        chosen = choose(masks, rng)
        result, other = env.step(chosen), twin.step(chosen)
        assert np.shares_memory(result[0], observations)
        assert np.shares_memory(result[4]["action_mask"], masks)
        assert np.array_equal(observations, other[0])
        assert np.array_equal(masks, other[4]["action_mask"])


def test_without_copying_pieces_are_views_too() -> None:
    env = make(3, copy=False, observation="dict", max_turns=10)
    rng = np.random.default_rng(8)
    observations, infos = env.reset(seed=9)
    ends: list[tuple[Any, np.ndarray]] = []
    for _ in range(100):
        pieces, *_, infos = env.step(choose(infos["action_mask"], rng))
        for name, piece in pieces.items():
            assert np.shares_memory(piece, observations[name])
        for end in infos.get("final_obs", ()):
            if end is not None:
                ends.append((end, flatten_one(end).copy()))
    assert len(ends) > 5
    for end, then in ends:  # how games ended is not overwritten
        assert np.array_equal(flatten_one(end), then)


# --- seeding --------------------------------------------------------------------------------------


def trace(env: Vector, seed: Any, steps: int = 60) -> list[bytes]:
    """Play some steps after a reset; return all that was seen."""
    rng = np.random.default_rng(9)
    observations, infos = env.reset(seed=seed)
    seen = [flatten(observations).tobytes()]
    for _ in range(steps):
        observations, *rest, infos = env.step(choose(infos["action_mask"], rng))
        seen += [flatten(observations).tobytes(), *(array.tobytes() for array in rest)]
        seen.append(infos["action_mask"].tobytes())
        if "final_info" in infos:
            seen.append(infos["final_info"]["scores"][infos["_final_info"]].tobytes())
    return seen


@pytest.mark.parametrize("seed", [10, [11, 12, 13]])
def test_a_seed_determines_all_games_that_follow(seed: Any) -> None:
    settings: dict[str, Any] = {"num_envs": 3, "max_turns": 20, "seat": "random"}
    env = make(**settings, reward="score")
    first = trace(env, seed)
    assert trace(env, seed) == first
    assert trace(make(**settings, reward="score"), seed) == first
    assert trace(env, [21, 22, 23]) != first
    assert trace(env, 24) != first
    assert trace(env, None) != first


def digest_of_games() -> str:
    """Play for a while and return a hash of all that was seen."""
    env = make(2, max_turns=12, seat="random", reward="margin")
    return hashlib.sha256(b"".join(trace(env, seed=25, steps=40))).hexdigest()


def test_plain_python_plays_the_same_games_as_compiled_code() -> None:
    assert call_in_plain_python(digest_of_games) == digest_of_games()


def test_a_reset_without_a_seed_goes_on_from_the_last_one() -> None:
    first, second = make(3, max_turns=20), make(3, max_turns=20)
    assert trace(first, 14) == trace(second, 14)
    assert trace(first, None) == trace(second, None)


def test_environments_without_a_seed_are_different() -> None:
    assert trace(make(3), None) != trace(make(3), None)


def test_all_games_are_different() -> None:
    env = make(20, max_turns=10)
    seeds = set()
    rng = np.random.default_rng(10)
    _, infos = env.reset(seed=15)
    seeds.update(batch_of(env).seeds.tolist())
    ended = 20
    for _ in range(40):
        _, _, terminated, truncated, infos = env.step(choose(infos["action_mask"], rng))
        ended += int((terminated | truncated).sum())
        seeds.update(batch_of(env).seeds.tolist())
    assert len(seeds) == ended > 60


def test_a_list_of_seeds_has_one_for_each_game() -> None:
    env = make(3)
    for seeds in ([1], [1, 2, 3, 4], []):
        with pytest.raises(ValueError, match="3"):
            env.reset(seed=seeds)  # type: ignore[arg-type]  # Gymnasium's own allow lists


def test_none_in_a_list_of_seeds_draws_one() -> None:
    env = make(3)
    first, _ = env.reset(seed=[None] * 3)  # type: ignore[arg-type]  # as above
    second, _ = env.reset(seed=[None] * 3)  # type: ignore[arg-type]
    assert not np.array_equal(first, second)


def test_reset_takes_options_that_it_does_not_know() -> None:
    env, same = make(), make()
    observations, _ = env.reset(seed=16, options={"difficulty": "hard"})
    assert np.array_equal(observations, same.reset(seed=16)[0])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_a_copy_goes_on_like_the_original(copied: Callable[[Vector], Vector]) -> None:
    env = make(3, max_turns=20, seat="random")
    trace(env, 17)
    twin = copied(env)
    results = []
    for each in (env, twin):
        rng = np.random.default_rng(11)
        seen = []
        for _ in range(60):
            observations, rewards, *_ = each.step(choose(inside(each).action_masks(), rng))
            seen += [observations.tobytes(), rewards.tobytes()]
        results.append(seen)
    assert results[0] == results[1]


# --- seats ----------------------------------------------------------------------------------------


def test_a_random_seat_is_every_seat() -> None:
    env = make(100, num_players=4, seat="random", max_turns=10)
    rng = np.random.default_rng(12)
    _, infos = env.reset(seed=18)
    assert np.bincount(seats_of(env), minlength=4).min() > 8
    before = seats_of(env).copy()
    for _ in range(20):
        *_, infos = env.step(choose(infos["action_mask"], rng))
    assert np.bincount(seats_of(env), minlength=4).min() > 8
    assert (seats_of(env) != before).sum() > 40


@pytest.mark.parametrize("seat", [0, 2])
def test_a_fixed_seat_stays(seat: int) -> None:
    env = make(10, seat=seat, max_turns=10)
    trace(env, 19)
    assert (seats_of(env) == seat).all()


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [0, 4])
@pytest.mark.parametrize("action", [actions.parse("give"), -1, N_ACTIONS, 10**12])
def test_an_illegal_action_is_named_with_its_game_and_nothing_moves(action: int, game: int) -> None:
    env = make(5)
    trace(env, 20)
    twin = copy.deepcopy(env)
    masks = inside(env).action_masks()
    chosen = masks.argmax(axis=1)
    chosen[game] = action
    before = batch_of(env).states.tobytes()
    with pytest.raises(IllegalAction, match=rf"game {game}: .*action {action}\b"):
        env.step(chosen)
    assert batch_of(env).states.tobytes() == before
    assert np.array_equal(inside(env).action_masks(), masks)
    for _ in range(30):
        chosen = inside(env).action_masks().argmax(axis=1)
        assert np.array_equal(env.step(chosen)[0], twin.step(chosen)[0])


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a[:-1],
        lambda a: a[:, None],
        lambda a: a.astype(float),
        lambda a: a > 0,
        lambda a: None,
    ],
)
def test_actions_of_a_wrong_shape_or_type_are_refused(change: Callable[[np.ndarray], Any]) -> None:
    env = make(5)
    env.reset(seed=21)
    before = batch_of(env).states.tobytes()
    with pytest.raises(IllegalAction):
        env.step(change(inside(env).action_masks().argmax(axis=1)))
    assert batch_of(env).states.tobytes() == before


@pytest.mark.parametrize(
    ("settings", "message", "allowed"),
    [
        ({"num_envs": 0}, "1 or more", []),
        ({"num_envs": -1}, "1 or more", []),
        ({"num_envs": 1.5}, "whole number", []),
        ({"num_players": 1}, "num_players must be 2 to 6", []),
        ({"edition": "french"}, "french", EDITION_NAMES),
        ({"opponents": ["rendom", "random"]}, "did you mean 'random'", BOT_NAMES),
        ({"opponents": ["random"]}, "2 opponents", []),
        ({"opponents": "random"}, "as a list", []),
        ({"seat": 3}, "seat", ["0 to 2", "random"]),
        ({"seat": "first"}, "seat", ["0 to 2", "random"]),
        ({"hands": "visible"}, "visible", ["secret", "open"]),
        ({"reward": "money"}, "money", REWARD_NAMES),
        ({"observation": "image"}, "image", ["flat", "dict"]),
        ({"pieces": ["mraket"]}, "did you mean 'market'", PIECE_NAMES),
        ({"pieces": []}, "at least one piece|needs a piece", []),
        ({"max_turns": 0}, "max_turns must be", []),
        ({"max_turns": 2**31}, "max_turns must be", []),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_with_what_is_allowed(
    settings: dict[str, Any], message: str, allowed: Iterable[str]
) -> None:
    with pytest.raises(ValueError, match=message) as error:
        VectorSingleEnv(**settings)
    assert all(word in str(error.value) for word in allowed)


# --- opponents who are no bots --------------------------------------------------------------------


class PythonBuilder:
    """Plays as the bot `builder` does, from Python."""

    name = "python builder"

    def __init__(self) -> None:
        self._bot = bots.make("builder")
        self.begun: list[int] = []

    def begin(self, seed: int) -> None:
        self.begun.append(seed)

    def choose(self, game: Game) -> int:
        return self._bot.choose(game)


def last_legal(observation: Any, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


@pytest.mark.parametrize("settings", [{}, {"reward": "margin", "skip_forced": False}])
def test_a_player_from_python_plays_as_the_same_bot_does(settings: dict[str, Any]) -> None:
    compiled = make(5, opponents=["builder", "builder"], seat=1, **settings)
    for opponents in (
        [PythonBuilder, "builder"],
        ["builder", PythonBuilder()],
        [f"{__name__}:PythonBuilder"] * 2,
    ):
        asked = make(5, opponents=opponents, seat=1, **settings)
        rng = np.random.default_rng(4)
        first, infos = compiled.reset(seed=3)
        second, _ = asked.reset(seed=3)
        ends = 0
        for _ in range(120):
            assert (first == second).all()
            chosen = choose(infos["action_mask"], rng)
            first, *results, infos = compiled.step(chosen)
            second, *others, other_infos = asked.step(chosen)
            for result, other in zip(results, others, strict=True):
                assert result.tolist() == other.tolist()
            assert (infos["action_mask"] == other_infos["action_mask"]).all()
            for game in np.flatnonzero(results[1]):
                assert (infos["final_obs"][game] == other_infos["final_obs"][game]).all()
                ends += 1
        assert ends > 2


def test_a_function_observes_what_the_learner_does() -> None:
    seen = []

    def note(observation: Any, mask: np.ndarray) -> int:
        seen.append((observation, mask))
        return last_legal(observation, mask)

    settings: dict[str, Any] = {"pieces": ["hand", "market"], "observation": "dict", "seat": 0}
    many = make(1, opponents=[note, last_legal], **settings)
    many.reset(seed=5)
    for _ in range(20):
        many.step(inside(many).action_masks().argmax(axis=1))
    assert len(seen) > 20
    for observation, mask in seen:
        assert set(observation) == {"hand", "market"}
        assert mask.shape == (N_ACTIONS,)
        assert mask.any()


def test_every_game_has_players_of_its_own() -> None:
    given = PythonBuilder()
    env = make(3, opponents=[given, "random"])
    env.reset(seed=6)
    players = [asked[0] for asked in inside(env)._asked]
    assert len({id(player) for player in (*players, given)}) == 4
    begun = [player.begun for player in players if isinstance(player, PythonBuilder)]
    assert [len(seeds) for seeds in begun] == [1, 1, 1]
    assert len({seeds[0] for seeds in begun}) == 3
    assert given.begun == []
    env.reset(seed=6)
    assert [seeds[0] for seeds in begun] == [seeds[1] for seeds in begun]


def step_often(env: Vector, infos: dict[str, Any]) -> None:
    for _ in range(20):
        infos = env.step(infos["action_mask"].argmax(axis=1))[-1]


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (
            lambda observation, mask: int(mask.argmin()),
            IllegalAction,
            r"seat 1 of game 0.*not legal",
        ),
        (lambda observation, mask: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_an_opponent_who_fails_is_named_and_the_games_must_begin_anew(
    bad: Callable[[Any, np.ndarray], int], error: type[Exception], message: str
) -> None:
    failing = False

    def play(observation: Any, mask: np.ndarray) -> int:
        return bad(observation, mask) if failing else last_legal(observation, mask)

    env = make(2, opponents=[play, "random"])
    _, infos = env.reset(seed=7)
    failing = True
    with pytest.raises(error, match=message) as raised:
        step_often(env, infos)
    said = [str(raised.value), *getattr(raised.value, "__notes__", [])]
    assert any("the opponent on seat 1 of game 0" in line for line in said)
    assert any("Reset to go on" in line for line in said)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(infos["action_mask"].argmax(axis=1))
    failing = False
    _, infos = env.reset(seed=7)
    env.step(infos["action_mask"].argmax(axis=1))


class LateRiser(PythonBuilder):
    """Fails when it begins a game, if it is told to."""

    fails = False

    def begin(self, seed: int) -> None:
        if self.fails:
            raise ZeroDivisionError("still asleep")


def test_an_opponent_who_fails_to_begin_is_named_and_the_games_must_begin_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = make(2, opponents=["random", LateRiser], seat=1, max_turns=12)
    _, infos = env.reset(seed=8)
    monkeypatch.setattr(LateRiser, "fails", True)
    with pytest.raises(ZeroDivisionError) as error:
        env.reset(seed=8)
    note = "This was the opponent on seat 0 of game 0. Reset to go on."
    assert error.value.__notes__ == [note]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(infos["action_mask"].argmax(axis=1))
    monkeypatch.setattr(LateRiser, "fails", False)
    _, infos = env.reset(seed=8)
    monkeypatch.setattr(LateRiser, "fails", True)
    with pytest.raises(ZeroDivisionError) as error:  # when a game has ended and the next begins
        step_often(env, infos)
    assert "the opponent on seat 0 of game" in error.value.__notes__[0]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(infos["action_mask"].argmax(axis=1))


def test_before_the_first_reset_there_is_nothing_to_play() -> None:
    env = make(2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
        env.step(np.zeros(2, np.int64))


def test_a_player_that_cannot_be_copied_is_refused() -> None:
    class Uncopied(PythonBuilder):
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("one of a kind")

    with pytest.raises(ValueError, match=r"cannot be copied \(one of a kind"):
        make(2, opponents=[Uncopied(), "random"])


def test_one_piece_may_be_named_without_a_list() -> None:
    # As in a single environment.
    space = gymnasium.make(ENV_ID, pieces="hand").observation_space
    assert make(2, pieces="hand").single_observation_space == space


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
