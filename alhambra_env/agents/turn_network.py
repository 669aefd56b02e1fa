"""The network of agents that choose turns: its layers and their shapes.

`training.turns.network` is the same network in PyTorch, `turn_inference` the compiled one.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from ..turns.features import N_CHOICE_FEATURES, N_FEATURES, SPREADS
from .network import with_biases
from .turn_inference import TurnWeights

LARGEST_SCALE: Final = 100.0
"""The largest factor of lookahead's judgement."""


def expected_turn_shapes(width: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, by name."""
    shapes = with_biases(
        {  # inputs and outputs
            "read_choice": (N_FEATURES, width),
            "score.1": (width, width),
            "score.3": (width, 1),
            "judge.0": (N_FEATURES, width),
            "judge.2": (width, width),
            "judge.4": (width, 1),
        }
    )
    return shapes | {"read_difference.weight": (width, N_CHOICE_FEATURES)}


def turn_weights(weights: Mapping[str, np.ndarray], scale: float) -> TurnWeights:
    """Return a copy of the weights, for compiled code.

    A choice's difference from the best one is a sum of two products, so the layer that reads it
    becomes a part of the one that reads the choice, and one that reads the best choice.
    """
    difference = weights["read_difference.weight"].astype(np.float64) / SPREADS
    own = weights["read_choice.weight"].astype(np.float64)
    own[:, :N_CHOICE_FEATURES] += difference
    layers = [
        part
        for layer in ("score.1", "score.3", "judge.0", "judge.2", "judge.4")
        for part in (weights[f"{layer}.weight"].T.copy(), weights[f"{layer}.bias"].copy())
    ]
    return TurnWeights(
        float(scale),
        own.T.astype(np.float32).copy(),
        weights["read_choice.bias"].copy(),
        (-difference).T.astype(np.float32).copy(),
        *layers,
    )
