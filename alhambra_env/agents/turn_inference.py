"""Inference of the network that chooses turns, compiled."""

from typing import Final, NamedTuple

import numpy as np

from ..engine.arrays import Array
from ..engine.jit import borrow, jit
from ..turns.feature_groups import BELOW_BEST, BELOW_SCALE, N_CHOICE_FEATURES
from .inference import add_layer, apply_layer, apply_relu

_RARE: Final = 1e-3
"""Choices that are less likely than the best by this factor do not count for the value."""


class TurnWeights(NamedTuple):
    """Weights `[input, output]` and biases, float32."""

    scale: float
    """What a point of lookahead's value adds to a logit."""
    own_weights: Array
    """`own` reads the features of a choice, `best` those of the best choice."""
    own_biases: Array
    best_weights: Array
    compare_weights: Array
    """`compare` and `score` give the logit of a choice."""
    compare_biases: Array
    score_weights: Array
    score_biases: Array
    weigh_weights: Array
    """`weigh`, `think` and `judge` give what a choice is worth."""
    weigh_biases: Array
    think_weights: Array
    think_biases: Array
    judge_weights: Array
    judge_biases: Array


@jit
def write_turn_logits(features: Array, count: int, weights: TurnWeights, out_logits: Array) -> None:
    """Write the logits of the first `count` choices."""
    weights, features = borrow(weights), borrow(features)
    width = weights.own_biases.size
    start = np.zeros(width, np.float32)
    hidden, compared = np.empty(width, np.float32), np.empty(width, np.float32)
    score = np.empty(1, np.float32)
    apply_layer(weights.best_weights, weights.own_biases, features[0, :N_CHOICE_FEATURES], start)
    for choice in range(count):
        hidden[:] = start
        add_layer(weights.own_weights, features[choice], hidden)
        apply_relu(hidden)
        apply_layer(weights.compare_weights, weights.compare_biases, hidden, compared)
        apply_relu(compared)
        apply_layer(weights.score_weights, weights.score_biases, compared, score)
        judged = weights.scale * BELOW_SCALE * features[choice, BELOW_BEST]
        out_logits[choice] = score[0] + judged


@jit
def turn_logits(features: Array, count: int, weights: TurnWeights) -> Array:
    """Return the logits of the first `count` choices."""
    logits = np.empty(count, np.float32)
    write_turn_logits(features, count, weights, logits)
    return logits


@jit
def value_of(features: Array, count: int, logits: Array, weights: TurnWeights) -> float:
    """Return what a position is worth: the mean of its choices, by how likely they are."""
    weights, features = borrow(weights), borrow(features)
    width = weights.weigh_biases.size
    first, second = np.empty(width, np.float32), np.empty(width, np.float32)
    worth = np.empty(1, np.float32)
    highest = logits[:count].max()
    total = 0.0
    chances = 0.0
    for choice in range(count):
        chance = np.exp(float(logits[choice] - highest))
        if chance < _RARE:
            continue
        apply_layer(weights.weigh_weights, weights.weigh_biases, features[choice], first)
        apply_relu(first)
        apply_layer(weights.think_weights, weights.think_biases, first, second)
        apply_relu(second)
        apply_layer(weights.judge_weights, weights.judge_biases, second, worth)
        total += chance * worth[0]
        chances += chance
    return total / chances
