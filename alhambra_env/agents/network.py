"""The network of the shipped agents: its layers, their shapes, and its observation.

One part encodes the position once (`table_features`), another scores each legal action from its
features (`action_features`) and that encoding. `training.networks` is the same network in PyTorch,
`inference` the compiled one.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from ..observation.layout import Layout
from ..observation.pieces import PIECES
from ..options import Hands
from ..validation import shown
from .action_features import N_FEATURES, NEEDED_PIECES
from .inference import PolicyWeights
from .table_features import table_encoding

Weights = dict[str, np.ndarray]
"""Weights by name, as in the `state_dict` of the PyTorch network."""

LARGEST_WEIGHT: Final = 1e4
"""Trained weights are below 10. Huge ones would overflow the logits."""

LARGEST_WIDTH: Final = 4096
"""The largest width of a layer; wider ones do not fit into the memory of many machines."""

POLICY_LAYERS: Final = ("read_table.0", "read_table.2", "ask", "read_choice", "score.1", "score.3")
"""The layers of the policy, in the order of the fields of `PolicyWeights`."""


def default_pieces(hands: Hands) -> tuple[str, ...]:
    """Return the pieces that a network observes by default: all except the other cities."""
    return tuple(
        piece.name
        for piece in PIECES
        if piece.name != "other_cities" and (hands == "open" or not piece.needs_open_hands)
    )


def check_pieces(pieces: Iterable[str]) -> None:
    """Raise `ValueError` if a piece that every network needs is missing."""
    missing = [name for name in NEEDED_PIECES if name not in tuple(pieces)]
    if missing:
        raise ValueError(f"the network also needs the pieces {', '.join(missing)}")


def expected_shapes(
    layout: Layout, table_width: int, choice_width: int
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, by name."""
    layers = {  # inputs and outputs
        "read_table.0": (table_encoding(layout).size, table_width),
        "read_table.2": (table_width, table_width),
        "read_choice": (N_FEATURES, choice_width),
        "ask": (table_width, choice_width),
        "score.1": (choice_width, choice_width),
        "score.3": (choice_width, 1),
        "judge.0": (table_width, choice_width),
        "judge.2": (choice_width, 1),
    }
    return with_biases(layers)


def with_biases(layers: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of weights and biases of layers, given their inputs and outputs."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (inputs, outputs) in layers.items():
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    return shapes


def check_weights(weights: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise `ValueError` unless the weights are float32, of these shapes, and not huge."""
    if not isinstance(weights, dict):
        raise ValueError(f"weights are arrays by name, not {shown(weights)}")
    found = {key: value.shape for key, value in weights.items()}
    if shapes != found:
        wrong = sorted(key for key in {*shapes, *found} if shapes.get(key) != found.get(key))
        raise ValueError(
            f"the weights do not fit the settings: {shown(wrong[0])} is {found.get(wrong[0])}, "
            f"not {shapes.get(wrong[0])}"
        )
    for key, value in weights.items():
        if value.dtype != np.float32:
            raise ValueError(f"the weights {key!r} are {value.dtype}, not float32")
        if not (np.abs(value) <= LARGEST_WEIGHT).all():  # false for nan, too
            raise ValueError(f"the weights {key!r} are not all numbers of up to {LARGEST_WEIGHT:g}")


def policy_weights(weights: Mapping[str, np.ndarray]) -> PolicyWeights:
    """Return a copy of the policy's weights, for compiled code."""
    arrays = []
    for layer in POLICY_LAYERS:
        arrays.append(weights[f"{layer}.weight"].T.copy())
        arrays.append(weights[f"{layer}.bias"].copy())
    return PolicyWeights(*arrays)
