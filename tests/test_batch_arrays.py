"""The arrays of a batch, the ends of its games, and reset."""

from typing import Any

import numpy as np
import pytest

from alhambra_env import Game, GameBatch
from alhambra_env.actions import N_ACTIONS
from tests.batch_games import SHOWN, Chooser, Twins, digest, play_batch, play_until_all_ended

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


def test_reset_restarts_only_the_chosen_games() -> None:
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
            twins.begin(step // 30)
            twins.compare()
    twins.batch.reset()
    for i in range(4):
        twins.begin(i)
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
