"""Seeds, copies and seats of the vector environment."""

import copy
import hashlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.plain_python import PlainCall
from tests.vector_games import Vector, batch_of, choose, inside, make, seats_of, trace

# --- seeding --------------------------------------------------------------------------------------


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


def test_plain_python_plays_the_same_games_as_compiled_code(in_plain_python: PlainCall) -> None:
    assert in_plain_python(digest_of_games) == digest_of_games()


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
    first, _ = env.reset(seed=[None] * 3)  # type: ignore[arg-type]  # Gymnasium's own allow lists
    second, _ = env.reset(seed=[None] * 3)  # type: ignore[arg-type]  # Gymnasium's own allow lists
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
