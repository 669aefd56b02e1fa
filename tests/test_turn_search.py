"""Search on top of agents that choose turns."""

import time

import numpy as np
import pytest

from alhambra_env import Game, bots
from alhambra_env.agents.loading import load_player
from alhambra_env.agents.turn_player import TurnAgentPlayer
from alhambra_env.agents.turn_search import Budget, read_budget
from alhambra_env.engine.resample import resample
from alhambra_env.engine.rng import seed_words
from alhambra_env.options import Hands
from alhambra_env.players import Player
from alhambra_env.turns.listing import find_choices
from training.networks import weights_of

from .test_turn_training import random_network, tiny


def searcher(budget: Budget, hands: Hands = "secret", scale: float = 0.5) -> TurnAgentPlayer:
    weights = weights_of(random_network())
    return TurnAgentPlayer(weights, scale, "mine", hands, search=budget, margin=0.02)


def late_games(num_players: int = 3, count: int = 6) -> list[Game]:
    """Return positions at starts of turns, in the second half of games between planners."""
    found = []
    for seed in range(count):
        game = Game(num_players, seed=seed)
        driver = bots.make("planner")
        while game.state.rounds_scored < 1 or game.state.actions or game.phase != "turn":
            game.step(driver.choose(game))
        found.append(game)
    return found


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_it_plays_whole_games_and_leaves_them_as_they_are(num_players: int) -> None:
    game = Game(num_players, seed=1)
    players: list[Player] = [
        searcher(Budget(8)),
        *(bots.make("builder") for _ in range(num_players - 1)),
    ]
    while not game.over:
        before = game.to_bytes()
        action = players[game.to_play].choose(game)
        assert game.to_bytes() == before
        game.step(action)


def test_the_same_seed_gives_the_same_choices() -> None:
    player = searcher(Budget(40))
    for game in late_games():
        chosen = []
        for _ in range(2):
            player.begin(7)
            chosen.append(player.choose(game))
        assert chosen[0] == chosen[1]


@pytest.mark.parametrize("hands", ["secret", "open"])
def test_it_does_not_use_what_the_seat_cannot_know(hands: Hands) -> None:
    player = searcher(Budget(24), hands)
    for number, game in enumerate(late_games(3, 8)):
        player.begin(number)
        chosen = player.choose(game)
        for seed in range(3):
            other = game.clone()
            resample(other.state, other.to_play, hands == "open", seed_words(seed))
            player.begin(number)
            assert player.choose(other) == chosen


def test_it_finds_turns_that_are_better_in_other_redraws() -> None:
    weights = weights_of(random_network())
    weights["score.3.weight"][:] = 0  # the policy knows nothing
    player = TurnAgentPlayer(weights, 0.0, "mine", search=Budget(200), margin=0.02)
    finder = player._search
    assert finder is not None
    gains = []
    for number, game in enumerate(late_games(2, 12)):
        choices = find_choices(game)
        logits = np.zeros(len(choices.actions), np.float32)
        found = finder.choose(game, choices, logits, seed_words(number))
        tried, totals = np.array([0, found]), np.zeros(2)
        turns = finder.turns_of(choices)
        finder.add_samples(game, tried, turns, 200, seed_words(100 + number), totals)
        gains.append((totals[1] - totals[0]) / 200)
    assert np.mean(gains) > 0.02
    assert np.mean(np.array(gains) >= -0.05) > 0.8


def test_a_search_by_time_takes_about_that_time() -> None:
    player = searcher(Budget(0, 0.2))
    games = late_games(4, 3)
    player.choose(games[0])
    for game in games[1:]:
        player.begin(0)
        begin = time.process_time()
        player.choose(game)
        assert time.process_time() - begin < 2


def test_budgets_are_samples_or_seconds() -> None:
    assert read_budget("96", "search") == Budget(96)
    assert read_budget("0.2s", "search") == Budget(0, 0.2)
    assert str(Budget(96)) == "96"
    assert str(Budget(0, 0.2)) == "0.2s"
    for text in ("", "0", "-1", "s", "1e9s", "nans", "0s", "fast", "1.5", "0.2 m"):
        with pytest.raises(ValueError, match="search"):
            read_budget(text, "search")


def test_a_checkpoint_can_be_loaded_with_a_search(
    in_a_folder: None, capsys: pytest.CaptureFixture[str]
) -> None:
    from training.train import train

    train(tiny("ppo.steps=240"), is_shown=False)
    game = late_games(3, 1)[0]
    for text in ("checkpoints/tiny,search=16", "checkpoints/tiny,search=0.01s"):
        player = load_player(text)
        assert game.action_mask()[player.choose(game)]
    with pytest.raises(ValueError, match="search"):
        load_player("checkpoints/tiny,search=often")
    plain = load_player("checkpoints/tiny")
    assert isinstance(plain, TurnAgentPlayer)
    assert np.isfinite(plain.value(game))
