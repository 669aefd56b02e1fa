"""The panel of a player: score, city, tiles that are not built, and hand."""

from typing import Final, NamedTuple

from ..engine.material import CURRENCIES, N_VALUES
from .city import draw_city_in
from .position import Panel, Position, cards_in
from .shapes import (
    CARD,
    CELL,
    at,
    circle,
    length_of,
    rect,
    shortened,
    text,
    titled,
    use,
)
from .symbols import tile_name

_PAD: Final = 12
_HEADER: Final = 56
_STRIP: Final = 58  # tiles that are not built, and the hand: each with a label
_LABEL: Final = 12
_ITEM: Final = 36  # height of a tile or a card in a strip
_LARGEST_CELL: Final = 54
_GAP: Final = 14  # between groups of tiles
_NARROWEST_GROUP: Final = 56
_FEW_CARDS: Final = 22  # more cards than this are drawn as piles of equal cards

MIN_SIZE: Final = (300, 300)
"""The smallest width and height of a seat's panel."""


def draw_seat(position: Position, seat: int, size: tuple[int, int]) -> Panel:
    """Return the panel of a player.

    Raises:
        ValueError: the size is below `MIN_SIZE`.
    """
    width, height = size
    if width < MIN_SIZE[0] or height < MIN_SIZE[1]:
        raise ValueError(f"a seat needs a size of {MIN_SIZE[0]} x {MIN_SIZE[1]} at least")
    is_next = seat == position.snapshot["to_play"] and not position.is_over
    room = (width - 2 * _PAD, height - _HEADER - 2 * _STRIP - _PAD)
    strips = height - 2 * _STRIP
    parts = [
        rect(0.5, 0.5, width - 1, height - 1, "box", 10),
        rect(1.25, 1.25, width - 2.5, height - 2.5, "on", 9.5) if is_next else "",
        _draw_header(position, seat, width, is_next),
        rect(_PAD, _HEADER, *room, "ground", 6),
        at(_PAD, _HEADER, _draw_city(position, seat, room)),
        at(_PAD, strips, _draw_tiles(position, seat, width - 2 * _PAD)),
        at(_PAD, strips + _STRIP, _draw_hand(position, seat, width - 2 * _PAD)),
    ]
    return Panel(width, height, "".join(parts), _title(position, seat))


def _title(position: Position, seat: int) -> str:
    snapshot = position.snapshot
    return (
        f"{position.names[seat]}: {snapshot['scores'][seat]} points, "
        f"{len(snapshot['cities'][seat])} tiles, longest wall {position.walls[seat]}, "
        f"{sum(map(sum, snapshot['hands'][seat]))} cards"
    )


# --- name and score ---------------------------------------------------------------------------


def badge(x: float, y: float, seat: int | str, is_on: bool, radius: float = 10) -> str:
    """Return the sign of a seat: its number in a circle, filled if it is its turn."""
    kinds = ("turn", "onturn") if is_on else ("line", "ink")
    size = "q c" if radius >= 10 else "s q c"
    return circle(x, y, radius, kinds[0]) + text(x, y + 4.5, seat, f"{size} {kinds[1]}")


def _draw_header(position: Position, seat: int, width: float, is_next: bool) -> str:
    snapshot = position.snapshot
    won = seat in position.winners
    state = "to play" if is_next else "wins" if won else ""
    room = width - 116 - (62 if state else 0)
    name = shortened(position.names[seat], room, 15)
    tiles, cards = len(snapshot["cities"][seat]), sum(map(sum, snapshot["hands"][seat]))
    facts = f"{_count(tiles, 'tile')} · wall {position.walls[seat]} · {_count(cards, 'card')}"
    parts = [
        badge(_PAD + 12, 28, seat, is_next or won, 12),
        text(44, 25, name, "h"),
        text(44, 43, facts, "m"),
        text(width - _PAD, 31, snapshot["scores"][seat], "x e"),
        text(width - _PAD, 45, "points", "s e"),
    ]
    if state:
        end = min(44 + length_of(name, 15) + 8, width - 130)
        parts.append(rect(end, 12, 54, 17, "turn", 8.5) + text(end + 27, 24.5, state, "s c onturn"))
    return "".join(parts)


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


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


def _groups(position: Position, seat: int) -> list[_Group]:
    snapshot = position.snapshot
    groups = []
    if seat == snapshot["to_play"]:
        picked = [] if snapshot["picked"] is None else [snapshot["picked"]]
        groups += [_Group("To place", "picked", picked)]
        groups += [_Group("Bought", "bought", snapshot["bought"])]
    won = [tile for winner, tile in snapshot["awards"] if winner == seat]
    groups.append(_Group("Won", "won", won))
    groups.append(_Group("Reserve", "reserve", snapshot["reserves"][seat]))
    return [group for group in groups if group.tiles]


def _draw_tiles(position: Position, seat: int, width: float) -> str:
    groups = _groups(position, seat)
    if not groups:
        return text(0, _LABEL, "No tiles in reserve", "s")
    room = width - _GAP * (len(groups) - 1)
    spare = room - _NARROWEST_GROUP * len(groups)
    count = sum(len(group.tiles) for group in groups)
    parts, x = [], 0.0
    for group in groups:
        share = _NARROWEST_GROUP + spare * len(group.tiles) / count
        parts.append(text(x, _LABEL, group.label, "s"))
        side, rows = _square_side(len(group.tiles), share)
        across = -(-len(group.tiles) // rows)
        for i, tile in enumerate(group.tiles):
            row, column = divmod(i, across)
            drawn = _draw_tile(position, tile, group.kind, seat)
            parts.append(
                at(x + column * (side + 3), _LABEL + 6 + row * (side + 3), drawn, side / CELL)
            )
        x += min(share, max(_NARROWEST_GROUP, across * (side + 3))) + _GAP
    return "".join(parts)


def _square_side(count: int, width: float) -> tuple[float, int]:
    """Return how large so many squares may be, and in how many rows they lie."""
    sizes = (
        (min((_ITEM - 3 * (rows - 1)) / rows, (width + 3) / -(-count // rows) - 3), -rows)
        for rows in (1, 2, 3)
    )
    side, rows = max(sizes)
    return side, -rows


def _draw_tile(position: Position, tile: int, kind: str, seat: int) -> str:
    marked = position.marked
    frame = marked.of(f"tile:{tile}")
    if not frame and marked.last.get("tile") == tile and marked.last["seat"] == seat:
        frame = "last"
    drawn = use(f"a-t{tile}") + (rect(0, 0, CELL, CELL, frame, 2) if frame else "")
    return titled(f"{kind}: {tile_name(tile)}", drawn, f'data-tile="{tile}" data-in="{kind}"')


# --- hand -------------------------------------------------------------------------------------


def _draw_hand(position: Position, seat: int, width: float) -> str:
    counts = position.snapshot["hands"][seat]
    cards = cards_in(counts)
    if seat not in position.shown_hands:
        return _draw_backs(len(cards), width)
    sums = [sum((v + 1) * counts[c][v] for v in range(N_VALUES)) for c in range(len(CURRENCIES))]
    label = f"Hand, {sum(sums)} in all" if cards else "No cards"
    if len(cards) > _FEW_CARDS:
        return text(0, _LABEL, label, "s") + _draw_piles(position, seat, counts, width)
    step = _step(len(cards), width)
    parts = [text(0, _LABEL, label, "s")]
    for i, (currency, value, copy) in enumerate(cards):
        drawn = _draw_card(position, seat, (currency, value, copy))
        parts.append(at(i * step, _LABEL + 6, drawn, _ITEM / CARD[1]))
    return "".join(parts)


def _step(count: int, width: float) -> float:
    """Return how far apart so many cards lie, which overlap if they are many."""
    card = CARD[0] * _ITEM / CARD[1]
    return min(card + 3, (width - card) / max(1, count - 1))


def _draw_card(position: Position, seat: int, card: tuple[int, int, int]) -> str:
    currency, value, copy = card
    key = f"{currency}:{value}"
    data, frame = "", ""
    if seat == (
        position.observer if position.observer is not None else position.snapshot["to_play"]
    ):
        data = f'data-hand="{key}" data-copy="{copy}"'
        frame = position.marked.of(f"hand:{key}:{copy}")
        if not copy:
            frame = frame or position.marked.of(f"hand:{key}")
    return titled(f"{CURRENCIES[currency]} {value}", draw_face(currency, value, frame), data)


def draw_face(currency: int, value: int, frame: str = "") -> str:
    """Return a money card, perhaps with a frame of a class."""
    face = use(f"a-m{currency}") + text(5, 31, value, "v")
    return face + (rect(1, 1, CARD[0] - 2, CARD[1] - 2, frame, 3) if frame else "")


def _draw_piles(position: Position, seat: int, counts: list[list[int]], width: float) -> str:
    """Return a large hand: each card once, with how many of it there are."""
    piles = [(c, v + 1, counts[c][v]) for c, v, copy in cards_in_once(counts) if not copy]
    step = _step(len(piles), width)
    parts = []
    for i, (currency, value, copies) in enumerate(piles):
        drawn = _draw_card(position, seat, (currency, value, 0))
        more = text(5, 50, f"×{copies}", "s") if copies > 1 else ""
        parts.append(at(i * step, _LABEL + 6, drawn + more, _ITEM / CARD[1]))
    return "".join(parts)


def cards_in_once(counts: list[list[int]]) -> list[tuple[int, int, int]]:
    """Return each different card: currency, value less 1, and 0."""
    return [(c, v, 0) for c in range(len(CURRENCIES)) for v in range(N_VALUES) if counts[c][v]]


def _draw_backs(count: int, width: float) -> str:
    if not count:
        return text(0, _LABEL, "No cards", "s")
    step = _step(count, width)
    scale = _ITEM / CARD[1]
    backs = "".join(use("a-back", i * step / scale, 0) for i in range(count))
    label = text(0, _LABEL, f"Hand, {_count(count, 'card')}", "s")
    return label + at(0, _LABEL + 6, titled(f"{_count(count, 'card')}, face down", backs), scale)
