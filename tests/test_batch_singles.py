"""A batch plays the same games as singles, with any size, seed or number of threads."""

import hashlib
from typing import Any

import numpy as np
import pytest

from alhambra_env import GameBatch, actions
from alhambra_env.batch import MAX_THREADS
from alhambra_env.engine.editions import EDITION_NAMES, EditionName
from alhambra_env.options import REWARD_NAMES
from tests.batch_games import (
    DEFAULT,
    EVERYTHING,
    NOTHING,
    SHOWN,
    TWO_THREADS,
    WITHOUT_CITIES,
    Chooser,
    Twins,
    digest,
    play_alike,
    play_batch,
)
from tests.plain_python import PlainCall

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
    # Nobody builds in the first turn, so all end with 0 points.
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
    play_alike(one, two, 150, seed=1)
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


def test_plain_python_gives_the_same_batch_as_compiled_code(in_plain_python: PlainCall) -> None:
    assert in_plain_python(digest_of_batches) == digest_of_batches()


def test_all_games_of_a_batch_without_a_seed_are_different() -> None:
    seeds = [*GameBatch(50, pieces=[]).seeds.tolist(), *GameBatch(50, pieces=[]).seeds.tolist()]
    assert len(set(seeds)) == 100
