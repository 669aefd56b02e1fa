"""`alhambra draw`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, cast

import typer

from ..arena.outputs import check_output
from ..errors import DamagedRecord
from ..files import write_whole
from ..game import Game
from ..notation import from_text
from ..record import Record, replayed
from ..render.picture import as_pdf, as_png
from ..render.svg import draw_city
from ..render.theme import Theme
from ..validation import one_of, read_whole_number, shown, whole_number
from .command import console

STANDARD_INPUT: Final = "-"
_ENDINGS: Final = (".svg", ".png", ".pdf")
_THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
_MOST_PLIES: Final = 10**9
_MOST_BYTES: Final = 50_000_000
"""A position has about 2,000 characters, and a record of 1,000 turns about 100,000."""


def draw(
    source: Annotated[
        str,
        typer.Argument(
            metavar="POSITION|RECORD[:PLY]",
            help="A file with a position as text, or - for standard input; or a game record, as "
            "played by all its actions or only by the first PLY ones.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help=f"File to write: {', '.join(_ENDINGS)}.")
    ],
    observer: Annotated[
        int | None,
        typer.Option(metavar="SEAT", help="Show only what this seat knows.", show_default="all"),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            help="The players' names, with commas between them.", show_default="those recorded"
        ),
    ] = None,
    theme: Annotated[str, typer.Option(help=f"Colours: {' or '.join(_THEMES)}.")] = "light",
    width: Annotated[
        int | None, typer.Option(help="Width in pixels.", show_default="its natural width")
    ] = None,
    city: Annotated[
        int | None, typer.Option(metavar="SEAT", help="Draw only the city of this seat.")
    ] = None,
) -> None:
    """Draw a position as a figure: SVG, PNG or PDF.

    Example: alhambra draw game.json:120 -o figure.svg

    Example: alhambra draw position.txt -o city.pdf --city 0

    PNG and PDF need the extra render.
    """
    ending = one_of(out.suffix.lower(), _ENDINGS, "ending of the file to write")
    colours = cast(Theme, one_of(theme, _THEMES, "theme"))
    check_output(out)
    game, recorded = _read(source)
    if city is not None:
        whole_number(city, "city", 0, game.num_players - 1)
        svg = draw_city(game.snapshot()["cities"][city], theme=colours, width=width)
    else:
        called = recorded if names is None else [name.strip() for name in names.split(",")]
        svg = game.svg(observer, names=called, theme=colours, width=width)
    makers: dict[str, Callable[[], bytes]] = {
        ".svg": svg.encode,
        ".png": lambda: as_png(svg),
        ".pdf": lambda: as_pdf(svg),
    }
    data = makers[ending]()
    write_whole(out, data)
    console().print(f"{out}: {len(data):,} bytes", markup=False)


def _read(source: str) -> Record:
    """Return the game of a file or of standard input, and the players' names if it has them."""
    if source == STANDARD_INPUT:
        return _read_text(sys.stdin.read(_MOST_BYTES), "standard input", None)
    path, ply = Path(source), None
    name, colon, number = source.rpartition(":")
    if colon and not path.exists() and Path(name).exists():
        path, ply = Path(name), read_whole_number(number, "PLY", 0, _MOST_PLIES)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise DamagedRecord(f"{path} is too large for a position or a record")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DamagedRecord(f"{path} is neither a position nor a record: it is not text") from None
    return _read_text(text, str(path), ply)


def _read_text(text: str, source: str, ply: int | None) -> Record:
    """Return the game of a position or, after so many actions, of a record."""
    if not text.strip():
        raise ValueError(f"{source} is empty")
    if not text.lstrip().startswith("{"):
        if ply is not None:
            raise ValueError(f"{source} is a position; only a record can have a PLY")
        return Record(from_text(text), None)
    try:
        game, names = replayed(json.loads(text))
    except (json.JSONDecodeError, RecursionError) as error:
        raise DamagedRecord(f"{source} is not a game record: {error}") from None
    if ply is None:
        return Record(game, names)
    if ply > len(game.history):
        raise ValueError(f"{source} has {len(game.history)} actions, so no ply {shown(ply)}")
    earlier = Game(game.num_players, game.edition, game.seed, game.rules.max_turns)
    for action in game.history[:ply]:
        earlier.step(action)
    return Record(earlier, names)
