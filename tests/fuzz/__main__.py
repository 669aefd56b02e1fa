"""The command line of the attacks: `python -m tests.fuzz --seconds 300`."""

import argparse
import random
import sys
import time
from contextlib import suppress
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tests.fuzz.attack import ACCEPTED, REFUSED
from tests.fuzz.kinds import KINDS, kind_called
from tests.fuzz.runner import OUTCOMES, Tally, attack_for
from tests.fuzz.worker import outcome_of

_NAMES: Final = [kind.name for kind in KINDS]
_TRACE: Final = 2000


def table_of(tally: Tally) -> Table:
    """Return how many cases of each kind came to what."""
    table = Table("attack", "cases", *OUTCOMES, title="What came of the attacks")
    for column in table.columns[1:]:
        column.justify = "right"
    for name in [*_NAMES, None]:
        counts = [
            sum(
                n
                for (kind, each), n in tally.counts.items()
                if each == outcome and name in (kind, None)
            )
            for outcome in OUTCOMES
        ]
        if name is None:
            table.add_section()
        if sum(counts):
            table.add_row(name or "all", f"{sum(counts):,}", *(f"{n:,}" for n in counts))
    return table


def main() -> int:
    """Read the command line, attack, and say what came of it."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Attack all that takes input from outside, and count what comes of it.",
        epilog="example: python -m tests.fuzz records notation --seconds 60",
    )
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(_NAMES)}")
    parser.add_argument("--seconds", type=float, default=300, help="how long; default: 300")
    parser.add_argument("--workers", type=int, default=2, help="processes; default: 2")
    parser.add_argument("--first", type=int, help="number of the first case; default: any")
    parser.add_argument("--case", type=int, help="repeat this one case of one kind, here")
    given = parser.parse_args()
    unknown = sorted(set(given.kinds) - set(_NAMES))
    if unknown or not given.seconds > 0 or given.workers < 1:
        parser.error(f"unknown kind {unknown[0]!r}" if unknown else "give more time and workers")
    if given.case is not None:
        return _repeat(parser, given.kinds, given.case)
    first = random.randrange(1, 10**9) if given.first is None else max(given.first, 1)
    return _attack(given.kinds or _NAMES, given.seconds, first, given.workers)


def _repeat(parser: argparse.ArgumentParser, kinds: list[str], case: int) -> int:
    if len(kinds) != 1:
        parser.error("--case needs one kind")
    outcome, trace = outcome_of(kind_called(kinds[0]), case)
    print(trace, outcome)
    return 0 if outcome in (REFUSED, ACCEPTED) else 1


def _attack(names: list[str], seconds: float, first: int, workers: int) -> int:
    console = Console(width=None if Console().is_terminal else 140)
    console.print(f"Cases from number {first} on", highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("compiling", total=seconds)
        begin = None
        tally = Tally()
        with suppress(KeyboardInterrupt):  # what was counted so far is shown
            for tally in attack_for(seconds, names, first, workers):
                if begin is None and tally.cases:
                    begin = time.monotonic()
                if begin is not None:
                    bad = f", {len(tally.failures)} failed" if tally.failures else ""
                    bar.update(
                        task,
                        completed=time.monotonic() - begin,
                        description=f"{tally.cases:,} cases{bad}",
                    )
    console.print(table_of(tally))
    for failure in tally.failures[:20]:
        console.print(
            f'{failure.outcome}: python -m tests.fuzz "{failure.kind}" --case {failure.case}\n'
            f"{failure.trace[-_TRACE:]}",
            highlight=False,
            markup=False,
        )
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
