"""The `Game` class: playing, copying, pictures, bad input."""

import copy
import pickle
import random

import numpy as np
import pytest

from alhambra_env import DamagedRecord, Game, IllegalAction, actions
from alhambra_env.actions import N_ACTIONS
from alhambra_env.editions import EDITION_NAMES


def play_randomly(game: Game, steps: int = 10**9, seed: int = 0) -> Game:
    chooser = random.Random(seed)
    while not game.over and steps:
        game.step(chooser.choice(game.legal_actions()))
        steps -= 1
    return game


def test_a_game_can_be_played_to_its_end() -> None:
    game = play_randomly(Game(num_players=4, seed=1))
    assert game.over
    assert not game.truncated
    assert game.winners == [s for s in range(4) if game.scores[s] == max(game.scores)]
    assert game.legal_actions() == []
    assert not game.action_mask().any()
    with pytest.raises(IllegalAction, match="over"):
        game.step(0)


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


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_go_on_like_the_game(copied) -> None:  # type: ignore[no-untyped-def]
    game = play_randomly(Game(num_players=2, seed=4), steps=50)
    twin = copied(game)
    assert twin.history == game.history
    assert play_randomly(twin, seed=9).to_bytes() == play_randomly(game.clone(), seed=9).to_bytes()
