"""The definitions that a drawing refers to: building types, currencies, tiles and cards.

The symbols are this project's own. Each building type has a symbol besides its colour, and so has
each currency, so that a drawing can be read without colours.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from ..engine.material import BUILDINGS, FOUNTAIN, SIDES, TILE_BUILDING, TILES
from .shapes import CARD, CELL, rect, text, use
from .theme import Theme, style_sheet

BUILDING_ICON: Final = 24
"""Side of the square in which the symbol of a building type is drawn."""

_BUILDING_PATHS: Final = {
    "pavilion": "M11 1h2v3.2c4.7.9 8 3.8 8 7.3H3c0-3.5 3.3-6.4 8-7.3zM4 13h3v7H4z"
    "m6.5 0h3v7h-3zM17 13h3v7h-3zM2 21h20v2H2z",
    "seraglio": "M12 .5c.8 3.5 7.5 5.5 7.5 10.3 0 1.7-.7 3.2-1.7 4.2H6.2c-1-1-1.7-2.5"
    "-1.7-4.2C4.5 6 11.2 4 12 .5zM3 16.5h18V23h-6.5v-1.5a2.5 2.5 0 0 0-5 0V23H3z",
    "arcades": "M1 4h22v18h-2v-7a2.5 2.5 0 0 0-5 0v7h-1.5v-7a2.5 2.5 0 0 0-5 0v7H8v-7a2.5 "
    "2.5 0 0 0-5 0v7H1zM1 1h22v1.8H1z",
    "chambers": "M4 23V9.5a8 8 0 0 1 16 0V23zm3-9.5V20h3.8v-6.5zm6.2 0V20H17v-6.5zM10.8 4.8"
    "A5 5 0 0 0 7 9.5V11h3.8zm2.4 0V11H17V9.5a5 5 0 0 0-3.8-4.7z",
    "garden": "M12 1a5 5 0 0 1 4.9 4.1A5.2 5.2 0 0 1 18 15.3h-4.4V23h-3.2v-7.7H6A5.2 5.2 0 "
    "0 1 7.1 5.1 5 5 0 0 1 12 1z",
    "tower": "M4.5 1H8v2.5h2.3V1h3.4v2.5H16V1h3.5v8.5H17.5V23H14v-3.5a2 2 0 0 0-4 0V23H6.5"
    "V9.5h-2zM11 11v3.5h2V11z",
}
_FOUNTAIN_PATH: Final = (
    "M3 16h18c0 3.7-2.7 5-5.5 5.5V23h-7v-1.5C5.7 21 3 19.7 3 16zM11 14V7.5h2V14zM12 1.5c4.2 0"
    " 7 2.7 7.3 7.5a1.3 1.3 0 0 1-2.6 0C16.5 5.7 14.8 4 12 4S7.5 5.7 7.3 9a1.3 1.3 0 0 1"
    "-2.6 0C5 4.2 7.8 1.5 12 1.5z"
)
_COIN_PATHS: Final = (  # around their middle, of about the same area
    "M6.3 0A6.3 6.3 0 1 1-6.3 0 6.3 6.3 0 0 1 6.3 0z",
    "M0-7.8L7.8 0 0 7.8-7.8 0z",
    "M0-7.6L8 6.2H-8z",
    "M-5.7-5.7H5.7V5.7H-5.7z",
)

_WALL: Final = 3
"""The middle of a wall lies this far inside its tile."""

_WALL_LINES: Final = {
    "N": f"M0 {_WALL}H{CELL}",
    "E": f"M{CELL - _WALL} 0V{CELL}",
    "S": f"M0 {CELL - _WALL}H{CELL}",
    "W": f"M{_WALL} 0V{CELL}",
}
_SIDE_NAMES: Final = dict(zip(SIDES, ("north", "east", "south", "west"), strict=True))
_REFERENCE: Final = re.compile('href="#([^"]*)"')
_MINI: Final = 18
"""Side of the small square with the symbol of a building type."""


@cache
def tile_name(tile: int) -> str:
    """Return what a tile is, such as `garden 8, walls north and west`."""
    if tile == FOUNTAIN:
        return "fountain"
    kind = TILES[tile]
    sides = [_SIDE_NAMES[side] for side in kind.walls]
    walls = f"{', '.join(sides[:-1])} and {sides[-1]}" if len(sides) > 1 else "".join(sides)
    word = "no walls" if not sides else f"wall{'s' * (len(sides) > 1)} {walls}"
    return f"{kind.building} {kind.price}, {word}"


@cache
def definitions(theme: Theme = "page") -> str:
    """Return the style sheet and the `<defs>` that every panel refers to.

    A page needs them once, within an element of `class="alhambra-THEME"`.
    """
    return _written(_symbols().values(), theme)


def definitions_for(drawn: str, theme: Theme) -> str:
    """Return only those definitions that a drawing refers to, for a file of its own."""
    symbols = _symbols()
    names: set[str] = set().union(*map(_needed, set(_REFERENCE.findall(drawn))))
    return _written((symbol for name, symbol in symbols.items() if name in names), theme)


@cache
def _needed(name: str) -> set[str]:
    """Return a definition and those that it refers to."""
    return {name}.union(*map(_needed, _REFERENCE.findall(_symbols()[name])))


def _written(symbols: Iterable[str], theme: Theme) -> str:
    style = f"<style>{style_sheet(theme)}</style>"
    # Browsers match selectors within the copy of a definition, without what it was copied into.
    shared = "".join(symbols).replace('<g id="', f'<g class="alhambra-{theme}" id="')
    return of_theme(f"{style}<defs>{shared}</defs>", theme)


def of_theme(drawn: str, theme: Theme) -> str:
    """Return a drawing that refers to the definitions of a theme.

    So a light and a dark figure can be on one page, as in a notebook: ids are those of the page.
    """
    if theme == "page":
        return drawn
    prefix = theme[0]
    return drawn.replace('href="#a-', f'href="#{prefix}-').replace(' id="a-', f' id="{prefix}-')


@cache
def _symbols() -> dict[str, str]:
    """Return the definitions by name."""
    parts = [
        f'<path id="a-i{i}" fill-rule="evenodd" d="{_BUILDING_PATHS[name]}"/>'
        for i, name in enumerate(BUILDINGS)
    ]
    parts += [f'<path id="a-c{i}" d="{path}"/>' for i, path in enumerate(_COIN_PATHS)]
    parts += [
        f'<g id="a-b{i}">{rect(0, 0, _MINI, _MINI, f"b{i}", 3)}'
        f'<use href="#a-i{i}" class="o{i}" transform="translate(3 3) scale(.5)"/></g>'
        for i in range(len(BUILDINGS))
    ]
    side = (CELL - BUILDING_ICON) / 2
    parts += [
        f'<g id="a-f{i}">{rect(0, 0, CELL, CELL, f"b{i} t")}{use(f"a-i{i}", side, 7, f"o{i}")}</g>'
        for i in range(len(BUILDINGS))
    ]
    parts += [_tile(tile) for tile in range(len(TILES))]
    middle = (CELL - 1.5 * BUILDING_ICON) / 2
    parts.append(
        f'<g id="a-t{FOUNTAIN}">{rect(0, 0, CELL, CELL, "stone t")}<path class="onstone" '
        f'transform="translate({middle:g} {middle:g}) scale(1.5)" d="{_FOUNTAIN_PATH}"/></g>'
    )
    parts += [_card_face(currency) for currency in range(len(_COIN_PATHS))]
    width, height = CARD
    parts.append(
        f'<g id="a-back">{rect(0.5, 0.5, width - 1, height - 1, "card", 4)}'
        f"{rect(4.5, 4.5, width - 9, height - 9, 'line', 2)}</g>"
    )
    return {part.split('"', 2)[1]: part for part in parts}


def _tile(tile: int) -> str:
    building = TILE_BUILDING[tile]
    walls = "".join(_WALL_LINES[wall] for wall in TILES[tile].walls)
    drawn = f'<path class="w" d="{walls}"/>' if walls else ""
    return (
        f'<g id="a-t{tile}">{use(f"a-f{building}")}'
        f"{text(CELL / 2, 51, TILES[tile].price, f'p o{building}')}{drawn}</g>"
    )


def _card_face(currency: int) -> str:
    width, height = CARD
    return (
        f'<g id="a-m{currency}">{rect(0.5, 0.5, width - 1, height - 1, "card", 4)}'
        f'<path class="c{currency}" d="M1 10V4.5A3.5 3.5 0 0 1 4.5 1h{width - 9}'
        f'a3.5 3.5 0 0 1 3.5 3.5V10z"/>'
        f"{use(f'a-c{currency}', width - 12, height - 13, f'c{currency}')}</g>"
    )
