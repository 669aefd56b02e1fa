"""`alhambra evaluate` and `alhambra duel`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from .. import arena
from ..arena.outputs import check_output
from ..arena.results import Results
from ..arena.roster import check_counts, enter
from ..extras import check_installed
from ..files import write_whole
from ..options import GameRules, edition_name
from .tidy import GERMAN, INTERRUPTED, Edition, Seed, Workers, console, fail

Seats = Annotated[
    list[int], typer.Option("--players", "-n", help="Seats at the table, 2 to 6. Can be repeated.")
]
Deals = Annotated[int, typer.Option(help="Deals; each is played on every rotation of the seats.")]
Out = Annotated[
    Path | None,
    typer.Option(help="Keep the results here (JSON Lines); if it exists, go on from there."),
]
Png = Annotated[Path | None, typer.Option(help="Draw a picture here.")]
Markdown = Annotated[Path | None, typer.Option(help="Write the tables here, in Markdown.")]
Speed = Annotated[bool, typer.Option(help="Measure decisions a second, too.")]
Play = Callable[[int, Path | None], Results]


def evaluate(
    players: Annotated[
        list[str], typer.Argument(help="Bots, trained agents, players of one's own; see above.")
    ],
    seats: Seats = [3],  # noqa: B006  # what typer wants of an option that can be repeated
    deals: Deals = 200,
    seed: Seed = 0,
    edition: Edition = GERMAN,
    workers: Workers = None,
    out: Out = None,
    png: Png = None,
    markdown: Markdown = None,
    speed: Speed = True,
) -> None:
    """Let players meet, and print how they did.

    With more players than seats all combinations meet; with fewer, players sit
    there several times.

    A player is the name of a bot (alhambra bots lists them), with settings if
    it has any (rollout:playouts=100), a trained agent (ppo:checkpoints/NAME), or
    the import path of a class or function (package.module:Name). To call it
    otherwise, write name=player.

    Example: alhambra evaluate builder saver random --deals 500 --out a.jsonl
    """

    def play(count: int, file: Path | None) -> Results:
        return arena.match(
            players,
            count,
            deals,
            seed,
            edition_name(edition),
            workers=workers,
            out=file,
            progress=True,
        )

    _report(play, players, seats, deals, edition, out, png, markdown, speed)


def duel(
    player: Annotated[str, typer.Argument(help="Who sits alone; as in evaluate.")],
    other: Annotated[str, typer.Argument(help="Whose copies sit on all other seats.")],
    seats: Seats = [3],  # noqa: B006  # what typer wants of an option that can be repeated
    deals: Deals = 200,
    seed: Seed = 0,
    edition: Edition = GERMAN,
    workers: Workers = None,
    out: Out = None,
    png: Png = None,
    markdown: Markdown = None,
    speed: Speed = False,
) -> None:
    """Let one player meet copies of another.

    If both play equally well, the player wins one game in as many as there are seats.

    Example: alhambra duel builder saver --players 4 --deals 300
    """

    def play(count: int, file: Path | None) -> Results:
        return arena.duel(
            player,
            other,
            count,
            deals,
            seed,
            edition_name(edition),
            workers=workers,
            out=file,
            progress=True,
        )

    _report(play, [player, other], seats, deals, edition, out, png, markdown, speed)


def _report(
    play: Play,
    players: Sequence[str],
    seats: Sequence[int],
    deals: int,
    edition: str,
    out: Path | None,
    png: Path | None,
    markdown: Path | None,
    speed: bool,
) -> None:
    """Play for each number of seats, and say how it went."""
    check_installed("arena")  # the tables at the end need what play does not
    entered = [enter(player) for player in players]
    for count in seats:
        GameRules(count, edition_name(edition))  # checks them
        check_counts(entered, count)
        for path in (_for_count(out, count, seats), _for_count(png, count, seats), markdown):
            if path is not None:
                check_output(path)
    screen = console()
    texts = []
    for count in seats:
        file = _for_count(out, count, seats)
        try:
            table = arena.standings(play(count, file))
            speeds = _speeds(players, count) if speed else None
        except KeyboardInterrupt:
            _stop(file, deals)
        for each in arena.rich_tables(table, speeds):
            screen.print(each)
        if picture := _for_count(png, count, seats):
            arena.draw(table, picture)
        texts.append(arena.markdown(table))
    if markdown:
        write_whole(markdown, "\n".join(texts))


def _speeds(players: Sequence[str], count: int) -> dict[str, float]:
    return {enter(each).name: arena.decisions_per_second(each, count) for each in players}


def _for_count(path: Path | None, count: int, seats: Sequence[int]) -> Path | None:
    """Return the path for one number of seats: `results-4.jsonl` if there are several."""
    if path is None or len(seats) == 1 or not path.name:
        return path
    return path.with_name(f"{path.stem}-{count}{path.suffix}")


def _stop(file: Path | None, deals: int) -> NoReturn:
    """Say what is kept of a match that was interrupted."""
    if file is None:
        fail("stopped; nothing was kept. With --out FILE a match can be resumed", INTERRUPTED)
    played = len(arena.load(file).deals) if file.exists() else 0
    fail(
        f"stopped; {played} of {deals} deals are kept in {file}. "
        "The same command again goes on from there",
        INTERRUPTED,
    )
