"""`alhambra play`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from ..arena.outputs import check_output_folder
from ..extras import check_installed
from ..options import DEFAULT_EDITION
from ..play.seats import DEFAULT, HUMAN
from ..play.session import DEFAULT_HINT, DEFAULT_PAUSE, Session
from .command import Edition

DEFAULT_PORT: Final = 8000


def play(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"Who plays on each seat: once {HUMAN}, the others as in evaluate.",
            show_default=" ".join(DEFAULT),
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first game.", show_default="random")
    ] = None,
    edition: Edition = DEFAULT_EDITION,
    hint: Annotated[str, typer.Option(help="The player who gives hints.")] = DEFAULT_HINT,
    pause: Annotated[
        float, typer.Option(help="Seconds between two actions of the others.")
    ] = DEFAULT_PAUSE,
    port: Annotated[
        int, typer.Option(help="Port of 127.0.0.1; if it is occupied, the next free one.")
    ] = DEFAULT_PORT,
    opening: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    save: Annotated[
        Path | None, typer.Option(help="Folder for the records of finished games.")
    ] = None,
) -> None:
    """Play against bots and agents, on a page in your browser.

    Without players, you play against the agent turns and the bot lookahead.

    The page is served on this computer only, until Ctrl-C.

    Example: alhambra play

    Example: alhambra play human turns lookahead --seed 7 --hint turns

    Example: alhambra play Ada=human rollout:playouts=20 --edition czech --save games
    """
    check_installed("play")
    from ..play.serving import serve  # needs the extra

    if save is not None:
        check_output_folder(save)
        save.mkdir(exist_ok=True)
    session = Session(players or DEFAULT, edition, seed, hint=hint, pause=pause, folder=save)
    serve(session, port, is_opening=opening, say=typer.echo)
    typer.echo("Stopped.")
