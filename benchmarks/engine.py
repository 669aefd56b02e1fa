"""Speed of the rules engine: `python -m benchmarks.engine` (or `make bench`).

Absolute numbers depend on the machine and its load, so references are measured in the same run. The
behaviour signature at the end changes when play changes.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
from rich.console import Console
from rich.table import Table

from alhambra_env import Game
from alhambra_env.actions import N_ACTIONS
from alhambra_env.engine.random_play import play_lockstep
from alhambra_env.engine.rng import seed_words
from alhambra_env.engine.setup import set_up
from alhambra_env.engine.state import STATE_BYTES, new_states
from alhambra_env.options import GameRules
from benchmarks.signature import behaviour_signature
from benchmarks.timing import best_time, time_writing

FIRST_STEP = """
import time
begin = time.perf_counter()
from alhambra_env import Game
game = Game(num_players=3, seed=0)
game.step(game.legal_actions()[0])
print(time.perf_counter() - begin)
"""


def decisions_per_second(num_players: int, num_games: int, decisions: int) -> float:
    """Random legal decisions with masks, one thread, in lockstep over a batch of records."""
    states = new_states(num_games)
    for game in range(num_games):
        set_up(states[game], GameRules(num_players).numbers, seed_words(game))
    masks = np.zeros((num_games, N_ACTIONS), np.int8)
    words = seed_words(1)
    rounds = max(1, decisions // num_games)
    # After some hundred decisions the games are at different stages.
    play_lockstep(states, words, masks, 600)
    seconds = best_time(lambda: play_lockstep(states, words, masks, rounds))
    return rounds * num_games / seconds


def writes_per_second(num_games: int, writes: int) -> float:
    """The same bytes without a game: clear one mask (memset), copy one record (memcpy)."""
    states = np.zeros((num_games, STATE_BYTES), np.uint8)
    masks = np.zeros((num_games, N_ACTIONS), np.int8)
    rounds = max(1, writes // num_games)
    return rounds * num_games / time_writing(states, masks, rounds)


def loops_per_second(loops: int) -> float:
    """A plain Python loop that adds numbers."""

    def run() -> int:
        total = 0
        for number in range(loops):
            total += number
        return total

    return loops / best_time(run)


def game_step_microseconds() -> float:
    """`Game.step` from Python, over whole games."""
    records = []
    for seed in range(10):
        game = Game(num_players=3, seed=seed)
        chooser = np.random.default_rng(seed)
        while not game.over:
            game.step(int(chooser.choice(game.legal_actions())))
        records.append((seed, game.history))

    def run(only_set_up: bool) -> None:
        for seed, history in records:
            game = Game(num_players=3, seed=seed)
            if not only_set_up:
                for action in history:
                    game.step(action)

    seconds = best_time(lambda: run(False)) - best_time(lambda: run(True))
    return seconds / sum(len(history) for _, history in records) * 1e6


def start_seconds() -> tuple[float, float]:
    """From `import` to the first `step`, in a new process: without a cache, and with it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-c", FIRST_STEP]
        first, second = (
            float(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
            for _ in range(2)
        )
    return first, second


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=300_000, help="in each measurement")
    arguments = parser.parse_args()
    console = Console()
    loop = loops_per_second(arguments.decisions)
    table = Table(title="Random legal decisions with masks, one thread")
    for column in ("players", "batch", "decisions/s", "x memset+memcpy", "x Python loop"):
        table.add_column(column, justify="right")
    with console.status("measuring random play ..."):
        for num_games in (1, 1024):
            writes = writes_per_second(num_games, arguments.decisions)
            for num_players in (2, 3, 6):
                speed = decisions_per_second(num_players, num_games, arguments.decisions)
                table.add_row(
                    str(num_players),
                    f"{num_games:,}",
                    f"{speed:,.0f}",
                    f"{speed / writes:.2f}",
                    f"{speed / loop:.3f}",
                )
    console.print(table)
    with console.status("measuring the start of a process ..."):
        first, second = start_seconds()
    facts = Table(title="Other figures", show_header=False)
    facts.add_row("Game.step from Python", f"{game_step_microseconds():.1f} microseconds")
    facts.add_row("import to first step, nothing compiled", f"{first:.1f} s")
    facts.add_row("import to first step, from the cache", f"{second:.2f} s")
    facts.add_row("bytes in a record", f"{STATE_BYTES:,}")
    facts.add_row("a plain Python loop", f"{loop:,.0f} additions/s")
    facts.add_row("behaviour signature", behaviour_signature())
    console.print(facts)


if __name__ == "__main__":
    main()
