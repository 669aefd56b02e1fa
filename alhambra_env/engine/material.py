"""The contents of the box: building tiles, money cards, score table (R1-R3, R22).

Plain data, declared once. Compiled code reads the arrays; documentation and text read the tuples.
"""

import csv
from importlib.resources import files
from typing import Final, NamedTuple

import numpy as np

from .arrays import Array

NONE: Final = -1
"""No tile, no card, no seat, no cell."""

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 6

# --- sides of a tile --------------------------------------------------------------------------

SIDES: Final = "NESW"
"""The four sides in clockwise order. A set of walls is a number: bit i is the wall on side i."""

N_SIDES: Final = len(SIDES)

# --- building tiles (R1) ----------------------------------------------------------------------

BUILDINGS: Final = ("pavilion", "seraglio", "arcades", "chambers", "garden", "tower")
"""Building types, from the least to the most valuable."""

N_BUILDINGS: Final = len(BUILDINGS)


class Tile(NamedTuple):
    """One building tile."""

    number: int
    building: str
    price: int
    walls: str
    """The walled sides, as letters of `SIDES`."""


def _read_tiles() -> tuple[Tile, ...]:
    text = (files(__package__) / "data" / "tiles.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(
        Tile(int(row["tile"]), row["building"], int(row["price"]), row["walls"]) for row in rows
    )


TILES: Final = _read_tiles()
N_TILES: Final = len(TILES)

FOUNTAIN: Final = N_TILES
"""The start tile, as a number next to those of the building tiles: no walls, no type (R3)."""


def walls_to_bits(walls: str) -> int:
    """Return the set of walls written as letters, such as `"NE"`, as a number."""
    return sum(1 << SIDES.index(side) for side in walls)


TILE_BUILDING: Final = np.array([BUILDINGS.index(t.building) for t in TILES], dtype=np.int64)
"""Building type of each tile."""

TILE_PRICE: Final = np.array([t.price for t in TILES], dtype=np.int64)
"""Price of each tile, 2 to 13."""

TILE_WALLS: Final = np.array([walls_to_bits(t.walls) for t in TILES] + [0], dtype=np.int64)
"""Walls of each tile as a set of sides; the last entry is the fountain."""

# --- money (R2) -------------------------------------------------------------------------------

CURRENCIES: Final = ("denar", "dirham", "ducat", "guilder")
"""Currency i pays for market slot i."""

COLOURS: Final = ("blue", "green", "orange", "yellow")
"""Colour of each currency's cards; the first letter stands for it in text notation."""

N_CURRENCIES: Final = len(CURRENCIES)
N_VALUES: Final = 9
N_MONEY: Final = N_CURRENCIES * N_VALUES
"""Different money cards. Card number = currency * 9 + value - 1."""

N_COPIES: Final = 3
N_COPIES_TWO_PLAYERS: Final = 2

SCORE_1: Final = N_MONEY
"""The first scoring card, as a number next to those of the money cards."""

SCORE_2: Final = N_MONEY + 1
"""The second scoring card."""

DECK_ROOM: Final = N_MONEY * N_COPIES + 2
"""The most cards that a deck can hold."""


def split_card(card: int) -> tuple[int, int]:
    """Return currency (0 to 3) and value (1 to 9) of a money card."""
    return card // N_VALUES, card % N_VALUES + 1


# --- the table --------------------------------------------------------------------------------

N_SLOTS: Final = 4
"""Market slots, and open money cards."""

START_MONEY: Final = 20
"""Each player is dealt cards until their total is this much (R5)."""

TAKE_LIMIT: Final = 5
"""Several open cards may be taken if their total is at most this (R8)."""

N_PILES: Final = 5
SCORE_1_PILE: Final = 1
SCORE_2_PILE: Final = 3
"""Piles that receive a scoring card, counted from 0 at the top of the deck (R7)."""

# --- scoring (R22) ----------------------------------------------------------------------------

N_ROUNDS: Final = 3
N_PLACES: Final = 3


def _prizes() -> Array:
    prizes = np.zeros((N_ROUNDS, N_PLACES, N_BUILDINGS), dtype=np.int64)
    base_of_first_place = (1, 8, 16)
    for scoring in range(N_ROUNDS):
        # The prize for a place in one round is the prize for the place before it in the round
        # before; there are as many prizes as rounds played.
        for place in range(scoring + 1):
            base = base_of_first_place[scoring - place]
            prizes[scoring, place] = base + np.arange(N_BUILDINGS)
    return prizes


PRIZES: Final = _prizes()
"""Points: [round 0..2, place 0..2, building type]."""

# --- the third player of a two-player game (R4, R29, R30) -------------------------------------

DIRK: Final = MAX_PLAYERS
"""Dirk's row in tables that have a row for each seat."""

DIRK_TILES: Final = 6
"""Tiles that Dirk draws at the start and after round 1."""
