"""Random games at scale, with `check` after every step: `python -m benchmarks.soak --games 100000`.

The games are spread over all editions, all player counts that they allow, and three styles of
random play. The first broken invariant stops the run and is printed with the settings and seed that
reproduce it.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from alhambra_env.engine.check import Broken
from alhambra_env.engine.editions import EDITIONS, EditionName
from alhambra_env.engine.material import MAX_PLAYERS
from alhambra_env.engine.random_play import BY_KIND, EAGER, UNIFORM, play_out_checked
from alhambra_env.engine.rng import seed_words
from alhambra_env.engine.setup import set_up
from alhambra_env.engine.state import new_states
from alhambra_env.options import DEFAULT_EDITION, GameRules

STYLES = (UNIFORM, BY_KIND, EAGER)
CHUNK = 50


class Batch(NamedTuple):
    """Some games of one edition and player count."""

    edition: EditionName | str
    num_players: int
    seeds: range


class Outcome(NamedTuple):
    """The result of a batch."""

    games: int
    actions: int
    truncated: int
    largest: int
    """The most tiles in a city."""
    failures: list[str]


def settings() -> list[tuple[EditionName, int]]:
    """Return all pairs of edition and player count."""
    return [
        (edition.book, num_players)
        for edition in EDITIONS
        for num_players in range(edition.min_players, MAX_PLAYERS + 1)
    ]


def batches(games: int) -> Iterator[Batch]:
    """Spread this many games over all settings."""
    kinds = settings()
    for index, (edition, num_players) in enumerate(kinds):
        share = games // len(kinds) + (index < games % len(kinds))
        for start in range(0, share, CHUNK):
            yield Batch(edition, num_players, range(start, min(start + CHUNK, share)))


def play_batch(batch: Batch) -> Outcome:
    """Play the games of a batch."""
    states = new_states(1)
    actions = truncated = largest = 0
    failures = []
    rules = GameRules(batch.num_players, batch.edition).numbers
    for seed in batch.seeds:
        style = STYLES[seed % len(STYLES)]
        set_up(states[0], rules, seed_words(seed))
        words = seed_words(np.random.SeedSequence((seed, style)))
        broken, played = play_out_checked(states[0], words, style)
        actions += played
        truncated += int(states[0].truncated)
        largest = max(largest, int(states[0].buildings[:MAX_PLAYERS].sum(axis=1).max()))
        if broken:
            what = "no legal action" if broken < 0 else str(Broken(broken).name)
            failures.append(
                f"{what} after {played} actions: edition {batch.edition}, "
                f"{batch.num_players} players, seed {seed}, style {style}"
            )
    return Outcome(len(batch.seeds), actions, truncated, largest, failures)


def main() -> None:
    """Play all games on all cores, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    arguments = parser.parse_args()
    if arguments.games < 1:
        parser.error("--games must be 1 or more")
    console = Console()
    play_batch(Batch(DEFAULT_EDITION, 3, range(1)))  # compiles, once for all processes
    total = Outcome(0, 0, 0, 0, [])
    begin = time.perf_counter()
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        Progress(*columns, console=console) as progress,
        ProcessPoolExecutor(max_workers=os.cpu_count()) as pool,
    ):
        bar = progress.add_task("games", total=arguments.games)
        jobs = [pool.submit(play_batch, batch) for batch in batches(arguments.games)]
        for job in as_completed(jobs):
            outcome = job.result()
            total = Outcome(
                total.games + outcome.games,
                total.actions + outcome.actions,
                total.truncated + outcome.truncated,
                max(total.largest, outcome.largest),
                total.failures + outcome.failures,
            )
            progress.advance(bar, outcome.games)
            if outcome.failures:
                pool.shutdown(cancel_futures=True)
                break
    seconds = time.perf_counter() - begin
    console.print(
        f"{total.games:,} games of {len(settings())} kinds, {total.actions:,} actions, every one "
        f"checked, in {seconds:.0f} s; {total.truncated} truncated, largest city "
        f"{total.largest} tiles"
    )
    for failure in total.failures:
        console.print(f"[red]broken:[/red] {failure}")
    sys.exit(1 if total.failures else 0)


if __name__ == "__main__":
    main()
