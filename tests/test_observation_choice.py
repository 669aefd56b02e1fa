"""Choosing pieces by name, and `Game.observe`."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from alhambra_env import Game, alhambra_v0
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import HANDS, Hands
from tests.observed_games import DERIVED, NUMBERS_OF_PLAYERS, PHASES, clockwise, some_moments
from tests.positions import play, play_randomly, position

# --- choosing pieces ------------------------------------------------------------------------------


def test_by_default_all_pieces_on_the_table_are_there() -> None:
    on_the_table = [name for name in PIECE_NAMES if name not in DERIVED]
    assert list(Layout(3, "open").pieces) == on_the_table
    on_the_table.remove("other_hands")
    assert list(Layout(3, "secret").pieces) == on_the_table
    assert Layout(3).pieces == Layout(3, "secret").pieces


def test_pieces_are_chosen_by_name_in_any_order() -> None:
    for names in (["hand", "walls"], ("walls", "hand"), {"walls", "hand"}, iter(["walls", "hand"])):
        assert Layout(3, pieces=names).pieces == ("hand", "walls")
    assert Layout(3, pieces=["walls", "walls"]).pieces == ("walls",)
    assert Layout(3, pieces=["walls"]).size == 3


def test_a_single_name_is_a_choice_too() -> None:
    assert Layout(3, pieces="walls").pieces == ("walls",)


def test_environments_show_the_chosen_pieces() -> None:
    chosen = ["walls", "standing", "other_hands"]
    env = alhambra_v0.env(observation="dict", hands="open", pieces=chosen)
    env.reset(seed=3)
    assert list(env.observe("player_1")) == ["other_hands", "walls", "standing", "action_mask"]
    space = env.observation_space("player_1")
    assert isinstance(space, gymnasium.spaces.Dict)
    assert set(space) == {*chosen, "action_mask"}
    flat = alhambra_v0.env(hands="open", pieces=chosen)
    flat.reset(seed=3)
    assert flat.observe("player_1")["observation"].shape == (2 * 36 + 3 + 10,)


def ask_layout(**settings: Any) -> None:
    Layout(3, **settings)


def ask_game(**settings: Any) -> None:
    Game(3, seed=1).observe(0, **settings)


def ask_env(**settings: Any) -> None:
    alhambra_v0.env(**settings)


@pytest.mark.parametrize("ask", [ask_layout, ask_game, ask_env])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pieces": ["cty"]}, "unknown piece 'cty'; did you mean 'city'?"),
        ({"pieces": ["city", "wals"]}, "unknown piece 'wals'; did you mean 'walls'?"),
        ({"pieces": "reserve"}, "unknown piece 'reserve'; did you mean 'reserves'?"),
        ({"pieces": ["xyzzy"]}, "unknown piece 'xyzzy'; there are:"),
        ({"pieces": [3]}, "unknown piece 3; there are:"),
        ({"pieces": [None]}, "unknown piece None; there are:"),
        ({"pieces": []}, "needs a piece; there are:"),
        ({"pieces": ()}, "needs a piece; there are:"),
    ],
)
def test_other_choices_are_refused_with_the_names_there_are(
    ask: Callable[..., None], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match="piece") as refusal:
        ask(**settings)
    assert message in str(refusal.value)
    for name in PIECE_NAMES:
        assert name in str(refusal.value)


@pytest.mark.parametrize("ask", [ask_layout, ask_game, ask_env])
def test_hands_of_others_are_refused_while_hands_are_secret(ask: Callable[..., None]) -> None:
    for settings in ({}, {"hands": "secret"}):
        with pytest.raises(ValueError, match="piece 'other_hands' needs hands=\"open\""):
            ask(pieces=["city", "other_hands"], **settings)
    ask(pieces=["city", "other_hands"], hands="open")


@pytest.mark.parametrize("ask", [ask_layout, ask_game, ask_env])
@pytest.mark.parametrize("hands", ["", "closed", "Open", None, 1, True])
def test_unknown_hands_are_refused_with_the_words_there_are(
    ask: Callable[..., None], hands: Any
) -> None:
    with pytest.raises(ValueError, match=r"unknown hands .*there are: secret, open"):
        ask(hands=hands)


# --- Game.observe ---------------------------------------------------------------------------------


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_game_is_observed_as_by_a_layout(num_players: int, hands: Hands) -> None:
    layout = Layout(num_players, hands)
    for moment in some_moments(num_players, every=97):
        for seat in range(num_players):
            pieces = moment.game.observe(seat, hands)
            assert list(pieces) == list(layout.pieces)
            buffer = np.concatenate([piece.reshape(-1) for piece in pieces.values()])
            assert np.array_equal(buffer, layout.observe(moment.game.states, 0, seat))


def test_hands_are_secret_and_derived_pieces_left_out_unless_asked_for() -> None:
    seen = Game(3, seed=1).observe(0)
    assert not {"other_hands", *DERIVED} & set(seen)
    assert set(Game(3, seed=1).observe(0, pieces=DERIVED)) == set(DERIVED)
    assert "other_hands" in Game(3, seed=1).observe(0, hands="open")


def test_observing_changes_nothing_and_what_is_seen_is_the_callers_own() -> None:
    game = play_randomly(Game(3, seed=2), steps=40)
    before = game.to_bytes()
    seen = game.observe(2, "open", PIECE_NAMES)
    assert game.to_bytes() == before
    copies = {name: piece.copy() for name, piece in seen.items()}
    for piece in seen.values():
        piece[...] = 200
    assert game.to_bytes() == before
    again = game.observe(2, "open", PIECE_NAMES)
    assert all(np.array_equal(again[name], copies[name]) for name in PIECE_NAMES)
    game.step(game.legal_actions()[0])
    assert all(np.array_equal(again[name], copies[name]) for name in PIECE_NAMES)


def test_a_finished_game_can_be_observed() -> None:
    game = play_randomly(Game(4, seed=3))
    for seat in range(4):
        seen = game.observe(seat)
        assert seen["progress"][0] == PHASES.index("over")
        assert seen["scores"].tolist() == [*clockwise(game.scores, seat), 0]


def test_seats_are_relative_to_the_observer() -> None:
    game = play(position("players: 4\nrounds: 1\nscores: 1 2 3 4\nfirst: 2"), "take:0")
    assert game.observe(0)["scores"].tolist() == [1, 2, 3, 4, 0]
    assert game.observe(3)["scores"].tolist() == [4, 1, 2, 3, 0]
    assert [game.observe(seat)["progress"][5] for seat in range(4)] == [2, 1, 0, 3]
    assert game.observe(0)["hand_sizes"].tolist() == [1, 0, 0, 0]
    assert game.observe(1)["hand_sizes"].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("seat", [-1, 3, 6, 1.5, "0", None, True])
def test_a_seat_that_nobody_plays_sees_nothing(seat: Any) -> None:
    with pytest.raises(ValueError, match="seat must be"):
        Game(3, seed=1).observe(seat)
