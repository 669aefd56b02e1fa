"""A position as text and back, for reading, for bug reports and for writing tests by hand.

One line per fact, `key: value`; `#` begins a comment. Tiles are written as their numbers, city
tiles as `tile@dy,dx` from the fountain, money cards as colour and value (`b3 g9 o1 y5`: blue denar,
green dirham, orange ducat, yellow guilder), scoring cards as `s1` and `s2`, nothing as `-`.

    edition: german
    players: 3
    to_play: 1
    market: 41 3 8 17
    hand 1: b3 b3 g9
    city 1: 12@0,1 30@-1,0
    deck: b7 s1 o4 o4 y1      # the next card first
    discards: rest

What is left out has a sensible value: market and display are drawn, tiles and cards that are
mentioned nowhere are in the bag and in the deck, in the order of their numbers. The word `rest`
puts those somewhere else: in a reserve, with Dirk, into a hand or the discards.

A turn begins with a full market and display. To write a position just before a refill, let the last
decision be open: `phase: put` with a `picked` tile and whatever gaps there are.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .errors import DamagedRecord
from .game import Game
from .material import N_MONEY, NONE
from .notation_reader import NOTHING, NUMBERS, Reader, card_word


def to_text(game: Game) -> str:
    """Return the position as text from which `from_text` makes the same record, byte for byte."""
    state, picture = game.state, game.snapshot()
    lines: dict[str, Any] = {
        "edition": game.edition,
        "players": game.num_players,
        "phase": game.phase,
    }
    lines |= {key: int(state[field]) for key, field in NUMBERS.items()}
    lines["scores"] = _join(game.scores)
    lines["market"] = _join(map(_tile_word, state.market))
    lines["display"] = _join(map(card_word, state.display))
    lines["picked"] = _tile_word(state.picked)
    lines["bought"] = _join(picture["bought"])
    lines["awards"] = _join(
        NOTHING if tile == NONE else f"{tile}@{seat}"
        for seat, tile in zip(state.award_seats, state.award_tiles, strict=True)
    )
    for seat in range(game.num_players):
        city = picture["cities"][seat]
        lines[f"hand {seat}"] = _join(_count_words(state.hands[seat]))
        lines[f"city {seat}"] = _join(f"{tile}@{dy},{dx}" for tile, dy, dx in city)
        lines[f"reserve {seat}"] = _join(picture["reserves"][seat])
    lines["dirk"] = _join(picture["dirk"]["tiles"] if picture["dirk"] else ())
    lines["discards"] = _join(_count_words(state.discards))
    lines["bag"] = _join(picture["bag"])
    lines["deck"] = _join(map(card_word, state.deck[: state.deck_size][::-1]))
    lines["rng"] = _join(state.rng)
    return "".join(f"{key}: {value}".rstrip() + "\n" for key, value in lines.items())


def from_text(text: str) -> Game:
    """Return the game at this position.

    Raises:
        DamagedRecord: the text cannot be read, or is no position of the game; the message says why.
    """
    if not isinstance(text, str):
        raise DamagedRecord(f"a position is read from text, not {type(text).__name__}")
    try:
        states = Reader(text).read()
    except ValueError as error:
        raise DamagedRecord(f"this position cannot be read: {error}") from None
    return Game.from_state(states)


def _join(words: Iterable[Any]) -> str:
    return " ".join(map(str, words))


def _tile_word(tile: int) -> str:
    return NOTHING if tile == NONE else str(tile)


def _count_words(counts: np.ndarray) -> list[str]:
    flat = counts.reshape(-1)
    return [card_word(card) for card in range(N_MONEY) for _ in range(int(flat[card]))]
