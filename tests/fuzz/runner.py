"""Attacks in several processes, each watched for crashes and hangs."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.fuzz.attack import ACCEPTED, REFUSED
from tests.fuzz.kinds import kind_called
from tests.fuzz.worker import WARM_UP_CASE

ROOT: Final = Path(__file__).resolve().parent.parent.parent
WARM_UP_SECONDS: Final = 1200.0
"""How long the first case of a kind may take: it compiles, perhaps with bounds checking."""

CRASH, HANG = "crash", "hang"
OUTCOMES: Final = (
    REFUSED,
    ACCEPTED,
    "broken promise",
    "unexpected",
    "out of bounds",
    CRASH,
    HANG,
)


class Failure(NamedTuple):
    """A case that did not go as it should."""

    kind: str
    case: int
    outcome: str
    trace: str


class Tally:
    """What came of all cases."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.failures: list[Failure] = []

    def add(self, kind: str, case: int, outcome: str, trace: str) -> None:
        """Count a case."""
        self.counts[kind, outcome] += 1
        if outcome not in (REFUSED, ACCEPTED):
            self.failures.append(Failure(kind, case, outcome, trace))

    @property
    def cases(self) -> int:
        """How many there were."""
        return self.counts.total()


class Process:
    """One process that attacks; it is started again if it crashes or hangs."""

    module = "tests.fuzz.worker"
    """What it runs."""

    def __init__(
        self, names: Sequence[str], first: int, stride: int, has_bounds_check: bool
    ) -> None:
        """Start it. It makes the cases `first`, `first + stride` and so on of each kind."""
        self._names = list(names)
        self._stride = stride
        self._next = dict.fromkeys(names, first)
        self._environment = dict(os.environ)
        if has_bounds_check:
            self._environment["NUMBA_BOUNDSCHECK"] = "1"
        self._start()

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # `end` closes it
        given = json.dumps([self._names, self._next, self._stride])
        self._process = subprocess.Popen(
            [sys.executable, "-m", self.module, given],
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._under_way: tuple[str, int] | None = None
        self._since = time.monotonic()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)

    def look(self, tally: Tally) -> None:
        """Count what it has done since the last look; start it again if it has to be."""
        is_dead = self._process.poll() is not None  # asked first: then all its lines are there
        if is_dead:
            time.sleep(0.1)
        for kind, case, outcome, trace in self._ended():
            if case != WARM_UP_CASE or outcome not in (REFUSED, ACCEPTED):
                tally.add(kind, case, outcome, trace)
        if is_dead:
            self._start_again(tally, CRASH)
        elif self._under_way and time.monotonic() - self._since > self._patience():
            self._start_again(tally, HANG)

    def _ended(self) -> Iterator[tuple[str, int, str, str]]:
        while not self._lines.empty():
            word, kind, case, *rest = json.loads(self._lines.get())
            self._since = time.monotonic()
            self._under_way = (kind, case) if word == "begin" else None
            if word == "end":
                if case != WARM_UP_CASE:
                    self._next[kind] = case + self._stride
                yield kind, case, *rest

    def _patience(self) -> float:
        assert self._under_way is not None
        kind, case = self._under_way
        return WARM_UP_SECONDS if case == WARM_UP_CASE else kind_called(kind).seconds

    def _start_again(self, tally: Tally, outcome: str) -> None:
        self._stop()
        self._errors.seek(0)
        kind, case = self._under_way or ("start", 0)
        tally.add(kind, case, outcome, self._errors.read()[-3000:])
        self._errors.close()
        if kind == "start":
            raise RuntimeError(f"a process cannot start: {tally.failures[-1].trace}")
        self._next[kind] = case + self._stride
        self._start()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._stop()
        self._errors.close()

    def _stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


def attack_for(seconds: float, names: Sequence[str], first: int, workers: int) -> Iterator[Tally]:
    """Attack for so long in several processes; yield the tally now and then, and at the end.

    Every second process checks the bounds of arrays in compiled code.
    """
    tally = Tally()
    processes = [
        Process(names, first + number, workers, has_bounds_check=number % 2 == 1)
        for number in range(workers)
    ]
    begin = None
    try:
        while begin is None or time.monotonic() - begin < seconds:
            time.sleep(0.2)
            for process in processes:
                process.look(tally)
            if begin is None and tally.cases:
                begin = time.monotonic()  # the first process has compiled what it needs
            yield tally
    finally:
        for process in processes:
            process.end()
    yield tally
