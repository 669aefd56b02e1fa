"""When games of the vector environment are reset, and what the infos say of their end."""

from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

from alhambra_env import ENV_ID, Game
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from tests.vector_games import choose

SHORT: Any = {"max_turns": 9, "reward": "score"}


def play(env: Any, steps: int, seed: int = 4) -> list[Any]:
    """Return what random steps returned."""
    rng = np.random.default_rng(seed)
    _, infos = env.reset(seed=seed)
    results = []
    for _ in range(steps):
        # A game that is over has no legal action; any number is ignored there.
        results.append(env.step(choose(infos["action_mask"], rng)))
        infos = results[-1][4]
    return results


def test_next_step_is_the_default_as_in_gymnasium() -> None:
    env = gymnasium.make_vec(ENV_ID, num_envs=2)
    inside: Any = env.unwrapped
    assert inside.autoreset_mode == AutoresetMode.NEXT_STEP
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert VectorSingleEnv.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled", *AutoresetMode])
def test_modes_are_given_by_name_or_as_gymnasium_has_them(mode: Any) -> None:
    env = VectorSingleEnv(2, autoreset_mode=mode)
    assert env.autoreset_mode.name.lower() == getattr(mode, "name", mode).lower()
    assert env.metadata["autoreset_mode"] == env.autoreset_mode


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown autoreset_mode 'never'; there are: next_step"):
        VectorSingleEnv(autoreset_mode="never")  # type: ignore[arg-type]  # that is what is tested


def test_the_next_step_resets_a_game_and_ignores_its_action() -> None:
    env = VectorSingleEnv(4, **SHORT)
    results = play(env, 60)
    ends = 0
    for (seen, _, done, _, infos), following in pairwise(results):
        assert not infos["action_mask"][done].any()
        for game in np.flatnonzero(done):
            ends += 1
            next_seen, reward, next_done, _, next_infos = following
            assert (reward[game], next_done[game]) == (0, False)
            assert next_infos["action_mask"][game].any()
            assert not np.array_equal(next_seen[game], seen[game])
            assert infos["_scores"][game]
            assert not next_infos.get("_scores", done & False)[game]
    assert ends > 8


def test_results_are_those_of_gymnasiums_own_vector_environment() -> None:
    theirs = gymnasium.make_vec(ENV_ID, num_envs=3, vectorization_mode="sync", **SHORT)
    ours = gymnasium.make_vec(ENV_ID, num_envs=3, **SHORT)
    for mine, its in zip(play(ours, 40), play(theirs, 40), strict=True):
        for a, b in zip(mine[:4], its[:4], strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
        for key, value in its[4].items():
            if key in mine[4]:
                assert mine[4][key].shape == value.shape, key
    seen = {key for result in play(ours, 40) for key in result[4]}
    assert seen >= {key for result in play(theirs, 40) for key in result[4]}


def test_without_autoreset_games_are_reset_by_a_mask() -> None:
    env = VectorSingleEnv(3, autoreset_mode="disabled", **SHORT)
    rng = np.random.default_rng(2)
    _, infos = env.reset(seed=2)
    done = np.zeros(3, np.bool_)
    while not done.any():
        _, _, done, _, infos = env.step(choose(infos["action_mask"], rng))
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset_mask"):
        env.step(choose(infos["action_mask"], rng))
    states = env.batch.states.copy()
    _, infos = env.reset(options={"reset_mask": done})
    assert infos["action_mask"].any(axis=1).all()
    for game in range(3):
        is_same = states[game].tobytes() == env.batch.states[game].tobytes()
        assert is_same == (not done[game])
    env.step(choose(infos["action_mask"], rng))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.zeros(2, np.bool_), "not all false"),
        (np.ones(3, np.bool_), "shape"),
        ([1, 0], "bool array"),
        ("all", "bool array"),
    ],
)
def test_a_mask_that_is_no_mask_is_refused(mask: Any, message: str) -> None:
    env = VectorSingleEnv(2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.reset(options={"reset_mask": mask})


def test_some_games_cannot_be_seeded_or_come_first() -> None:
    env = VectorSingleEnv(2)
    mask = np.array([True, False])
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.reset(options={"reset_mask": mask})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="a seed resets all games"):
        env.reset(seed=1, options={"reset_mask": mask})


def check_end(info: dict[str, Any], game: Game, seat: int) -> None:
    assert info["scores"].tolist() == game.scores
    assert np.flatnonzero(info["winners"]).tolist() == game.winners
    assert info["seat"] == seat
    others = [score for other, score in enumerate(game.scores) if other != seat]
    assert info["margin"] == pytest.approx(game.scores[seat] - np.mean(others))
    assert ("truncated_by" in info) == game.truncated


@pytest.mark.parametrize("max_turns", [9, 1000])
def test_the_info_of_the_last_step_says_how_the_game_ended(max_turns: int) -> None:
    env = SingleEnv(seat="random", max_turns=max_turns)
    rng = np.random.default_rng(1)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert "scores" not in info
            _, _, terminated, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        check_end(info, env.game, env.seat)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_the_infos_of_a_vector_environment_say_how_games_ended(mode: Any) -> None:
    env = VectorSingleEnv(3, seat="random", autoreset_mode=mode, max_turns=9)
    rng = np.random.default_rng(1)
    _, infos = env.reset(seed=8)
    ends = 0
    while ends < 12:
        seats = env.learners.seats.copy()
        _, _, done, _, infos = env.step(choose(infos["action_mask"], rng))
        final = infos.get("final_info", {}) if mode == "same_step" else infos
        for number in np.flatnonzero(done):
            ends += 1
            own = {k: v[number] for k, v in final.items() if k[0] != "_" and final[f"_{k}"][number]}
            assert own["seat"] == seats[number]
            assert own["truncated_by"] == "max_turns"
            if mode == "next_step":
                check_end(own, Game.from_state(env.batch.states[number : number + 1]), own["seat"])
            assert own["margin"] == pytest.approx(
                own["scores"][own["seat"]] - np.mean(np.delete(own["scores"], own["seat"]))
            )


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.RecordEpisodeStatistics,
        wrappers.FlattenObservation,
        wrappers.NormalizeReward,
        lambda env: wrappers.RescaleObservation(env, np.float32(-1), np.float32(1)),
        lambda env: wrappers.NormalizeObservation(env),
        lambda env: wrappers.DictInfoToList(env),
        lambda env: wrappers.ClipReward(env, -1, 1),
    ],
    ids=[
        *("statistics", "flatten", "normalize reward", "rescale", "normalize observation"),
        *("list of infos", "clip reward"),
    ],
)
def test_gymnasiums_vector_wrappers_work(wrap: Any) -> None:
    env = wrap(gymnasium.make_vec(ENV_ID, num_envs=3, dtype="float32", **SHORT))
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    inside: Any = env.unwrapped
    episodes = 0
    for _ in range(40):
        *_, terminated, _, _ = env.step(choose(inside.action_masks(), rng))
        episodes += int(terminated.sum())
    assert episodes > 3
