"""`alhambra bench`."""

from typing import Annotated

import typer

from .. import arena
from ..arena.tables import as_rich
from ..bots import BOT_NAMES
from .tidy import GERMAN, Edition, console


def bench(
    players: Annotated[
        list[str] | None, typer.Argument(help="As in evaluate; all bots, unless given.")
    ] = None,
    seats: Annotated[int, typer.Option("--players", "-n", help="Seats at the table.")] = 3,
    seconds: Annotated[float, typer.Option(help="Time for each of them.")] = 1.0,
    edition: Edition = GERMAN,
) -> None:
    """Measure how many decisions a second each bot makes, on one core, rules included.

    Example: alhambra bench builder random --players 4
    """
    cells = [["player", "decisions/s"]]
    for player in players or BOT_NAMES:
        speed = arena.decisions_per_second(player, seats, edition, seconds)
        cells.append([player, f"{speed:,.0f}"])
    console().print(as_rich(cells))
