"""Settings and seeds that the PettingZoo environments refuse."""

from typing import Any

import numpy as np
import pettingzoo
import pytest

from alhambra_env import Game, alhambra_v0
from alhambra_env.engine.editions import EDITION_NAMES
from alhambra_env.observation.pieces import PIECE_NAMES
from tests.aec_games import ENV_ID, REWARDS, Maker, both, needs_registry, picture, started


@pytest.mark.parametrize(
    "make",
    [
        alhambra_v0.env,
        alhambra_v0.raw_env,
        pytest.param(
            lambda **settings: pettingzoo.make("aec", ENV_ID, **settings), marks=needs_registry
        ),
    ],
    ids=["env", "raw_env", "registered"],
)
@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({"num_players": 1}, ["num_players", "2 to 6", "1"]),
        ({"num_players": 7}, ["num_players", "2 to 6", "7"]),
        ({"num_players": "3"}, ["num_players", "2 to 6", "'3'"]),
        ({"num_players": 2.5}, ["num_players", "2 to 6", "2.5"]),
        ({"num_players": None}, ["num_players", "2 to 6", "None"]),
        ({"num_players": True}, ["num_players", "2 to 6", "True"]),
        ({"edition": "klingon"}, ["'klingon'", *EDITION_NAMES]),
        ({"edition": None}, ["None", *EDITION_NAMES]),
        (
            {"edition": "italian", "num_players": 2},
            ["italian", "3 to 6", "german", "portuguese", "czech", "polish"],
        ),
        ({"hands": "closed"}, ["hands", "'closed'", "secret", "open"]),
        ({"hands": None}, ["hands", "None", "secret", "open"]),
        ({"reward": "money"}, ["reward", "'money'", *REWARDS]),
        ({"reward": None}, ["reward", "None", *REWARDS]),
        ({"observation": "image"}, ["observation", "'image'", "flat", "dict"]),
        ({"observation": None}, ["observation", "None", "flat", "dict"]),
        ({"pieces": ["cities"]}, ["'cities'", *PIECE_NAMES]),
        ({"pieces": []}, [*PIECE_NAMES]),
        ({"pieces": ["other_hands"]}, ["'other_hands'", 'hands="open"']),
        ({"max_turns": 0}, ["max_turns", "1 to", "0"]),
        ({"max_turns": -3}, ["max_turns", "1 to", "-3"]),
        ({"max_turns": 1.5}, ["max_turns", "whole number", "1.5"]),
        ({"max_turns": None}, ["max_turns", "whole number", "None"]),
        ({"render_mode": "rgb"}, ["render_mode", "'rgb'", "ansi", "human", "None"]),
    ],
    ids=str,
)
def test_bad_settings_are_refused_with_what_is_allowed(
    make: Maker, settings: dict[str, Any], allowed: list[str]
) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        make(**settings)
    for word in allowed:
        assert word in str(refusal.value)


@both
def test_unknown_settings_are_refused(make: Maker) -> None:
    with pytest.raises(TypeError, match="players"):
        make(players=3)


@both
@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_seed_that_is_no_seed_is_refused_and_the_game_goes_on(make: Maker, seed: Any) -> None:
    env = started(make, seed=1, steps=10)
    before = picture(env)
    with pytest.raises(ValueError, match="seed must be"):
        env.reset(seed=seed)
    assert picture(env) == before


@both
def test_numbers_may_be_numpys(make: Maker) -> None:
    env = make(num_players=np.int64(4), max_turns=np.int32(50))
    env.reset(seed=np.int64(3))
    assert env.game.to_bytes() == Game(4, seed=3, max_turns=50).to_bytes()
    for kind in (np.int8, np.uint16, np.int32, np.int64):
        env.step(kind(np.flatnonzero(env.last()[4]["action_mask"])[0]))
