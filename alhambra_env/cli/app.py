"""All commands, under one name."""

import typer

from .bench import bench
from .bots import bots
from .ladder import ladder
from .matches import duel, evaluate
from .tidy import tidy
from .watch import watch

app = typer.Typer(
    name="alhambra",
    help="Alhambra, the board game: matches between players, and games to watch.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

for command in (evaluate, duel, ladder, watch, bots, bench):
    app.command()(tidy(command))
