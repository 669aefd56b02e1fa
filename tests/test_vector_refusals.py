"""Actions and settings that the vector environment refuses."""

import copy
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from alhambra_env import IllegalAction, actions
from alhambra_env.actions import N_ACTIONS
from alhambra_env.bots import BOT_NAMES
from alhambra_env.engine.editions import EDITION_NAMES
from alhambra_env.envs import vector_learner
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import REWARD_NAMES
from tests.refusals import assert_refused
from tests.vector_games import batch_of, inside, make, peak_memory, trace


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
    assert_refused(VectorSingleEnv, settings, message, allowed)


def test_settings_are_refused_before_memory_is_taken_for_the_games() -> None:
    def refuse() -> None:
        with pytest.raises(ValueError, match="seat"):
            VectorSingleEnv(100_000, seat=3)

    assert peak_memory(refuse) < 1_000_000


def test_too_many_games_for_the_memory_fail_before_anything_else_is_made_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_memory(*args: Any, **kwargs: Any) -> None:
        raise MemoryError("Unable to allocate")

    def fail() -> None:
        with pytest.raises(MemoryError):
            VectorSingleEnv(100_000)

    monkeypatch.setattr(vector_learner, "GameBatch", no_memory)
    assert peak_memory(fail) < 1_000_000


def test_only_the_chosen_games_move() -> None:
    env = VectorSingleEnv(4, autoreset_mode="disabled", max_turns=20, reward="score")
    env.reset(seed=1)
    where = np.array([True, False, True, False])
    done = np.zeros(4, np.bool_)
    while not done[0]:
        before = env.batch.states.copy()
        actions = np.where(where, env.action_masks().argmax(axis=1), -1)
        _, rewards, done, _, _ = env.step(actions, where=where & ~done)
        assert env.batch.states[1].tobytes() == before[1].tobytes()
        assert rewards[1] == rewards[3] == 0
        assert not done[1]
        assert not done[3]
    # What is over stays so, and does not have to be reset, as long as it is left out.
    _, rewards, done, _, infos = env.step(env.action_masks().argmax(axis=1), where=~where)
    assert done[0]
    assert rewards[0] == 0
    assert infos["_scores"][0]


def test_games_to_play_in_must_be_flags_and_resets_must_be_left_to_the_caller() -> None:
    env = VectorSingleEnv(2, autoreset_mode="disabled")
    env.reset(seed=1)
    actions = env.action_masks().argmax(axis=1)
    for where in ([1, 0], [True], np.zeros((2, 1), np.bool_)):
        with pytest.raises(ValueError, match=r"bool array of shape \(2,\)"):
            env.step(actions, where=where)  # type: ignore[arg-type]  # that is what is tested
    automatic = VectorSingleEnv(2)
    automatic.reset(seed=1)
    with pytest.raises(ValueError, match='autoreset_mode="disabled"'):
        automatic.step(actions, where=np.ones(2, np.bool_))
