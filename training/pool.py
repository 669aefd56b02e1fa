"""Earlier versions of the learner, as frozen opponents."""

import copy
from typing import Any

import numpy as np

from alhambra_env.agents.network import Weights
from alhambra_env.validation import whole_number

from .frozen import FrozenPolicy
from .networks import ChoiceNetwork, load_weights, weights_of
from .random_states import set_generator


class Pool:
    """Snapshots of the learner, oldest first, some of which play at a time."""

    def __init__(self, network: ChoiceNetwork, size: int, active: int, seed: int) -> None:
        """Begin without snapshots; they must fit this network."""
        self._network = network
        self._twin = copy.deepcopy(network)
        self._size = size
        self._active = active
        self._rng = np.random.default_rng(seed)
        self._snapshots: list[Weights] = []
        self._chosen: list[int] = []

    def add(self) -> list[FrozenPolicy]:
        """Take a snapshot, and return who plays from now on: the newest, and others at random.

        If there are too many, one drawn at random goes; so some old ones stay for long.
        """
        if len(self._snapshots) == self._size:
            del self._snapshots[int(self._rng.integers(self._size))]
        self._snapshots.append(weights_of(self._network))
        newest = len(self._snapshots) - 1
        others = self._rng.integers(newest + 1, size=self._active - 1).tolist()
        self._chosen = [newest, *others]
        return self.players()

    def players(self) -> list[FrozenPolicy]:
        """Return who plays now; nobody before the first snapshot."""
        players = []
        for number in self._chosen:
            load_weights(self._twin, self._snapshots[number])
            players.append(FrozenPolicy(self._twin))
        return players

    def save(self) -> dict[str, Any]:
        """Return all that is needed to go on from here."""
        return {
            "rng": self._rng.bit_generator.state,
            "snapshots": self._snapshots,
            "chosen": self._chosen,
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Go on from what `save` returned.

        If fewer snapshots are kept or play than then, the oldest go.

        Raises:
            ValueError: it is damaged.
        """
        snapshots = list(saved["snapshots"])
        newest = len(snapshots) - 1
        chosen = [whole_number(number, "a snapshot", 0, newest) for number in saved["chosen"]]
        set_generator(self._rng, saved["rng"])
        surplus = max(len(snapshots) - self._size, 0)
        self._snapshots = snapshots[surplus:]
        kept = [number - surplus for number in chosen if number >= surplus]
        self._chosen = kept[: self._active]
