"""What PettingZoo's users expect: masks, spaces, ends of games, seeds."""

import random
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from alhambra_env import Game, IllegalAction, alhambra_v0
from alhambra_env.actions import N_ACTIONS
from alhambra_env.engine.editions import EDITIONS, EditionName
from alhambra_env.options import Hands
from tests.aec_games import (
    NUMBERS_OF_PLAYERS,
    REWARDS,
    Maker,
    both,
    choose,
    ended,
    is_done,
    picture,
    plain,
    play_some,
    started,
)
from tests.rewards import outcome, worth

# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_loop_over_agents_plays_games_to_their_end(num_players: int) -> None:
    env = alhambra_v0.env(num_players=num_players)
    chooser = random.Random(num_players)
    for seed in range(20):
        env.reset(seed=seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        left = []
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            totals[agent] += reward
            if termination or truncation:
                assert (termination, truncation) == (True, False)
                left.append(agent)
                env.step(None)
            else:
                assert observation is not None
                assert np.array_equal(observation["action_mask"], info["action_mask"])
                env.step(chooser.choice(np.flatnonzero(info["action_mask"]).tolist()))
        assert env.agents == []
        assert left == env.possible_agents
        assert env.game.over
        assert not env.game.truncated
        winners = [env.possible_agents[seat] for seat in env.game.winners]
        assert [agent for agent in totals if totals[agent] == max(totals.values())] == winners


# --- conventions ----------------------------------------------------------------------------------


def random_games(make: Maker, **settings: Any) -> Iterator[Any]:
    """Yield an environment before each step of a game, dead steps included."""
    env = started(make, seed=6, **settings)
    chooser = random.Random(6)
    while env.agents:
        yield env
        env.step(choose(env, chooser))


@both
@pytest.mark.parametrize("observation", ["flat", "dict"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_masks_are_in_observations_and_infos_and_all_zero_off_turn(
    make: Maker, num_players: int, observation: str
) -> None:
    for env in random_games(make, num_players=num_players, observation=observation):
        assert set(env.infos) == set(env.agents)
        for agent in env.agents:
            mask = env.infos[agent]["action_mask"]
            assert mask.dtype == np.int8
            assert mask.shape == (N_ACTIONS,)
            assert np.array_equal(env.observe(agent)["action_mask"], mask)
            if agent == env.agent_selection and not env.game.over:
                assert np.flatnonzero(mask).tolist() == env.game.legal_actions()
                assert mask.any()
            else:
                assert not mask.any()


@both
@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_observations_of_all_agents_lie_in_their_spaces(
    make: Maker, observation: str, hands: Hands
) -> None:
    settings = {"num_players": 4, "observation": observation, "hands": hands}
    for number, env in enumerate(random_games(make, **settings)):
        if number % 5 == 0 or env.game.over:
            for agent in env.possible_agents:
                assert env.observation_space(agent).contains(env.observe(agent))


@both
@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_agents_observe_the_game_from_their_seats(
    make: Maker, num_players: int, hands: Hands
) -> None:
    settings = {"num_players": num_players, "hands": hands, "pieces": None}
    flat = started(make, seed=3, steps=70, observation="flat", **settings)
    by_name = started(make, seed=3, steps=70, observation="dict", **settings)
    for seat, agent in enumerate(flat.possible_agents):
        pieces = flat.game.observe(seat, hands)
        buffer = np.concatenate([piece.reshape(-1) for piece in pieces.values()])
        assert list(flat.observe(agent)) == ["observation", "action_mask"]
        assert np.array_equal(flat.observe(agent)["observation"], buffer)
        seen = by_name.observe(agent)
        assert list(seen) == [*pieces, "action_mask"]
        assert all(np.array_equal(seen[name], pieces[name]) for name in pieces)


@both
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_spaces_are_the_same_objects_each_time(make: Maker, observation: str) -> None:
    env = started(make, seed=1, observation=observation)
    spaces = [(env.observation_space(a), env.action_space(a)) for a in env.possible_agents]
    env.reset(seed=2)
    for agent, (observations, moves) in zip(env.possible_agents, spaces, strict=True):
        assert env.observation_space(agent) is observations
        assert env.action_space(agent) is moves
        assert isinstance(moves, gymnasium.spaces.Discrete)
        assert (moves.n, moves.start) == (N_ACTIONS, 0)
        assert isinstance(observations, gymnasium.spaces.Dict)
        assert all(isinstance(space, gymnasium.spaces.Box) for space in observations.values())
        assert observations["action_mask"].dtype == np.int8
    assert len({id(moves) for _, moves in spaces}) == 3  # each agent draws for itself


@both
def test_ends_are_plain_bools(make: Maker) -> None:
    for max_turns in (1000, 5):
        for env in random_games(make, max_turns=max_turns):
            for value in (*env.terminations.values(), *env.truncations.values()):
                assert type(value) is bool
            assert all(type(value) is bool for value in env.last(observe=False)[2:4])


@both
def test_a_finished_game_is_terminated_and_not_truncated(make: Maker) -> None:
    env = ended(make)
    assert env.game.over
    assert not env.game.truncated
    assert not any("truncated_by" in info for info in env.infos.values())
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}


@both
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("max_turns", [1, 2, 7, 30])
def test_a_game_that_reaches_the_turn_limit_terminates_and_says_so(
    make: Maker, max_turns: int, reward: str
) -> None:
    env = started(make, seed=3, max_turns=max_turns, reward=reward)
    chooser = random.Random(3)
    while not is_done(env):
        assert env.game.snapshot()["turn"] < max_turns
        before = env.game.snapshot()["scores"]
        env.step(choose(env, chooser))
    assert env.game.truncated
    assert env.game.snapshot()["turn"] == max_turns
    assert set(env.truncations.values()) == {False}
    assert set(env.terminations.values()) == {True}
    assert {info["truncated_by"] for info in env.infos.values()} == {"max_turns"}
    assert env.agents == env.possible_agents
    assert env.agent_selection == "player_0"
    after = env.game.snapshot()["scores"]
    gains = [b - a for a, b in zip(worth("margin", before), worth("margin", after), strict=True)]
    wanted = {
        "outcome": outcome(after),
        "score": [b - a for a, b in zip(before, after, strict=True)],
        "margin": gains,
    }
    assert list(env.rewards.values()) == pytest.approx(wanted[reward])


@both
def test_done_agents_are_still_observed_until_and_after_they_left(make: Maker) -> None:
    env = ended(make)
    while env.agents:
        agent = env.agent_selection
        here = env.observe(agent)
        env.step(None)
        assert agent not in env.agents
        gone = env.observe(agent)
        assert plain(gone) == plain(here)
        assert not gone["action_mask"].any()


@both
def test_observations_are_the_callers_own(make: Maker) -> None:
    env = started(make, seed=2, steps=40)
    before, legal = picture(env), env.game.legal_actions()
    for agent in env.possible_agents:
        for array in env.observe(agent).values():
            array[:] = 1
    assert picture(env) == before
    assert env.game.legal_actions() == legal
    kept = plain(env.last()[0])
    seen = env.last()[0]
    env.step(legal[0])
    assert plain(seen) == kept


@both
def test_reset_takes_any_options(make: Maker) -> None:
    env = make()
    env.reset(seed=5, options={"nobody": "knows", "this": [1]})
    assert env.game.to_bytes() == Game(seed=5).to_bytes()
    env.reset(options={})
    env.reset(options=None)


@both
def test_reset_starts_a_new_game_at_any_time(make: Maker) -> None:
    fresh = picture(started(make, seed=5))
    for env in (
        started(make, seed=1, steps=33),
        ended(make, seed=1),
        play_some(ended(make, seed=1), 2),
    ):
        env.reset(seed=5)
        assert picture(env) == fresh
        assert not any(env.rewards.values())
        assert set(env.terminations.values()) == set(env.truncations.values()) == {False}
        assert env.agents == env.possible_agents == ["player_0", "player_1", "player_2"]
        assert env.agents is not env.possible_agents


def test_metadata_says_what_the_environment_is() -> None:
    for make in (alhambra_v0.env, alhambra_v0.raw_env):
        metadata = make(num_players=4).metadata
        assert metadata["name"] == "alhambra_v0"
        assert {"ansi", "human"} <= set(metadata["render_modes"])
        assert metadata["is_parallelizable"] is False
        assert metadata["render_fps"] > 0


@pytest.mark.parametrize(
    ("edition", "num_players"),
    [(e.book, n) for e in EDITIONS for n in NUMBERS_OF_PLAYERS if n >= e.min_players],
)
def test_a_seed_plays_the_same_game_as_in_game(edition: EditionName, num_players: int) -> None:
    env = alhambra_v0.raw_env(num_players=num_players, edition=edition)
    for seed in (0, 7, 2**40):
        env.reset(seed=seed)
        game = Game(num_players, edition, seed=seed)
        chooser = random.Random(seed)
        while env.agents:
            assert env.game.to_bytes() == game.to_bytes()
            action = choose(env, chooser)
            if action is not None:
                assert env.agent_selection == f"player_{game.to_play}"
                game.step(action)
            env.step(action)
        assert game.over


@both
def test_games_without_a_seed_differ_and_follow_from_an_earlier_seed(make: Maker) -> None:
    def begin(env: Any, seed: int | None) -> bytes:
        env.reset(seed=seed)
        began: bytes = env.game.to_bytes()
        return began

    env, other = make(), make()
    games = [begin(env, seed) for seed in (11, None, None, None)]
    assert len(set(games)) == 4
    assert [begin(other, seed) for seed in (11, None, None, None)] == games
    assert [begin(env, seed) for seed in (11, None)] == games[:2]
    assert begin(env, 12) != games[0]
    assert begin(env, None) not in games
    # Without any seed, two environments do not play the same games.
    assert begin(make(), None) != begin(make(), None)


def test_what_was_played_does_not_change_the_next_game() -> None:
    env, other = started(alhambra_v0.env, seed=9), ended(alhambra_v0.env, seed=9)
    env.reset()
    other.reset()
    assert env.game.to_bytes() == other.game.to_bytes()


@pytest.mark.parametrize("seed", range(4))
def test_raw_env_raises_on_illegal_actions_and_is_unchanged(seed: int) -> None:
    env = started(alhambra_v0.raw_env, seed, steps=40 * seed, reward="score")
    before, position = picture(env), env.game.to_bytes()
    illegal = np.flatnonzero(env.last()[4]["action_mask"] == 0).tolist()
    for action in (*random.Random(seed).sample(illegal, 20), -1, N_ACTIONS, None, "take:0", 1.5):
        with pytest.raises(IllegalAction):
            env.step(action)
        assert picture(env) == before
        assert env.game.to_bytes() == position
    play_some(env, 20)
