"""Writes a position as text."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.material import N_MONEY, NONE
from ..game import Game
from .reader import NOTHING, NUMBERS, card_word


def to_text(game: Game) -> str:
    """Return the position as text; `from_text` turns it into the same record, byte for byte."""
    state, picture = game.state, game.snapshot()
    lines: dict[str, Any] = {
        "edition": game.edition,
        "players": game.num_players,
        "phase": game.phase,
    }
    lines |= {key: int(state[field]) for key, field in NUMBERS.items()}
    lines["scores"] = _join(game.scores)
    lines["market"] = _join(map(_number_word, state.market))
    lines["display"] = _join(map(card_word, state.display))
    lines["picked"] = _number_word(state.picked)
    lines["exact_slot"] = _number_word(state.exact_slot)
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


def _join(words: Iterable[Any]) -> str:
    return " ".join(map(str, words))


def _number_word(tile: int) -> str:
    return NOTHING if tile == NONE else str(tile)


def _count_words(counts: np.ndarray) -> list[str]:
    flat = counts.reshape(-1)
    return [card_word(card) for card in range(N_MONEY) for _ in range(int(flat[card]))]
