"""Draws a city: its tiles, the longest outer wall, and the cells that are marked."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..engine.material import FOUNTAIN
from .outline import Cell, Edge, corners, longest_wall, tiles_of
from .shapes import CELL, at, rect, titled, use
from .symbols import tile_name

_SMALLEST: Final = 3  # cells; a city is drawn as if it were at least this wide and high
_MARGIN: Final = 0.3  # cells around a city, for the line along its wall
_INSET: Final = 2  # of a mark within its cell


class Extent(NamedTuple):
    """The cells that a drawing of a city has room for."""

    top: float
    left: float
    bottom: float
    right: float

    @property
    def width(self) -> float:
        """How many cells wide."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """How many cells high."""
        return self.bottom - self.top


def extent_of(tiles: Mapping[Cell, int], marked: Mapping[Cell, str], has_sites: bool) -> Extent:
    """Return the room that a city needs.

    With sites it has a free cell on each side, so it stays where it is when a site is marked.
    """
    rows = [dy for dy, _ in tiles]
    columns = [dx for _, dx in tiles]
    around = 1 if has_sites else 0
    top = min([min(rows) - around, *(dy for dy, _ in marked)])
    left = min([min(columns) - around, *(dx for _, dx in marked)])
    bottom = max([max(rows) + around, *(dy for dy, _ in marked)]) + 1
    right = max([max(columns) + around, *(dx for _, dx in marked)]) + 1
    high, wide = max(0, _SMALLEST - bottom + top) / 2, max(0, _SMALLEST - right + left) / 2
    return Extent(
        top - high - _MARGIN, left - wide - _MARGIN, bottom + high + _MARGIN, right + wide + _MARGIN
    )


def draw_tiles(
    tiles: Mapping[Cell, int],
    seat: int | None = None,
    marked: Mapping[Cell, str] | None = None,
    last: Cell | None = None,
) -> str:
    """Return the tiles of a city and its longest wall; the fountain's corner is at 0, 0.

    Args:
        tiles: the tile on each cell.
        seat: whose city it is, for the data attributes.
        marked: the class of the mark of each cell; empty cells are drawn as sites.
        last: the cell that the last action changed.
    """
    marked = marked or {}
    owner = "" if seat is None else f' data-seat="{seat}"'
    wall = longest_wall(tiles)
    parts = [_draw_longest(wall, "l")]
    for (dy, dx), tile in tiles.items():
        data = "" if tile == FOUNTAIN else f'data-cell="{dy},{dx}"{owner}'
        parts.append(titled(tile_name(tile), use(f"a-t{tile}", dx * CELL, dy * CELL), data))
    parts.append(_draw_longest(wall, "g"))
    for cell in sorted(marked.keys() - tiles.keys()):
        dy, dx = cell
        site = _frame(cell, f"site {marked[cell]}")
        parts.append(titled(f"site {dy},{dx}", site, f'data-cell="{dy},{dx}"{owner}'))
    if last is not None:
        parts += [_frame(last, "last"), _frame(last, "inside", 3)]
    parts += [_frame(cell, mark) for cell, mark in marked.items() if cell in tiles]
    return "".join(parts)


def _draw_longest(wall: list[Edge], kind: str) -> str:
    if not wall:
        return ""
    (y, x), *others = corners(wall)
    line = f"M{x * CELL} {y * CELL}"
    for row, column in others:
        line += f"h{(column - x) * CELL}" if row == y else f"v{(row - y) * CELL}"
        y, x = row, column
    return f'<path class="{kind}" d="{line}"/>'


def _frame(cell: Cell, kind: str, within: float = 0) -> str:
    dy, dx = cell
    inset = _INSET + within
    side = CELL - 2 * inset
    return rect(dx * CELL + inset, dy * CELL + inset, side, side, kind, 3)


def fitted(drawn: str, extent: Extent, room: tuple[float, float], largest: float) -> str:
    """Return the tiles of a city in the middle of a room, with cells as large as fit."""
    width, height = room
    side = min(width / extent.width, height / extent.height, largest)
    x = (width - side * extent.width) / 2 - extent.left * side
    y = (height - side * extent.height) / 2 - extent.top * side
    return at(x, y, drawn, side / CELL)


def draw_city_in(
    city: list[list[int]],
    room: tuple[float, float],
    largest: float,
    *,
    seat: int | None = None,
    marked: Mapping[Cell, str] | None = None,
    last: Cell | None = None,
    has_sites: bool = False,
) -> str:
    """Return a city of a snapshot, drawn to fit into a room."""
    tiles = tiles_of(city)
    marked = marked or {}
    shown = {**marked, last: "last"} if last is not None else marked
    extent = extent_of(tiles, shown, has_sites)
    return fitted(draw_tiles(tiles, seat, marked, last), extent, room, largest)
