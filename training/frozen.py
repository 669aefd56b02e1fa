"""Policies that no longer learn: opponents, and players at the table."""

import copy

import numpy as np
import torch

from .networks import ChoiceNetwork, Choices, list_choices


class FrozenPolicy:
    """A network with fixed weights, and how it chooses: at random by its chances, or the best."""

    def __init__(self, network: ChoiceNetwork, deterministic: bool = False) -> None:
        """Take a copy of a network."""
        self.network = copy.deepcopy(network).requires_grad_(False)
        self.network.eval()
        self.deterministic = deterministic

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Return an action for each row of observations and masks (uint8 and int8)."""
        choices, log_probs = self.judge(observations, masks)
        if not self.deterministic:
            log_probs = log_probs + rng.gumbel(size=log_probs.shape)
        chosen: np.ndarray = choices.actions[choices.starts[:-1] + log_probs.argmax(axis=1)]
        return chosen

    def judge(self, observations: np.ndarray, masks: np.ndarray) -> tuple[Choices, np.ndarray]:
        """Return the legal actions of each row, and the logarithms of their chances."""
        choices = list_choices(observations, masks, self.network.layout)
        with torch.no_grad():
            table = self.network.table(torch.from_numpy(observations))
            return choices, self.network.log_probs(table, choices).numpy()
