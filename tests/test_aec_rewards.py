"""The rewards of the PettingZoo environments."""

import random

import pytest

from alhambra_env import Game, actions, alhambra_v0
from tests.aec_games import (
    NUMBERS_OF_PLAYERS,
    REWARDS,
    Maker,
    both,
    choose,
    ended,
    is_done,
    started,
)
from tests.positions import position
from tests.rewards import outcome, worth


@both
@pytest.mark.parametrize("reward", ["score", "margin"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_last_returns_all_reward_since_the_agents_last_step(
    make: Maker, num_players: int, reward: str
) -> None:
    met = dict.fromkeys(("points", "points to fetch", "extra action"), 0)
    for seed in range(2):
        env = started(make, seed, num_players=num_players, reward=reward)
        chooser = random.Random(seed)
        seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
        fetched = worth(reward, [0] * num_players)  # of each seat, before its last step
        stepped = ""
        while env.agents:
            agent = env.agent_selection
            seat, now = seats[agent], worth(reward, env.game.snapshot()["scores"])
            assert env.last(observe=False)[1] == pytest.approx(now[seat] - fetched[seat])
            for other in env.agents:
                owed = now[seats[other]] - fetched[seats[other]]
                assert env._cumulative_rewards[other] == pytest.approx(owed)
            met["points to fetch"] += now[seat] != fetched[seat]
            met["extra action"] += stepped == agent and env.game.phase == "turn"
            fetched[seat], stepped = now[seat], agent
            env.step(choose(env, chooser))
            after = worth(reward, env.game.snapshot()["scores"])
            gains = {a: pytest.approx(after[seats[a]] - now[seats[a]]) for a in env.agents}
            assert env.rewards == gains
            met["points"] += any(env.rewards.values())
    assert min(met.values()) > 0


@both
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_outcome_is_paid_at_the_end_and_nothing_before(make: Maker, num_players: int) -> None:
    for seed in range(3):
        env = started(make, seed, num_players=num_players, reward="outcome")
        chooser = random.Random(seed)
        while not is_done(env):
            assert not any(env.rewards.values())
            assert not any(env._cumulative_rewards.values())
            env.step(choose(env, chooser))
        wanted = outcome(env.game.snapshot()["scores"])
        assert list(env.rewards.values()) == pytest.approx(wanted)
        assert sum(wanted) == pytest.approx(0)
        for seat in range(num_players):
            assert env.agent_selection == env.possible_agents[seat]
            assert env.last()[1] == pytest.approx(wanted[seat])
            env.step(None)
            assert not any(env.rewards.values())


def one_step_before_the_end(scores: list[int]) -> Game:
    """Return a game in which `store` is the last action and brings no points to anybody."""
    return position(
        f"players: {len(scores)}",
        f"scores: {' '.join(map(str, scores))}",
        *("rounds: 2", "phase: put", "picked: 0", "market: - - - -", "bag:", "reserve 0: rest"),
        "dirk_score: 84" if len(scores) == 2 else "",
    )


@both
@pytest.mark.parametrize(
    ("players", "winners", "won", "lost"),
    [
        *((2, 1, 1, -1), (2, 2, 0, None)),
        *((3, 1, 1, -1 / 2), (3, 2, 1 / 4, -1 / 2), (3, 3, 0, None)),
        *((4, 1, 1, -1 / 3), (4, 2, 1 / 3, -1 / 3), (4, 3, 1 / 9, -1 / 3), (4, 4, 0, None)),
        *((5, 1, 1, -1 / 4), (5, 2, 3 / 8, -1 / 4), (5, 4, 1 / 16, -1 / 4), (5, 5, 0, None)),
        *((6, 1, 1, -1 / 5), (6, 3, 1 / 5, -1 / 5), (6, 5, 1 / 25, -1 / 5), (6, 6, 0, None)),
    ],
)
def test_tied_winners_share_the_outcome(
    make: Maker,
    players: int,
    winners: int,
    won: float,
    lost: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = [40] * winners + [39, 0, 38, 39, 7][: players - winners]
    random.Random(players).shuffle(scores)
    env = make(num_players=players)
    monkeypatch.setattr("alhambra_env.envs.seats.Game", lambda **_: one_step_before_the_end(scores))
    env.reset(seed=1)
    env.step(actions.parse("store"))
    assert set(env.terminations.values()) == {True}
    assert env.game.scores == scores
    rewards = list(env.rewards.values())
    assert rewards == pytest.approx([won if score == 40 else lost for score in scores])
    assert rewards == pytest.approx(outcome(scores))
    assert sum(rewards) == pytest.approx(0)
    for reward in rewards:
        assert env.last()[1] == reward
        env.step(None)


@pytest.mark.parametrize("num_players", [2, 3])
def test_a_tie_in_a_whole_game_is_shared_too(num_players: int) -> None:
    for seed in range(1000):
        game = Game(num_players, seed=seed)
        chooser = random.Random(seed)
        while not game.over:
            game.step(chooser.choice(game.legal_actions()))
        if len(game.winners) == 2:
            break
    env = started(alhambra_v0.env, seed, num_players=num_players)
    for action in game.history:
        env.step(action)
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx(outcome(game.scores))
    assert sorted(env.rewards.values()) == pytest.approx(
        [0, 0] if num_players == 2 else [-0.5, 0.25, 0.25]
    )


@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_these_rewards_sum_to_nothing(num_players: int, reward: str) -> None:
    env = started(alhambra_v0.env, seed=8, num_players=num_players, reward=reward)
    chooser = random.Random(8)
    while not is_done(env):
        env.step(choose(env, chooser))
        assert sum(env.rewards.values()) == pytest.approx(0)


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_plain_numbers(reward: str) -> None:
    env = ended(alhambra_v0.env, reward=reward)
    for value in (*env.rewards.values(), *env._cumulative_rewards.values()):
        assert type(value) in (int, float)


def test_the_reward_of_the_agent_that_just_acted_is_not_all_that_it_earns() -> None:
    # What PettingZoo's tutorial for Stable-Baselines3 returns; docs/libraries.md warns of it.
    seen, scored = 0.0, 0
    for seed in range(3):
        env = alhambra_v0.env(num_players=3, reward="score")
        env.reset(seed=seed)
        chooser = random.Random(seed)
        is_over = False
        while not is_over:
            agent = env.agent_selection
            env.step(choose(env, chooser))
            seen += env._cumulative_rewards[agent]
            is_over = env.terminations[agent]
        scored += sum(env.unwrapped.game.scores)
    assert 0 < seen < 0.6 * scored
