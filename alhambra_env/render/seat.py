"""The panel of a player: score, city, tiles that are not built, and hand."""

from typing import Final, NamedTuple

from ..engine.material import CURRENCIES, N_CURRENCIES, N_VALUES
from .city import draw_city_in
from .position import Panel, Position, cards_in
from .shapes import CARD, CELL, at, circle, counted, moved, rect, shortened, text, titled, use
from .symbols import tile_name

MIN_SIZE: Final = (300, 300)
"""The smallest width and height of a seat's panel."""

_PAD: Final = 12
_HEADER: Final = 56
_HAND: Final = 68
_COLUMN: Final = 52  # width of the tiles that are not built, at the right of the city
_CITY_MARGIN: Final = 6
_LABEL: Final = 12
_ITEM: Final = 38  # height of a tile or card, at most
_LARGEST_CELL: Final = 56
_FEW_CARDS: Final = 22  # more cards than this are drawn as piles of equal cards


def draw_seat(position: Position, seat: int, size: tuple[int, int]) -> Panel:
    """Return the panel of a player.

    Raises:
        ValueError: the size is below `MIN_SIZE`.
    """
    width, height = size
    if width < MIN_SIZE[0] or height < MIN_SIZE[1]:
        raise ValueError(f"a seat needs a size of {MIN_SIZE[0]} x {MIN_SIZE[1]} at least")
    is_next = seat == position.snapshot["to_play"] and not position.is_over
    inner, ground = width - 2 * _PAD, height - _HEADER - _HAND - _PAD
    city = (inner - _COLUMN - 2 * _CITY_MARGIN, ground - 2 * _CITY_MARGIN)
    parts = [
        rect(0.5, 0.5, width - 1, height - 1, "box", 10),
        rect(1.25, 1.25, width - 2.5, height - 2.5, "on", 9.5) if is_next else "",
        _draw_header(position, seat, width, is_next),
        rect(_PAD, _HEADER, inner, ground, "ground", 6),
        at(_PAD + _CITY_MARGIN, _HEADER + _CITY_MARGIN, _draw_city(position, seat, city)),
        at(width - _PAD - _COLUMN, _HEADER, _draw_tiles(position, seat, ground)),
        at(_PAD, height - _HAND - 2, _draw_hand(position, seat, inner)),
    ]
    return Panel(width, height, "".join(parts), _title(position, seat))


def _title(position: Position, seat: int) -> str:
    snapshot = position.snapshot
    return (
        f"{position.names[seat]}: {snapshot['scores'][seat]} points, "
        f"{_facts(position, seat).replace(' ·', ',')}"
    )


def _facts(position: Position, seat: int) -> str:
    snapshot = position.snapshot
    tiles, cards = len(snapshot["cities"][seat]), sum(map(sum, snapshot["hands"][seat]))
    return f"{counted(tiles, 'tile')} · wall {position.walls[seat]} · {counted(cards, 'card')}"


# --- name, score and city ---------------------------------------------------------------------


def badge(x: float, y: float, seat: int | str, is_on: bool, radius: float = 10) -> str:
    """Return the sign of a seat: its number in a circle, filled if it is its turn."""
    kinds = ("turn", "onturn") if is_on else ("line", "ink")
    size = "q c" if radius >= 10 else "s q c"
    baseline = y + (4.5 if radius >= 10 else 4)
    return circle(x, y, radius, kinds[0]) + text(x, baseline, seat, f"{size} {kinds[1]}")


def _draw_header(position: Position, seat: int, width: float, is_next: bool) -> str:
    won = seat in position.winners
    state = "to play" if is_next else "wins" if won else ""
    room = width - (172 if state else 110)
    name = shortened(position.names[seat], room, 15)
    parts = [
        badge(_PAD + 12, 28, seat, is_next or won, 12),
        text(44, 25, name, "h"),
        text(44, 43, _facts(position, seat), "m"),
        text(width - _PAD - 2, 32, position.snapshot["scores"][seat], "x e"),
        text(width - _PAD - 2, 45, "points", "s e"),
    ]
    if state:
        x = width - 120
        parts.append(rect(x, 12, 54, 17, "turn", 8.5) + text(x + 27, 24.5, state, "s c onturn"))
    return "".join(parts)


def _draw_city(position: Position, seat: int, room: tuple[float, float]) -> str:
    marked, last = position.marked, position.marked.last
    is_next = seat == position.snapshot["to_play"]
    return draw_city_in(
        position.snapshot["cities"][seat],
        room,
        _LARGEST_CELL,
        seat=seat,
        marked=marked.cells() if is_next else {},
        last=last.get("cell") if last.get("seat") == seat else None,
        has_sites=marked.has_sites,
    )


# --- tiles that are not built -----------------------------------------------------------------


class _Group(NamedTuple):
    """Tiles that wait for the same."""

    label: str
    kind: str
    tiles: list[int]


_WAITING: Final = {False: _Group("Bought", "bought", []), True: _Group("Won", "won", [])}
"""What tiles are that wait to be placed: in a turn, and at the end of the game (R26)."""


def _groups(position: Position, seat: int) -> list[_Group]:
    snapshot = position.snapshot
    groups = []
    if seat == snapshot["to_play"]:
        picked = [] if snapshot["picked"] is None else [snapshot["picked"]]
        groups += [_Group("To place", "picked", picked)]
        groups += [_WAITING[snapshot["ending"]]._replace(tiles=snapshot["bought"])]
    won = [tile for winner, tile in snapshot["awards"] if winner == seat]
    groups.append(_Group("Won", "won", won))
    groups.append(_Group("Reserve", "reserve", snapshot["reserves"][seat]))
    return [group for group in groups if group.tiles]


def _draw_tiles(position: Position, seat: int, height: float) -> str:
    """Return a column of groups of tiles, each below its label."""
    groups = _groups(position, seat)
    count = sum(len(group.tiles) for group in groups)
    room = height - 8 - len(groups) * (_LABEL + 10)
    parts, y = [], 8.0
    for group in groups:
        parts.append(text(_COLUMN / 2, y + 10, group.label, "s c"))
        y += _LABEL + 4
        columns, side = _squares(len(group.tiles), room * len(group.tiles) / count)
        step = side * 1.08
        left = (_COLUMN - step * columns + step - side) / 2
        for i, tile in enumerate(group.tiles):
            row, column = divmod(i, columns)
            place = moved(left + column * step, y + row * step, side / CELL)
            parts.append(_draw_tile(position, tile, group.kind, seat, place))
        y += -(-len(group.tiles) // columns) * step + 6
    return "".join(parts)


def _squares(count: int, height: float) -> tuple[int, float]:
    """Return in how many columns so many squares lie, and how large they may be."""
    sizes = [
        (min(_COLUMN / columns / 1.16, height / -(-count // columns) / 1.08, _ITEM), -columns)
        for columns in range(1, 6)
    ]
    side, columns = max(sizes)
    return -columns, side


def _draw_tile(position: Position, tile: int, kind: str, seat: int, place: str) -> str:
    marked = position.marked
    frame = marked.of(f"tile:{tile}")
    if not frame and marked.last.get("tile") == tile and marked.last["seat"] == seat:
        frame = "last"
    drawn = use(f"a-t{tile}") + (rect(0, 0, CELL, CELL, frame, 2) if frame else "")
    data = f'data-tile="{tile}" data-in="{kind}" {place}'
    return titled(f"{group_name(kind)}: {tile_name(tile)}", drawn, data)


def group_name(kind: str) -> str:
    """Return what tiles of a group are, for their accessible names."""
    return "to place" if kind == "picked" else kind


# --- hand -------------------------------------------------------------------------------------


def _draw_hand(position: Position, seat: int, width: float) -> str:
    counts = position.snapshot["hands"][seat]
    total = sum(map(sum, counts))
    if not total:
        return text(0, _LABEL, "No cards", "s")
    if seat not in position.shown_hands:
        label, cards = f"Hand, {counted(total, 'card')}", _draw_backs(total, width)
    else:
        value = sum((v + 1) * counts[c][v] for c in range(N_CURRENCIES) for v in range(N_VALUES))
        label, cards = f"Hand, {value} in all", _draw_cards(position, seat, width)
    return text(0, _LABEL, label, "s") + at(0, _LABEL + 6, cards, _ITEM / CARD[1])


def _draw_cards(position: Position, seat: int, width: float) -> str:
    """Return the cards; if they are many, each different one once, with its number of copies."""
    counts = position.snapshot["hands"][seat]
    cards = cards_in(counts)
    is_piled = len(cards) > _FEW_CARDS
    if is_piled:
        cards = [card for card in cards if card[2] == 0]
    step = _step(len(cards), width)
    parts = []
    for i, card in enumerate(cards):
        copies = counts[card[0]][card[1] - 1] if is_piled else 1
        parts.append(_draw_card(position, seat, card, copies, i * step))
    return "".join(parts)


def _step(count: int, width: float) -> float:
    """Return how far apart so many cards lie, which overlap if they are many; in their units."""
    room = width * CARD[1] / _ITEM
    return min(CARD[0] + 4, (room - CARD[0]) / max(1, count - 1))


def _draw_card(
    position: Position, seat: int, card: tuple[int, int, int], copies: int, x: float
) -> str:
    currency, value, copy = card
    observer = position.observer
    data, frame = moved(x, 0), ""
    if seat == (position.snapshot["to_play"] if observer is None else observer):
        key = f"{currency}:{value}"
        data = f'data-hand="{key}" data-copy="{copy}" {data}'
        marked = position.marked
        frame = marked.of(f"hand:{key}:{copy}") or ("" if copy else marked.of(f"hand:{key}"))
    name = f"{CURRENCIES[currency]} {value}" + (f", {copies} cards" if copies > 1 else "")
    drawn = draw_face(currency, value, frame)
    return titled(name, drawn + (text(5, 48, f"x{copies}", "m") if copies > 1 else ""), data)


def draw_face(currency: int, value: int, frame: str = "") -> str:
    """Return a money card, perhaps with a frame of a class."""
    face = use(f"a-m{currency}") + text(5, 31, value, "v")
    return face + (rect(1, 1, CARD[0] - 2, CARD[1] - 2, frame, 3) if frame else "")


def _draw_backs(count: int, width: float) -> str:
    step = _step(count, width)
    backs = "".join(use("a-back", i * step) for i in range(count))
    return titled(f"{counted(count, 'card')}, face down", backs)
