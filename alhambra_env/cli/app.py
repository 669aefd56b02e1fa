"""The command line with all its commands."""

import typer

from .bench import bench
from .bots import bots
from .command import one_line_errors
from .compile import compile_all
from .dataset import dataset
from .draw import draw
from .ladder import ladder
from .matches import duel, evaluate
from .play import play
from .replay import replay
from .watch import watch

app = typer.Typer(
    name="alhambra",
    help="Play the board game Alhambra: compare bots and trained agents, watch and record their "
    "games.\n\n"
    "Example: alhambra evaluate planner builder random --deals 200",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

for command in (evaluate, duel, ladder, watch, replay, play, draw, bots, bench, dataset):
    app.command()(one_line_errors(command))
app.command("compile")(one_line_errors(compile_all))
