"""Spreads numbered tasks, such as the deals of a match, over processes. Results come in order."""

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, Final, TypeVar

from ..players import as_player
from ..validation import whole_number
from .entrants import Entrant

SECONDS_BEFORE_WORKERS: Final = 2.0
"""How long this process works alone; other processes take as long to start."""

TASKS_PER_WORKER: Final = 8
"""Tasks submitted at a time, for each worker. Results are used in order, so some wait."""

MOST_WORKERS: Final = 1024

NamedSpecs = list[tuple[str, str]]
"""Players as other processes get them: their names, and what `as_player` makes them from."""

_R = TypeVar("_R")


def check_workers(workers: int | None) -> None:
    """Raise `ValueError` unless this number of processes is allowed."""
    if workers is not None:
        whole_number(workers, "workers", 1, MOST_WORKERS)


def can_spread(entrants: Iterable[Entrant]) -> bool:
    """Can these players be made in other processes? Only players given as strings can."""
    return all(entrant.spec for entrant in entrants)


def named_specs(entrants: Iterable[Entrant]) -> NamedSpecs:
    """Return players as other processes get them."""
    return [(entrant.name, str(entrant.spec)) for entrant in entrants]


def made_from(specs: NamedSpecs) -> list[Entrant]:
    """Return the players of `named_specs`, in another process."""
    return [Entrant(name, spec, as_player(spec)) for name, spec in specs]


def spread(
    here: Callable[[int], _R],
    elsewhere: Callable[[range, int], Iterable[_R]] | None,
    tasks: range,
    workers: int | None,
) -> Iterator[_R]:
    """Do tasks in this process or in others, and yield their results in order.

    Args:
        here: does one task.
        elsewhere: does tasks in a number of processes; None if that is not possible.
        tasks: their numbers.
        workers: number of processes. None uses one for each core if it takes longer than
            `SECONDS_BEFORE_WORKERS`.
    """
    most = (os.cpu_count() or 1) if workers is None else workers
    begin = time.monotonic()
    for task in tasks:
        left = range(task, tasks.stop)
        is_long = workers is not None or time.monotonic() - begin > SECONDS_BEFORE_WORKERS
        if elsewhere and is_long and min(most, len(left)) > 1:
            yield from elsewhere(left, min(most, len(left)))
            return
        yield here(task)


def in_processes(
    work: Callable[..., _R],
    work_arguments: Sequence[Any],
    start: Callable[..., None],
    start_arguments: Sequence[Any],
    tasks: range,
    workers: int,
) -> Iterator[_R]:
    """Call `work(task, *work_arguments)` for each task in other processes; yield in order.

    Each process calls `start(*start_arguments)` first.
    """
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(start, *start_arguments),
    )
    under_way: deque[Future[_R]] = deque()
    try:
        for task in tasks:
            under_way.append(pool.submit(work, task, *work_arguments))
            if len(under_way) >= workers * TASKS_PER_WORKER:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except BaseException:
        # A task can take minutes, too long to wait for after Ctrl-C.
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown()


def _start(start: Callable[..., None], *arguments: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles it
    start(*arguments)
