"""`alhambra ladder`."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from .. import arena
from ..arena.ladder import DEALS, NUM_PLAYERS, RUNGS, SLOW, SLOW_DEALS
from ..arena.outputs import check_output
from ..arena.tables import as_markdown, as_rich, ladder_table
from ..extras import check_installed
from ..files import write_whole
from ..options import edition_name
from .tidy import GERMAN, INTERRUPTED, Edition, Seed, Workers, console, fail

WORDS = 2  # columns of the table that are text


def ladder(
    bots: Annotated[
        list[str] | None, typer.Argument(help="Weakest first; the bots' own rungs, unless given.")
    ] = None,
    seats: Annotated[
        list[int], typer.Option("--players", "-n", help="Seats at the table. Can be repeated.")
    ] = list(NUM_PLAYERS),  # noqa: B006  # what typer wants of an option that can be repeated
    deals: Annotated[int, typer.Option(help="Deals for each rung.")] = DEALS,
    slow_deals: Annotated[
        int, typer.Option(help=f"Deals for rungs with {', '.join(SLOW)}.")
    ] = SLOW_DEALS,
    seed: Seed = 0,
    edition: Edition = GERMAN,
    workers: Workers = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Keep the results of each rung here; what is there is not played again."),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the ladder here, as JSON.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Write the ladder here, as a Markdown table.")
    ] = None,
) -> None:
    """Let each bot meet copies of a weaker one.

    Example: alhambra ladder --deals 400 --markdown ladder.md --folder rungs
    """
    if bots and len(bots) < 2:
        fail(f"a ladder needs two bots or more, not {len(bots)}")
    check_installed("arena")  # the tables at the end need what play does not
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
            edition_name(edition),
            workers=workers,
            folder=folder,
            progress=True,
        ):
            rungs.append(rung)
    except KeyboardInterrupt:
        kept = f"what was played is kept in {folder}; the same command again goes on from there"
        fail(
            f"stopped; {kept if folder else 'nothing was kept, for want of --folder'}", INTERRUPTED
        )
    cells = ladder_table(rungs)
    console().print(as_rich(cells, WORDS))
    if json:
        arena.write_ladder(rungs, json)
    if markdown:
        write_whole(markdown, as_markdown(cells, WORDS))
