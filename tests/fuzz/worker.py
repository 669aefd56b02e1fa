"""A process that runs attacks, one after the other, and reports each result.

It writes a line of JSON before and after each case, so that the parent process knows which case was
running when the worker crashes or hangs.
"""

import contextlib
import faulthandler
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from typing import IO, Any

from tests.fuzz.attack import Broken, Kind, case_rng
from tests.fuzz.kinds import KINDS, kind_called

WARM_UP_CASE = 0
MOST_MEMORY = 2**30
"""Bytes that a case may need more than all cases before it."""


def _peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024)


def outcome_of(kind: Kind, case: int) -> tuple[str, str]:
    """Make an attack. Return what came of it, and a traceback if it is not as it should be."""
    before = _peak_memory()
    try:
        result = kind.attack(case_rng(kind.name, case))
        grown = _peak_memory() - before
        if case != WARM_UP_CASE and grown > MOST_MEMORY:
            raise Broken(f"it took {grown / 1e9:.1f} GB of memory")
        return result, ""
    except Broken:
        return "broken promise", traceback.format_exc()
    except IndexError:
        return "out of bounds", traceback.format_exc()
    except Exception:  # any other error is what the attacks are looking for
        return "unexpected", traceback.format_exc()


def cases(names: list[str], next_cases: dict[str, int], stride: int) -> Iterator[tuple[Kind, int]]:
    """Yield kinds and case numbers for ever; each kind gets its share of the time."""
    kinds = [kind_called(name) for name in names]
    for kind in kinds:
        yield kind, WARM_UP_CASE  # compiles, and is not counted
    used = dict.fromkeys(names, 0.0)
    while True:
        kind = min(kinds, key=lambda each: used[each.name] / each.share)
        begin = time.perf_counter()
        yield kind, next_cases[kind.name]
        next_cases[kind.name] += stride
        used[kind.name] += time.perf_counter() - begin


def main() -> None:
    """Run attacks until the process is ended from outside."""
    faulthandler.enable()
    names, next_cases, stride = json.loads(sys.argv[1])
    # The code under attack may print to standard output; the parent reads only `report`.
    report = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for kind, case in cases(names or [kind.name for kind in KINDS], next_cases, stride):
        _say(report, "begin", kind.name, case)
        outcome, trace = outcome_of(kind, case)
        _say(report, "end", kind.name, case, outcome, trace)


def _say(report: IO[str], *words: Any) -> None:
    with contextlib.suppress(BrokenPipeError):
        report.write(json.dumps(words) + "\n")
        report.flush()


if __name__ == "__main__":
    main()
