"""`alhambra bench`."""

from typing import Annotated

import typer

from .. import arena
from ..arena.entrants import check_player_counts, enter
from ..arena.speed import check_seconds
from ..arena.tables import as_rich
from ..bots import BOT_NAMES
from ..options import DEFAULT_EDITION, GameRules
from .command import Edition, console


def bench(
    players: Annotated[
        list[str] | None, typer.Argument(help="Players, as in evaluate.", show_default="all bots")
    ] = None,
    seats: Annotated[int, typer.Option("--players", "-n", help="Seats at the table, 2 to 6.")] = 3,
    seconds: Annotated[float, typer.Option(help="How long to measure each player.")] = 1.0,
    edition: Edition = DEFAULT_EDITION,
) -> None:
    """Measure the decisions per second of players.

    Each player plays against itself, on one core. The time includes the rules.

    Example: alhambra bench builder random --players 4
    """
    measured = players or BOT_NAMES
    check_seconds(seconds)
    rules = GameRules(seats, edition)
    check_player_counts([enter(player) for player in measured], seats)
    cells = [["player", "decisions/s"]]
    for player in measured:
        speed = arena.decisions_per_second(player, seats, rules.edition, seconds)
        cells.append([player, f"{speed:,.0f}"])
    console().print(as_rich(cells))
