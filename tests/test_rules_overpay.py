"""Overpaying on purpose: one more card for an exact purchase, and no further action (R9, E1)."""

from typing import Final

import numpy as np
import pytest

from alhambra_env import actions
from alhambra_env.engine.editions import EDITION_NAMES, EditionName
from alhambra_env.engine.state import FIELDS, NOBODY
from alhambra_env.notation import from_text, to_text
from tests.positions import legal, money, play, position

UNCOVERS: Final = """
edition: german
players: 3
to_play: 0
market: 3 53 52 51
display: b9 g9 o9 y9
hand 0: b5 b1
deck: s1 g8 g7 g6 g5
discards: rest
"""
"""The next card of the deck is a scoring card: taking money triggers the first scoring."""


def test_overpaying_ends_the_turn_without_uncovering_the_scoring_card() -> None:
    game = position(UNCOVERS)
    assert legal(game, "buy") == {"buy:0:5"}
    play(game, "buy:0:5")
    assert legal(game, "overpay") == {"overpay:1"}
    assert game.snapshot()["exact_slot"] == 0
    taken = game.clone()
    play(taken, "take:0", "store")
    assert taken.rounds_scored == 1
    play(game, "overpay:1", "store")
    assert (game.rounds_scored, game.to_play, game.phase) == (0, 1, "turn")
    assert game.snapshot()["display"] == [[0, 9], [1, 9], [2, 9], [3, 9]]
    assert game.snapshot()["hands"][0] == money("")


def test_the_card_is_discarded_and_the_bought_tile_is_placed() -> None:
    game = position(UNCOVERS)
    before = game.snapshot()["discards"]
    play(game, "buy:0:5", "overpay:1")
    picture = game.snapshot()
    assert (picture["phase"], picture["picked"], picture["exact_slot"]) == ("put", 3, None)
    assert picture["discards"][0][0] == before[0][0] + 1
    assert picture["discards"][0][4] == before[0][4] + 1


def test_it_is_a_card_of_the_currency_just_paid_with() -> None:
    game = position("market: 0 7 14 23", "hand 0: b2 b9 g3 g3 g4 o1", "rounds: 2", "discards: rest")
    assert legal(game, "overpay") == set()
    play(game, "buy:0:2")
    assert legal(game, "overpay") == {"overpay:9"}
    play(game, "buy:1:3")
    assert game.snapshot()["exact_slot"] == 1
    assert legal(game, "overpay") == {"overpay:3", "overpay:4"}
    play(game, "overpay:4")
    assert game.phase == "place"  # two tiles were bought, no further action
    assert game.snapshot()["hands"][0] == money("b9 g3 o1")


def test_a_purchase_that_is_not_exact_leaves_nothing_to_overpay() -> None:
    game = position("market: 0 7 14 23", "hand 0: b3 b9", "rounds: 2", "discards: rest")
    play(game, "buy:0:3")
    assert game.phase == "put"
    assert game.snapshot()["exact_slot"] is None


@pytest.mark.parametrize("then", ["take:0", "pick:30", "remove:0,1"])
def test_any_other_action_ends_the_chance_to_overpay(then: str) -> None:
    game = position(
        *("market: 0 7 14 23", "hand 0: b2 b9", "rounds: 2", "discards: rest"),
        *("city 0: 28@0,1", "reserve 0: 30"),
    )
    play(game, "buy:0:2")
    assert game.snapshot()["exact_slot"] == 0
    play(game, then)
    assert game.snapshot()["exact_slot"] is None
    assert legal(game, "overpay") == set()


@pytest.mark.parametrize("edition", EDITION_NAMES)
def test_every_edition_offers_it(edition: EditionName) -> None:
    game = position(UNCOVERS.replace("german", edition).replace("s1 g8 g7 g6 g5", "rest"))
    play(game, "buy:0:5")
    assert "overpay:1" in legal(game)
    assert ("pass" in legal(game)) is (edition in ("polish", "italian"))


def test_who_can_do_nothing_else_passes_without_paying_more() -> None:
    # R13: overpaying is not one of the three actions of a turn
    game = position(
        *("market: 0 7 14 23", "display: - - - -", "hand 0: b2 b9", "rounds: 2"),
        *("hand 1: rest", "deck: -"),
    )
    play(game, "buy:0:2")
    assert legal(game) == {"overpay:9", "pass"}


def test_names_numbers_and_sentences() -> None:
    assert [actions.name(number) for number in range(1946, 1955)] == [
        f"overpay:{value}" for value in range(1, 10)
    ]
    assert actions.N_ACTIONS == 1955
    assert actions.ENCODING_VERSION == 1
    assert actions.decode(1949) == ("overpay", (4,))
    for text in ("overpay", "overpay:0", "overpay:10", "overpay:1,2"):
        with pytest.raises(ValueError, match="overpay"):
            actions.parse(text)
    game = play(position(UNCOVERS), "buy:0:5")
    assert actions.describe(1946, game) == (
        "Add denar 1 to the payment just made, so that no further action follows"
    )


def test_positions_as_text_keep_the_slot() -> None:
    game = play(
        position("market: 0 7 14 23", "hand 0: b2 g3 g4", "rounds: 2", "discards: rest"),
        *("buy:1:3", "buy:0:2"),
    )
    assert "exact_slot: 0\n" in to_text(game)
    assert from_text(to_text(game)).to_bytes() == game.to_bytes()
    left_out = to_text(game).replace("exact_slot: 0\n", "")
    assert from_text(left_out).snapshot()["exact_slot"] == 1  # the last empty one
    for wrong, message in (("3", "PHASE"), ("-", "PHASE"), ("4", "no market slot 4")):
        with pytest.raises(ValueError, match=message):
            from_text(to_text(game).replace("exact_slot: 0\n", f"exact_slot: {wrong}\n"))


def test_all_players_may_know_the_slot() -> None:
    assert next(f for f in FIELDS if f.name == "exact_slot").seen_by != NOBODY
    game = play(position(UNCOVERS), "buy:0:5")
    for seat in range(3):
        assert np.array_equal(game.observe(seat)["exact_slot"], [1, 0, 0, 0])
    assert game.resample(seat=1, seed=3).snapshot()["exact_slot"] == 0
