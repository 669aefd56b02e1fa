"""A position as text and back, for reading, for bug reports and for writing tests by hand.

One line per fact, `key: value`; `#` begins a comment. Tiles are written as their numbers, city
tiles as `tile@dy,dx` from the fountain, money cards as colour and value (`b3 g9 o1 y5`: blue denar,
green dirham, orange ducat, yellow guilder), scoring cards as `s1` and `s2`, nothing as `-`.

    edition: german
    players: 3
    to_play: 1
    market: 41 3 - 17
    hand 1: b3 b3 g9
    city 1: 12@0,1 30@-1,0
    deck: b7 s1 o4 o4 y1      # the next card first
    discards: rest

What is left out has a sensible value: market and display are drawn, tiles and cards that are
mentioned nowhere are in the bag and in the deck, in the order of their numbers. The word `rest`
puts those somewhere else: in a reserve, with Dirk, into a hand or the discards.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from .editions import DEFAULT_EDITION, check_num_players, edition_number
from .engine.city import add_tile, found_city, refresh_city
from .engine.rng import seed_words
from .engine.setup import clear_table, pile_bottom
from .engine.state import PHASES, new_states
from .errors import DamagedRecord
from .game import DEFAULT_MAX_TURNS, Game
from .grid import cell_at
from .material import (
    COLOURS,
    DIRK,
    N_COPIES,
    N_COPIES_TWO_PLAYERS,
    N_MONEY,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    SCORE_1,
    SCORE_1_PILE,
    SCORE_2,
    SCORE_2_PILE,
    TILE_BUILDING,
    money_card,
    split_card,
)

_NUMBERS: Final = {
    "to_play": "to_play",
    "first": "first_seat",
    "turn": "turn",
    "max_turns": "max_turns",
    "actions": "actions",
    "rounds": "rounds_scored",
    "ending": "ending",
    "truncated": "truncated",
    "dirk_score": "dirk_score",
    "piles": "pile_cards",
}
"""Lines with one number, and the field that holds it."""

_LISTS: Final = (
    *("scores", "market", "display", "picked", "bought", "awards"),
    *("dirk", "bag", "deck", "discards", "rng"),
)
_OF_A_SEAT: Final = ("hand", "city", "reserve")
_KEYS: Final = ("edition", "players", "phase", *_NUMBERS, *_LISTS, *_OF_A_SEAT)
_NOTHING: Final = "-"
_REST: Final = "rest"
_SCORING_CARDS: Final = {SCORE_1: "s1", SCORE_2: "s2"}


# --- writing ----------------------------------------------------------------------------------


def to_text(game: Game) -> str:
    """Return the position as text from which `from_text` makes the same record, byte for byte."""
    state, picture = game.state, game.snapshot()
    lines = {"edition": game.edition, "players": game.num_players, "phase": game.phase}
    lines |= {key: int(state[field]) for key, field in _NUMBERS.items()}
    lines["scores"] = _join(game.scores)
    lines["market"] = _join(map(_tile_word, state.market))
    lines["display"] = _join(map(_card_word, state.display))
    lines["picked"] = _tile_word(state.picked)
    lines["bought"] = _join(picture["bought"])
    lines["awards"] = _join(
        _NOTHING if tile == NONE else f"{tile}@{seat}"
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
    lines["deck"] = _join(map(_card_word, state.deck[: state.deck_size][::-1]))
    lines["rng"] = _join(state.rng)
    return "".join(f"{key}: {value}".rstrip() + "\n" for key, value in lines.items())


def _join(words: Iterable[Any]) -> str:
    return " ".join(map(str, words))


def _tile_word(tile: int) -> str:
    return _NOTHING if tile == NONE else str(tile)


def _card_word(card: int) -> str:
    if card == NONE:
        return _NOTHING
    if card in _SCORING_CARDS:
        return _SCORING_CARDS[int(card)]
    currency, value = split_card(int(card))
    return f"{COLOURS[currency][0]}{value}"


def _count_words(counts: np.ndarray) -> list[str]:
    flat = counts.reshape(-1)
    return [_card_word(card) for card in range(N_MONEY) for _ in range(int(flat[card]))]


# --- reading ----------------------------------------------------------------------------------


def from_text(text: str) -> Game:
    """Return the game at this position.

    Raises:
        DamagedRecord: the text cannot be read, or is no position of the game; the message says why.
    """
    try:
        return Game.from_state(_Reader(_read_lines(text)).read())
    except DamagedRecord:
        raise
    except ValueError as error:
        raise DamagedRecord(f"this position cannot be read: {error}") from None


def _read_lines(text: str) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        content = line.split("#")[0].strip()
        if not content:
            continue
        key, colon, value = content.partition(":")
        key = " ".join(key.split())
        if not colon or key.split()[0] not in _KEYS:
            raise ValueError(f"no line begins with {key!r}; there are: {', '.join(_KEYS)}")
        if key in lines:
            raise ValueError(f"{key!r} is there twice")
        lines[key] = value.split()
    return lines


class _Reader:
    """Fills one record from the lines of a position."""

    def __init__(self, lines: dict[str, list[str]]) -> None:
        self.lines = lines
        self.num_players = int(self.word("players", "3"))
        self.edition = self.word("edition", DEFAULT_EDITION)
        check_num_players(self.num_players, self.edition)
        self.check_seats()
        self.states = new_states(1)
        self.state = self.states[0]
        self.rest_of_tiles = self.unmentioned_tiles()
        self.rest_of_money = self.unmentioned_money()

    def read(self) -> np.ndarray:
        """Return an array that holds the one record."""
        state = self.state
        clear_table(state)
        state.num_players = self.num_players
        state.edition = edition_number(self.edition)
        state.phase = _number_of(self.word("phase", PHASES[0]), PHASES, "phase")
        state.max_turns = DEFAULT_MAX_TURNS
        for key, field in _NUMBERS.items():
            if key in self.lines:
                state[field] = int(self.word(key, "0"))
        state.rng[:] = [int(word) for word in self.lines.get("rng", seed_words(0))]
        scores = [int(word) for word in self.lines.get("scores", ["0"] * self.num_players)]
        state.scores[: self.num_players] = scores
        self.read_tiles()
        self.read_money()
        return self.states

    def word(self, key: str, default: str) -> str:
        """Return the value of a line that holds a single word."""
        words = self.lines.get(key, [default])
        if len(words) != 1:
            raise ValueError(f"{key} needs one value, not {words}")
        return words[0]

    def check_seats(self) -> None:
        """Refuse lines of seats that nobody plays."""
        allowed = {f"{key} {seat}" for key in _OF_A_SEAT for seat in range(self.num_players)}
        for key in self.lines:
            if key.split()[0] in _OF_A_SEAT and key not in allowed:
                raise ValueError(f"{key!r} is no line of a game for {self.num_players} players")

    # --- tiles ---

    def unmentioned_tiles(self) -> list[int]:
        """Return the tiles that no line names, rising."""
        places = ("market", "picked", "bought", "awards", "dirk", "bag", "city", "reserve")
        words = [w for key in self.lines if key.split()[0] in places for w in self.lines[key]]
        named = [_tile(w.partition("@")[0]) for w in words if w not in (_NOTHING, _REST)]
        twice = [tile for tile, count in Counter(named).items() if count > 1]
        if twice:
            raise ValueError(f"tile {twice[0]} is in two places")
        return [tile for tile in range(N_TILES) if tile not in named]

    def tiles(self, key: str, default: list[str] | None = None) -> list[int]:
        """Return the tiles of a line; `rest` takes those that no line names."""
        tiles: list[int] = []
        for word in self.lines.get(key, default or []):
            if word == _REST:
                tiles += self.rest_of_tiles
                self.rest_of_tiles = []
            else:
                tiles.append(NONE if word == _NOTHING else _tile(word))
        return tiles

    def read_tiles(self) -> None:
        """Fill the fields with tiles."""
        state = self.state
        drawn = [str(self.rest_of_tiles.pop(0)) for _ in range(self.missing("market"))]
        state.market[:] = _four(self.tiles("market", drawn), "market")
        state.picked = _tile_or_none(self.word("picked", _NOTHING))
        state.bought[self.tiles("bought")] = 1
        self.read_awards()
        for seat in range(self.num_players):
            found_city(state, seat)
            self.read_city(seat)
            state.reserves[seat, self.tiles(f"reserve {seat}")] = 1
            refresh_city(state, seat)
        for tile in self.tiles("dirk"):
            state.dirk[tile] = 1
            state.buildings[DIRK, TILE_BUILDING[tile]] += 1
        bag = self.tiles("bag", [_REST])[::-1]
        state.bag[: len(bag)] = bag
        state.bag_size = len(bag)

    def missing(self, key: str) -> int:
        """Return how many market slots or open cards have to be drawn."""
        return 0 if key in self.lines else N_SLOTS

    def read_awards(self) -> None:
        """Fill the leftover tiles that were won, `tile@seat` for each slot."""
        words = self.lines.get("awards", [_NOTHING] * N_SLOTS)
        for slot, word in enumerate(_four(words, "awards")):
            if word != _NOTHING:
                tile, _, seat = word.partition("@")
                self.state.award_tiles[slot] = _tile(tile)
                self.state.award_seats[slot] = int(seat)

    def read_city(self, seat: int) -> None:
        """Lay the tiles of a city, whether or not they lie as the rules say."""
        for word in self.lines.get(f"city {seat}", []):
            tile, at, offset = word.partition("@")
            dy, comma, dx = offset.partition(",")
            if not at or not comma:
                raise ValueError(f"a city tile is written as 41@-1,0 (tile, dy, dx), not {word!r}")
            cell = cell_at(int(dy), int(dx))
            if self.state.city[seat, cell] != NONE:
                raise ValueError(f"city {seat} has two tiles at {dy},{dx}")
            add_tile(self.state, seat, _tile(tile), cell)

    # --- money ---

    def unmentioned_money(self) -> list[int]:
        """Return the money cards that no line names, rising."""
        copies = N_COPIES_TWO_PLAYERS if self.num_players == 2 else N_COPIES
        places = ("display", "hand", "discards", "deck")
        words = [w for key in self.lines if key.split()[0] in places for w in self.lines[key]]
        named = Counter(_card(w) for w in words if w not in (_NOTHING, _REST))
        for card in range(N_MONEY):
            if named[card] > copies:
                raise ValueError(f"{_card_word(card)} is there {named[card]} times of {copies}")
        return [card for card in range(N_MONEY) for _ in range(copies - named[card])]

    def cards(self, key: str, default: list[str] | None = None) -> list[int]:
        """Return the cards of a line; `rest` takes those that no line names."""
        cards: list[int] = []
        for word in self.lines.get(key, default or []):
            if word == _REST:
                cards += self.rest_of_money
                self.rest_of_money = []
            else:
                cards.append(NONE if word == _NOTHING else _card(word))
        return cards

    def read_money(self) -> None:
        """Fill the fields with money."""
        state = self.state
        drawn = [_card_word(self.rest_of_money.pop(0)) for _ in range(self.missing("display"))]
        state.display[:] = _four(self.cards("display", drawn), "display")
        for seat in range(self.num_players):
            for card in self.cards(f"hand {seat}"):
                state.hands[seat, card // N_VALUES, card % N_VALUES] += 1
        for card in self.cards("discards"):
            state.discards[card // N_VALUES, card % N_VALUES] += 1
        deck = self.add_scoring_cards(self.cards("deck", [_REST])[::-1])
        state.deck[: len(deck)] = deck
        state.deck_size = len(deck)

    def add_scoring_cards(self, deck: list[int]) -> list[int]:
        """Return the deck, bottom first, with the scoring cards that it still lacks.

        They go to the top of their piles. If the line `piles` is missing, the smallest number of
        cards is found for which the scoring cards in the deck lie in the right piles.
        """
        scored = 0 if self.state.rounds_scored > 2 else int(self.state.rounds_scored)
        due = [SCORE_1, SCORE_2][scored:] if self.word("phase", "turn") != "over" else []
        if "piles" in self.lines or not due:
            return deck
        fewest = sum(card < N_MONEY for card in deck)
        for pile_cards in range(fewest, N_MONEY * N_COPIES):
            full = list(deck)
            for card in reversed(due):  # the second lies below the first
                if card not in full:
                    full.insert(_pile_range(pile_cards, card)[-1], card)
            if all(full.index(card) in _pile_range(pile_cards, card) for card in due):
                self.state.pile_cards = pile_cards
                return full
        raise ValueError(
            "no five piles have the scoring cards where this deck has them (R7); "
            "for a scoring card near the top, put more cards into the discards"
        )


def _pile_range(pile_cards: int, scoring_card: int) -> range:
    pile = SCORE_1_PILE if scoring_card == SCORE_1 else SCORE_2_PILE
    return range(pile_bottom(pile_cards, pile), pile_bottom(pile_cards, pile - 1))


def _tile(word: str) -> int:
    if not word.isdecimal() or int(word) >= N_TILES:
        raise ValueError(f"a tile is a number from 0 to {N_TILES - 1}, not {word!r}")
    return int(word)


def _tile_or_none(word: str) -> int:
    return NONE if word == _NOTHING else _tile(word)


def _card(word: str) -> int:
    for number, name in _SCORING_CARDS.items():
        if word == name:
            return number
    letters = [colour[0] for colour in COLOURS]
    if len(word) != 2 or word[0] not in letters or word[1] not in "123456789":
        raise ValueError(f"a card is written as {letters} and 1 to 9, such as b3, not {word!r}")
    return money_card(letters.index(word[0]), int(word[1]))


def _four(items: list[Any], what: str) -> list[Any]:
    if len(items) != N_SLOTS:
        raise ValueError(f"{what} needs {N_SLOTS} entries, with - for an empty one, not {items}")
    return items


def _number_of(word: str, names: tuple[str, ...], what: str) -> int:
    if word not in names:
        raise ValueError(f"{what} must be one of {', '.join(names)}, not {word!r}")
    return names.index(word)
