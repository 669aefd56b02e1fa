"""`alhambra evaluate` and `alhambra duel`."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple, NoReturn

import typer

from .. import arena
from ..arena.entrants import check_player_counts, enter
from ..arena.outputs import check_output
from ..arena.results import Results
from ..extras import check_installed
from ..files import write_whole
from ..options import DEFAULT_EDITION, GameRules
from .command import INTERRUPTED, Edition, Seed, Workers, console, fail, with_options

Speed = Annotated[bool, typer.Option(help="Also measure decisions per second.")]


class MatchOptions(NamedTuple):
    """The options of a match."""

    seats: Annotated[
        list[int],
        typer.Option(
            "--players", "-n", help="Seats at the table, 2 to 6. Repeat it for several matches."
        ),
    ] = [3]  # noqa: RUF012  # typer needs a list for an option that can be repeated
    deals: Annotated[
        int, typer.Option(help="Number of deals; each is played with every rotation of the seats.")
    ] = 200
    seed: Seed = 0
    edition: Edition = DEFAULT_EDITION
    workers: Workers = None
    out: Annotated[
        Path | None,
        typer.Option(help="File for the results (JSON Lines). If it exists, the match resumes."),
    ] = None
    png: Annotated[Path | None, typer.Option(help="File for a picture of the standings.")] = None
    markdown: Annotated[Path | None, typer.Option(help="File for the tables in Markdown.")] = None


@with_options(MatchOptions)
def evaluate(
    players: Annotated[list[str], typer.Argument(help="Two or more players; see above.")],
    options: MatchOptions,
    speed: Speed = True,
) -> None:
    """Play a match between players, and print the standings.

    A player is one of:

      builder                a bot; "alhambra bots" lists them
      rollout:playouts=100   a bot with settings
      turns, ppo_3p          a trained agent of this package
      turns:search=0.2s      the same with search, 0.2 seconds a turn
      ppo:checkpoints/NAME   your own checkpoint
      openspiel_ismcts       OpenSpiel's search; needs the extra openspiel
      package.module:Name    your own class or function

    Write NAME=PLAYER to choose the name in the tables: fast=rollout:playouts=20

    A deal is one shuffle of tiles and cards. Each deal is played with every
    player on every seat. With more players than seats, all combinations meet;
    with fewer, players take several seats.

    Example: alhambra evaluate builder saver random --deals 500 --out results.jsonl

    Example: alhambra evaluate turns planner lookahead --players 3
    """
    _report(partial(arena.match, players), players, options, speed)


@with_options(MatchOptions)
def duel(
    player: Annotated[str, typer.Argument(help="The player on one seat, as in evaluate.")],
    other: Annotated[str, typer.Argument(help="The player on all other seats.")],
    options: MatchOptions,
    speed: Speed = False,
) -> None:
    """Play one player against copies of another.

    If both play equally well, the win share is one in the number of seats:
    50% with two, 33.3% with three, 25% with four.

    Example: alhambra duel builder saver --players 4 --deals 300

    Example: alhambra duel turns lookahead --players 5
    """
    _report(partial(arena.duel, player, other), [player, other], options, speed)


def _report(
    play: Callable[..., Results], players: Sequence[str], options: MatchOptions, speed: bool
) -> None:
    """Play a match for each number of seats; print the tables and write the files."""
    check_installed("arena")  # the tables at the end need packages that play does not
    edition = options.edition
    seats, markdown = options.seats, options.markdown
    entrants = [enter(player) for player in players]
    for count in seats:
        GameRules(count, edition)  # checks them
        check_player_counts(entrants, count)
        out, png = _for_count(options.out, count, seats), _for_count(options.png, count, seats)
        for path in (out, png, markdown):
            if path is not None:
                check_output(path)
    screen = console()
    texts = []
    for count in seats:
        out = _for_count(options.out, count, seats)
        try:
            results = play(
                count,
                options.deals,
                options.seed,
                edition,
                workers=options.workers,
                out=out,
                progress=True,
            )
            table = arena.standings(results)
            speeds = _speeds(players, count, edition) if speed else None
        except KeyboardInterrupt:
            _stop(out, options.deals)
        for each in arena.rich_tables(table, speeds):
            screen.print(each)
        if png := _for_count(options.png, count, seats):
            arena.draw(table, png)
        texts.append(arena.markdown(table))
    if markdown:
        write_whole(markdown, "\n".join(texts))


def _speeds(players: Sequence[str], count: int, edition: str) -> dict[str, float]:
    """Return the decisions per second of each player, by its name."""
    return {enter(each).name: arena.decisions_per_second(each, count, edition) for each in players}


def _for_count(path: Path | None, count: int, seats: Sequence[int]) -> Path | None:
    """Return the path for one number of seats: `results-4.jsonl` if there are several."""
    if path is None or len(seats) == 1 or not path.name:
        return path
    return path.with_name(f"{path.stem}-{count}{path.suffix}")


def _stop(file: Path | None, deals: int) -> NoReturn:
    """Exit after Ctrl-C; the message says how many deals were kept."""
    if file is None:
        fail("stopped; nothing was kept. With --out FILE a match can be resumed", INTERRUPTED)
    played = len(arena.load(file).deals) if file.exists() else 0
    fail(
        f"stopped; {played} of {deals} deals are kept in {file}. "
        "Run the same command again to resume",
        INTERRUPTED,
    )
