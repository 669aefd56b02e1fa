"""The `Game` class: playing, copying, bad input."""

import copy
import json
import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest

from alhambra_env import Game, IllegalAction
from alhambra_env.actions import N_ACTIONS, parse
from alhambra_env.engine.editions import EDITION_NAMES
from alhambra_env.engine.state import PHASES, STATE_BYTES
from tests.positions import play_randomly


def test_a_game_can_be_played_to_its_end() -> None:
    game = play_randomly(Game(num_players=4, seed=1))
    assert game.over
    assert not game.truncated
    assert game.winners == [s for s in range(4) if game.scores[s] == max(game.scores)]
    assert game.legal_actions() == []
    assert not game.action_mask().any()
    with pytest.raises(IllegalAction, match="over"):
        game.step(0)


def test_nobody_has_won_before_the_end() -> None:
    assert Game(seed=1).winners == []


def test_mask_and_list_of_legal_actions_agree() -> None:
    game = play_randomly(Game(seed=2), steps=40)
    mask = game.action_mask()
    assert mask.dtype == np.int8
    assert mask.shape == (N_ACTIONS,)
    assert np.flatnonzero(mask).tolist() == game.legal_actions()
    mask[:] = 0  # the caller's own copy
    assert game.legal_actions()


def test_a_clone_is_played_on_without_changing_the_game() -> None:
    game = play_randomly(Game(seed=3), steps=30)
    before, twin = game.to_bytes(), game.clone()
    assert twin.to_bytes() == before
    play_randomly(twin)
    assert game.to_bytes() == before
    assert len(game.history) == 30


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))]
)
def test_copies_go_on_like_the_game(copied: Callable[[Game], Game]) -> None:
    game = play_randomly(Game(num_players=2, seed=4), steps=50)
    twin = copied(game)
    assert twin.history == game.history
    assert twin.seed == game.seed
    assert play_randomly(twin, seed=9).to_bytes() == play_randomly(game.clone(), seed=9).to_bytes()
    assert len(game.history) == 50


def test_a_record_is_at_most_four_kibibytes() -> None:
    assert STATE_BYTES <= 4096


def test_a_snapshot_is_plain_data_with_the_documented_keys() -> None:
    keys = [
        "edition",
        "num_players",
        "phase",
        "ending",
        "to_play",
        "turn",
        "rounds_scored",
        "scores",
        "market",
        "display",
        "hands",
        "cities",
        "reserves",
        "bought",
        "picked",
        "exact_slot",
        "awards",
        "dirk",
        "bag",
        "deck",
        "discards",
    ]
    seen_phases = set()
    for num_players in (2, 4):
        game = Game(num_players, seed=5)
        chooser = random.Random(5)
        while True:
            picture = game.snapshot()
            assert list(picture) == keys
            assert json.loads(json.dumps(picture)) == picture
            assert (picture["dirk"] is None) == (num_players > 2)
            assert len(picture["hands"]) == len(picture["cities"]) == num_players
            seen_phases.add(picture["phase"])
            if game.over:
                break
            game.step(chooser.choice(game.legal_actions()))
    assert seen_phases == set(PHASES)


def test_a_snapshot_draws_next_what_it_lists_first() -> None:
    game = Game(num_players=3, seed=6)
    before = game.snapshot()
    game.step(parse("take:0"))
    after = game.snapshot()
    drawn = next(card for card in before["deck"] if not isinstance(card, str))
    assert after["display"][0] == drawn


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            parse("give"),
            r"give \(action 1944\) is not legal; seat \d in phase 'turn' may play take",
        ),
        (-1, "no action has the number -1: they are 0 to 1954"),
        (N_ACTIONS, "no action has the number 1955"),
        (10**30, "no action has the number 10000"),
        (2.0, "whole number, not 2.0"),
        (np.float32(1), "whole number"),
        ("take:0", "actions.parse"),
        (None, "whole number, not None"),
        ([1], "whole number"),
        (True, "whole number, not True"),
        (False, "whole number, not False"),
        (np.True_, "whole number, not np.True_"),
    ],
)
def test_an_action_that_is_not_legal_is_named_and_changes_nothing(
    action: object, message: str
) -> None:
    game = play_randomly(Game(seed=7), steps=5)
    while game.phase != "turn":
        game.step(game.legal_actions()[0])
    before, legal, steps = game.to_bytes(), game.legal_actions(), len(game.history)
    with pytest.raises(IllegalAction, match=message):
        game.step(action)  # type: ignore[arg-type]  # that is what is tested
    assert game.to_bytes() == before
    assert game.legal_actions() == legal
    assert len(game.history) == steps


@pytest.mark.parametrize("number", [np.int8(0), np.int64(0), np.array(0)])
def test_numbers_of_numpy_are_actions_too(number: int) -> None:
    game = Game(seed=8)
    game.step(number)
    assert game.history == [0]


@pytest.mark.parametrize("num_players", [0, 1, 7, -2, 3.0, "3", None, True])
def test_a_number_of_players_that_cannot_play_is_refused(num_players: object) -> None:
    with pytest.raises(ValueError, match=r"num_players must be (a whole number, )?2 to 6"):
        Game(num_players=num_players)  # type: ignore[arg-type]  # that is what is tested


def test_an_unknown_edition_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="french") as error:
        Game(edition="french")
    assert all(name in str(error.value) for name in EDITION_NAMES)


def test_two_players_are_refused_in_the_italian_edition() -> None:
    with pytest.raises(ValueError, match="italian edition does not describe a game for 2 players"):
        Game(num_players=2, edition="italian")


@pytest.mark.parametrize("max_turns", [0, -1, 2**31, 1.5, "9", True])
def test_a_limit_of_turns_that_makes_no_sense_is_refused(max_turns: object) -> None:
    with pytest.raises(ValueError, match="max_turns must be"):
        Game(max_turns=max_turns)  # type: ignore[arg-type]  # that is what is tested


@pytest.mark.parametrize("seed", [-1, 0.5, "7"])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(ValueError, match="seed must be"):
        Game(seed=seed)  # type: ignore[arg-type]  # that is what is tested


def test_resampling_for_a_seat_that_does_not_play_is_refused() -> None:
    with pytest.raises(ValueError, match="seat must be 0 to 2"):
        Game(num_players=3, seed=1).resample(3, seed=0)
    with pytest.raises(ValueError, match="unknown hands"):
        Game(num_players=3, seed=1).resample(
            0,
            seed=0,
            hands="visible",  # type: ignore[arg-type]  # that is what is tested
        )
