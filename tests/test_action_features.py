"""The features of each legal action that a network reads."""

import numpy as np
import pytest

from alhambra_env import Game, actions, bots
from alhambra_env.agents.action_features import (
    FEATURES,
    N_FEATURES,
    NEEDED_PIECES,
    count_actions,
    write_action_features,
)
from alhambra_env.engine.material import N_ROUNDS, TILES
from alhambra_env.notation import from_text
from alhambra_env.observation.layout import Layout


def describe(game: Game) -> dict[str, dict[str, list[float]]]:
    """Return the features of each legal action, by its name and theirs."""
    layout = Layout(game.num_players, "secret", NEEDED_PIECES)
    seen = layout.observe(game.states, 0, game.to_play)[None]
    starts = np.zeros(2, np.int64)
    count_actions(game.masks, starts)
    chosen = np.zeros(starts[1], np.int64)
    features = np.zeros((starts[1], N_FEATURES), np.float32)
    write_action_features(seen, game.masks, layout.bounds, starts, chosen, features)
    assert chosen.tolist() == game.legal_actions()
    described = {}
    for action, row in zip(chosen.tolist(), features, strict=True):
        parts = np.split(row, np.cumsum(list(FEATURES.values()))[:-1])
        named = zip(FEATURES, (part.tolist() for part in parts), strict=True)
        described[actions.name(action)] = dict(named)
    return described


def test_ranks_are_what_scoring_would_say_with_one_more_tile() -> None:
    compared = 0
    for num_players in (2, 3, 5):
        game = Game(num_players, seed=num_players)
        driver = bots.make("builder")
        while not game.over and game.rounds_scored < 2:
            if game.phase == "turn":
                for name, parts in describe(game).items():
                    if name.startswith("buy"):
                        slot = int(name.split(":")[1])
                        building = TILES[game.snapshot()["market"][slot]].building
                        assert parts["ranks"] == pytest.approx(expected_ranks(game, building))
                        compared += any(parts["ranks"])
            game.step(driver.choose(game))
    assert compared > 100


def expected_ranks(game: Game, building: str) -> list[float]:
    """Return the feature from plain counting, by R22 and R23."""
    picture = game.snapshot()
    seat, players = game.to_play, game.num_players
    tiles = [[tile for tile, _, _ in city] for city in picture["cities"]]
    if picture["dirk"]:
        tiles.append(picture["dirk"]["tiles"])
    now = [sum(TILES[tile].building == building for tile in city) for city in tiles]
    then = [count + (row == seat) for row, count in enumerate(now)]
    gains, losses = [0.0] * N_ROUNDS, [0.0] * N_ROUNDS
    for scoring in range(picture["rounds_scored"], N_ROUNDS):
        before, after = (points(counts, scoring, building) for counts in (now, then))
        change = np.array(after) - before
        gains[scoring] = change[seat] / 10
        others = [change[other] for other in range(players) if other != seat]
        losses[scoring] = -sum(others) / len(others) / 10
    return gains + losses


def points(counts: list[int], scoring: int, building: str) -> list[int]:
    first = ["pavilion", "seraglio", "arcades", "chambers", "garden", "tower"].index(building) + 1
    prizes = [[first], [first + 7, first], [first + 15, first + 7, first]][scoring] + [0] * 7
    shares = []
    for own in counts:
        ahead, tied = sum(count > own for count in counts), counts.count(own)
        shares.append(sum(prizes[ahead : ahead + tied]) // tied if own else 0)
    return shares


def test_a_purchase_says_what_it_pays_and_what_is_left() -> None:
    game = from_text("market: 16 6 13 30\nhand 0: b1 b5 b5\nphase: turn\nto_play: 0\n")
    described = describe(game)
    exact, over = described["buy:0:5+1"], described["buy:0:5+5"]
    assert exact["buying"] == pytest.approx([1, 0, 2 / 4, 5 / 10, 1 / 4, 0])
    assert over["buying"] == pytest.approx([0, 4 / 4, 2 / 4, 1 / 10, 1 / 4, 0])
    assert exact["paid"][:5] == pytest.approx([0.5, 0, 0, 0, 0.5])
    assert exact["walls"] == [1, 1, 0, 0]  # arcades 6, N and E
    assert exact["building"] == [0, 0, 1, 0, 0, 0]
