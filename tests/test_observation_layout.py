"""The layout of the bytes of an observation, and their bounds."""

import random

import gymnasium
import numpy as np
import pytest

from alhambra_env import Game
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import HANDS, Hands
from tests.observed_games import NUMBERS_OF_PLAYERS, some_moments
from tests.positions import play_randomly


def shapes(players: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each piece, in order."""
    return {
        "city": (11, 19, 19),
        "other_cities": (players - 1, 11, 19, 19),
        "market": (4, 12),
        "display": (4, 6),
        "hand": (4, 9),
        "hand_sizes": (players,),
        "other_hands": (players - 1, 4, 9),
        "reserves": (players, 54),
        "bought": (54,),
        "picked": (54,),
        "buildings": (players + 1, 6),
        "walls": (players,),
        "scores": (players + 1,),
        "unseen_tiles": (54,),
        "discards": (4, 9),
        "progress": (6,),
        "awards": (players, 54),
        "ending": (1,),
        "turns": (2, 2),
        "to_play": (players,),
        "exact_slot": (4,),
        "standing": (players + 1 + 6,),
        "offers": (4, 4),
        "wall_gain": (19, 19),
    }


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_pieces_have_the_documented_names_order_and_shapes(num_players: int) -> None:
    layout = Layout(num_players, "open", PIECE_NAMES)
    assert layout.shapes == shapes(num_players)
    assert list(layout.shapes) == list(shapes(num_players)) == list(layout.pieces)
    seen = Game(num_players, seed=1).observe(0, "open", PIECE_NAMES)
    assert {name: piece.shape for name, piece in seen.items()} == shapes(num_players)


@pytest.mark.parametrize("hands", HANDS)
def test_pieces_lie_one_after_the_other(hands: Hands) -> None:
    for names in (None, ["scores", "city", "hand"], ["wall_gain", "walls"], ["progress"]):
        layout = Layout(4, hands, names)
        end = 0
        for name in layout.pieces:
            where = layout.slices[name]
            assert (where.start, where.step) == (end, None)
            end = where.stop
            assert end - where.start == np.prod(layout.shapes[name])
        assert layout.size == end
        assert list(layout.slices) == list(layout.pieces) == list(layout.shapes)


def test_the_pieces_of_a_buffer_are_views_of_it() -> None:
    layout = Layout(3, "open", PIECE_NAMES)
    game = play_randomly(Game(3, seed=5), steps=60)
    buffer = layout.observe(game.states, 0, 1)
    assert buffer.dtype == np.uint8
    assert buffer.shape == (layout.size,)
    pieces = layout.split(buffer)
    for name, piece in pieces.items():
        assert np.shares_memory(piece, buffer)
        where = layout.slices[name]
        assert piece.ctypes.data - buffer.ctypes.data == where.start
        assert np.array_equal(piece.reshape(-1), buffer[where])
        for other in pieces:
            assert other == name or not np.shares_memory(piece, pieces[other])
    pieces["scores"][0] = 77
    assert buffer[layout.slices["scores"].start] == 77


def test_the_pieces_of_several_buffers_are_views_too() -> None:
    layout = Layout(3, "open", PIECE_NAMES)
    games = [play_randomly(Game(3, seed=seed), steps=50) for seed in range(6)]
    buffers = np.array([layout.observe(game.states, 0, 0) for game in games]).reshape(2, 3, -1)
    pieces = layout.split(buffers)
    for name, piece in pieces.items():
        assert np.shares_memory(piece, buffers)
        assert piece.shape == (2, 3, *layout.shapes[name])
        for number, game in enumerate(games):
            alone = game.observe(0, "open", [name])[name]
            assert np.array_equal(piece[divmod(number, 3)], alone)


def test_each_observation_has_a_buffer_of_its_own() -> None:
    layout, game = Layout(3), Game(3, seed=1)
    first, second = (layout.observe(game.states, 0, 0) for _ in range(2))
    assert not np.shares_memory(first, second)
    first[:] = 9
    assert np.array_equal(layout.observe(game.states, 0, 0), second)


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_piece_is_the_same_whatever_lies_beside_it(num_players: int) -> None:
    names = list(PIECE_NAMES)
    random.Random(num_players).shuffle(names)
    for moment in some_moments(num_players, every=61):
        seat = moment.game.to_play
        everything = moment.game.observe(seat, "open", PIECE_NAMES)
        for some in (names[:1], names[1:3], names[3:8], names[8:], names[::2]):
            for name, piece in moment.game.observe(seat, "open", some).items():
                assert np.array_equal(piece, everything[name])


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_all_bytes_are_within_their_bounds(num_players: int) -> None:
    layout = Layout(num_players, "open", PIECE_NAMES)
    box, boxes = layout.box(), layout.boxes()
    assert isinstance(box, gymnasium.spaces.Box)
    assert box.shape == (layout.size,)
    assert box.dtype == np.uint8
    assert list(boxes) == list(PIECE_NAMES)
    for name, space in boxes.items():
        assert space.shape == layout.shapes[name]
        assert space.dtype == np.uint8
    for moment in some_moments(num_players, every=11):
        for seat in range(num_players):
            buffer = layout.observe(moment.game.states, 0, seat)
            assert box.contains(buffer)
            for name, piece in layout.split(buffer).items():
                assert boxes[name].contains(piece)
                assert piece.max(initial=0) <= layout.highs[name]


def test_the_bounds_of_the_buffer_are_those_of_its_pieces() -> None:
    layout = Layout(5, "open", PIECE_NAMES)
    high = layout.box().high
    assert not layout.box().low.any()
    assert np.array_equal(high, layout.high())
    for name, where in layout.slices.items():
        assert set(high[where].tolist()) == {layout.highs[name]}
    ones = ("city", "other_cities", "reserves", "bought", "picked", "unseen_tiles")
    assert {layout.highs[name] for name in ones} == {1}
    assert {layout.highs[name] for name in ("hand", "other_hands", "discards")} == {3}
