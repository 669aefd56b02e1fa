"""Each piece of an observation against plain Python."""

from typing import Final

import numpy as np
import pytest

from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from tests.observed_games import NUMBERS_OF_PLAYERS, PHASES, expected, moments, planes, some_moments
from tests.positions import position

SIMPLE: Final = [name for name in PIECE_NAMES if name not in ("offers", "wall_gain")]


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_random_games_meet_all_there_is(num_players: int) -> None:
    pictures = [moment.game.snapshot() for moment in moments(num_players)]
    assert {picture["phase"] for picture in pictures} == set(PHASES)
    assert {picture["rounds_scored"] for picture in pictures} == {0, 1, 2, 3}
    assert {picture["ending"] for picture in pictures} == {False, True}
    assert max(moment.purchases for moment in moments(num_players)) > 1
    for seat in range(num_players):
        assert any(picture["reserves"][seat] for picture in pictures)
        assert any(picture["cities"][seat] for picture in pictures)
    assert any(pictures[-1]["scores"])
    assert num_players > 2 or pictures[-1]["dirk"]["score"] > 0


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_every_seat_sees_what_the_snapshot_says(num_players: int, name: str) -> None:
    layout = Layout(num_players, "open", [name])
    is_slow = name in ("walls", "standing")
    for moment in some_moments(num_players, every=20 if is_slow else 3):
        for seat in range(num_players):
            buffer = layout.observe(moment.game.states, 0, seat)
            wanted = expected(name, moment, seat)
            assert np.array_equal(layout.split(buffer)[name], wanted), (seat, moment.game)


def test_points_above_255_are_shown_as_255() -> None:
    game = position("players: 2\nphase: over\nrounds: 3\nscores: 254 256\ndirk_score: 195")
    assert game.observe(0)["scores"].tolist() == [254, 255, 195]
    assert game.observe(1)["scores"].tolist() == [255, 254, 195]


@pytest.mark.parametrize(
    ("dy", "dx", "last"), [(0, 1, 5), (0, -1, 11), (1, 0, 12), (-1, 0, 4)], ids=["E", "W", "S", "N"]
)
def test_a_city_that_reaches_around_the_grid_is_drawn_around_it(
    dy: int, dx: int, last: int
) -> None:
    # Ten tiles without walls, and one with a wall on its far side.
    line = enumerate([6, 13, 21, 22, 30, 31, 40, 41, 51, 52, last], 1)
    game = position("city 1: " + " ".join(f"{tile}@{i * dy},{i * dx}" for i, tile in line))
    city = game.observe(1)["city"]
    assert np.array_equal(city, planes(game.snapshot()["cities"][1]))
    assert np.array_equal(game.observe(0)["other_cities"][0], city)
    assert city[5, (9 + 10 * dy) % 19, (9 + 10 * dx) % 19] == 1  # 52, a tower
    assert city[6:10, (9 + 11 * dy) % 19, (9 + 11 * dx) % 19].sum() == 1
