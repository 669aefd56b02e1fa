"""The network of agents that choose turns: its layers and their shapes.

`training.turns.network` is the same network in PyTorch, `turn_inference` the compiled one.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from ..turns.feature_groups import N_CHOICE_FEATURES, N_FEATURES
from .network import with_biases
from .turn_inference import TurnWeights

LARGEST_SCALE: Final = 100.0
"""The largest factor of lookahead's judgement."""

LEAST_SPREAD: Final = 0.1
"""A feature that differs less than this counts as if it differed as much."""

LEAST_SPREAD_OF_DIFFERENCES: Final = 0.03
"""The same for differences from the best choice."""


def expected_turn_shapes(width: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, by name."""
    shapes = with_biases(
        {  # inputs and outputs
            "read_choice": (N_FEATURES, width),
            "score.1": (width, width),
            "score.3": (width, 1),
            "weigh_choice": (N_FEATURES, width),
            "judge.1": (width, width),
            "judge.3": (width, 1),
        }
    )
    return shapes | {
        "read_difference.weight": (width, N_CHOICE_FEATURES),
        "means": (N_FEATURES,),
        "spreads": (N_FEATURES,),
        "spreads_of_differences": (N_CHOICE_FEATURES,),
    }


def turn_weights(weights: Mapping[str, np.ndarray], scale: float) -> TurnWeights:
    """Return a copy of the weights, for compiled code.

    The units of the features go into the layers that read them. A choice's difference from the best
    one is a sum of two products, so it becomes a part of the layer that reads the choice, and one
    that reads the best choice.
    """
    wide = {name: array.astype(np.float64) for name, array in weights.items()}
    difference = wide["read_difference.weight"] / wide["spreads_of_differences"]
    own, own_biases = _read(wide, "read_choice")
    own[:, :N_CHOICE_FEATURES] += difference
    layers = [
        part
        for layer in ("score.1", "score.3", "judge.1", "judge.3")
        for part in (weights[f"{layer}.weight"].T.copy(), weights[f"{layer}.bias"].copy())
    ]
    return TurnWeights(
        float(scale),
        _small(own.T),
        _small(own_biases),
        _small(-difference.T),
        *layers[:4],
        *(_small(part) for part in _read(wide, "weigh_choice", transposed=True)),
        *layers[4:],
    )


def _read(
    weights: Mapping[str, np.ndarray], layer: str, transposed: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights and biases of a layer for features as they are."""
    own = weights[f"{layer}.weight"] / weights["spreads"]
    biases = weights[f"{layer}.bias"] - own @ weights["means"]
    return (own.T if transposed else own), biases


def _small(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32).copy(order="C")
