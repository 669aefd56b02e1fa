"""The progress bar of commands that play many games."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def progress_bar(shown: bool, note: str = "") -> Progress:
    """Return a progress bar on standard error; it shows nothing unless that is a terminal.

    Args:
        shown: whether to show it at all.
        note: a text after the numbers.
    """
    console = Console(stderr=True)
    is_disabled = not (shown and console.is_terminal)
    console.quiet = is_disabled  # rich below 14.3 ends even a disabled bar with an empty line
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(note),
        TimeRemainingColumn(),
        console=console,
        disable=is_disabled,
        transient=True,
    )
