"""What Gymnasium expects of a vector environment: spaces, resets, arrays."""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from alhambra_env import ENV_ID, GameBatch
from alhambra_env.envs.vector import VectorSingleEnv
from tests.vector_games import choose, flatten, flatten_one, inside, make, peak_memory

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


def test_environments_take_little_more_memory_than_their_games() -> None:
    games = peak_memory(lambda: GameBatch(300, num_players=6))
    environments = peak_memory(lambda: make(300, num_players=6))
    assert games < environments < 1.1 * games


def test_games_are_reset_in_the_step_in_which_they_end_if_that_is_asked_for() -> None:
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
    # As with `gymnasium.make`. In another process, because bots whose random state is all 0 may
    # never stop drawing, and compiled code cannot be interrupted.
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
    # A game that is over before the learner's first turn is skipped.
    for max_turns in (1, 2):
        env = make(16, max_turns=max_turns, seat=2)
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


def test_before_the_first_reset_there_is_nothing_to_play() -> None:
    env = make(2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
        env.step(np.zeros(2, np.int64))


def test_one_piece_may_be_named_without_a_list() -> None:
    # As in a single environment.
    space = gymnasium.make(ENV_ID, pieces="hand").observation_space
    assert make(2, pieces="hand").single_observation_space == space
