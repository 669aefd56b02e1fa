"""`alhambra ladder`."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from .. import arena
from ..arena.ladder import DEALS, NUM_PLAYERS, RUNGS, SLOW, SLOW_DEALS
from ..arena.outputs import check_output
from ..arena.tables import LADDER_TEXT_COLUMNS, as_markdown, as_rich, ladder_table
from ..extras import check_installed
from ..files import write_whole
from ..options import DEFAULT_EDITION
from .command import INTERRUPTED, Edition, Seed, Workers, console, fail


def ladder(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two or more players as in evaluate, the weakest first.",
            show_default="the ladder of all bots",
        ),
    ] = None,
    seats: Annotated[
        list[int],
        typer.Option("--players", "-n", help="Seats at the table, 2 to 6. Can be repeated."),
    ] = list(NUM_PLAYERS),  # noqa: B006  # typer needs a list for an option that can be repeated
    deals: Annotated[int, typer.Option(help="Number of deals of each rung.")] = DEALS,
    slow_deals: Annotated[
        int, typer.Option(help=f"Number of deals of rungs with a slow bot ({', '.join(SLOW)}).")
    ] = SLOW_DEALS,
    seed: Seed = 0,
    edition: Edition = DEFAULT_EDITION,
    workers: Workers = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for the results of each rung. If it exists, the ladder resumes."),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="File for the ladder as JSON.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="File for the ladder as a Markdown table.")
    ] = None,
) -> None:
    """Play each bot against copies of a weaker one.

    Example: alhambra ladder random saver builder --players 3 --deals 100

    Example: alhambra ladder --deals 400 --markdown ladder.md --folder rungs
    """
    if bots and len(bots) < 2:
        fail(f"a ladder needs two bots or more, not {len(bots)}")
    check_installed("arena")  # the tables at the end need packages that play does not
    for file in (json, markdown):
        if file is not None:
            check_output(file)
    chosen = [(player, other) for other, player in pairwise(bots)] if bots else RUNGS
    rungs = []
    try:
        for rung in arena.climb(
            chosen,
            seats,
            deals,
            slow_deals,
            seed,
            edition,
            workers=workers,
            folder=folder,
            progress=True,
        ):
            rungs.append(rung)
    except KeyboardInterrupt:
        if folder is None:
            fail("stopped; nothing was kept. With --folder a ladder can be resumed", INTERRUPTED)
        fail(
            f"stopped; the results are kept in {folder}. Run the same command again to resume",
            INTERRUPTED,
        )
    cells = ladder_table(rungs)
    console().print(as_rich(cells, LADDER_TEXT_COLUMNS))
    if json:
        arena.write_ladder(rungs, json)
    if markdown:
        write_whole(markdown, as_markdown(cells, LADDER_TEXT_COLUMNS))
