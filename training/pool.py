"""The opponent pool: frozen snapshots of the learner, for self-play."""

import copy
from typing import Any

import numpy as np

from alhambra_env.agents.network import Weights
from alhambra_env.validation import whole_number

from .frozen import FrozenPolicy
from .networks import ChoiceNetwork, load_weights, weights_of
from .random_states import set_generator


class Pool:
    """Snapshots of the learner, oldest first. A few of them, the active ones, play at a time."""

    def __init__(self, network: ChoiceNetwork, size: int, active: int, seed: int) -> None:
        """Start with an empty pool for snapshots of this network."""
        self._network = network
        self._twin = copy.deepcopy(network)
        self._size = size
        self._active = active
        self._rng = np.random.default_rng(seed)
        self._snapshots: list[Weights] = []
        self._chosen: list[int] = []

    def add(self) -> list[FrozenPolicy]:
        """Add a snapshot; return the active ones: the newest, and others drawn at random.

        If the pool is full, a random snapshot is removed, so some old ones stay for long.
        """
        if len(self._snapshots) == self._size:
            del self._snapshots[int(self._rng.integers(self._size))]
        self._snapshots.append(weights_of(self._network))
        newest = len(self._snapshots) - 1
        others = self._rng.integers(newest + 1, size=self._active - 1).tolist()
        self._chosen = [newest, *others]
        return self.players()

    def players(self) -> list[FrozenPolicy]:
        """Return the active snapshots; none before the first `add`."""
        players = []
        for weights in self.active_weights():
            load_weights(self._twin, weights)
            players.append(FrozenPolicy(self._twin))
        return players

    def active_weights(self) -> list[Weights]:
        """Return the weights of the active snapshots, to send them to other processes."""
        return [self._snapshots[number] for number in self._chosen]

    def save(self) -> dict[str, Any]:
        """Return everything needed to continue from here later."""
        return {
            "rng": self._rng.bit_generator.state,
            "snapshots": self._snapshots,
            "chosen": self._chosen,
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Continue from what `save` returned.

        If `size` is smaller now, the oldest snapshots are dropped; if `active` is, the last ones
        drawn do not play.

        Raises:
            ValueError: the save is damaged.
        """
        snapshots = list(saved["snapshots"])
        newest = len(snapshots) - 1
        chosen = [whole_number(number, "a snapshot", 0, newest) for number in saved["chosen"]]
        set_generator(self._rng, saved["rng"])
        surplus = max(len(snapshots) - self._size, 0)
        self._snapshots = snapshots[surplus:]
        kept = [number - surplus for number in chosen if number >= surplus]
        self._chosen = kept[: self._active]
