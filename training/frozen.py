"""Policies that no longer learn: opponents, and players at the table."""

from typing import Any

import numpy as np

from alhambra_env.agents.inference import choose_by_score, score_row
from training.networks import ChoiceNetwork

_NO_WORDS = np.zeros((0, 4), np.uint32)


class FrozenPolicy:
    """The weights of a network as they are now, and how it chooses: by its chances, or the best."""

    def __init__(self, network: ChoiceNetwork, deterministic: bool = False) -> None:
        """Take a copy of a network's weights."""
        self.layout = network.layout
        self._reading = network.reading
        self._scorer = network.scorer()
        self.deterministic = deterministic

    def __deepcopy__(self, memo: dict[int, Any]) -> "FrozenPolicy":
        return self  # it never changes

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return an action for each row of observations and masks (uint8 and int8)."""
        rows = len(observations)
        words = _NO_WORDS
        if not self.deterministic:
            words = rng.integers(1, 2**32, size=(rows, 4), dtype=np.uint32)
        actions = np.empty(rows, np.int64)
        choose_by_score(
            observations, masks, self.layout.bounds, self._reading, self._scorer, words, actions
        )
        return actions

    def judge(self, observation: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the legal actions of one observation, and the logarithms of their chances."""
        actions, scores = score_row(
            0, observation[None], mask[None], self.layout.bounds, self._reading, self._scorer
        )
        return actions, scores - np.logaddexp.reduce(scores)
