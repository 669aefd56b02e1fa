"""What all commands share: where they print, and how they end when something is wrong."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Final, NoReturn, ParamSpec, TypeVar

import typer
from rich.console import Console

from ..engine.editions import EDITION_NAMES
from ..errors import one_line
from ..extras import MissingExtra, extras_explained
from ..options import DEFAULT_EDITION

_P = ParamSpec("_P")
_R = TypeVar("_R")

BAD_INPUT: Final = 2
INTERRUPTED: Final = 130

Seed = Annotated[int, typer.Option(help="Of all randomness: same seed, same results.")]
Edition = Annotated[str, typer.Option(help=f"Whose rulebook: {', '.join(EDITION_NAMES)}.")]
Workers = Annotated[
    int | None, typer.Option(help="Processes; as many as there are cores, unless given.")
]
GERMAN: Final = DEFAULT_EDITION


def console() -> Console:
    """Return where to print. Made anew, so that it is today's standard output."""
    screen = Console(highlight=False)
    # In a file or a pipe, a table is better wide than folded.
    return screen if screen.is_terminal else Console(highlight=False, width=160)


def fail(message: str, code: int = BAD_INPUT) -> NoReturn:
    """Say in one line what is wrong, and end."""
    typer.echo(f"alhambra: {message}", err=True)
    raise typer.Exit(code)


def tidy(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a command end with one line instead of a traceback if its input is wrong."""

    @wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            with extras_explained():
                return command(*args, **kwargs)
        except (ValueError, OSError, MissingExtra) as error:
            if hasattr(error, "__notes__"):  # it came from within somebody's player
                raise
            fail(one_line(error))

    return run
