"""`alhambra replay`."""

import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, cast

import typer
from rich.progress import TaskID

from ..arena.outputs import check_output
from ..arena.progress import progress_bar
from ..extras import check_installed
from ..files import write_whole
from ..pages import DEFAULT_CHANCES, DEFAULT_FPS, VIDEO_ENDINGS, replay_page, write_video
from ..pages.progress import Progress
from ..players import Player, as_player, check_player_count
from ..record import read_record
from ..render.frames import FRAME_WIDTH
from ..render.theme import Theme
from ..validation import one_of, whole_number
from .command import INTERRUPTED, console, fail

PAGE: Final = ".html"
_ENDINGS: Final = (PAGE, *VIDEO_ENDINGS)
_THEMES: Final = ("light", "dark")
_MOST_PLAYOUTS: Final = 10_000


def replay(
    record: Annotated[
        Path, typer.Argument(help="A game record, as alhambra watch --save writes it.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help=f"File to write: {', '.join(_ENDINGS)}.",
            show_default="a page beside the record",
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            help="The players' names, with commas between them.", show_default="those recorded"
        ),
    ] = None,
    explained: Annotated[
        bool,
        typer.Option(
            "--explain/--no-explain",
            help="Page: show what bots and shipped agents weighed at their decisions.",
        ),
    ] = True,
    advisor: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Page: show what this player, as in evaluate, weighs at all decisions.",
        ),
    ] = None,
    chances: Annotated[
        int,
        typer.Option(help="Page: playouts a turn for the chances to win; 0 leaves them out."),
    ] = DEFAULT_CHANCES,
    opened: Annotated[bool, typer.Option("--open", help="Open the file in the browser.")] = False,
    observer: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT", help="Video: show only what this seat knows.", show_default="all"
        ),
    ] = None,
    fps: Annotated[float, typer.Option(help="Video: actions a second.")] = DEFAULT_FPS,
    width: Annotated[int, typer.Option(help="Video: width in pixels.")] = FRAME_WIDTH,
    theme: Annotated[str, typer.Option(help=f"Video: colours, {' or '.join(_THEMES)}.")] = "light",
) -> None:
    """Replay a recorded game: as a web page, or as a video.

    The page is one file that needs no network. It shows everything, or what a
    seat may know, move by move; the chances to win; and what bots and agents
    weighed.

    Example: alhambra replay game.json --open

    Example: alhambra replay game.json -o game.mp4 --fps 4 --observer 0

    Videos need the extra render.
    """
    target = record.with_suffix(PAGE) if out is None else out
    ending = one_of(target.suffix.lower(), _ENDINGS, "ending of the file to write")
    colours = cast(Theme, one_of(theme, _THEMES, "theme"))
    whole_number(chances, "chances", 0, _MOST_PLAYOUTS)
    if ending == PAGE and observer is not None:
        fail("--observer is for videos; a page has a choice of what is shown")
    check_output(target)
    saved = read_record(record)
    called = None if names is None else [name.strip() for name in names.split(",")]
    try:
        with _progress() as told:
            if ending == PAGE:
                page = replay_page(
                    saved,
                    called,
                    explainers=_explainers(explained, advisor, saved.game.num_players),
                    chances=chances,
                    progress=told,
                )
                write_whole(target, page)
            else:
                check_installed("render")
                write_video(
                    saved,
                    target,
                    called,
                    observer=observer,
                    fps=fps,
                    width=width,
                    theme=colours,
                    progress=told,
                )
    except KeyboardInterrupt:
        fail("stopped; nothing was written", INTERRUPTED)
    size = target.stat().st_size
    console().print(f"{target}: {size:,} bytes", markup=False, soft_wrap=True)
    if opened and not webbrowser.open(target.resolve().as_uri()):
        fail(f"no browser was found to open {target}")


def _explainers(
    explained: bool, advisor: str | None, num_players: int
) -> Sequence[Player | None] | None:
    """Return whom to ask at the decisions of each seat; None for the players of the record."""
    if advisor is None or not explained:
        return None if explained else []
    player = as_player(advisor)
    check_player_count(player, num_players)
    return [player] * num_players


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show a bar for each thing that is done."""
    with progress_bar(True) as bar:
        tasks: dict[str, TaskID] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                for task in tasks.values():
                    bar.remove_task(task)
                tasks.clear()
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done)

        yield tell
