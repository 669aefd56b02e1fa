"""A training run: everything that learns, plays and remembers, and how it is saved."""

import time
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from alhambra_env.batch import MAX_THREADS

from .buffer import ByteBuffer
from .checkpoint import Checkpoint, Row, build_network, save_checkpoint
from .config import Config
from .evaluation import evaluate
from .networks import ChoiceNetwork, ChoicePolicy
from .pool import Pool, load_weights
from .vec_env import SelfPlayEnv

CHECKPOINTS: Final = Path("checkpoints")
RUNS: Final = Path("runs")

_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")
"""What Adam remembers of each parameter."""


class Run:
    """A learner with its games, its earlier selves, and the curve of how it went."""

    def __init__(self, config: Config) -> None:
        """Set everything up; nothing is learnt yet."""
        use_threads(config.threads)
        self.config = config
        self.folder = CHECKPOINTS / config.name
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
        """Play a rollout, and learn from it."""
        model, ppo = self._model, self.config.ppo
        self._steps_before = self.steps
        model._update_current_progress_remaining(self.steps, ppo.steps)
        left = model._current_progress_remaining
        model.ent_coef = ppo.entropy_end + (ppo.entropy - ppo.entropy_end) * left
        model.collect_rollouts(self.env, self._callback, model.rollout_buffer, ppo.rollout)
        model.train()
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
        self.curve.append(row)
        self._row = {}
        return row

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
        save_checkpoint(self.folder, self.config, self.network, self.steps, self.curve, resume)

    def load(self, start: Checkpoint) -> None:
        """Go on from a checkpoint as if there had been no break."""
        build_network(start, self.config)  # to be told what does not fit
        load_weights(self.network, start.weights)
        resume = start.resume
        if not resume:
            raise ValueError("this checkpoint can play but not go on: it has no resume.json")
        optimizer = self._model.policy.optimizer
        for parameter, moments in zip(self.network.parameters(), resume["optimizer"], strict=False):
            optimizer.state[parameter] = {
                name: torch.from_numpy(moments[name]).clone() for name in _MOMENTS
            }
        self.pool.load(resume["pool"])
        self.env.set_policies(self.pool.players())
        self._model._last_obs = self.env.load(resume["env"])
        self._model._last_episode_starts = resume["episode_starts"]
        self._model.num_timesteps = start.steps
        np.random.set_state(resume["numpy"])
        torch.set_rng_state(torch.from_numpy(resume["torch"]))
        self.curve = list(start.curve)
        self._begin = time.perf_counter() - resume["seconds"]


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
        outcome_worth=config.reward.outcome,
        margin_worth=config.reward.margin,
        edition=game.edition,
        hands=game.hands,
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
    model.set_logger(configure(str(RUNS / config.name), ["tensorboard"]))
    return model
