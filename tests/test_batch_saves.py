"""Saving, loading and copying a batch."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from alhambra_env import DamagedRecord, Game, GameBatch
from tests.batch_games import DEFAULT, EVERYTHING, NOTHING, SHOWN, Chooser, digest, play_batch
from tests.positions import play_randomly


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
