"""`alhambra dataset`."""

from pathlib import Path
from typing import Annotated

import typer

from ..extras import check_installed
from ..options import DEFAULT_EDITION
from .command import INTERRUPTED, Edition, Seed, Workers, console, fail


def dataset(
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for the files. If it has some games, it resumes."),
    ],
    others: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLAYERS...", help="A player for each seat, as in evaluate."),
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYERS...", help="The same; the word --players may be left out."),
    ] = None,
    games: Annotated[int, typer.Option(help="Number of games. It can be raised later.")] = 1000,
    seed: Seed = 0,
    edition: Edition = DEFAULT_EDITION,
    rotate: Annotated[
        bool, typer.Option(help="Everybody moves on by one seat after each game.")
    ] = True,
    observations: Annotated[
        bool,
        typer.Option(
            help="Also store the observations, about 100 bytes a decision. Python does not need "
            "them: it computes them from seed and actions."
        ),
    ] = False,
    shard_games: Annotated[
        int,
        typer.Option(help="Games in each pair of files. A shard that is not complete is lost."),
    ] = 250,
    minari: Annotated[
        str | None,
        typer.Option(
            metavar="NAME-v0",
            help="Also write a Minari data set with observations and masks: one episode for each "
            "game and seat.",
        ),
    ] = None,
    workers: Workers = None,
) -> None:
    """Play games, and record every decision for offline learning.

    Writes Parquet files: one row for each decision with action, legal actions
    and returns, one row for each game with seed, players and scores. Each game
    has its own seed. The same command gives the same files; if it is stopped,
    run it again to resume.

    Example: alhambra dataset --players lookahead planner planner --games 10000 -o data

    Example: alhambra dataset ppo_3p planner planner -o data --minari alhambra/ppo-v0
    """
    check_installed("data")
    from .. import datasets  # only this command needs the extra
    from ..datasets.episodes import check_minari_name
    from ..datasets.settings import META

    # "--players a b c" is the option with a value, followed by two arguments.
    seated = [*(players or ()), *(others or ())]
    if minari is not None:
        check_minari_name(minari)
    try:
        made = datasets.create_dataset(
            seated,
            out,
            games,
            seed,
            edition,
            rotate=rotate,
            observations=observations,
            shard_games=shard_games,
            workers=workers,
            progress=True,
        )
        if minari is not None:
            datasets.to_minari(made, minari, progress=True)
    except KeyboardInterrupt:
        kept = len(datasets.open_dataset(out)) if (out / META).exists() else 0
        fail(
            f"stopped; {kept} of {games} games are kept in {out}. "
            "Run the same command again to resume",
            INTERRUPTED,
        )
    each = made.bytes / made.num_decisions
    console().print(
        f"{len(made):,} games, {made.num_decisions:,} decisions, {made.bytes / 1e6:,.1f} MB "
        f"({each:.1f} bytes a decision) in {made.folder}",
        markup=False,
        soft_wrap=True,
    )
    if minari is not None:
        console().print(f"Minari data set {minari}", markup=False)
