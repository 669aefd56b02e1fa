"""The weights of the bots come from a search that can be repeated."""

import numpy as np
import pytest

from alhambra_env.bots.weights import WEIGHTS
from benchmarks.tune_bots import FIRST_GUESS, FIXED, NOW, tune


def test_every_weight_has_a_first_guess() -> None:
    assert list(FIRST_GUESS) == [weight.name for weight in WEIGHTS]


@pytest.mark.parametrize("bot", list(NOW))
def test_the_same_seed_finds_the_same_weights(bot: str) -> None:
    first, again, other = (tune(bot, 1, 4, 1, seed) for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("bot", list(NOW))
def test_what_is_not_tuned_stays_as_it_is(bot: str) -> None:
    found = tune(bot, 1, 4, 1, 0)
    guess = FIRST_GUESS | FIXED[bot]
    for weight, value, now in zip(WEIGHTS, found, NOW[bot], strict=True):
        is_fixed = weight.name in FIXED[bot]
        assert (value == guess[weight.name]) == is_fixed, weight.name
        assert not is_fixed or now == value


def test_weights_are_written_as_they_are_found() -> None:
    for weights in NOW.values():
        assert (weights == np.round(weights, 3)).all()
