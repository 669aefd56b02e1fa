"""Tunes the weights of a bot by matches: `python -m benchmarks.tune_bots planner`.

This is the cross-entropy method: draw weights around a mean, play matches with each draw, and move
the mean to the best draws. `planner`, and the planner of `rollout`'s playouts, play against
builders and against planners with the mean's weights; `lookahead` plays against the bot `planner`.
All draws of a generation play the same deals, from every seat. The same seed gives the same
weights, with any number of threads.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from alhambra_env.actions import N_ACTIONS
from alhambra_env.bots.builder import choose_like_builder
from alhambra_env.bots.lookahead import choose_like_lookahead
from alhambra_env.bots.planner import choose_like_planner
from alhambra_env.bots.rollout import how_clearly_won
from alhambra_env.bots.weights import LOOKAHEAD_WEIGHTS, PLANNER_WEIGHTS, ROLLOUT_WEIGHTS, WEIGHTS
from alhambra_env.engine.jit import jit
from alhambra_env.engine.legal import write_mask
from alhambra_env.engine.rng import seed_words
from alhambra_env.engine.setup import RuleNumbers, set_up
from alhambra_env.engine.state import OVER, new_states
from alhambra_env.engine.step import step
from alhambra_env.options import GameRules

PLAYER_COUNTS = (2, 3, 4)
FIRST_SPREAD = 0.35  # of each weight, as a share of it
LEAST_SPREAD = 0.05
ELITE = 4  # one draw in so many
PLANNER, LOOKAHEAD, BUILDER = range(3)

FIRST_GUESS = {
    "spreading": 0.486,
    "spite": 0.687,
    "later": 0.172,
    "wall": 0.431,
    "opening": 1.24,
    "openings": 5.048,
    "coin": 0.356,
    "card": 0.56,
    "exact": 0.467,
    "payable": 0.179,
    "nearly": 0.177,
    "extra": 1.969,
    "reserve": 0.373,
    "late": 6.53,
    "deny": 0.188,
    "award": 0.5,
    "threat": 0.35,
    "fresh": 3.0,
}
"""The initial weights of every search; they do not depend on the present weights."""

_OF_THE_OUTLOOK = {"award": 0.0, "threat": 0.0, "fresh": 0.0}
FIXED: dict[str, dict[str, float]] = {
    "planner": {"spreading": 0.0, "later": 1.0, **_OF_THE_OUTLOOK},
    "lookahead": {"extra": 0.0, "deny": 0.0},
    "rollout": _OF_THE_OUTLOOK,
}
"""Weights that are not tuned, by bot: those it does not use, and those with a fixed value."""

NOW = {
    "planner": PLANNER_WEIGHTS,
    "lookahead": LOOKAHEAD_WEIGHTS,
    "rollout": ROLLOUT_WEIGHTS,
}
DIGITS = 3


@jit
def _choose(bot: int, state: Any, mask: np.ndarray, weights: np.ndarray) -> int:
    action: int
    if bot == PLANNER:
        action = choose_like_planner(state, mask, weights)
    elif bot == LOOKAHEAD:
        action = choose_like_lookahead(state, mask, False, weights)
    else:
        action = choose_like_builder(state, mask)
    return action


@jit
def play_deal(
    states: np.ndarray,
    rules: RuleNumbers,
    words: np.ndarray,
    seat: int,
    bots: tuple[int, int],
    weights: np.ndarray,
    others: np.ndarray,
) -> float:
    """Play one game of one bot at a seat among others; return how clearly it won, 0 to 1."""
    state = states[0]
    set_up(state, rules, words)
    mask = np.zeros(N_ACTIONS, np.int8)
    while state.phase != OVER:
        write_mask(state, mask)
        if state.to_play == seat:
            step(state, _choose(bots[0], state, mask, weights))
        else:
            step(state, _choose(bots[1], state, mask, others))
    result: float = how_clearly_won(state, seat)
    return result


def strength(bot: str, weights: np.ndarray, others: np.ndarray, deals: int, seed: int) -> float:
    """Return the results of weights over all player counts and seats."""
    pairs = [(PLANNER, BUILDER), (PLANNER, PLANNER)]
    if bot == "lookahead":
        pairs = [(LOOKAHEAD, PLANNER)]
    states = new_states(1)
    means = []
    for num_players in PLAYER_COUNTS:
        rules = GameRules(num_players).numbers
        results = []
        for deal in range(deals):
            words = seed_words(np.random.SeedSequence([seed, num_players, deal]))
            for seat in range(num_players):
                for pair in pairs:
                    result = play_deal(states, rules, words, seat, pair, weights, others)
                    results.append(result)
        # Relative to parity, so that every player count has the same weight.
        means.append(float(np.mean(results)) * num_players)
    return float(np.mean(means))


def tune(bot: str, generations: int, draws: int, deals: int, seed: int) -> np.ndarray:
    """Return tuned weights, starting from these."""
    rng = np.random.default_rng(seed)
    is_free = np.array([weight.name not in FIXED[bot] for weight in WEIGHTS])
    guess = FIRST_GUESS | FIXED[bot]
    mean = np.array([guess[weight.name] for weight in WEIGHTS])
    spread = np.abs(mean) * FIRST_SPREAD * is_free
    console = Console(stderr=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for generation in range(generations):
            tried = mean + spread * rng.standard_normal((draws, mean.size))
            tried[0] = mean
            others = PLANNER_WEIGHTS if bot == "lookahead" else mean
            jobs = [
                pool.submit(strength, bot, weights, others, deals, seed + generation)
                for weights in tried
            ]
            title = f"generation {generation + 1} of {generations}"
            results = np.array([job.result() for job in track(jobs, title, console=console)])
            best = np.argsort(results)[::-1][: max(2, draws // ELITE)]
            console.print(f"the mean {results[0]:.3f}, the best {results[best].mean():.3f}")
            mean = 0.3 * mean + 0.7 * tried[best].mean(axis=0)
            spread = 0.5 * spread + 0.5 * tried[best].std(axis=0)
            spread = np.maximum(spread, LEAST_SPREAD * np.abs(mean)) * is_free
    return np.round(mean, DIGITS)


def main() -> None:
    """Tune the weights; print them beside the present ones."""
    parser = argparse.ArgumentParser(
        description="Tune the weights of a bot by matches.",
        epilog="example: python -m benchmarks.tune_bots planner",
    )
    parser.add_argument("bot", choices=list(NOW))
    parser.add_argument("--generations", type=int, default=9)
    parser.add_argument("--draws", type=int, default=24, help="weights tried in a generation")
    parser.add_argument("--deals", type=int, default=16, help="for each draw and player count")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = tune(given.bot, given.generations, given.draws, given.deals, given.seed)
    table = Table(title=f"weights of {given.bot}")
    for column in ("weight", "now", "found"):
        table.add_column(column, justify="left" if column == "weight" else "right")
    for weight, now, value in zip(WEIGHTS, NOW[given.bot], found, strict=True):
        table.add_row(weight.name, f"{now:.{DIGITS}f}", f"{value:.{DIGITS}f}")
    Console().print(table)
    print("The same as now." if (found == NOW[given.bot]).all() else "Not the same as now.")


if __name__ == "__main__":
    main()
