"""A frozen policy: a trained network that maps observations and masks to actions."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ..observation.layout import Layout
from .inference import choose_actions, pick_place, row_logits
from .network import policy_weights
from .table_features import table_encoding

_NO_WORDS = np.zeros((0, 4), np.uint32)


class AgentPolicy:
    """Samples actions from a network's policy, or chooses the most likely ones."""

    def __init__(
        self, layout: Layout, weights: Mapping[str, np.ndarray], deterministic: bool = False
    ) -> None:
        """Copy the weights of a network.

        Args:
            layout: the layout of the observations.
            weights: by name; `network.expected_shapes` lists them.
            deterministic: always choose the most likely action.
        """
        self.layout = layout
        self._reading = table_encoding(layout)
        self._scorer = policy_weights(weights)
        self.deterministic = deterministic

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it never changes

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return an action for each row of observations and masks (uint8 and int8)."""
        rows = len(observations)
        words = _NO_WORDS
        if not self.deterministic:
            words = rng.integers(1, 2**32, size=(rows, 4), dtype=np.uint32)
        inputs = observations, masks, self.layout.bounds, self._reading, self._scorer
        if rows == 1:  # starting threads would take longer
            legal, scores = row_logits(0, *inputs)
            place = pick_place(scores, words, 0)
            return legal[place : place + 1]
        actions = np.empty(rows, np.int64)
        choose_actions(*inputs, words, actions)
        return actions

    def log_probabilities(
        self, observation: np.ndarray, mask: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the legal actions of one observation, and their log-probabilities."""
        actions, scores = self.logits(observation, mask)
        return actions, scores - np.logaddexp.reduce(scores)

    def logits(self, observation: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the legal actions of one observation, and their logits."""
        actions, scores = row_logits(
            0, observation[None], mask[None], self.layout.bounds, self._reading, self._scorer
        )
        return actions, scores
