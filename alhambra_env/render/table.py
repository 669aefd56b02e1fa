"""The panel of the table: whose turn it is, market, open money and supplies; and that of Dirk."""

from typing import Final

from ..engine.material import BUILDINGS, COLOURS, CURRENCIES, N_ROUNDS, N_SLOTS, TILES
from .aid import Ranked
from .position import Panel, Position
from .seat import draw_face
from .shapes import CARD, CELL, at, circle, counted, moved, rect, shortened, text, titled, use
from .symbols import tile_name

TABLE_SIZE: Final = (400, 424)
WIDE_SIZE: Final = (608, 316)
DIRK_SIZE: Final = (400, 74)

_PAD: Final = 16
_SLOT: Final = (86, 130)
_BETWEEN_SLOTS: Final = 8
_TILE: Final = 66
_MARKET_WIDTH: Final = N_SLOTS * (_SLOT[0] + _BETWEEN_SLOTS) - _BETWEEN_SLOTS
_CARD_SCALE: Final = 1.4
_WIDE_CARD_SCALE: Final = 1.2
_PHASES: Final = {
    "turn": "takes money, buys or rebuilds",
    "rebuild": "rebuilds",
    "place": "chooses the tile to place next",
    "put": "places a tile",
}


def draw_table(position: Position, size: tuple[int, int] = TABLE_SIZE) -> Panel:
    """Return the panel of the table; at `WIDE_SIZE` the money lies beside the market."""
    width, height = size
    is_wide = width >= WIDE_SIZE[0]
    money = (_PAD + _MARKET_WIDTH + 24, 84) if is_wide else (_PAD, 244)
    supply = height - 74
    parts = [
        rect(0.5, 0.5, width - 1, height - 1, "box", 10),
        _draw_heading(position, width - _PAD),
        text(_PAD, 84, "Market", "s"),
        at(_PAD, 92, _draw_market(position)),
        text(*money, "Open money", "s"),
        at(money[0], money[1] + 8, _draw_display(position, width - _PAD - money[0], is_wide)),
        at(_PAD, supply, _draw_supply(position)),
    ]
    return Panel(width, height, "".join(parts), f"The table. {_sentence(position)}")


def _sentence(position: Position) -> str:
    snapshot = position.snapshot
    if position.is_over:
        names = [position.names[seat] for seat in position.winners]
        return f"{' and '.join(names)} win{'s' * (len(names) == 1)}"
    name = shortened(position.names[snapshot["to_play"]], 170)
    what = "places a tile won" if snapshot["ending"] else _PHASES[snapshot["phase"]]
    return f"{name} {what}"


def _draw_heading(position: Position, right: float) -> str:
    snapshot = position.snapshot
    scored = snapshot["rounds_scored"]
    rounds = "".join(
        circle(right - 8 - 20 * (N_ROUNDS - 1 - i), 24, 6.5, "turn" if i < scored else "line")
        for i in range(N_ROUNDS)
    )
    title = "Game over" if position.is_over else f"Turn {snapshot['turn'] + 1}"
    return "".join(
        (
            text(_PAD, 30, title, "h"),
            text(right - 8 - 20 * N_ROUNDS + 6, 28, "rounds scored", "s e"),
            titled(f"{scored} of {N_ROUNDS} rounds scored", rounds),
            text(_PAD, 52, shortened(_sentence(position), right - _PAD)),
            f'<path class="rule" d="M{_PAD} 65.5H{right}"/>',
        )
    )


# --- market and open money --------------------------------------------------------------------


def _draw_market(position: Position) -> str:
    slots = enumerate(position.snapshot["market"])
    return "".join(_draw_slot(position, slot, tile) for slot, tile in slots)


def _draw_slot(position: Position, slot: int, tile: int | None) -> str:
    width, height = _SLOT
    x = (width - _TILE) / 2
    if tile is None:
        lies = rect(x, 8, _TILE, _TILE, "gap", 4)
    else:
        lies = at(x, 8, use(f"a-t{tile}"), _TILE / CELL)
    frame = position.marked.of(f"slot:{slot}")
    if not frame and position.marked.last.get("slot") == slot:
        frame = "last"
    parts = [
        rect(0, 0, width, height, "ground", 8),
        lies,
        rect(10, 80, width - 20, 26, f"c{slot}", 13),
        use(f"a-c{slot}", 27, 93, f"k{slot}"),
        text(51, 98.5, "" if tile is None else TILES[tile].price, f"h c k{slot}"),
        text(width / 2, 121, CURRENCIES[slot], "s c"),
        rect(1, 1, width - 2, height - 2, frame, 7) if frame else "",
    ]
    name = "empty" if tile is None else tile_name(tile)
    place = moved(slot * (_SLOT[0] + _BETWEEN_SLOTS), 0)
    title = f"{CURRENCIES[slot]} ({COLOURS[slot]}): {name}"
    return titled(title, parts, f'data-slot="{slot}" {place}')


def _draw_display(position: Position, width: float, is_wide: bool) -> str:
    """Return the open money cards: below the slots, or in two rows."""
    scale = _WIDE_CARD_SCALE if is_wide else _CARD_SCALE
    columns = N_SLOTS // 2 if is_wide else N_SLOTS
    step = (width + _BETWEEN_SLOTS) / columns
    first = (step - _BETWEEN_SLOTS - CARD[0] * scale) / 2
    parts = []
    for i, card in enumerate(position.snapshot["display"]):
        frame = position.marked.of(f"open:{i}")
        if not frame and i in position.marked.last.get("open", ()):
            frame = "last"
        if card is None:
            drawn, name = rect(1, 1, CARD[0] - 2, CARD[1] - 2, frame or "gap", 4), "no card"
        else:
            drawn, name = draw_face(card[0], card[1], frame), f"{CURRENCIES[card[0]]} {card[1]}"
        row, column = divmod(i, columns)
        place = moved(first + column * step, row * (CARD[1] * scale + 6), scale)
        parts.append(titled(name, drawn, f'data-open="{i}" {place}'))
    return "".join(parts)


# --- supplies ---------------------------------------------------------------------------------


def _draw_supply(position: Position) -> str:
    snapshot = position.snapshot
    width = _MARKET_WIDTH
    discards = [sum(counts) for counts in snapshot["discards"]]
    parts = [text(0, 10, f"Bag, {counted(len(snapshot['bag']), 'tile')}", "s")]
    parts.append(at(108, -4, draw_types(position.standing.bag, 260)))
    parts.append(f'<path class="rule" d="M0 25.5H{width}"/>')
    parts.append(text(0, 45, f"Deck, {counted(len(snapshot['deck']), 'card')}", "s"))
    parts.append(text(108, 45, f"Discards, {sum(discards)}", "s"))
    for currency in range(N_SLOTS):
        x = 208 + currency * 42
        parts.append(at(x, 41, use(f"a-c{currency}", 0, 0, f"c{currency}"), 0.8))
        parts.append(text(x + 10, 45.5, discards[currency], "m ink"))
    return "".join(parts)


def draw_types(counts: list[int], width: float) -> str:
    """Return how many tiles there are of each building type, next to its symbol."""
    step = width / len(BUILDINGS)
    return "".join(
        titled(
            f"{count} {name}",
            use(f"a-b{i}", i * step, 0) + text(i * step + 23, 14, count, "m ink"),
        )
        for i, (name, count) in enumerate(zip(BUILDINGS, counts, strict=True))
    )


# --- Dirk -------------------------------------------------------------------------------------


def draw_dirk(position: Position, dirk: Ranked, width: int = DIRK_SIZE[0]) -> Panel:
    """Return the panel of Dirk, the third player of a game for two (R29)."""
    height = DIRK_SIZE[1]
    is_last = position.marked.last.get("kind") == "give"
    frame = position.marked.of("dirk") or ("last" if is_last else "")
    tiles = sum(dirk.tiles)
    parts = [
        rect(0.5, 0.5, width - 1, height - 1, "box", 10),
        rect(2, 2, width - 4, height - 4, frame, 9) if frame else "",
        text(_PAD, 27, "Dirk", "h"),
        text(56, 27, counted(tiles, "tile"), "m"),
        text(width - _PAD, 35, dirk.score, "x e"),
        text(width - _PAD, 51, "points", "s e"),
        at(_PAD, 40, draw_types(dirk.tiles, 294)),
    ]
    title = f"Dirk: {dirk.score} points, {counted(tiles, 'tile')}"
    return Panel(width, height, titled(title, parts, 'data-dirk=""'), title)
