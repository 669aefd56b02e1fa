"""`alhambra bench`."""

from typing import Annotated

import typer

from .. import arena
from ..arena.roster import check_counts, enter
from ..arena.speed import check_seconds
from ..arena.tables import as_rich
from ..bots import BOT_NAMES
from ..options import GameRules, edition_name
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
    measured = players or BOT_NAMES
    check_seconds(seconds)
    rules = GameRules(seats, edition_name(edition))
    check_counts([enter(player) for player in measured], seats)
    cells = [["player", "decisions/s"]]
    for player in measured:
        speed = arena.decisions_per_second(player, seats, rules.edition, seconds)
        cells.append([player, f"{speed:,.0f}"])
    console().print(as_rich(cells))
