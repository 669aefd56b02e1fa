"""Draws a position as SVG: in panels for web pages, or as one figure.

    shared = definitions_svg()                      # once in a page, as font_faces() in its style
    parts = panels(game.snapshot(), observer=0)     # {"table": Panel, "aid": Panel, "seat-0": ...}
    pieces = [panel_svg(panel) for panel in parts.values()]

    figure = draw_position(game.snapshot())         # one file, with all that it needs

A drawing for an observer contains nothing that the seat may not know: of the other hands, the deck
and the bag it has only the numbers (tiles in the bag by type are known, as all others were seen).
The order of deck and bag is never drawn.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from ..options import DEFAULT_HANDS, Hands
from ..validation import whole_number
from .arrangement import arrange
from .city import draw_city_in, extent_of
from .marks import LastAction, Mark, Marks
from .outline import tiles_of
from .position import Panel, read_position
from .prizes import draw_aid_panel
from .seat import draw_seat
from .shapes import at, number, rect
from .symbols import definitions, definitions_for, of_theme
from .table import draw_dirk, draw_table
from .theme import Theme, font_faces

__all__ = [
    "LastAction",
    "Mark",
    "Marks",
    "Panel",
    "Theme",
    "definitions",
    "definitions_svg",
    "draw_city",
    "draw_position",
    "font_faces",
    "panel_svg",
    "panels",
]

SEAT_SIZE: Final = (400, 470)
"""Width and height of the panel of a seat, unless another one is asked for."""

WIDEST: Final = 10_000
"""Pixels of a figure."""

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_CITY_CELL: Final = 60


def panels(
    snapshot: dict[str, Any],
    observer: int | None = None,
    *,
    names: Sequence[str] | None = None,
    hands: Hands = DEFAULT_HANDS,
    last: LastAction | None = None,
    marks: Marks | None = None,
    seat_size: tuple[int, int] = SEAT_SIZE,
) -> dict[str, Panel]:
    """Return the panels of a position by name: `table`, `aid`, `dirk` (2 players), `seat-0`, ...

    Args:
        snapshot: what `Game.snapshot()` returns.
        observer: the seat that looks, or None to show everything.
        names: of the players; without, they are `Seat 0`, ...
        hands: `"open"` shows an observer the hands of the others too.
        last: the seat that played the last action, and the action; what it changed is marked.
        marks: what can be chosen, is hinted or selected, by key (`render.marks`). With marks, even
            none, a city has room for one more tile on each side.
        seat_size: width and height of the seats' panels. The other sizes are fixed.

    Raises:
        ValueError: for an observer, names, marks or a size that do not fit.
    """
    position = read_position(snapshot, observer, names, hands, last, marks)
    drawn = {"table": draw_table(position), "aid": draw_aid_panel(position)}
    if snapshot["dirk"]:
        drawn["dirk"] = draw_dirk(position, position.standing.players[-1])
    for seat in range(snapshot["num_players"]):
        drawn[f"seat-{seat}"] = draw_seat(position, seat, seat_size)
    return drawn


def panel_svg(panel: Panel, theme: Theme = "page") -> str:
    """Return a panel as an `<svg>` of its own, which needs `definitions` on the same page."""
    return (
        f'<svg xmlns="{_NAMESPACE}" class="alhambra-{theme}" role="group" '
        f'viewBox="0 0 {panel.width} {panel.height}" '
        f'aria-label="{escape(panel.title)}">{of_theme(panel.body, theme)}</svg>'
    )


def definitions_svg(theme: Theme = "page") -> str:
    """Return an invisible `<svg>` with the definitions, for a page that shows panels."""
    return (
        f'<svg xmlns="{_NAMESPACE}" class="alhambra-{theme}" width="0" height="0" '
        f'style="position:absolute" aria-hidden="true">{definitions(theme)}</svg>'
    )


def draw_position(
    snapshot: dict[str, Any],
    observer: int | None = None,
    *,
    names: Sequence[str] | None = None,
    hands: Hands = DEFAULT_HANDS,
    last: LastAction | None = None,
    marks: Marks | None = None,
    theme: Theme = "light",
    width: int | None = None,
) -> str:
    """Return a position as one figure, a file of SVG.

    Args:
        snapshot: what `Game.snapshot()` returns.
        observer: the seat that looks, or None to show everything.
        names: of the players; without, they are `Seat 0`, ...
        hands: `"open"` shows an observer the hands of the others too.
        last: the seat that played the last action, and the action; what it changed is marked.
        marks: what can be chosen, is hinted or selected, as for `panels`.
        theme: `"light"`, `"dark"` or `"page"`.
        width: in pixels; without, the figure has its natural size.

    Raises:
        ValueError: for arguments that do not fit, as in `panels`.
    """
    position = read_position(snapshot, observer, names, hands, last, marks)
    arranged = arrange(position)
    parts = (at(*place, panel.body) for panel, place in arranged.placed.values())
    title = f"Alhambra, {snapshot['num_players']} players"
    about = ". ".join(panel.title for panel, _ in arranged.placed.values())
    return _figure(arranged.size, "".join(parts), theme, width, title, about)


def draw_alone(panel: Panel, theme: Theme, size: tuple[int, int]) -> str:
    """Return a panel as a file of SVG of exactly this size."""
    width, height = size
    return (
        f'<svg xmlns="{_NAMESPACE}" class="alhambra-{theme}" width="{width}" height="{height}" '
        f'viewBox="0 0 {panel.width} {panel.height}" preserveAspectRatio="none">'
        f"{definitions_for(panel.body, theme)}{rect(0, 0, panel.width, panel.height, 'back')}"
        f"{of_theme(panel.body, theme)}</svg>"
    )


def draw_city(city: list[list[int]], *, theme: Theme = "light", width: int | None = None) -> str:
    """Return a city of a snapshot as a figure, a file of SVG.

    Args:
        city: an element of `Game.snapshot()["cities"]`.
        theme: `"light"`, `"dark"` or `"page"`.
        width: in pixels; without, the figure has its natural size.
    """
    extent = extent_of(tiles_of(city), {}, False)
    room = (round(extent.width * _CITY_CELL), round(extent.height * _CITY_CELL))
    body = draw_city_in(city, room, _CITY_CELL)
    return _figure(room, body, theme, width, "A city", f"{len(city)} tiles")


def _figure(
    size: tuple[int, int], body: str, theme: Theme, width: int | None, title: str, about: str
) -> str:
    wide, high = size
    shown = wide if width is None else whole_number(width, "width", 1, WIDEST)
    return (
        f'<svg xmlns="{_NAMESPACE}" class="alhambra-{theme}" role="img" '
        f'viewBox="0 0 {wide} {high}" width="{number(shown)}" '
        f'height="{number(round(high * shown / wide))}">'
        f"<title>{escape(title)}</title><desc>{escape(about)}</desc>{definitions_for(body, theme)}"
        f"{rect(0, 0, wide, high, 'back')}{of_theme(body, theme)}</svg>"
    )
