"""Imitation learning: the policy learns a bot's actions, the value function its returns."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch.nn import functional

from alhambra_env.actions import N_ACTIONS
from alhambra_env.agents.action_features import find_actions
from alhambra_env.bots import make
from alhambra_env.engine.state import new_states
from alhambra_env.loops.teacher import NOISE_RANGE, Decisions, Teacher, record_games

from .config import Config
from .networks import ChoiceNetwork, list_choices

LAST_RATE = 0.1
"""The final learning rate, relative to the first."""


def watch_teacher(config: Config, layout_bounds: np.ndarray, size: int) -> Iterator[Decisions]:
    """Yield chunks of decisions from whole games in which a bot plays all seats, endlessly."""
    settings, game = config.imitation, config.game
    bot = make(settings.teacher)
    workers = config.threads
    words = np.random.default_rng(config.seed).integers(2**32, size=(workers, 4), dtype=np.uint32)
    rows = settings.chunk // workers * workers
    out = Decisions(
        np.zeros((rows, size), np.uint8),
        np.zeros((rows, N_ACTIONS), np.int8),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.float32),
    )
    teacher = Teacher(
        bot.number,
        bot.row,
        int(settings.noise * NOISE_RANGE),
        config.reward.outcome,
        config.reward.margin,
    )
    while True:
        counts = record_games(
            teacher, game.rules().numbers, words, new_states(workers), layout_bounds, out
        )
        if not counts.all():
            raise ValueError(f"imitation.chunk of {settings.chunk} is too small for a whole game")
        parts = [np.arange(count) + i * (rows // workers) for i, count in enumerate(counts)]
        yield out.rows(np.concatenate(parts))


def imitate(
    network: ChoiceNetwork, config: Config, report: Callable[[int, float, float], None]
) -> None:
    """Train a network to choose the teacher's actions.

    After each chunk, `report` is called with the decisions so far, the accuracy on this chunk, and
    the mean squared error of the values.
    """
    settings = config.imitation
    optimizer = torch.optim.Adam(
        network.parameters(), lr=settings.learning_rate, eps=1e-5, fused=True
    )
    order = np.random.default_rng(config.seed)
    seen = 0
    for chunk in watch_teacher(config, network.layout.bounds, network.layout.size):
        if seen >= settings.decisions:
            return
        for group in optimizer.param_groups:
            done = seen / settings.decisions
            group["lr"] = settings.learning_rate * (1 - (1 - LAST_RATE) * done)
        for _ in range(settings.passes):
            hits, error = 0, 0.0
            rows = order.permutation(len(chunk.actions))
            for start in range(0, len(rows), settings.batch_size):
                batch = chunk.rows(rows[start : start + settings.batch_size])
                loss, batch_hits, batch_error = _compare(network, batch, settings.value_weight)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += batch_hits
                error += batch_error * len(batch.actions)
        seen += len(rows)
        report(seen, hits / len(rows), error / len(rows))


def _compare(
    network: ChoiceNetwork, batch: Decisions, value_weight: float
) -> tuple[torch.Tensor, int, float]:
    """Return the loss, the number of matching actions, and the mean squared error of the values."""
    choices = list_choices(batch.observations, batch.masks, network.layout)
    places = np.zeros(len(batch.actions), np.int64)
    find_actions(batch.actions, choices.starts, choices.actions, places)
    wanted = torch.from_numpy(places)
    encoded = network.encode(torch.from_numpy(batch.observations))
    log_probs = network.log_probs(encoded, choices)
    values = network.values(encoded).squeeze(1)
    error = functional.mse_loss(values, torch.from_numpy(batch.returns))
    loss = functional.nll_loss(log_probs, wanted) + value_weight * error
    hits = int((log_probs.argmax(dim=1) == wanted).sum())
    return loss, hits, float(error.detach())
