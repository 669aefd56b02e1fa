"""Says what is being compiled: without a word it looks as if the program hangs."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

_log: Final = logging.getLogger("alhambra_env")


class Subject(NamedTuple):
    """Something that is compiled."""

    name: str
    seconds: int
    """About how long that takes on one core."""


_SHORT: Final = 2  # seconds that nobody takes for a hang
_ENGINE: Final = Subject("the engine", 20)
_subjects: Final = [_ENGINE]
_told: Final[set[Subject]] = set()


@contextmanager
def compiling(name: str, seconds: int) -> Iterator[None]:
    """Say this of everything that is compiled in the block, if anything is."""
    _subjects.append(Subject(name, seconds))
    try:
        yield
    finally:
        _subjects.pop()


def tell_compiling(is_kept: bool = True) -> None:
    """Log a line, once for each subject that takes long; it goes to standard error by default.

    Args:
        is_kept: will later processes find the result in the cache?
    """
    subject = _subjects[-1]
    if subject.seconds > _SHORT and subject not in _told:
        _told.add(subject)
        later = "later runs start at once" if is_kept else "every process does that"
        _log.warning(
            "alhambra_env: compiling %s, about %d seconds; %s", subject.name, subject.seconds, later
        )


@contextmanager
def without_lines() -> Iterator[None]:
    """Say nothing in the block, for callers that show what is compiled in another way."""
    level = _log.level
    _log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        _log.setLevel(level)
