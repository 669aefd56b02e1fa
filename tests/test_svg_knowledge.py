"""A drawing for an observer has nothing that the seat may not know."""

import random

import pytest

from alhambra_env import Game
from alhambra_env.options import HANDS, Hands
from alhambra_env.render.svg import draw_position
from tests.drawings import PLAYERS, moments


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_what_a_seat_cannot_know_does_not_change_its_drawing(
    num_players: int, hands: Hands
) -> None:
    for number, game in enumerate(moments(num_players)):
        seat = number % num_players
        drawn = game.svg(seat, hands=hands)
        assert game.resample(seat, number, hands).svg(seat, hands=hands) == drawn


@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_order_of_deck_and_bag_is_in_no_drawing(num_players: int) -> None:
    shuffler = random.Random(0)
    for game in moments(num_players, every=15):
        snapshot = game.snapshot()
        drawn = draw_position(snapshot)
        shuffler.shuffle(snapshot["bag"])
        shuffler.shuffle(snapshot["deck"])
        assert draw_position(snapshot) == drawn


def test_hands_are_drawn_for_those_who_know_them() -> None:
    game = Game(3, seed=5)
    assert game.svg().count('href="#l-back"') == 0
    others = sum(int(game.state.hands[seat].sum()) for seat in (1, 2))
    assert game.svg(0).count('href="#l-back"') == others
    assert game.svg(0, hands="open").count('href="#l-back"') == 0


def test_the_bag_is_counted_by_type() -> None:
    game = Game(4, seed=5)
    rest = game.resample(0, seed=3)
    assert game.snapshot()["bag"] != rest.snapshot()["bag"]
    assert f"Bag, {len(game.snapshot()['bag'])} tiles" in game.svg(0)
