"""How good is a network? A quick answer, from games against bots."""

from typing import Any, NamedTuple

import numpy as np

from .config import Config
from .frozen import FrozenPolicy
from .networks import ChoiceNetwork
from .vec_env import SelfPlayEnv


class Result(NamedTuple):
    """How games went for a network."""

    wins: float
    """Share of games won; a win that is shared by two counts half."""
    score: float
    margin: float
    """Points more than the mean of the others."""


def evaluate(network: ChoiceNetwork, config: Config, opponent: str, seed: int) -> Result:
    """Let a network play its likeliest actions, with bots of one kind at all other seats.

    All games begin together and each counts once: if as many as needed were taken as they end,
    short games would count more.
    """
    games = config.evaluation.games
    env = make_env(config, games, {opponent: 1.0}, seed)
    policy = FrozenPolicy(network, deterministic=True)
    rng = np.random.default_rng(seed)
    ends: list[dict[str, Any]] = [{}] * games
    seen: Any = env.reset()
    is_over = np.zeros(games, np.bool_)
    while not is_over.all():
        actions = env.action_masks().argmax(axis=1)  # whatever, where the game is over
        going_on = np.flatnonzero(~is_over)
        actions[going_on] = policy.choose(seen[going_on], env.action_masks()[going_on], rng)
        env.step_async(actions)
        seen, _, dones, infos = env.step_wait()
        for game in np.flatnonzero(dones & ~is_over).tolist():
            ends[game] = infos[game]
        is_over |= dones
    means = [float(np.mean([end[key] for end in ends])) for key in ("won", "score", "margin")]
    return Result(*means)


def make_env(config: Config, num_envs: int, opponents: dict[str, float], seed: int) -> SelfPlayEnv:
    """Return games with the rules, rewards and observations of a training run."""
    return SelfPlayEnv(
        num_envs,
        config.game.num_players,
        opponents,
        outcome_worth=config.reward.outcome,
        margin_worth=config.reward.margin,
        edition=config.game.edition,
        hands=config.game.hands,
        pieces=config.game.layout().pieces,
        max_turns=config.game.max_turns,
        seed=seed,
    )
