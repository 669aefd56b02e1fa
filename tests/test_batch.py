"""`GameBatch`: a batch is the same games as singles, however many and however they are run."""

import copy
import hashlib
import pickle
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from alhambra_env import DamagedRecord, Game, GameBatch, IllegalAction, actions, alhambra_v0
from alhambra_env.actions import N_ACTIONS
from alhambra_env.batch import MAX_THREADS
from alhambra_env.engine.editions import EDITION_NAMES, EditionName
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import REWARD_NAMES
from tests.plain_python import call_in_plain_python
from tests.positions import play_randomly

TWO_THREADS = pytest.param(
    2, marks=pytest.mark.skipif(MAX_THREADS < 2, reason="there is only one thread here")
)
NO_CITIES = tuple(
    name for name in PIECE_NAMES if "cit" not in name and name not in ("other_hands", "wall_gain")
)
# What is observed, as settings of a batch
DEFAULT: dict[str, Any] = {}
EVERYTHING: dict[str, Any] = {"hands": "open", "pieces": PIECE_NAMES}
WITHOUT_CITIES: dict[str, Any] = {"pieces": NO_CITIES}
NOTHING: dict[str, Any] = {"pieces": []}


# --- playing --------------------------------------------------------------------------------------

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


def play_until_all_ended(batch: GameBatch) -> None:
    choose = Chooser()
    ended = np.zeros(batch.num_games, np.bool_)
    while not ended.all():
        ended |= batch.step(choose(batch.masks))[1]


SHOWN = ("states", "observations", "masks", "to_play", "seeds", "rewards", "done")


def digest(batch: GameBatch) -> list[bytes]:
    """Return all that can be seen of a batch, to compare it with another one."""
    return [getattr(batch, name).tobytes() for name in (*SHOWN, "final_states")]


def expected_rewards(kind: str, before: list[int], game: Game) -> list[float]:
    """Return the rewards of a step by their definitions, from the scores before and after it."""
    players = game.num_players
    if kind == "outcome":
        if not game.over:
            return [0.0] * players
        prize = (players / len(game.winners) - 1) / (players - 1)
        return [prize if seat in game.winners else -1 / (players - 1) for seat in range(players)]
    gains = [new - old for new, old in zip(game.scores, before, strict=True)]
    if kind == "score":
        return [float(gain) for gain in gains]
    return [gain - (sum(gains) - gain) / (players - 1) for gain in gains]


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
            expected = expected_rewards(self.kind, before, game)
            assert rewards[i] == pytest.approx(expected, abs=1e-5)
            assert list(env.rewards.values()) == pytest.approx(expected, abs=1e-5)
            assert done[i] == game.over
            if game.over:
                self._compare_end(i)
                self._begin(i)
        self.compare()

    def _begin(self, i: int) -> None:
        seed = int(self.batch.seeds[i])
        assert seed != self.games[i].seed
        self.games[i] = Game(seed=seed, **self.settings)
        self.envs[i].reset(seed=seed)

    def _compare_end(self, i: int) -> None:
        game, env, batch = self.games[i], self.envs[i], self.batch
        self.ended += 1
        self.truncated += game.truncated
        assert all(env.truncations.values()) == game.truncated
        assert all(env.terminations.values()) != game.truncated
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
                anew = self.layout.observe(game.states, 0, game.to_play)
                assert np.array_equal(batch.observations[i], anew)


# --- a batch equals singles -----------------------------------------------------------------------


@pytest.mark.parametrize("num_threads", [1, TWO_THREADS])
@pytest.mark.parametrize(
    ("num_games", "steps", "settings"),
    [
        (1, 1600, {"reward": "margin", **EVERYTHING}),
        (7, 500, {"num_players": 2, "reward": "score", **DEFAULT}),
        (64, 90, {"num_players": 4, "max_turns": 25, "reward": "outcome", **WITHOUT_CITIES}),
    ],
)
def test_a_batch_plays_the_same_games_as_singles(
    num_games: int, steps: int, settings: dict[str, Any], num_threads: int
) -> None:
    twins = Twins(num_games=num_games, num_threads=num_threads, seed=11, **settings)
    choose = Chooser(5)
    for _ in range(steps):
        twins.step(choose(twins.batch.masks))
    assert twins.ended >= max(num_games, 2)
    assert (twins.truncated > 0) == ("max_turns" in settings)


@pytest.mark.parametrize("watched", [DEFAULT, EVERYTHING, WITHOUT_CITIES, NOTHING])
@pytest.mark.parametrize("reward", REWARD_NAMES)
def test_every_reward_goes_with_every_observation(reward: str, watched: dict[str, Any]) -> None:
    twins = Twins(num_games=3, max_turns=60, reward=reward, seed=12, **watched)
    choose = Chooser(6)
    while twins.ended < 6:
        twins.step(choose(twins.batch.masks))


@pytest.mark.parametrize(
    ("edition", "num_players"),
    [(edition, 2 + number % 5) for number, edition in enumerate(EDITION_NAMES)]
    + [(edition, 6 - number % 4) for number, edition in enumerate(EDITION_NAMES)],
)
def test_every_edition_and_number_of_players_is_the_same_as_singles(
    edition: EditionName, num_players: int
) -> None:
    if (edition, num_players) == ("italian", 2):
        pytest.skip("the Italian edition does not describe a game for 2")
    twins = Twins(num_games=2, num_players=num_players, edition=edition, seed=13, reward="score")
    choose = Chooser(7)
    while twins.ended < 3:
        twins.step(choose(twins.batch.masks))


def test_the_rewards_of_a_whole_game_add_up_to_its_outcome_and_its_scores() -> None:
    batches = {kind: GameBatch(8, 3, seed=14, reward=kind, pieces=[]) for kind in REWARD_NAMES}
    sums = {kind: np.zeros((8, 3)) for kind in REWARD_NAMES}
    ended = np.zeros(8, np.bool_)
    choose = Chooser(8)
    while not ended.all():
        chosen = choose(batches["score"].masks)
        for kind, batch in batches.items():
            rewards, done = batch.step(chosen)
            sums[kind][~ended] += rewards[~ended]
        for i in np.flatnonzero(done & ~ended):
            scores = batches["score"].final_scores[i].astype(np.float64)
            others = (scores.sum() - scores) / 2
            assert sums["score"][i] == pytest.approx(scores)
            assert sums["margin"][i] == pytest.approx(scores - others, abs=1e-3)
            assert (sums["outcome"][i] > 0).tolist() == (scores == scores.max()).tolist()
            assert sums["outcome"][i].sum() == pytest.approx(0, abs=1e-6)
        ended |= done


def test_players_who_tie_share_the_outcome() -> None:
    # Nobody builds anything in the first turn, so that all end with nothing.
    batch = GameBatch(1, 4, seed=15, max_turns=1)
    rewards, done = batch.step(np.array([actions.parse("take:0")]))
    assert done[0]
    assert batch.final_scores.tolist() == [[0, 0, 0, 0]]
    assert rewards.tolist() == [[0, 0, 0, 0]]


# --- however it is run ----------------------------------------------------------------------------


@pytest.mark.skipif(MAX_THREADS < 2, reason="there is only one thread here")
@pytest.mark.parametrize("watched", [DEFAULT, NOTHING])
def test_the_result_does_not_depend_on_the_number_of_threads(watched: dict[str, Any]) -> None:
    one, two = (GameBatch(33, seed=21, max_turns=30, num_threads=n, **watched) for n in (1, 2))
    choose = Chooser(1)
    for _ in range(150):
        chosen = choose(one.masks)
        one.step(chosen)
        two.step(chosen)
        assert digest(one) == digest(two)
    assert one.final_states["phase"].all()


@pytest.mark.parametrize("small", [1, 8])
def test_a_game_does_not_depend_on_the_size_of_its_batch(small: int) -> None:
    few, many = (GameBatch(n, seed=22, max_turns=40, reward="score") for n in (small, 64))
    ended = 0
    choose_few, choose_many = Chooser(2), Chooser(2)
    for _ in range(250):
        few.step(choose_few(few.masks))
        many.step(choose_many(many.masks))
        ended += int(few.done.sum())
        for name in (*SHOWN, "final_states"):
            assert getattr(few, name).tobytes() == getattr(many, name)[:small].tobytes(), name
    assert ended >= 2 * small


def test_what_is_observed_and_rewarded_does_not_change_the_games() -> None:
    every = [
        GameBatch(5, seed=23, reward=reward, **watched)
        for reward in REWARD_NAMES
        for watched in (DEFAULT, EVERYTHING, NOTHING)
    ]
    for batch in every:
        play_batch(batch, 150)
    assert len({batch.states.tobytes() for batch in every}) == 1


def test_the_same_seed_gives_the_same_batch_and_another_seed_another() -> None:
    first, second, other = GameBatch(6, seed=24), GameBatch(6, seed=24), GameBatch(6, seed=25)
    for batch in (first, second, other):
        play_batch(batch, 100)
    assert digest(first) == digest(second)
    assert not np.isin(first.seeds, other.seeds).any()


def digest_of_batches() -> str:
    """Play some batches for a while and return a hash of all that they showed."""
    seen = hashlib.sha256()
    for reward, watched in zip(REWARD_NAMES, (DEFAULT, EVERYTHING, NOTHING), strict=True):
        batch = GameBatch(2, seed=26, max_turns=8, reward=reward, **watched)
        choose = Chooser(3)
        for _ in range(40):
            batch.step(choose(batch.masks))
            seen.update(b"".join(digest(batch)))
    return seen.hexdigest()


def test_plain_python_gives_the_same_batch_as_compiled_code() -> None:
    assert call_in_plain_python(digest_of_batches) == digest_of_batches()


def test_all_games_of_a_batch_without_a_seed_are_different() -> None:
    seeds = [*GameBatch(50, pieces=[]).seeds.tolist(), *GameBatch(50, pieces=[]).seeds.tolist()]
    assert len(set(seeds)) == 100


# --- arrays and ends ------------------------------------------------------------------------------


def test_the_arrays_of_a_batch_are_filled_in_place() -> None:
    batch = GameBatch(3, seed=31, max_turns=5)
    arrays = {name: getattr(batch, name) for name in (*SHOWN, "final_states")}
    choose = Chooser()
    for step in range(60):
        rewards, done = batch.step(choose(batch.masks))
        assert rewards is arrays["rewards"]
        assert done is arrays["done"]
        if step % 20 == 10:
            batch.reset(np.array([False, True, False]))
        if step % 20 == 15:
            batch.load(batch.save())
        assert all(getattr(batch, name) is array for name, array in arrays.items())


def test_the_arrays_have_the_documented_types_and_shapes() -> None:
    batch = GameBatch(4, num_players=5, seed=32)
    assert batch.layout is not None
    expected = {
        "observations": (np.uint8, (4, batch.layout.size)),
        "masks": (np.int8, (4, N_ACTIONS)),
        "to_play": (np.int8, (4,)),
        "rewards": (np.float32, (4, 5)),
        "done": (np.bool_, (4,)),
        "seeds": (np.uint64, (4,)),
        "final_scores": (np.int16, (4, 5)),
    }
    for name, (dtype, shape) in expected.items():
        array = getattr(batch, name)
        assert (array.dtype, array.shape) == (dtype, shape), name
    assert GameBatch(4, pieces=[]).observations.shape == (4, 0)


def test_the_pieces_of_all_observations_are_views_of_them() -> None:
    batch = GameBatch(4, seed=33)
    assert batch.layout is not None
    pieces = batch.layout.split(batch.observations)
    play_batch(batch, 30)
    for i in range(4):
        game = Game.from_state(batch.states[i : i + 1].copy())
        for name, piece in game.observe(game.to_play).items():
            assert np.array_equal(pieces[name][i], piece)


def test_nothing_has_ended_in_the_beginning() -> None:
    batch = GameBatch(3, seed=34)
    assert not batch.final_scores.any()
    assert not batch.final_states.tobytes().strip(b"\0")
    assert not batch.done.any()
    assert not batch.rewards.any()


def test_how_a_game_ended_is_kept_until_the_next_one_ends() -> None:
    batch = GameBatch(2, seed=35, max_turns=8)
    choose = Chooser(3)
    ends = [b"", b""]
    for _ in range(200):
        batch.step(choose(batch.masks))
        for i in range(2):
            final = batch.final_states[i].tobytes()
            assert batch.done[i] or not ends[i] or final == ends[i]
            if batch.done[i]:
                assert final != ends[i]
                ends[i] = final
                assert batch.states[i]["turn"] == 0
    assert all(ends)


def test_a_batch_without_observations_has_no_last_one() -> None:
    batch = GameBatch(2, pieces=[])
    with pytest.raises(ValueError, match="no observations"):
        batch.final_observation(0, 0)


def test_the_last_observation_of_a_seat_or_game_that_is_not_there_is_refused() -> None:
    batch = GameBatch(2, num_players=3, seed=36, max_turns=3)
    play_until_all_ended(batch)
    seats: list[Any] = [3, 5, -1, 0.5, True, "0", None]
    for seat in seats:
        with pytest.raises(ValueError, match=r"seat must be .*0 to 2, not"):
            batch.final_observation(0, seat)
    games: list[Any] = [2, -3, 0.5, True, "0", None]
    for game in games:
        with pytest.raises(ValueError, match=r"game must be .*0 to 1, not"):
            batch.final_observation(game, 0)
    numpys: Any = (np.int64(1), np.int8(2))
    assert np.array_equal(batch.final_observation(*numpys), batch.final_observation(1, 2))


@pytest.mark.parametrize("num_players", [2, 3])
def test_after_the_limit_of_turns_every_game_is_truncated(num_players: int) -> None:
    batch = GameBatch(16, num_players, seed=37, max_turns=4)
    play_until_all_ended(batch)
    assert (batch.final_states["truncated"] == 1).all()
    assert (batch.final_states["turn"] == 4).all()
    assert (batch.final_states["rounds_scored"] == 1).all()  # at once, as the third
    assert not batch.states["truncated"].any()
    assert (batch.states["max_turns"] == 4).all()


def test_by_default_games_end_by_the_rules() -> None:
    batch = GameBatch(16, seed=38, pieces=[])
    play_until_all_ended(batch)
    assert not batch.final_states["truncated"].any()


# --- reset ----------------------------------------------------------------------------------------


def test_reset_begins_only_the_chosen_games_anew() -> None:
    batch, twin = GameBatch(5, seed=41, reward="score"), GameBatch(5, seed=41, reward="score")
    for each in (batch, twin):
        play_batch(each, 60)
    where = np.array([True, False, False, True, False])
    batch.reset(where)
    for i in np.flatnonzero(where):
        game = Game(seed=int(batch.seeds[i]))
        assert batch.seeds[i] != twin.seeds[i]
        assert batch.states[i].tobytes() == game.states.tobytes()
        assert batch.to_play[i] == game.to_play
        assert np.array_equal(batch.masks[i], game.action_mask())
        assert not batch.rewards[i].any()
    for name in SHOWN:
        kept, before = getattr(batch, name)[~where], getattr(twin, name)[~where]
        assert kept.tobytes() == before.tobytes(), name
    assert batch.final_states.tobytes() == twin.final_states.tobytes()


def test_reset_of_no_game_changes_nothing() -> None:
    batch = GameBatch(3, seed=42)
    play_batch(batch, 20)
    before = digest(batch)
    batch.reset(np.zeros(3, np.bool_))
    assert digest(batch) == before


def test_a_batch_that_was_reset_goes_on_like_singles() -> None:
    twins = Twins(num_games=4, seed=43, max_turns=20)
    choose = Chooser(4)
    for step in range(120):
        twins.step(choose(twins.batch.masks))
        if step % 30 == 29:
            where = np.arange(4) == step // 30
            twins.batch.reset(where)
            twins._begin(step // 30)
            twins.compare()
    twins.batch.reset()
    for i in range(4):
        twins._begin(i)
    twins.compare()


@pytest.mark.parametrize(
    "where", [[1, 0, 0], np.zeros(4, np.bool_), np.zeros((3, 1), np.bool_), np.bool_(True), "all"]
)
def test_reset_takes_one_flag_for_each_game(where: Any) -> None:
    batch = GameBatch(3, seed=44)
    before = digest(batch)
    with pytest.raises(ValueError, match=r"where must be a bool array of shape \(3,\)"):
        batch.reset(where)
    assert digest(batch) == before


# --- saving ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("through", [lambda s: s, lambda s: pickle.loads(pickle.dumps(s))])
@pytest.mark.parametrize("watched", [DEFAULT, EVERYTHING, NOTHING])
def test_a_saved_batch_goes_on_in_another_one(
    watched: dict[str, Any], through: Callable[[Any], Any]
) -> None:
    batch = GameBatch(6, seed=51, max_turns=30, reward="score", **watched)
    assert play_batch(batch, 130)  # so that not all games have begun equally often
    saved = through(batch.save())
    other = GameBatch(6, seed=99, max_turns=30, reward="score", **watched)
    play_batch(other, 10)
    other.load(saved)
    assert not other.rewards.any()
    assert not other.done.any()
    for name in SHOWN[:5]:
        assert getattr(other, name).tobytes() == getattr(batch, name).tobytes(), name
    choose = Chooser(9)
    for _ in range(200):
        chosen = choose(batch.masks)
        batch.step(chosen)
        other.step(chosen)
        assert digest(other) == digest(batch)
    batch.reset()
    other.reset()
    assert digest(other) == digest(batch)


def test_playing_on_does_not_change_what_was_saved() -> None:
    batch = GameBatch(4, seed=52, max_turns=20)
    play_batch(batch, 50)
    saved, before = batch.save(), digest(batch)
    twin = pickle.loads(pickle.dumps(saved))
    play_batch(batch, 100)
    assert all(np.array_equal(saved[key], twin[key]) for key in saved)
    batch.load(saved)
    assert digest(batch)[:5] == before[:5]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_a_copied_batch_goes_on_like_the_original(copied: Callable[[GameBatch], GameBatch]) -> None:
    batch = GameBatch(4, seed=53, max_turns=20)
    play_batch(batch, 50)
    twin = copied(batch)
    play_batch(batch, 100)
    assert digest(twin) != digest(batch)
    play_batch(twin, 100)
    assert digest(twin) == digest(batch)


def refuse(batch: GameBatch, saved: Any) -> None:
    """Assert that a batch refuses to load this, and is as before."""
    before = digest(batch)
    after = copy.deepcopy(batch)
    with pytest.raises(DamagedRecord):
        batch.load(saved)
    assert digest(batch) == before
    for each in (batch, after):
        play_batch(each, 40)
        each.reset()
    assert digest(batch) == digest(after)


def saved_batch(**settings: Any) -> dict[str, Any]:
    batch = GameBatch(**{"num_games": 4, "seed": 54, "max_turns": 12, **settings})
    play_batch(batch, 90)
    return batch.save()


@pytest.mark.parametrize("other", [{"num_games": 3}, {"num_games": 5}, {"num_players": 4}])
def test_a_save_of_another_size_or_number_of_players_is_refused(other: dict[str, Any]) -> None:
    refuse(GameBatch(4, seed=55, max_turns=12), saved_batch(**other))


@pytest.mark.parametrize("other", [{"edition": "polish"}, {"max_turns": 13}])
def test_a_save_of_other_rules_is_refused(other: dict[str, Any]) -> None:
    # Otherwise some of the games that follow would be by the one rules and some by the other.
    refuse(GameBatch(4, seed=55, max_turns=12), saved_batch(**other))


ARRAYS = ["begun", "seeds", "next_seeds", "states", "final_states"]


@pytest.mark.parametrize("key", ["format", "num_players", "entropy", *ARRAYS])
def test_a_save_that_lacks_something_is_refused(key: str) -> None:
    saved = saved_batch()
    del saved[key]
    refuse(GameBatch(4, seed=55, max_turns=12), saved)


@pytest.mark.parametrize("key", ARRAYS)
@pytest.mark.parametrize("size", [1, 3])
def test_a_save_that_was_cut_short_is_refused(key: str, size: int) -> None:
    saved = saved_batch()
    saved[key] = saved[key][:size]
    refuse(GameBatch(4, seed=55, max_turns=12), saved)


@pytest.mark.parametrize("key", ["states", "final_states"])
def test_a_save_with_a_record_that_is_no_position_is_refused(key: str) -> None:
    saved = saved_batch()
    saved[key][2] = 77
    refuse(GameBatch(4, seed=55, max_turns=12), saved)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(lambda: play_randomly(Game(seed=1, max_turns=12)), id="over"),
        pytest.param(lambda: Game(num_players=2, seed=1, max_turns=12), id="two players"),
    ],
)
def test_a_save_with_a_game_that_this_batch_cannot_be_playing_is_refused(
    game: Callable[[], Game],
) -> None:
    saved = saved_batch()
    saved["states"][1] = np.frombuffer(game().states.tobytes(), np.uint8)
    refuse(GameBatch(4, seed=55, max_turns=12), saved)


@pytest.mark.parametrize("saved", [None, {}, [], b"alhambra", {"format": "alhambra batch 99"}])
def test_what_is_no_save_at_all_is_refused(saved: Any) -> None:
    refuse(GameBatch(4, seed=55, max_turns=12), saved)


@pytest.mark.parametrize("entropy", ["x", -1, 0.5, None])
def test_a_save_with_a_seed_that_is_none_is_refused(entropy: Any) -> None:
    refuse(GameBatch(4, seed=55, max_turns=12), saved_batch() | {"entropy": entropy})


# --- bad actions ----------------------------------------------------------------------------------


def first_legal(batch: GameBatch) -> np.ndarray:
    chosen: np.ndarray = batch.masks.argmax(axis=1)
    return chosen


@pytest.mark.parametrize("num_threads", [1, TWO_THREADS])
@pytest.mark.parametrize("game", [0, 3, 6])
@pytest.mark.parametrize("action", [actions.parse("give"), -1, N_ACTIONS, 10**15, -(2**63)])
def test_an_illegal_action_is_named_with_its_game_and_nothing_moves(
    action: int, game: int, num_threads: int
) -> None:
    batch = GameBatch(7, seed=61, num_threads=num_threads)
    play_batch(batch, 25)
    chosen, before = first_legal(batch), digest(batch)
    chosen[game] = action
    with pytest.raises(IllegalAction, match=rf"game {game}: .*action {action}\b.* is not legal"):
        batch.step(chosen)
    assert digest(batch) == before
    batch.step(first_legal(batch))


def test_the_first_of_several_illegal_actions_is_named_with_what_is_legal() -> None:
    batch = GameBatch(4, seed=62)
    chosen = first_legal(batch)
    chosen[[1, 3]] = actions.parse("store"), -5
    with pytest.raises(IllegalAction, match=r"game 1: store \(action 1943\)") as error:
        batch.step(chosen)
    for action in np.flatnonzero(batch.masks[1])[:8].tolist():
        assert actions.name(action) in str(error.value)
    assert f"seat {batch.to_play[1]}" in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a[:-1], r"shape \(4,\), .*not of shape \(3,\)"),
        (lambda a: np.append(a, 0), r"shape \(5,\)"),
        (lambda a: a[:, None], r"shape \(4, 1\)"),
        (lambda a: a[0], r"shape \(\)"),
        (lambda a: None, r"shape \(\)"),
        (lambda a: a[:0], r"shape \(0,\)"),
        (lambda a: a.astype(np.float64), "whole numbers, not float64"),
        (lambda a: a.astype(np.float32), "whole numbers, not float32"),
        (lambda a: a.astype(np.bool_), "whole numbers, not bool"),
        (lambda a: a.astype(str), "whole numbers"),
    ],
)
def test_actions_of_a_wrong_shape_or_type_are_refused_and_nothing_moves(
    change: Callable[[np.ndarray], Any], message: str
) -> None:
    batch = GameBatch(4, seed=63)
    play_batch(batch, 25)
    before = digest(batch)
    with pytest.raises(IllegalAction, match=message):
        batch.step(change(first_legal(batch)))
    assert digest(batch) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.tolist(),
        lambda a: tuple(a),
        lambda a: a.astype(np.int16),
        lambda a: a.astype(np.uint64),
        lambda a: np.repeat(a, 2)[::2],
        lambda a: a.astype(">i8"),
    ],
)
def test_whole_numbers_of_any_kind_are_actions(change: Callable[[np.ndarray], Any]) -> None:
    batch, twin = GameBatch(4, seed=64), GameBatch(4, seed=64)
    for _ in range(20):
        chosen = first_legal(batch)
        given = change(chosen)
        batch.step(given)
        twin.step(chosen)
    assert digest(batch) == digest(twin)


def test_stepping_does_not_change_the_given_actions() -> None:
    batch = GameBatch(4, seed=65, max_turns=3)
    for _ in range(30):
        chosen = first_legal(batch)
        before = chosen.copy()
        batch.step(chosen)
        assert np.array_equal(chosen, before)


# --- bad settings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message", "allowed"),
    [
        ({"num_games": 0}, "num_games must be 1 or more, not 0", []),
        ({"num_games": -1}, "num_games", []),
        ({"num_games": 1.5}, "num_games must be a whole number", []),
        ({"num_games": "3"}, "num_games must be a whole number", []),
        ({"num_games": True}, "num_games", []),
        ({"num_players": 7}, "num_players must be 2 to 6", []),
        ({"num_players": 2, "edition": "italian"}, "italian", []),
        ({"edition": "french"}, "french", EDITION_NAMES),
        ({"reward": "money"}, "money", REWARD_NAMES),
        ({"hands": "visible"}, "visible", ["secret", "open"]),
        ({"hands": "visible", "pieces": []}, "visible", ["secret", "open"]),
        ({"pieces": ["city", "mraket"]}, "did you mean 'market'", PIECE_NAMES),
        ({"pieces": ["other_hands"]}, 'needs hands="open"', []),
        ({"num_threads": 0}, "num_threads", []),
        ({"num_threads": 1.0}, "num_threads must be a whole number", []),
        ({"num_threads": MAX_THREADS + 1}, f"num_threads must be 1 to {MAX_THREADS}", []),
        ({"max_turns": 0}, "max_turns must be", []),
        ({"max_turns": -3}, "max_turns must be", []),
        ({"max_turns": 2**31}, "max_turns must be", []),
        ({"max_turns": 2.5}, "max_turns must be", []),
        ({"max_turns": True}, "max_turns must be", []),
        ({"seed": -1}, "seed|integer", []),
        ({"seed": 0.5}, "seed|integer", []),
        ({"seed": "7"}, "seed|integer", []),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_with_what_is_allowed(
    settings: dict[str, Any], message: str, allowed: Iterable[str]
) -> None:
    with pytest.raises(ValueError, match=message) as error:
        GameBatch(**{"num_games": 2, **settings})
    assert all(word in str(error.value) for word in allowed)


def test_one_piece_may_be_named_without_a_list() -> None:
    # As in `Layout` and in the environments.
    assert GameBatch(2, pieces="hand").observations.shape == (2, 36)
