"""A training run with Ray: the algorithm, its learning curve, checkpoints and exported agent."""

import time
from functools import partial
from typing import Any

from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, LEARNER_RESULTS, NUM_EPISODES

from ..checkpoint import Row, save_checkpoint
from ..evaluation import evaluate_all
from ..event_log import EventLog
from ..imitation import imitate
from ..networks import weights_of
from ..progress import Display
from ..run import RUNS, check_converging, folder_of, thinned, use_threads
from .algorithm import LeaguePPO, league_config
from .config import RayConfig
from .env_runner import SUMS
from .storage import Storage

_NAMES = {"won": "wins"}
"""Columns of the learning curve whose name differs from that of the result."""


class RayRun:
    """A learner on a cluster. Ray must be initialised."""

    def __init__(self, config: RayConfig) -> None:
        """Start the runners and learners with new weights."""
        use_threads(config.threads)
        self.config = config
        self.storage = Storage(config)
        self.folder = folder_of(config)
        built = league_config(config).build_algo()
        assert isinstance(built, LeaguePPO)
        self.algorithm = built
        self.curve: list[Row] = []
        self._row: Row = {}
        self._log = EventLog(RUNS / config.name)
        self.saved: int | None = None
        """The last iteration that was saved."""
        self._steps_before = 0
        self._is_new_agent = True
        self._begin = time.perf_counter()

    @property
    def iteration(self) -> int:
        """Iterations so far, those before a resume included."""
        return int(self.algorithm.iteration)

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return self.algorithm.steps

    @property
    def runners(self) -> int:
        """Remote runners that are there. Lost ones are restarted."""
        return int(self.algorithm.env_runner_group.num_healthy_remote_workers())

    @property
    def seconds(self) -> float:
        """Training time so far, over all resumed runs."""
        return time.perf_counter() - self._begin

    def imitate(self, display: Display) -> None:
        """Learn from a bot in the driver, before reinforcement learning."""
        if not self.config.imitation.decisions:
            return
        network = self.algorithm.network()
        imitate(network, self.config, partial(display.imitated, self.config.imitation))
        self.algorithm.set_weights_of(weights_of(network))

    def resume(self) -> bool:
        """Continue from the newest checkpoint; return False if there is none."""
        newest = self.storage.newest()
        if newest is None:
            return False
        self.curve, seconds = self.storage.load(self.algorithm, newest)
        self._begin = time.perf_counter() - seconds
        self._is_new_agent = False
        self.saved = self.iteration
        return True

    def learn(self) -> None:
        """Run an iteration: collect a batch from all runners, and update the policy.

        Raises:
            Diverged: the weights are huge or not finite.
        """
        self._steps_before = self.steps
        result = self.algorithm.train()
        check_converging(self.algorithm.network(), self.steps)
        self._row |= _results(result)

    def is_due(self, every: int) -> bool:
        """Did the last iteration pass a multiple of `every`, or reach the end?"""
        is_passed = self.steps // every > self._steps_before // every
        return is_passed or self.steps >= self.config.ppo.steps

    def evaluate(self) -> None:
        """Evaluate against bots in the arena, for the next row of the learning curve."""
        self._row |= evaluate_all(self.algorithm.network(), self.config)

    def note(self) -> Row:
        """Add a row to the learning curve and the log, and return it."""
        row = {"steps": self.steps, "seconds": round(self.seconds, 1), **self._row}
        self._log.write({f"alhambra/{key}": value for key, value in row.items()}, {}, self.steps)
        self.curve = thinned([*self.curve, row])
        self._row = {}
        return row

    def save(self) -> None:
        """Write a checkpoint to resume from."""
        self.storage.save(self.algorithm, self.curve, self.seconds)
        self.saved = self.iteration

    def export(self) -> None:
        """Write the agent to `checkpoints/NAME`: it plays wherever a player is named."""
        save_checkpoint(
            self.folder,
            self.config.plain(),
            self.algorithm.network(),
            self.steps,
            self.curve,
            {},
            is_new_agent=self._is_new_agent,
        )
        self._is_new_agent = False

    def close(self) -> None:
        """Stop runners and learners."""
        self._log.close()
        self.algorithm.stop()


def _results(result: dict[str, Any]) -> Row:
    """Return the columns of the learning curve from a result of RLlib."""
    played = result.get(ENV_RUNNER_RESULTS, {})
    games = int(played.get(NUM_EPISODES, 0))
    row: Row = {"iteration": int(result["training_iteration"])}
    if games:
        means = {name: float(played[f"sum of {name}"]) / games for name in SUMS}
        row |= {_NAMES.get(name, name): round(mean, 4) for name, mean in means.items()}
        row["games"] = games
    learnt = result.get(LEARNER_RESULTS, {}).get("default_policy", {})
    for name in ("policy_loss", "vf_loss", "entropy", "mean_kl_loss"):
        if name in learnt:
            row[name] = round(float(learnt[name]), 6)
    return row
