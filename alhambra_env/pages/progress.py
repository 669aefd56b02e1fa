"""Progress of making a page or a video, for a progress bar."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def untold(what: str, done: int, total: int) -> None:
    """Tell nobody."""
