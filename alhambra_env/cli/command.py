"""Shared by all commands: common options, the console, and errors as one line."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final, NoReturn, ParamSpec, TypeVar

import typer
from rich.console import Console

from ..engine.editions import EDITION_NAMES
from ..errors import one_line
from ..extras import MissingExtra, extras_explained

_P = ParamSpec("_P")
_R = TypeVar("_R")

BAD_INPUT: Final = 2
INTERRUPTED: Final = 130

Seed = Annotated[int, typer.Option(help="Random seed. The same seed gives the same results.")]
Edition = Annotated[
    str,
    typer.Option(
        help=f"Edition of the rulebook: {', '.join(EDITION_NAMES)}; or one with points changed, "
        "such as german:may_decline=yes."
    ),
]
Workers = Annotated[
    int | None, typer.Option(help="Number of processes.", show_default="one for each core")
]


def console() -> Console:
    """Return a console on the current standard output."""
    screen = Console(highlight=False)
    # In a file or a pipe, wide tables are better than folded ones.
    return screen if screen.is_terminal else Console(highlight=False, width=160)


def fail(message: str, code: int = BAD_INPUT) -> NoReturn:
    """Print one line to standard error, and exit."""
    typer.echo(f"alhambra: {message}", err=True)
    raise typer.Exit(code)


def one_line_errors(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make a command print one line instead of a traceback if its input is wrong."""

    @wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            with extras_explained():
                return command(*args, **kwargs)
        except (ValueError, OSError, MissingExtra) as error:
            if hasattr(error, "__notes__"):  # raised by the code of a player: show where
                raise
            fail(one_line(error))

    return run


def with_options(kind: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Show typer the fields of `kind`, a named tuple, in place of a command's `options`.

    So several commands can share a list of options.
    """
    fields = inspect.signature(kind).parameters

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            options = kind(**{name: given.pop(name) for name in fields})
            command(**given, options=options)

        signature = inspect.signature(command)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += fields.values() if parameter.name == "options" else [parameter]
        by_name = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
        run.__signature__ = signature.replace(parameters=by_name)  # type: ignore[attr-defined]
        return run

    return decorate
