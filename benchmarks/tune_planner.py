"""Finds the weights of `planner` and `lookahead` by matches: `python -m benchmarks.tune_planner`.

The cross-entropy method: draw weights around a mean, let each draw play, and move the mean to the
draws that did best. A planner plays against builders and against planners with the mean's weights,
a lookahead against planners. All draws of a generation play the same deals, from every seat. The
same seed gives the same weights.
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
from alhambra_env.bots.weights import LATER, SEARCH_WEIGHTS, SPREADING, TABLE, WEIGHTS
from alhambra_env.editions import DEFAULT_EDITION, edition_number
from alhambra_env.engine.jit import jit
from alhambra_env.engine.legal import write_mask
from alhambra_env.engine.rng import seed_words
from alhambra_env.engine.setup import set_up
from alhambra_env.engine.state import OVER, new_states
from alhambra_env.engine.step import step
from alhambra_env.game import DEFAULT_MAX_TURNS

PLAYER_COUNTS = (2, 3, 4)
SMOOTH = 12.0  # points that make a lead likely to be more than luck
FIRST_SPREAD = 0.35  # of each weight, as a share of it
LEAST_SPREAD = 0.05
ELITE = 4  # one draw in so many
PLANNER, LOOKAHEAD, BUILDER = range(3)
FIRST_GUESS = np.array(
    [
        [0.0, 0.687, 1.0, 0.431, 1.24, 5.048, 0.356, 0.56, 0.467],
        [0.179, 0.177, 1.969, 0.373, 6.53, 0.188, 0.0, 0.0, 0.0],
    ]
).ravel()
"""Where the planner's search begins, so that it can be repeated whatever its weights are now."""

START = {"planner": FIRST_GUESS, "lookahead": SEARCH_WEIGHTS}
NOW = {"planner": WEIGHTS, "lookahead": SEARCH_WEIGHTS}
FIXED = {"planner": [SPREADING, LATER], "lookahead": []}
"""What is not tuned: a planner takes the present ranks as they are, and all rounds alike."""


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
    settings: tuple[int, int, int],
    words: np.ndarray,
    seat: int,
    bots: tuple[int, int],
    weights: np.ndarray,
    others: np.ndarray,
) -> float:
    """Play one game of one bot at a seat among others; return how clearly it won, 0 to 1."""
    state = states[0]
    num_players, edition, max_turns = settings
    set_up(state, num_players, edition, max_turns, words)
    mask = np.zeros(N_ACTIONS, np.int8)
    while state.phase != OVER:
        write_mask(state, mask)
        if state.to_play == seat:
            step(state, _choose(bots[0], state, mask, weights))
        else:
            step(state, _choose(bots[1], state, mask, others))
    best = 0
    for other in range(num_players):
        if other != seat:
            best = max(best, int(state.scores[other]))
    lead: int = int(state.scores[seat]) - best
    return float(1 / (1 + np.exp(-lead / SMOOTH)))


def strength(bot: str, weights: np.ndarray, others: np.ndarray, deals: int, seed: int) -> float:
    """Return how well weights do, over all player counts and seats."""
    pairs = [(PLANNER, BUILDER), (PLANNER, PLANNER)] if bot == "planner" else [(LOOKAHEAD, PLANNER)]
    states = new_states(1)
    means = []
    for num_players in PLAYER_COUNTS:
        settings = (num_players, edition_number(DEFAULT_EDITION), DEFAULT_MAX_TURNS)
        results = []
        for deal in range(deals):
            words = seed_words(np.random.SeedSequence([seed, num_players, deal]))
            for seat in range(num_players):
                for pair in pairs:
                    result = play_deal(states, settings, words, seat, pair, weights, others)
                    results.append(result)
        # Relative to an even share, so that every player count matters as much.
        means.append(float(np.mean(results)) * num_players)
    return float(np.mean(means))


def tune(bot: str, generations: int, draws: int, deals: int, seed: int) -> np.ndarray:
    """Return better weights than those it starts from."""
    rng = np.random.default_rng(seed)
    mean = START[bot].copy()
    spread = np.abs(mean) * FIRST_SPREAD
    spread[FIXED[bot]] = 0
    console = Console(stderr=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for generation in range(generations):
            tried = mean + spread * rng.standard_normal((draws, mean.size))
            tried[0] = mean
            others = mean if bot == "planner" else WEIGHTS
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
            spread = np.maximum(spread, LEAST_SPREAD * np.abs(mean))
            spread[FIXED[bot]] = 0
    return mean


def main() -> None:
    """Tune and print the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bot", choices=list(START), default="planner")
    parser.add_argument("--generations", type=int, default=9)
    parser.add_argument("--draws", type=int, default=24, help="weights tried in a generation")
    parser.add_argument("--deals", type=int, default=16, help="for each draw and player count")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = tune(given.bot, given.generations, given.draws, given.deals, given.seed)
    table = Table(title=f"weights of {given.bot}")
    for column in ("weight", "now", "found"):
        table.add_column(column, justify="left" if column == "weight" else "right")
    for weight, now, value in zip(TABLE, NOW[given.bot], found, strict=True):
        table.add_row(weight.name, f"{now:.3f}", f"{value:.3f}")
    Console().print(table)
    Console().print(np.round(found, 3).tolist())


if __name__ == "__main__":
    main()
