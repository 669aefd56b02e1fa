"""Actions and settings that a batch takes or refuses."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from alhambra_env import GameBatch, IllegalAction, actions
from alhambra_env.actions import N_ACTIONS
from alhambra_env.batch import MAX_THREADS
from alhambra_env.engine.editions import EDITION_NAMES
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import REWARD_NAMES
from tests.batch_games import TWO_THREADS, digest, play_batch

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
