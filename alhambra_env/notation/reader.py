"""Reads a position from text (see `notation`) into a record."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from ..engine.city import add_tile, found_city, refresh_city
from ..engine.grid import MAX_EXTENT, cell_at
from ..engine.material import (
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
    split_card,
)
from ..engine.rng import seed_words
from ..engine.setup import clear_table, note_rules, pile_bottom
from ..engine.state import PHASES, STATE, TURN, new_states
from ..errors import DamagedRecord
from ..game import Game
from ..options import DEFAULT_EDITION, GameRules
from ..validation import shortened, shown

NUMBERS: Final = {
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
"""Lines with one number, and the field of the record for each."""

_LISTS: Final = (
    *("scores", "market", "display", "picked", "bought", "awards"),
    *("dirk", "bag", "deck", "discards", "rng"),
)
_OF_A_SEAT: Final = ("hand", "city", "reserve")
_KEYS: Final = ("edition", "players", "phase", *NUMBERS, "exact_slot", *_LISTS, *_OF_A_SEAT)
_WITH_TILES: Final = ("market", "picked", "bought", "awards", "dirk", "bag", "city", "reserve")
_WITH_MONEY: Final = ("display", "hand", "discards", "deck")

NOTHING: Final = "-"
_REST: Final = "rest"
_SCORING_CARDS: Final = {SCORE_1: "s1", SCORE_2: "s2"}
_LETTERS: Final = [colour[0] for colour in COLOURS]


# --- words ------------------------------------------------------------------------------------


def card_word(card: int) -> str:
    """Return a card as a word: `b3`, `s1`, or `-` for none."""
    if card == NONE:
        return NOTHING
    if card in _SCORING_CARDS:
        return _SCORING_CARDS[int(card)]
    currency, value = split_card(int(card))
    return f"{_LETTERS[currency]}{value}"


_CARDS: Final = {card_word(card): card for card in range(SCORE_2 + 1)}


def _card(word: str) -> int:
    if word not in _CARDS:
        raise ValueError(f"a card is one of {_LETTERS} with 1 to 9, such as b3, not {shown(word)}")
    return _CARDS[word]


def _money(word: str) -> int:
    card = _card(word)
    if card >= N_MONEY:
        raise ValueError(f"scoring cards are in the deck only, not {shown(word)}")
    return card


def _tile(word: str) -> int:
    tile = _number(word)
    if not 0 <= tile < N_TILES:
        raise ValueError(f"a tile is a number from 0 to {N_TILES - 1}, not {shown(word)}")
    return tile


def _number(word: str) -> int:
    # Stricter than int(): no underscores, no digits of other scripts.
    if not word.removeprefix("-").isdecimal() or not word.isascii():
        raise ValueError(f"{shown(word)} is not a whole number")
    return int(word)


def _seat_and_tile(word: str) -> tuple[int, int]:
    tile, at, seat = word.partition("@")
    if not at:
        raise ValueError(f"a tile that was won is written as 41@2 (tile, seat), not {shown(word)}")
    return _number(seat), _tile(tile)


def _tile_and_cell(word: str) -> tuple[int, int]:
    tile, at, offset = word.partition("@")
    dy, comma, dx = offset.partition(",")
    if not at or not comma:
        raise ValueError(f"a city tile is written as 41@-1,0 (tile, dy, dx), not {shown(word)}")
    if max(abs(_number(dy)), abs(_number(dx))) >= MAX_EXTENT:
        raise ValueError(f"no city reaches as far as {shortened(offset)} from its fountain (E2)")
    return _tile(tile), cell_at(_number(dy), _number(dx))


@contextmanager
def _naming(line: str) -> Iterator[None]:
    """Put the name of a line in front of errors about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{line}: {error}") from None


def _split_lines(text: str) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        content = line.split("#")[0].strip()
        if not content:
            continue
        key, colon, value = content.partition(":")
        key = " ".join(key.split())
        if not colon or key.split(" ")[0] not in _KEYS:
            raise ValueError(f"unknown line {shown(key)}; there are: {', '.join(_KEYS)}")
        if key in lines:
            raise ValueError(f"there are two lines {shown(key)}")
        lines[key] = value.split()
    return lines


# --- lines ------------------------------------------------------------------------------------


class Reader:
    """Fills one record from the lines of a position.

    Raises `ValueError` for text that cannot be read. It does not check that the position is valid.
    """

    def __init__(self, text: str) -> None:
        self.lines = _split_lines(text)
        edition = self.word("edition", DEFAULT_EDITION)
        players = self.word("players", "3")
        with _naming("players"):
            self.num_players = _number(players)
        self.rules = GameRules(self.num_players, edition)
        self.check_seats()
        self.states = new_states(1)
        self.state = self.states[0]
        self.rest_of_tiles = self.unmentioned_tiles()
        self.rest_of_money = self.unmentioned_money()

    def read(self) -> np.ndarray:
        """Return an array of the one record."""
        clear_table(self.state)
        note_rules(self.state, self.rules.numbers)
        phase = self.word("phase", PHASES[0])
        if phase not in PHASES:
            raise ValueError(f"phase must be one of {', '.join(PHASES)}, not {shown(phase)}")
        self.state.phase = PHASES.index(phase)
        for key, field in NUMBERS.items():
            if key in self.lines:
                self.store(key, field, 1)
        self.state.rng[:] = seed_words(0)
        if "rng" in self.lines:
            self.store("rng", "rng", 4)
        if "scores" in self.lines:
            self.store("scores", "scores", self.num_players)
        self.read_tiles()
        self.read_money()
        return self.states

    def word(self, key: str, default: str) -> str:
        """Return the value of a line that holds a single word."""
        words = self.lines.get(key, [default])
        if len(words) != 1:
            raise ValueError(f"{key} needs one value, not {shortened(' '.join(words)) or 'none'}")
        return words[0]

    def list_of(self, key: str, default: tuple[str, ...]) -> list[str]:
        """Return the words of a line; a single `-` means none."""
        words = list(self.lines.get(key, default))
        return [] if words == [NOTHING] else words

    def items_of(
        self, key: str, default: tuple[str, ...], read: Callable[[str], int], rest: list[int]
    ) -> list[int]:
        """Return the tiles or cards of a line; the word `rest` empties the list of the rest."""
        items: list[int] = []
        with _naming(key):
            for word in self.list_of(key, default):
                if word == _REST:
                    items += rest
                    rest.clear()
                else:
                    items.append(read(word))
        return items

    def store(self, key: str, field: str, count: int) -> None:
        """Write the numbers of a line into a field."""
        with _naming(key):
            numbers = [_number(word) for word in self.lines[key]]
            if len(numbers) != count:
                raise ValueError(f"it needs {count} numbers, not {len(numbers)}")
            limits = np.iinfo(STATE[field].base)
            if min(numbers) < limits.min or max(numbers) > limits.max:
                raise ValueError(f"numbers must be {limits.min} to {limits.max}")
            if count == 1:
                self.state[field] = numbers[0]
            else:
                self.state[field][:count] = numbers

    def check_seats(self) -> None:
        """Raise an error for lines of seats that do not exist."""
        allowed = {f"{key} {seat}" for key in _OF_A_SEAT for seat in range(self.num_players)}
        for key in self.lines:
            if key not in allowed and key not in (set(_KEYS) - set(_OF_A_SEAT)):
                raise ValueError(
                    f"{shown(key)} is not a line of a game for {self.num_players} players"
                )

    def words_of(self, kinds: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield the words that name a tile or card, each with the key of its line."""
        for key, words in self.lines.items():
            if key.split(" ")[0] in kinds:
                yield from ((key, word) for word in words if word not in (NOTHING, _REST))

    # --- tiles ---

    def unmentioned_tiles(self) -> list[int]:
        """Return the tiles that no line names, in ascending order."""
        named = set()
        for key, word in self.words_of(_WITH_TILES):
            with _naming(key):
                tile = _tile(word.partition("@")[0])
                if tile in named:
                    raise ValueError(f"tile {tile} is in two places")
                named.add(tile)
        return [tile for tile in range(N_TILES) if tile not in named]

    def tiles(self, key: str, default: tuple[str, ...] = ()) -> list[int]:
        """Return the tiles of a line."""
        return self.items_of(key, default, _tile, self.rest_of_tiles)

    def read_tiles(self) -> None:
        """Fill the fields with tiles."""
        state = self.state
        state.market[:] = self.four("market", _tile, self.rest_of_tiles)
        picked = self.word("picked", NOTHING)
        with _naming("picked"):
            state.picked = NONE if picked == NOTHING else _tile(picked)
        state.bought[self.tiles("bought")] = 1
        self.read_exact_slot()
        self.read_awards()
        for seat in range(self.num_players):
            found_city(state, seat)
            self.read_city(seat)
            state.reserves[seat, self.tiles(f"reserve {seat}")] = 1
            refresh_city(state, seat)
        for tile in self.tiles("dirk"):
            state.dirk[tile] = 1
            state.buildings[DIRK, TILE_BUILDING[tile]] += 1
        bag = self.tiles("bag", (_REST,))[::-1]
        state.bag[: len(bag)] = bag
        state.bag_size = len(bag)

    def four(self, key: str, read: Any, rest: list[int]) -> list[int]:
        """Return the four tiles or cards of a line; drawn from `rest` if there is no such line."""
        with _naming(key):
            if key not in self.lines:
                if len(rest) < N_SLOTS:
                    raise ValueError(f"fewer than {N_SLOTS} are left to draw")
                drawn = rest[:N_SLOTS]
                del rest[:N_SLOTS]
                return drawn
            words = self.lines[key]
            if len(words) != N_SLOTS:
                raise ValueError(f"it needs {N_SLOTS} entries, with - for an empty one")
            return [NONE if word == NOTHING else read(word) for word in words]

    def read_exact_slot(self) -> None:
        """Fill the slot of the exact purchase just made; by default the last one that is empty."""
        state = self.state
        with _naming("exact_slot"):
            empty = [slot for slot in range(N_SLOTS) if state.market[slot] == NONE]
            has_bought = state.phase == TURN and state.actions > 0 and empty
            word = self.word("exact_slot", str(empty[-1]) if has_bought else NOTHING)
            slot = NONE if word == NOTHING else _number(word)
            if not NONE <= slot < N_SLOTS:
                raise ValueError(f"there is no market slot {shown(slot)}")
            state.exact_slot = slot

    def read_awards(self) -> None:
        """Fill the leftover tiles that were won: `tile@seat` for each slot."""
        words = self.lines.get("awards", [NOTHING] * N_SLOTS)
        with _naming("awards"):
            if len(words) != N_SLOTS:
                raise ValueError(f"it needs {N_SLOTS} entries, with - for a tile that nobody won")
            for slot, word in enumerate(words):
                if word != NOTHING:
                    seat, tile = _seat_and_tile(word)
                    if not 0 <= seat < self.num_players:
                        raise ValueError(f"there is no seat {seat}")
                    self.state.award_tiles[slot] = tile
                    self.state.award_seats[slot] = seat

    def read_city(self, seat: int) -> None:
        """Place the tiles of a city, without checking the building rules."""
        key = f"city {seat}"
        with _naming(key):
            for word in self.list_of(key, ()):
                tile, cell = _tile_and_cell(word)
                if self.state.city[seat, cell] != NONE:
                    raise ValueError(f"{word} lies on another tile or on the fountain")
                add_tile(self.state, seat, tile, cell)

    # --- money ---

    def unmentioned_money(self) -> list[int]:
        """Return the money cards that no line names, in ascending order."""
        copies = N_COPIES_TWO_PLAYERS if self.num_players == 2 else N_COPIES
        named: Counter[int] = Counter()
        for key, word in self.words_of(_WITH_MONEY):
            with _naming(key):
                card = _card(word) if key == "deck" else _money(word)
                named[card] += 1
                if named[card] > (copies if card < N_MONEY else 1):
                    raise ValueError(f"there are more {word} than the game has")
        return [card for card in range(N_MONEY) for _ in range(copies - named[card])]

    def cards(self, key: str, default: tuple[str, ...] = ()) -> list[int]:
        """Return the cards of a line."""
        return self.items_of(key, default, _card, self.rest_of_money)

    def read_money(self) -> None:
        """Fill the fields with money."""
        state = self.state
        state.display[:] = self.four("display", _money, self.rest_of_money)
        hands = [(f"hand {seat}", state.hands[seat]) for seat in range(self.num_players)]
        for key, counts in [*hands, ("discards", state.discards)]:
            for card in self.cards(key):
                counts[card // N_VALUES, card % N_VALUES] += 1
        deck = self.add_scoring_cards(self.cards("deck", (_REST,))[::-1])
        state.deck[: len(deck)] = deck
        state.deck_size = len(deck)

    def add_scoring_cards(self, deck: list[int]) -> list[int]:
        """Return the deck, bottom first, with the scoring cards that are missing in it.

        They go to the top of their piles. If there is no line `piles`, `pile_cards` becomes the
        smallest number for which the scoring cards in the deck lie in the right piles.
        """
        scored = int(self.state.rounds_scored)
        due = [SCORE_1, SCORE_2][scored:] if 0 <= scored < 2 else []
        if "piles" in self.lines or not due or self.word("phase", PHASES[0]) == PHASES[-1]:
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
            "deck: no five piles have the scoring cards where this deck has them (R7); "
            "for a scoring card near the top, put more cards into the discards"
        )


def _pile_range(pile_cards: int, scoring_card: int) -> range:
    pile = SCORE_1_PILE if scoring_card == SCORE_1 else SCORE_2_PILE
    return range(pile_bottom(pile_cards, pile), pile_bottom(pile_cards, pile - 1))


def from_text(text: str) -> Game:
    """Return the game at this position.

    Raises:
        DamagedRecord: the text cannot be read, or is not a valid position; the message says why.
    """
    if not isinstance(text, str):
        raise DamagedRecord(f"a position must be given as text, not {type(text).__name__}")
    try:
        states = Reader(text).read()
    except ValueError as error:
        raise DamagedRecord(f"this position cannot be read: {error}") from None
    return Game.from_state(states)
