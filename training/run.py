"""A training run: everything that learns, plays and remembers, and how it is saved."""

import math
import time
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from alhambra_env.batch import MAX_THREADS
from training.buffer import ByteBuffer
from training.checkpoint import (
    RESUME,
    Checkpoint,
    Row,
    check_weights,
    expected_shapes,
    explained,
    save_checkpoint,
)
from training.config import Config, GameSettings, NetworkSettings
from training.evaluation import evaluate
from training.event_log import EventLog
from training.networks import LARGEST_WEIGHT, ChoiceNetwork, ChoicePolicy
from training.pool import Pool, load_weights
from training.random_states import set_numpy, set_torch
from training.vec_env import SelfPlayEnv

CHECKPOINTS: Final = Path("checkpoints")
RUNS: Final = Path("runs")

LONGEST_CURVE: Final = 10_000
"""Rows that a curve has at most: one comes with every update."""

_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")
"""What Adam remembers of each parameter."""

_FIXED: Final = (
    *(("game", key) for key in GameSettings.model_fields),
    *(("network", key) for key in NetworkSettings.model_fields),
    ("ppo", "num_envs"),
)
"""Settings that cannot change while a run goes on, by section."""


class Diverged(ValueError):
    """The weights are huge, or no numbers any more."""


class Run:
    """A learner with its games, its earlier selves, and the curve of how it went."""

    def __init__(self, config: Config) -> None:
        """Set everything up; nothing is learnt yet."""
        use_threads(config.threads)
        self.config = config
        self.folder = folder_of(config)
        self.env = _make_env(config)
        self._model = _make_model(config, self.env)
        policy = self._model.policy
        assert isinstance(policy, ChoicePolicy)
        self.network: ChoiceNetwork = policy.network
        self.pool = Pool(self.network, config.pool.size, config.pool.active, config.seed)
        self.curve: list[Row] = []
        self._row: Row = {}
        self._games = _Games()
        self._callback = self._model._setup_learn(config.ppo.steps, self._games)[1]
        self._steps_before = 0
        self._is_new = True
        self._begin = time.perf_counter()

    @property
    def steps(self) -> int:
        """Decisions that the learner has made."""
        return self._model.num_timesteps

    @property
    def seconds(self) -> float:
        """How long it has taken, without breaks."""
        return time.perf_counter() - self._begin

    def begin(self) -> None:
        """Begin the games, with the opponents that there are."""
        self._model._last_obs = self.env.reset()

    def learn(self) -> None:
        """Play a rollout, and learn from it.

        Raises:
            Diverged: the weights are huge, or no numbers any more.
        """
        model, ppo = self._model, self.config.ppo
        self._steps_before = self.steps
        model._update_current_progress_remaining(self.steps, ppo.steps)
        left = model._current_progress_remaining
        model.ent_coef = ppo.entropy_end + (ppo.entropy - ppo.entropy_end) * left
        model.collect_rollouts(self.env, self._callback, model.rollout_buffer, ppo.rollout)
        model.train()
        largest = torch.stack([weights.abs().max() for weights in self.network.parameters()]).max()
        if not largest <= LARGEST_WEIGHT:  # nor nan
            raise Diverged(
                f"the weights have grown beyond {LARGEST_WEIGHT:g} after {self.steps:,} decisions: "
                "a smaller ppo.learning_rate may help. The last checkpoint is as it was"
            )
        self._row |= self._games.results()

    def is_due(self, every: int) -> bool:
        """Has a multiple of `every` been passed just now, or the end been reached?"""
        is_passed = self.steps // every > self._steps_before // every
        return is_passed or self.steps >= self.config.ppo.steps

    def take_snapshot(self) -> None:
        """Add the learner as it is to its opponents."""
        self.env.set_policies(self.pool.add())

    def evaluate(self) -> None:
        """Play against bots in the arena, for the next row of the curve."""
        for opponent in self.config.evaluation.opponents:
            rung = evaluate(self.network, self.config, opponent)
            measured = {"wins": rung.win_share, "margin": rung.margin, "score": rung.score}
            for key, value in measured.items():
                self._row[f"{key} against {opponent}"] = round(value.mean, 4)
            self._row[f"lowest wins against {opponent}"] = round(rung.win_share.low, 4)
            self._row[f"highest wins against {opponent}"] = round(rung.win_share.high, 4)

    def note(self) -> Row:
        """Write a row of the curve, and return it."""
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
            "pool": self.pool.save(),
            "env": self.env.save(),
            "episode_starts": self._model._last_episode_starts,
            "numpy": random_states,
            "torch": torch.get_rng_state().numpy(),
        }
        save_checkpoint(
            self.folder,
            self.config,
            self.network,
            self.steps,
            self.curve,
            resume,
            is_new_agent=self._is_new,
        )
        self._is_new = False

    def load(self, start: Checkpoint) -> list[str]:
        """Go on from a checkpoint as if there had been no break.

        Returns what is not as it was, in a sentence each: with the same settings nothing.

        Raises:
            ValueError: the settings are for another game or network.
            DamagedCheckpoint: what is needed to go on is missing or damaged.
        """
        check_resumable(start, self.config)
        with explained(start.folder):
            redrawn = self._load(start)
        if not redrawn:
            return []
        return [
            f"{redrawn} opponents in running games are no longer there; others took their seats"
        ]

    def _load(self, start: Checkpoint) -> int:
        resume = start.resume
        shapes = expected_shapes(self.config)
        for snapshot in resume["pool"]["snapshots"]:
            check_weights(snapshot, shapes)
        self._load_optimizer(resume["optimizer"])
        load_weights(self.network, start.weights)
        self.pool.load(resume["pool"])
        self.env.set_policies(self.pool.players())
        self._model._last_obs, redrawn = self.env.load(resume["env"])
        is_start = resume["episode_starts"]
        if is_start.dtype != np.bool_ or is_start.shape != (self.env.num_envs,):
            raise ValueError(f"episode_starts must be {self.env.num_envs} flags")
        self._model._last_episode_starts = is_start
        self._model.num_timesteps = start.steps
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


def check_resumable(start: Checkpoint, config: Config) -> None:
    """Raise `ValueError` if a run with these settings cannot go on from a checkpoint."""
    if not start.resume:
        raise ValueError(f"{start.folder} can play but not go on: it has no {RESUME}")
    then, now = start.config.model_dump(), config.model_dump()
    for section, key in _FIXED:
        if then[section][key] != now[section][key]:
            raise ValueError(
                f"{section}.{key} cannot change while a run goes on: it was "
                f"{then[section][key]}, not {now[section][key]}"
            )


def thinned(curve: list[Row]) -> list[Row]:
    """Return a curve with half of its rows if there are too many; evaluations are kept longest."""
    if len(curve) <= LONGEST_CURVE:
        return curve
    is_plain = [
        not any(key.startswith("wins a") and row[key] != "" for key in row) for row in curve
    ]
    if sum(is_plain) < len(curve) // 2:
        is_plain = [True] * len(curve)
    order = iter(range(len(curve)))
    return [row for row, plain in zip(curve, is_plain, strict=True) if not plain or next(order) % 2]


def folder_of(config: Config) -> Path:
    """Return where the checkpoint of a run is."""
    return CHECKPOINTS / config.name


def use_threads(threads: int) -> None:
    """Choose how many threads PyTorch and the compiled loops use, as far as there are cores."""
    torch.set_num_threads(threads)
    numba.set_num_threads(min(threads, MAX_THREADS))


class _Games(BaseCallback):
    """Remembers how the learner's games ended."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: list[dict[str, Any]] = []

    def _on_step(self) -> bool:
        for game in np.flatnonzero(self.locals["dones"]).tolist():
            self._ends.append(self.locals["infos"][game])
        return True

    def results(self) -> Row:
        """Return how the games went that ended since this was asked last."""
        ends, self._ends = self._ends, []
        if not ends:
            return {}
        means = {key: np.mean([end[key] for end in ends]) for key in ("won", "score", "margin")}
        lengths = np.mean([end["episode"]["l"] for end in ends])
        row = {"wins": means["won"], "score": means["score"], "margin": means["margin"]}
        row |= {"length": lengths, "games": len(ends)}
        return {key: round(float(value), 4) for key, value in row.items()}


def _make_env(config: Config) -> SelfPlayEnv:
    game = config.game
    return SelfPlayEnv(
        config.ppo.num_envs,
        game.num_players,
        config.opponents,
        outcome_weight=config.reward.outcome,
        margin_weight=config.reward.margin,
        edition=game.rules().edition,
        hands=game.layout().hands,
        pieces=game.layout().pieces,
        max_turns=game.max_turns,
        seed=config.seed,
    )


def _make_model(config: Config, env: SelfPlayEnv) -> MaskablePPO:
    ppo = config.ppo

    def rate(left: float) -> float:
        return ppo.learning_rate_end + (ppo.learning_rate - ppo.learning_rate_end) * left

    model = MaskablePPO(
        ChoicePolicy,
        env,
        learning_rate=rate,
        n_steps=ppo.rollout,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.max_grad_norm,
        target_kl=ppo.target_kl,
        rollout_buffer_class=ByteBuffer,
        policy_kwargs={"layout": env.layout, **config.network.model_dump()},
        seed=config.seed,
        device="cpu",
    )
    folder = RUNS / config.name
    model.set_logger(Logger(str(folder), [EventLog(folder)]))
    return model
