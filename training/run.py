"""A training run: learner, environment, opponent pool and learning curve, with save and resume."""

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

from alhambra_env.agents.checkpoint import RESUME, explained
from alhambra_env.agents.network import LARGEST_WEIGHT, check_weights
from alhambra_env.batch import MAX_THREADS
from alhambra_env.engine.threads import start_threads

from .buffer import ByteBuffer
from .checkpoint import Checkpoint, Row, save_checkpoint, shapes_of
from .config import Config, GameSettings, NetworkSettings
from .evaluation import evaluate_all
from .event_log import EventLog
from .networks import ChoiceNetwork, ChoicePolicy, load_weights
from .pool import Pool
from .random_states import set_numpy, set_torch
from .vec_env import SelfPlayEnv

CHECKPOINTS: Final = Path("checkpoints")
RUNS: Final = Path("runs")

LONGEST_CURVE: Final = 10_000
"""The most rows of a learning curve; each update adds one."""

_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")
"""The state of Adam for each parameter."""

_FIXED: Final = (
    *(("game", key) for key in GameSettings.model_fields),
    *(("network", key) for key in NetworkSettings.model_fields),
    ("ppo", "num_envs"),
)
"""Settings that a resumed run cannot change, by section."""


class Diverged(ValueError):
    """The weights are huge or not finite."""


class Run:
    """A learner with its environment, its opponent pool and its learning curve."""

    def __init__(self, config: Config) -> None:
        """Create everything with new weights."""
        use_threads(config.threads)
        self.config = config
        self.folder = folder_of(config)
        self.env = make_env(config, config.seed)
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
        """Decisions of the learner so far."""
        return self._model.num_timesteps

    @property
    def seconds(self) -> float:
        """Training time so far, over all resumed runs."""
        return time.perf_counter() - self._begin

    def begin(self) -> None:
        """Reset the environment."""
        self._model._last_obs = self.env.reset()

    def learn(self) -> None:
        """Collect a rollout and update the policy.

        Raises:
            Diverged: the weights are huge or not finite.
        """
        model, ppo = self._model, self.config.ppo
        self._steps_before = self.steps
        model._update_current_progress_remaining(self.steps, ppo.steps)
        left = model._current_progress_remaining
        model.ent_coef = ppo.entropy_end + (ppo.entropy - ppo.entropy_end) * left
        model.collect_rollouts(self.env, self._callback, model.rollout_buffer, ppo.rollout)
        model.train()
        check_converging(self.network, self.steps)
        self._row |= self._games.results()

    def is_due(self, every: int) -> bool:
        """Did the last update pass a multiple of `every`, or reach the end?"""
        is_passed = self.steps // every > self._steps_before // every
        return is_passed or self.steps >= self.config.ppo.steps

    def take_snapshot(self) -> None:
        """Add a snapshot of the learner to the opponent pool."""
        self.env.set_policies(self.pool.add())

    def evaluate(self) -> None:
        """Evaluate against bots in the arena, for the next row of the learning curve."""
        self._row |= evaluate_all(self.network, self.config)

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
        """Resume from a checkpoint. With the same settings, the result is as without a break.

        Returns messages about what had to change; none with the same settings.

        Raises:
            ValueError: the settings are for another game or network.
            DamagedCheckpoint: a file that is needed to resume is missing or damaged.
        """
        check_resumable(start, self.config)
        with explained(start.folder):
            redrawn = self._load(start)
        if not redrawn:
            return []
        return [f"{redrawn} opponents in running games are not in the settings; they were replaced"]

    def _load(self, start: Checkpoint) -> int:
        resume = start.resume
        shapes = shapes_of(self.config)
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


def check_converging(network: ChoiceNetwork, steps: int) -> None:
    """Raise `Diverged` if the weights are huge or not finite."""
    largest = torch.stack([weights.abs().max() for weights in network.parameters()]).max()
    if not largest <= LARGEST_WEIGHT:  # nor nan
        raise Diverged(
            f"the weights have grown beyond {LARGEST_WEIGHT:g} after {steps:,} decisions: "
            "a smaller ppo.learning_rate may help. The last checkpoint is unchanged"
        )


def check_resumable(start: Checkpoint, config: Config) -> None:
    """Raise `ValueError` if a run with these settings cannot resume from a checkpoint."""
    if not start.resume:
        raise ValueError(f"{start.folder} can play but not be resumed: it has no {RESUME}")
    then, now = start.config.model_dump(), config.model_dump()
    for section, key in _FIXED:
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


def folder_of(config: Config) -> Path:
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
        ends, self._ends = self._ends, []
        if not ends:
            return {}
        means = {key: np.mean([end[key] for end in ends]) for key in ("won", "score", "margin")}
        lengths = np.mean([end["episode"]["l"] for end in ends])
        row = {"wins": means["won"], "score": means["score"], "margin": means["margin"]}
        row |= {"length": lengths, "games": len(ends)}
        return {key: round(float(value), 4) for key, value in row.items()}


def make_env(config: Config, seed: int) -> SelfPlayEnv:
    """Return the games of a run."""
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
        seed=seed,
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
