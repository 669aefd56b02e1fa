"""The action space: one flat `Discrete(1955)`, the same for all editions and player counts.

`ACTIONS` is the table of its ranges. An action is a number; `decode` turns it into a `Move` and
`encode` back, `name` turns it into text and `parse` back, `describe` writes a sentence.

    >>> name(35)
    'buy:0:1+3'
    >>> parse("take:0,2")
    4
"""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .engine.action_ranges import ACTIONS, ENCODING_VERSION, N_ACTIONS, Kind
from .engine.grid import MIDDLE, N_CELLS, cell_at, offset_of, unfolded
from .engine.material import CURRENCIES, N_SLOTS, N_TILES, N_VALUES, NONE, TILES, split_card
from .engine.payments import N_PAYMENTS, PAYMENT_NUMBER, PAYMENTS
from .validation import did_you_mean, shown, whole_number

if TYPE_CHECKING:
    from .game import Game

__all__ = [
    "ACTIONS",
    "ENCODING_VERSION",
    "N_ACTIONS",
    "Kind",
    "Move",
    "decode",
    "describe",
    "encode",
    "kind_of",
    "name",
    "parse",
]

_KINDS: Final = {kind.name: kind for kind in ACTIONS}


class Move(NamedTuple):
    """What an action means.

    The arguments by kind: take `(open card, ...)`, buy `(slot, payment)` with the payment's values
    in ascending order, pick `(tile,)`, remove and put `(dy, dx)`, overpay `(value,)`; the other
    kinds have none.
    """

    kind: str
    args: tuple[Any, ...] = ()


def kind_of(action: int) -> Kind:
    """Return the kind of an action, or raise `ValueError` if there is no such number."""
    number = _number_of(action)
    return next(kind for kind in ACTIONS if kind.start <= number < kind.end)


def _number_of(action: Any) -> int:
    """Return an action as a plain int: a NumPy integer could overflow."""
    try:
        return whole_number(action, "an action", 0, N_ACTIONS - 1)
    except ValueError:
        raise ValueError(
            f"no action has the number {shown(action)}; they are 0 to {N_ACTIONS - 1}"
        ) from None


# --- the arguments of each kind, as a number within its range, and back -----------------------


def _encode_take(*cards: int) -> int:
    if not cards or len(set(cards)) < len(cards) or not set(cards) <= set(range(N_SLOTS)):
        raise ValueError(f"take needs different open cards of 0 to {N_SLOTS - 1}, not {cards}")
    return sum(1 << card for card in cards) - 1


def _decode_take(index: int) -> tuple[Any, ...]:
    return tuple(card for card in range(N_SLOTS) if index + 1 >> card & 1)


def _encode_buy(slot: int, payment: Sequence[int]) -> int:
    number = PAYMENT_NUMBER.get(tuple(sorted(payment)))
    if number is None:
        raise ValueError(
            f"{'+'.join(map(str, payment))} is not a payment: it fits no price, or for every price "
            "one of its cards could be left out"
        )
    return _within(slot, N_SLOTS, "market slot") * N_PAYMENTS + number


def _decode_buy(index: int) -> tuple[Any, ...]:
    return index // N_PAYMENTS, PAYMENTS[index % N_PAYMENTS]


def _encode_pick(tile: int) -> int:
    return _within(tile, N_TILES, "tile")


def _decode_pick(index: int) -> tuple[Any, ...]:
    return (index,)


def _encode_cell(dy: int, dx: int) -> int:
    return cell_at(whole_number(dy, "dy", -MIDDLE, MIDDLE), whole_number(dx, "dx", -MIDDLE, MIDDLE))


def _encode_value(value: int) -> int:
    return whole_number(value, "the value of a card", 1, N_VALUES) - 1


def _decode_value(index: int) -> tuple[Any, ...]:
    return (index + 1,)


def _encode_nothing() -> int:
    return 0


def _decode_nothing(index: int) -> tuple[Any, ...]:
    return ()


def _within(number: int, size: int, what: str) -> int:
    return whole_number(number, what, 0, size - 1)


_CODE: Final[dict[str, tuple[Callable[..., int], Callable[[int], tuple[Any, ...]]]]] = {
    "take": (_encode_take, _decode_take),
    "buy": (_encode_buy, _decode_buy),
    "pick": (_encode_pick, _decode_pick),
    "remove": (_encode_cell, offset_of),
    "put": (_encode_cell, offset_of),
    "store": (_encode_nothing, _decode_nothing),
    "give": (_encode_nothing, _decode_nothing),
    "pass": (_encode_nothing, _decode_nothing),
    "overpay": (_encode_value, _decode_value),
}


def encode(kind: str, *args: Any) -> int:
    """Return the number of an action, from its kind and arguments as in `Move`.

    Examples: `encode("buy", 2, (3, 7))`, `encode("put", -1, 0)`, `encode("take", 0, 2)`.

    Raises:
        ValueError: this is not in the action space.
    """
    if kind not in _KINDS:
        raise ValueError(
            f"no kind of action is called {shown(kind)}; there are: {', '.join(_KINDS)}"
        )
    try:
        return _KINDS[kind].start + _CODE[kind][0](*args)
    except TypeError:
        raise ValueError(f"{kind} does not take the arguments {shown(args)}") from None


def decode(action: int) -> Move:
    """Return what an action means."""
    kind = kind_of(action)
    return Move(kind.name, _CODE[kind.name][1](_number_of(action) - kind.start))


# --- text -------------------------------------------------------------------------------------


def name(action: int) -> str:
    """Return the action's unique name.

    `take:0,2` · `buy:2:7+3` (slot, highest value first) · `pick:41` · `remove:0,1` (dy, dx) ·
    `put:-1,0` · `store` · `give` · `pass` · `overpay:4` (value of the card).
    """
    kind, args = decode(action)
    if kind == "buy":
        slot, payment = args
        return f"buy:{slot}:{'+'.join(map(str, reversed(payment)))}"
    return f"{kind}:{','.join(map(str, args))}" if args else kind


def parse(text: str) -> int:
    """Return the action of this name, or raise a `ValueError` that says what is wrong with it."""
    if not isinstance(text, str):
        raise ValueError(f"the name of an action is a string, not {shown(text)}")
    kind, *parts = text.strip().split(":")
    if kind not in _KINDS:
        hint = did_you_mean(kind, _KINDS) or f"there are: {', '.join(_KINDS)}"
        raise ValueError(f"no action is called {shown(text)}; {hint}")
    try:
        if kind == "buy" and len(parts) == 2:
            return encode(kind, _number(parts[0]), [_number(v) for v in parts[1].split("+")])
        if len(parts) > 1:
            raise ValueError("there are too many colons")
        return encode(kind, *(_number(part) for part in ",".join(parts).split(",") if parts))
    except ValueError as error:
        example = name(_KINDS[kind].start)
        raise ValueError(f"{shown(text)} is not an action such as {example!r}: {error}") from None


def _number(word: str) -> int:
    if not re.fullmatch(r" *-?[0-9]+ *", word):
        raise ValueError(f"{shown(word)} is not a whole number")
    return int(word)


# --- sentences --------------------------------------------------------------------------------


def tile_text(tile: int) -> str:
    """Return a tile in words: `garden 8 (walls NW)`."""
    _, building, price, walls = TILES[tile]
    return f"{building} {price} ({f'walls {walls}' if walls else 'no walls'})"


def card_text(currency: int, value: int) -> str:
    """Return a money card in words: `denar 7`."""
    return f"{CURRENCIES[currency]} {value}"


def describe(action: int, game: "Game") -> str:
    """Return a sentence that says what an action does in this position.

    The action should be legal there; tiles and cards are looked up in the game.
    """
    kind, args = decode(action)
    return _DESCRIBE[kind](game, *args)


def _describe_take(game: "Game", *cards: int) -> str:
    display = game.state.display
    return "Take " + " and ".join(
        "nothing" if display[card] == NONE else card_text(*split_card(int(display[card])))
        for card in cards
    )


def _describe_buy(game: "Game", slot: int, payment: tuple[int, ...]) -> str:
    tile = int(game.state.market[slot])
    if tile == NONE:
        return f"Buy from market slot {slot}, which is empty"
    over = sum(payment) - TILES[tile].price
    if over < 0:
        return f"Buy {tile_text(tile)} for {-over} less than its price"
    cards = " + ".join(map(str, reversed(payment)))
    end = f"{over} too much" if over else "exact, so another action follows"
    return f"Buy {tile_text(tile)} for {CURRENCIES[slot]} {cards}: {end}"


def _describe_pick(game: "Game", tile: int) -> str:
    if game.phase == "turn":
        return f"Rebuild with {tile_text(tile)} from the reserve"
    return f"Place {tile_text(tile)} next"


def _describe_remove(game: "Game", dy: int, dx: int) -> str:
    tile = int(game.state.city[game.to_play, cell_at(dy, dx)])
    what = tile_text(tile) if tile in range(N_TILES) else "nothing"
    return f"Move {what} from {_place_text(game, dy, dx)} to the reserve"


def _describe_put(game: "Game", dy: int, dx: int) -> str:
    tile = int(game.state.picked)
    old = int(game.state.city[game.to_play, cell_at(dy, dx)])
    what = tile_text(tile) if tile != NONE else "nothing"
    if old in range(N_TILES):
        return f"Swap {what} for {tile_text(old)} at {_place_text(game, dy, dx)}"
    return f"Put {what} at {_place_text(game, dy, dx)}"


def _place_text(game: "Game", dy: int, dx: int) -> str:
    """Return the cell of an action in words, as it lies in the city of the seat to play."""
    city = game.state.city[game.to_play]
    built = [offset_of(cell) for cell in range(N_CELLS) if city[cell] != NONE]
    return offset_text(*unfolded((dy, dx), built))


def _describe_store(game: "Game") -> str:
    return "Move the picked tile to the reserve"


def _describe_give(game: "Game") -> str:
    return "Give the picked tile to Dirk"


def _describe_pass(game: "Game") -> str:
    return "Decline the extra action" if game.state.actions else "Pass: nothing else is legal"


def _describe_overpay(game: "Game", value: int) -> str:
    slot = int(game.state.exact_slot)
    card = f"a card of {value}" if slot == NONE else card_text(slot, value)
    return f"Add {card} to the payment just made, so that no further action follows"


_DESCRIBE: Final[dict[str, Callable[..., str]]] = {
    "take": _describe_take,
    "buy": _describe_buy,
    "pick": _describe_pick,
    "remove": _describe_remove,
    "put": _describe_put,
    "store": _describe_store,
    "give": _describe_give,
    "pass": _describe_pass,
    "overpay": _describe_overpay,
}


def offset_text(dy: int, dx: int) -> str:
    """Return an offset from the fountain in words: `1 north, 2 east`."""
    parts = []
    if dy:
        parts.append(f"{abs(dy)} {'south' if dy > 0 else 'north'}")
    if dx:
        parts.append(f"{abs(dx)} {'east' if dx > 0 else 'west'}")
    return ", ".join(parts) or "the fountain"
