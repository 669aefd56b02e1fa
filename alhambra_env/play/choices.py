"""The legal actions as a page offers them: each with the things to click, and what it does.

A page needs no rules for it. Every action has *keys*, the names of what is clicked for it: the
market slot and the cards that pay, the cell where a tile goes. Whatever is part of the keys of a
legal action can be clicked. When the keys clicked are all those of an action, it can be played.

The keys are those of `render.marks`, where a card of the hand has no copy, and a key that occurs
twice means two such cards. In addition there are buttons: `reserve`, `pass`, and `overpay:VALUE`.
"""

from typing import Any, Final, NamedTuple

from ..actions import decode, describe, tile_text
from ..engine.action_ranges import PUT, STORE
from ..engine.grid import unfolded
from ..engine.material import CURRENCIES, N_VALUES, TILES
from ..game import Game

RESERVE: Final = "reserve"
DIRK: Final = "dirk"
PASS: Final = "pass"


class Choice(NamedTuple):
    """A legal action on the page."""

    action: int
    keys: tuple[str, ...]
    """What is clicked for it."""
    text: str
    """A sentence."""
    label: str
    """The same in a few words, for a button."""
    note: str
    """What follows from it, if that is worth saying."""
    is_quick: bool
    """Is it played at the last click? Otherwise it is confirmed."""
    is_button: bool
    """Is it shown as a button before anything is clicked?"""


def choices_of(game: Game) -> list[Choice]:
    """Return the legal actions for the seat to play, in the order in which a page lists them."""
    snapshot = game.snapshot()
    choices = [_choice(game, snapshot, action) for action in game.legal_actions()]
    return sorted(choices, key=lambda choice: _rank(game, choice.action))


def _rank(game: Game, action: int) -> tuple[int, ...]:
    """Payments of a slot are sorted: exact ones first, then by what is lost and how many cards."""
    kind, args = decode(action)
    if kind != "buy":
        return (action,)
    slot, payment = args
    return (15, slot, sum(payment), len(payment), action)


def keys_of(game: Game, snapshot: dict[str, Any], action: int) -> tuple[str, ...]:
    """Return what is clicked for an action."""
    kind, args = decode(action)
    if kind == "take":
        return tuple(f"open:{card}" for card in args)
    if kind == "buy":
        slot, payment = args
        return (f"slot:{slot}", *(f"hand:{slot}:{value}" for value in payment))
    if kind == "pick":
        return (f"tile:{args[0]}",)
    if kind == "overpay":
        return (f"hand:{snapshot['exact_slot']}:{args[0]}",)
    if kind in ("put", "remove"):
        dy, dx = unfolded(args, [(y, x) for _, y, x in snapshot["cities"][game.to_play]])
        return (f"cell:{dy},{dx}",)
    return ({"store": RESERVE, "give": DIRK, "pass": PASS}[kind],)


def _choice(game: Game, snapshot: dict[str, Any], action: int) -> Choice:
    kind, args = decode(action)
    label, note = "", ""
    if kind == "buy":
        label, note = _payment(game, snapshot, *args)
    elif kind == "take":
        cards = [snapshot["display"][card] for card in args]
        label = "Take " + " + ".join(f"{CURRENCIES[c]} {v}" for c, v in cards)
    elif kind == "overpay":
        label = f"Add {CURRENCIES[snapshot['exact_slot']]} {args[0]}"
        note = "to the payment: no further action follows"
    elif kind == "pick":
        label = tile_text(args[0])
    elif kind == "store":
        label = "To the reserve"
    elif kind == "give":
        label = "To Dirk"
    elif kind == "pass":
        label = "No further action" if game.state.actions else "Pass"
        note = "" if game.state.actions else "nothing else is possible"
    text = describe(action, game)
    return Choice(
        action,
        keys_of(game, snapshot, action),
        text,
        label or text,
        note,
        is_quick=kind in ("take", "pick", "put", "store", "give"),
        is_button=kind in ("store", "give", "pass", "overpay"),
    )


def _payment(
    game: Game, snapshot: dict[str, Any], slot: int, payment: tuple[int, ...]
) -> tuple[str, str]:
    """Return the cards of a payment, and what it costs and leaves."""
    over = sum(payment) - TILES[snapshot["market"][slot]].price
    hand = snapshot["hands"][game.to_play][slot]
    left = [
        value
        for value in range(1, N_VALUES + 1)
        for _ in range(hand[value - 1] - payment.count(value))
    ]
    cards = " + ".join(map(str, reversed(payment)))
    exact = "exact: another action follows" if not over else f"{over} too much, no further action"
    keeps = f"keeps {', '.join(map(str, left))}" if left else f"keeps no {CURRENCIES[slot]}"
    return f"{CURRENCIES[slot]} {cards}", f"{exact} · {keeps}"


def sites_of(game: Game, choices: list[Choice]) -> list[str]:
    """Return the empty cells where the picked tile may go, which the drawing has to show."""
    built = {f"cell:{dy},{dx}" for _, dy, dx in game.snapshot()["cities"][game.to_play]}
    cells = [choice.keys[0] for choice in choices if PUT <= choice.action < STORE]
    return [cell for cell in cells if cell not in built]


def noticed(choices: list[Choice]) -> list[str]:
    """Return what is highlighted before anything is clicked.

    Cards that pay and tiles that could leave the city can be clicked, but would only distract.
    """
    keys = {key: None for choice in choices for key in choice.keys if not _is_quiet(choice, key)}
    return list(keys)


def _is_quiet(choice: Choice, key: str) -> bool:
    is_removal = key.startswith("cell:") and not PUT <= choice.action < STORE
    return is_removal or (key.startswith("hand:") and not choice.is_button)
