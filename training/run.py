"""A training run: learner, environment and learning curve, with save and resume."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from alhambra_env.adapters.sb3 import CompiledVecEnv
from alhambra_env.agents.checkpoint import RESUME, explained
from alhambra_env.agents.network import LARGEST_WEIGHT, check_weights
from alhambra_env.batch import MAX_THREADS
from alhambra_env.engine.threads import start_threads

from .checkpoint import Checkpoint, Row, save_checkpoint, shapes_of
from .config import PpoSettings, RunConfig
from .event_log import EventLog
from .networks import load_weights, weights_of
from .progress import Display
from .random_states import set_numpy, set_torch

CHECKPOINTS: Final = Path("checkpoints")
RUNS: Final = Path("runs")

LONGEST_CURVE: Final = 10_000
"""The most rows of a learning curve; each update adds one."""

_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")
"""The state of Adam for each parameter."""

_FIXED_SECTIONS: Final = ("game", "network")
"""Sections whose settings a resumed run cannot change."""

_FIXED: Final = (("ppo", "num_envs"),)
"""Single settings that it cannot change, either."""


class Diverged(ValueError):
    """The weights are huge or not finite."""


class Run(ABC):
    """A learner with its environment and its learning curve. A subclass says what it learns."""

    env: CompiledVecEnv
    network: nn.Module
    """The learner."""

    def __init__(self, config: RunConfig) -> None:
        """Create everything with new weights."""
        use_threads(config.threads)
        self.folder = folder_of(config)
        self._settings = config
        self.curve: list[Row] = []
        self._row: Row = {}
        self._games = _Games()
        self._model = self._make_model()
        self._average = AveragedModel(self.network, avg_fn=_averager(config.ppo.averaged))
        folder = RUNS / config.name
        self._model.set_logger(Logger(str(folder), [EventLog(folder)]))
        self._callback = self._model._setup_learn(config.ppo.steps, self._games)[1]
        self._steps_before = 0
        self._is_new = True
        self._begin = time.perf_counter()

    # --- what is learnt -------------------------------------------------------------------------

    @abstractmethod
    def _make_model(self) -> MaskablePPO:
        """Return the learner, with `env` and `network` set."""

    @abstractmethod
    def prepare(self, display: Display) -> None:
        """Do what comes before reinforcement learning, such as imitation."""

    @abstractmethod
    def refresh_opponents(self) -> None:
        """Change the opponents after an update, if it is time."""

    @abstractmethod
    def evaluate(self) -> None:
        """Evaluate against bots in the arena, for the next row of the learning curve."""

    @abstractmethod
    def _save_games(self) -> dict[str, Any]:
        """Return what is needed to continue the games."""

    @abstractmethod
    def _load_games(self, resume: dict[str, Any]) -> int:
        """Continue the games; return how many opponents had to be replaced."""

    @property
    def agent(self) -> nn.Module:
        """What is evaluated and saved: the mean of the learner's latest weights, or the learner."""
        is_averaged = self._settings.ppo.averaged > 0 and self._updates > 0
        return self._average.module if is_averaged else self.network

    @property
    def _updates(self) -> int:
        """Updates so far, if the size of a rollout never changed."""
        return self.steps // (self._settings.ppo.num_envs * self._settings.ppo.rollout)

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return self._model.num_timesteps

    @property
    def seconds(self) -> float:
        """Training time so far, over all resumed runs."""
        return time.perf_counter() - self._begin

    def begin(self) -> None:
        """Reset the environment."""
        self._model._last_obs = self.env.reset()  # type: ignore[assignment]  # never a tuple

    def learn(self) -> None:
        """Collect a rollout and update the policy.

        Raises:
            Diverged: the weights are huge or not finite.
        """
        model, ppo = self._model, self._settings.ppo
        self._steps_before = self.steps
        model._update_current_progress_remaining(self.steps, ppo.steps)
        left = model._current_progress_remaining
        model.ent_coef = ppo.entropy_end + (ppo.entropy - ppo.entropy_end) * left
        model.collect_rollouts(self.env, self._callback, model.rollout_buffer, ppo.rollout)
        model.train()
        check_converging(self.network, self.steps)
        self._average.update_parameters(self.network)
        self._row |= self._games.results()

    def is_due(self, every: int) -> bool:
        """Did the last update pass a multiple of `every`, or reach the end?"""
        is_passed = self.steps // every > self._steps_before // every
        return is_passed or self.steps >= self._settings.ppo.steps

    def note(self) -> Row:
        """Add a row to the learning curve and the log, and return it."""
        row = {"steps": self.steps, "seconds": round(self.seconds, 1), **self._row}
        for key, value in row.items():
            self._model.logger.record(f"alhambra/{key}", value)
        self._model.logger.dump(self.steps)
        self.curve = thinned([*self.curve, row])
        self._row = {}
        return row

    def close(self) -> None:
        """Close the log."""
        self._model.logger.close()

    # --- saving -------------------------------------------------------------------------------

    def save(self) -> None:
        """Write a checkpoint."""
        optimizer = self._model.policy.optimizer
        random_states = np.random.get_state(legacy=False)
        resume = {
            "seconds": self.seconds,
            "optimizer": [
                {name: optimizer.state[parameter][name].numpy() for name in _MOMENTS}
                for parameter in self.network.parameters()
                if parameter in optimizer.state
            ],
            **self._save_games(),
            "episode_starts": self._model._last_episode_starts,
            "numpy": random_states,
            "torch": torch.get_rng_state().numpy(),
        }
        if self.agent is not self.network:
            resume["learner"] = weights_of(self.network)
        save_checkpoint(
            self.folder,
            self._settings,
            self.agent,  # type: ignore[arg-type]  # one of the two kinds
            self.steps,
            self.curve,
            resume,
            is_new_agent=self._is_new,
        )
        self._is_new = False

    def load(self, start: Checkpoint) -> list[str]:
        """Resume from a checkpoint. With the same settings, the result is as without a break.

        Returns messages about what had to change; none with the same settings.

        Raises:
            ValueError: the settings are for another game or network.
            DamagedCheckpoint: a file that is needed to resume is missing or damaged.
        """
        check_resumable(start, self._settings)
        with explained(start.folder):
            redrawn = self._load(start)
        if not redrawn:
            return []
        return [f"{redrawn} opponents in running games are not in the settings; they were replaced"]

    def _load(self, start: Checkpoint) -> int:
        resume = start.resume
        self._load_optimizer(resume["optimizer"])
        learner = resume.get("learner", start.weights)
        check_weights(learner, shapes_of(self._settings))
        load_weights(self.network, learner)
        load_weights(self._average.module, start.weights)
        redrawn = self._load_games(resume)
        is_start = resume["episode_starts"]
        if is_start.dtype != np.bool_ or is_start.shape != (self.env.num_envs,):
            raise ValueError(f"episode_starts must be {self.env.num_envs} flags")
        self._model._last_episode_starts = is_start
        self._model.num_timesteps = start.steps
        self._average.n_averaged.fill_(self._updates)
        set_numpy(resume["numpy"])
        set_torch(resume["torch"])
        self.curve = list(start.curve)
        self._is_new = False
        seconds = float(resume["seconds"])
        if not 0 <= seconds < math.inf:
            raise ValueError(f"seconds must be 0 or more, not {seconds}")
        self._begin = time.perf_counter() - seconds
        return redrawn

    def _load_optimizer(self, saved: list[dict[str, np.ndarray]]) -> None:
        parameters = list(self.network.parameters())
        # There are none before the first update.
        if not isinstance(saved, list) or len(saved) not in (0, len(parameters)):
            raise ValueError(f"the optimizer must know {len(parameters)} weights, or none")
        state = self._model.policy.optimizer.state
        for parameter, moments in zip(parameters, saved, strict=False):
            for name in _MOMENTS:
                shape = () if name == "step" else tuple(parameter.shape)
                moment = moments[name]
                if moment.shape != shape or moment.dtype != np.float32:
                    raise ValueError(f"{name} of the optimizer is {moment.dtype} {moment.shape}")
                if not np.isfinite(moment).all():
                    raise ValueError(f"{name} of the optimizer is not finite")
            state[parameter] = {name: torch.from_numpy(moments[name]).clone() for name in _MOMENTS}


def _averager(share: float) -> Callable[[Tensor, Tensor, Tensor | int], Tensor]:
    """Return how a weight is averaged: over about this share of the updates so far."""

    def average(mean: Tensor, weight: Tensor, n_averaged: Tensor | int) -> Tensor:
        return mean.lerp(weight, 1 / max(1.0, share * (float(n_averaged) + 1)))

    return average


def check_converging(network: nn.Module, steps: int) -> None:
    """Raise `Diverged` if the weights are huge or not finite."""
    largest = torch.stack([weights.abs().max() for weights in network.parameters()]).max()
    if not largest <= LARGEST_WEIGHT:  # nor nan
        raise Diverged(
            f"the weights have grown beyond {LARGEST_WEIGHT:g} after {steps:,} decisions: "
            "a smaller ppo.learning_rate may help. The last checkpoint is unchanged"
        )


def check_resumable(start: Checkpoint, config: RunConfig) -> None:
    """Raise `ValueError` if a run with these settings cannot resume from a checkpoint."""
    if not start.resume:
        raise ValueError(f"{start.folder} can play but not be resumed: it has no {RESUME}")
    then, now = start.config.model_dump(), config.model_dump()
    if then["level"] != now["level"]:
        raise ValueError(f"level cannot change in a resumed run: it was {then['level']}")
    fixed = [(section, key) for section in _FIXED_SECTIONS for key in now[section]]
    for section, key in (*fixed, *_FIXED):
        if then[section][key] != now[section][key]:
            raise ValueError(
                f"{section}.{key} cannot change in a resumed run: it was "
                f"{then[section][key]}, not {now[section][key]}"
            )


def thinned(curve: list[Row]) -> list[Row]:
    """Drop half of the rows if a curve is too long; rows with evaluations are kept longest."""
    if len(curve) <= LONGEST_CURVE:
        return curve
    is_plain = [
        not any(key.startswith("wins a") and row[key] != "" for key in row) for row in curve
    ]
    if sum(is_plain) < len(curve) // 2:
        is_plain = [True] * len(curve)
    order = iter(range(len(curve)))
    return [row for row, plain in zip(curve, is_plain, strict=True) if not plain or next(order) % 2]


def folder_of(config: RunConfig) -> Path:
    """Return the folder of a run's checkpoint."""
    return CHECKPOINTS / config.name


def use_threads(threads: int) -> None:
    """Set the number of threads of PyTorch, and of compiled loops up to the number of cores."""
    torch.set_num_threads(threads)
    start_threads()
    numba.set_num_threads(min(threads, MAX_THREADS))


class _Games(BaseCallback):
    """Collects the results of the learner's episodes."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: list[dict[str, Any]] = []

    def _on_step(self) -> bool:
        for game in np.flatnonzero(self.locals["dones"]).tolist():
            self._ends.append(self.locals["infos"][game])
        return True

    def results(self) -> Row:
        """Return mean results of the episodes that ended since the last call."""
        ends, self._ends = [end for end in self._ends if "won" in end], []
        if not ends:
            return {}
        means = {key: np.mean([end[key] for end in ends]) for key in ("won", "score", "margin")}
        lengths = np.mean([end["episode"]["l"] for end in ends])
        row = {"wins": means["won"], "score": means["score"], "margin": means["margin"]}
        row |= {"length": lengths, "games": len(ends)}
        return {key: round(float(value), 4) for key, value in row.items()}


def ppo_settings(ppo: PpoSettings) -> dict[str, Any]:
    """Return the settings of PPO as `MaskablePPO` expects them."""

    def rate(left: float) -> float:
        return ppo.learning_rate_end + (ppo.learning_rate - ppo.learning_rate_end) * left

    return {
        "learning_rate": rate,
        "n_steps": ppo.rollout,
        "batch_size": ppo.batch_size,
        "n_epochs": ppo.epochs,
        "gamma": ppo.gamma,
        "gae_lambda": ppo.gae_lambda,
        "clip_range": ppo.clip_range,
        "vf_coef": ppo.value_weight,
        "max_grad_norm": ppo.max_grad_norm,
        "target_kl": ppo.target_kl,
        "device": "cpu",
    }
