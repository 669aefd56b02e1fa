"""Draws a position as text for the terminal, from `Game.snapshot()`."""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any, Final

from ..engine.material import BUILDINGS, CURRENCIES, FOUNTAIN, N_VALUES, SIDES, TILE_BUILDING, TILES

_SHORT: Final = ("pa", "se", "ar", "ch", "ga", "to")
"""Two letters for each building type."""

_WIDTH: Final = 100
_LABEL: Final = 5  # columns before a city, for the offsets of its rows

# A cell is five characters wide and shares its lines with its neighbours. There is no line between
# two tiles without walls on their shared side. Rows and columns are labelled with their offsets
# from the fountain, as in the names of actions.
#
#             0     1
#          +-----+=====+
#        0 | (O)  pa  3#        = and # are walls
#          +-----+-----+


def draw_table(snapshot: dict[str, Any], walls: list[int]) -> str:
    """Return the position as text: market, open money, hand of the seat to play, cities, reserves.

    Args:
        snapshot: what `Game.snapshot()` returns.
        walls: length of the longest outer wall of each seat.
    """
    seat = snapshot["to_play"]
    parts = [
        _draw_heading(snapshot),
        _draw_market(snapshot["market"]),
        _wrap("Open money", (_card(card) for card in snapshot["display"] if card)),
        _wrap(f"Hand of {seat}", _hand(snapshot["hands"][seat])),
    ]
    if snapshot["picked"] is not None:
        parts.append(_wrap("Picked", [_tile(snapshot["picked"])]))
    if snapshot["bought"]:
        parts.append(_wrap("Bought", map(_tile, snapshot["bought"])))
    if snapshot["awards"]:
        won = (f"{_tile(tile)} by seat {winner}" for winner, tile in snapshot["awards"])
        parts.append(_wrap("Won", won))
    if snapshot["dirk"]:
        dirk = snapshot["dirk"]
        parts.append(_wrap("Dirk", [f"{dirk['score']} points", *map(_tile, dirk["tiles"])]))
    for other in range(snapshot["num_players"]):
        parts += ["", _draw_seat(snapshot, other, walls[other])]
        parts.append(draw_city(snapshot["cities"][other]))
    return "\n".join(parts)


def _draw_heading(snapshot: dict[str, Any]) -> str:
    state = (
        f"seat {snapshot['to_play']} to play ({snapshot['phase']})"
        if snapshot["phase"] != "over"
        else "game over"
    )
    return (
        f"Alhambra, {snapshot['edition']} edition · turn {snapshot['turn']} · "
        f"{snapshot['rounds_scored']} of 3 rounds scored · {state}\n"
        f"{len(snapshot['bag'])} tiles in the bag, {len(snapshot['deck'])} cards in the deck"
    )


def _draw_market(market: list[int | None]) -> str:
    lines = [
        f"  {slot} {currency:<8} {'-' if tile is None else _tile(tile)}"
        for slot, (currency, tile) in enumerate(zip(CURRENCIES, market, strict=True))
    ]
    return "Market\n" + "\n".join(lines)


def _hand(hand: list[list[int]]) -> Iterable[str]:
    for currency, counts in zip(CURRENCIES, hand, strict=True):
        values = [str(value + 1) for value in range(N_VALUES) for _ in range(counts[value])]
        if values:
            yield f"{currency} {' '.join(values)}"


def _draw_seat(snapshot: dict[str, Any], seat: int, wall: int) -> str:
    mark = "*" if seat == snapshot["to_play"] and snapshot["phase"] != "over" else " "
    cards = sum(map(sum, snapshot["hands"][seat]))
    built = [0] * len(BUILDINGS)
    for tile, _, _ in snapshot["cities"][seat]:
        built[TILE_BUILDING[tile]] += 1
    owns = (f"{n} {building}" for building, n in zip(BUILDINGS, built, strict=True) if n)
    line = (
        f"{mark}Seat {seat}: {snapshot['scores'][seat]} points, {cards} cards, wall {wall}; "
        f"{', '.join(owns) or 'nothing built'}"
    )
    reserve = snapshot["reserves"][seat]
    return f"{line}\n{_wrap(' Reserve', map(_tile, reserve))}" if reserve else line


def draw_city(city: list[list[int]]) -> str:
    """Return a city of a snapshot as a drawn grid. `#` and `=` are walls."""
    tiles = {(dy, dx): tile for tile, dy, dx in city} | {(0, 0): FOUNTAIN}
    rows = range(min(y for y, _ in tiles), max(y for y, _ in tiles) + 1)
    columns = range(min(x for _, x in tiles), max(x for _, x in tiles) + 1)
    lines = [" " * _LABEL + "".join(f"{x:>4}  " for x in columns)]
    for y in range(rows.start, rows.stop + 1):
        line, middle = " " * _LABEL, f"{y:>{_LABEL - 1}} "
        for x in range(columns.start, columns.stop + 1):
            around = [(y, x), (y - 1, x), (y, x - 1), (y - 1, x - 1)]
            line += "+" if any(cell in tiles for cell in around) else " "
            line += _draw_edge(tiles.get((y - 1, x)), "S", tiles.get((y, x)), "N", "=", "-") * 5
            middle += _draw_edge(tiles.get((y, x - 1)), "E", tiles.get((y, x)), "W", "#", "|")
            middle += _label(tiles.get((y, x)))
        lines += [line.rstrip(), middle.rstrip()]
    return "\n".join(line.rstrip() for line in lines[:-1])


def _draw_edge(
    before: int | None, side: str, after: int | None, facing: str, wall: str, plain: str
) -> str:
    has_wall = any(
        tile is not None and tile != FOUNTAIN and s in TILES[tile].walls
        for tile, s in ((before, side), (after, facing))
    )
    if has_wall:
        return wall
    return plain if (before is None) != (after is None) else " "


def _label(tile: int | None) -> str:
    if tile is None:
        return " " * 5
    if tile == FOUNTAIN:
        return " (O) "
    return f"{_SHORT[TILE_BUILDING[tile]]}{TILES[tile].price:>3}"


def _tile(tile: int) -> str:
    walls = "".join(side if side in TILES[tile].walls else "." for side in SIDES)
    return f"{TILES[tile].building} {TILES[tile].price} [{walls}] ({tile})"


def _card(card: list[int]) -> str:
    currency, value = card
    return f"{CURRENCIES[currency]} {value}"


def _wrap(label: str, items: Iterable[str]) -> str:
    """Return a label and a list, on as many lines as needed."""
    words = [f"{item}," for item in items]
    text = " ".join(word.replace(" ", "\N{NO-BREAK SPACE}") for word in words).rstrip(",") or "none"
    lines = wrap(text, _WIDTH, initial_indent=f"{label:<12}", subsequent_indent=" " * 12)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")
