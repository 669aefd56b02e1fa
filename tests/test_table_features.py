"""The features of a position that a network reads (`table_features`)."""

import numpy as np
import pytest

from alhambra_env import Game, bots
from alhambra_env.agents.table_features import (
    SCALES,
    SMALL_PIECES,
    table_encoding,
    write_all_table_features,
)
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECES
from alhambra_env.options import Hands

BY_COLUMN = {
    "market": [1] * 6 + [1 / 13] + [1] * 5,
    "display": [1] * 4 + [1 / 9, 1],
    "progress": [1 / 4, 1 / 2, 1 / 54, 1 / 110, 1 / 4, 1 / 4],
    "offers": [1, 1 / 4, 1 / 10, 1 / 64],
}
"""Pieces whose columns have scales of their own."""


def expected(pieces: dict[str, np.ndarray]) -> np.ndarray:
    """Return the numbers of one observation, from plain NumPy."""
    parts = [
        (pieces[name] * np.array(BY_COLUMN.get(name, SCALES.get(name, 1)))).ravel()
        for name in pieces
        if name in SMALL_PIECES
    ]
    phase, rounds = pieces["progress"][:2]
    parts += [np.eye(5)[phase], np.eye(4)[rounds]]
    parts += [np.eye(14)[price] for price in pieces["market"][:, 6]]
    gains = pieces["offers"][:, 3].astype(int)
    parts.append(np.where(gains > 0, (gains - 64) / 4, 0))
    return np.concatenate(parts)


@pytest.mark.parametrize(("num_players", "hands"), [(2, "secret"), (4, "open")])
def test_numbers_are_scaled_bytes_flags_and_gains(num_players: int, hands: Hands) -> None:
    pieces = [piece for piece in PIECES if hands == "open" or not piece.needs_open_hands]
    layout = Layout(num_players, hands, [piece.name for piece in pieces])
    reading = table_encoding(layout)
    game, driver = Game(num_players, seed=2), bots.make("builder")
    seen = []
    while not game.over:
        seen.append(layout.observe(game.states, 0, game.to_play))
        game.step(driver.choose(game))
    observations = np.array(seen)
    numbers = np.full((len(seen), reading.size), np.nan, np.float32)
    write_all_table_features(observations, reading, numbers)
    for row, observation in zip(numbers, observations, strict=True):
        np.testing.assert_allclose(row, expected(layout.split(observation)), rtol=1e-6)
