"""The league: frozen snapshots of the learner, which all runners have as opponents."""

from typing import Any

import ray
from ray.rllib.env.env_runner_group import EnvRunnerGroup

from alhambra_env.agents.network import Weights

from ..config import Config
from ..networks import ChoiceNetwork, load_weights
from ..pool import Pool


class League:
    """The opponent pool of the driver, and the weights of its active snapshots in Ray's store."""

    def __init__(self, config: Config) -> None:
        """Start with an empty league."""
        self._network = ChoiceNetwork(config.game.layout(), **config.network.model_dump())
        self._pool = Pool(self._network, config.pool.size, config.pool.active, config.seed)
        self._active: ray.ObjectRef | None = None
        self.version = 0
        """How many snapshots were added so far."""

    def add(self, weights: Weights) -> None:
        """Add a snapshot of the learner, and draw the active policies."""
        load_weights(self._network, weights)
        self._pool.add()
        self.version += 1
        self._publish()

    def _publish(self) -> None:
        active = self._pool.active_weights()
        self._active = ray.put(active) if active else None

    def share(self, runners: EnvRunnerGroup) -> None:
        """Give the active policies to all runners that do not have them.

        It costs little, so it is done before each iteration: a runner may have been restarted.
        """
        if self._active is None:
            return
        version, active = self.version, self._active
        runners.foreach_env_runner(lambda runner: runner.set_league(version, active))

    def save(self) -> dict[str, Any]:
        """Return everything needed to continue from here later."""
        return {"pool": self._pool.save(), "version": self.version}

    def load(self, saved: dict[str, Any]) -> None:
        """Continue from what `save` returned."""
        self._pool.load(saved["pool"])
        self.version = int(saved["version"])
        self._publish()
