"""A game as one fixed-size record.

`FIELDS` lists what the record holds, `STATE` is its dtype. The first axis of a field with a value
for each player is the seat. Sets of tiles are flags indexed by tile number. Fields marked *derived*
follow from the others; `city.refresh_city` keeps them up to date, so that two records of the same
position are the same bytes.

The record is an `np.record`: `state.market[2]` reads the same in plain Python and in compiled code.
"""

from typing import Final, NamedTuple

import numpy as np

from .arrays import Array
from .grid import N_CELLS
from .material import DECK_ROOM, MAX_PLAYERS, N_BUILDINGS, N_CURRENCIES, N_SLOTS, N_TILES, N_VALUES

PHASES: Final = ("turn", "rebuild", "place", "put", "over")
"""What the seat to play decides:

turn: take money, buy or rebuild · rebuild: where to put the tile picked from the reserve ·
place: which bought tile to place next · put: where the picked bought tile goes · over: nothing.
"""

TURN, REBUILD, PLACE, PUT, OVER = range(len(PHASES))

ALL: Final = "all"
OWNER: Final = "owner"
NOBODY: Final = "nobody"


class Field(NamedTuple):
    """One field of the record."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    seen_by: str
    """`ALL`, `OWNER` (the seat of the first axis; a perfect memory knows it too), or `NOBODY`."""
    meaning: str


_S: Final = MAX_PLAYERS
_MONEY: Final = (N_CURRENCIES, N_VALUES)

_MEANINGFUL: Final = (
    # Wide fields first, so that each is aligned.
    Field("built", "<i8", (_S,), ALL, "derived: tiles of a city as bits, the fountain among them"),
    Field("removable", "<i8", (_S,), ALL, "derived: tiles that may be removed, as bits"),
    Field("rng", "<u4", (4,), NOBODY, "random words, for shuffling the discards"),
    Field("turn", "<i4", (), ALL, "turns finished"),
    Field("max_turns", "<i4", (), ALL, "turns after which the game is truncated (E3)"),
    Field("closed_rows", "<u4", (_S,), ALL, "derived: rows where E2 forbids a new tile, as bits"),
    Field("closed_columns", "<u4", (_S,), ALL, "derived: the same for columns"),
    Field("fits", "<u2", (_S,), ALL, "derived: bit w: a tile with walls w fits somewhere"),
    Field("scores", "<i2", (_S,), ALL, "points of each seat"),
    Field("dirk_score", "<i2", (), ALL, "points of Dirk"),
    Field(
        "cell", "<i2", (N_TILES + 1,), ALL, "cell of a tile that is built, or NONE; fountain last"
    ),
    # Settings and the turn
    Field("num_players", "i1", (), ALL, "2 to 6"),
    Field("book", "i1", (), ALL, "rulebook of the edition, by name only: index into EDITION_NAMES"),
    Field("min_players", "i1", (), ALL, "fewest players that the edition describes a game for"),
    Field("scoring_card_on_top", "i1", (), ALL, "1 if it lies on top of its pile (R7)"),
    Field("leftovers_by_cards", "i1", (), ALL, "1 if leftovers go by number of cards (R25)"),
    Field("may_decline", "i1", (), ALL, "1 if the extra action may be declined (R10)"),
    Field("first_seat", "i1", (), ALL, "seat that took the first turn"),
    Field("phase", "i1", (), ALL, "index into PHASES"),
    Field("to_play", "i1", (), ALL, "seat that decides; once over, the seat that did last"),
    Field("actions", "i1", (), ALL, "tiles bought in this turn, 0 to 4"),
    Field("exact_slot", "i1", (), ALL, "slot of the exact purchase just made (R10), or NONE"),
    Field("rounds_scored", "i1", (), ALL, "how many rounds have been scored, 0 to 3"),
    Field("ending", "i1", (), ALL, "1 while leftover tiles are placed (R26), and after"),
    Field("truncated", "i1", (), ALL, "1 if the game was cut short (E3)"),
    # Tiles
    Field("market", "i1", (N_SLOTS,), ALL, "tile in each slot, or NONE"),
    Field("picked", "i1", (), ALL, "tile being placed, or NONE; it is nowhere else"),
    Field("bought", "i1", (N_TILES,), ALL, "flags: tiles to place at the end of this turn"),
    Field("reserves", "i1", (_S, N_TILES), ALL, "flags: tiles in each reserve"),
    Field("dirk", "i1", (N_TILES,), ALL, "flags: tiles of Dirk"),
    Field("award_tiles", "i1", (N_SLOTS,), ALL, "leftover tile won from each slot, or NONE"),
    Field("award_seats", "i1", (N_SLOTS,), ALL, "who won it, or NONE"),
    Field("bag_size", "i1", (), ALL, "tiles in the bag"),
    Field("bag", "i1", (N_TILES,), NOBODY, "tiles in the bag, the next one drawn last"),
    # Cities
    Field("city", "i1", (_S, N_CELLS), ALL, "tile on each cell, FOUNTAIN or NONE"),
    Field("buildings", "i1", (_S + 1, N_BUILDINGS), ALL, "derived: tiles of each type, Dirk last"),
    Field("walls", "i1", (_S,), ALL, "derived: length of the longest outer wall"),
    # Money
    Field("display", "i1", (N_SLOTS,), ALL, "open money cards, or NONE"),
    Field("discards", "i1", _MONEY, ALL, "how many of each card were paid since the last shuffle"),
    Field("hands", "i1", (_S, *_MONEY), OWNER, "how many of each card a seat holds"),
    Field("deck_size", "i1", (), ALL, "cards in the deck"),
    Field("pile_cards", "i1", (), ALL, "money cards that the first deck was piled up from (R7)"),
    Field("deck", "i1", (DECK_ROOM,), NOBODY, "cards in the deck, the next one drawn last"),
)

_CACHE_LINE: Final = 64


def _fill_up(fields: tuple[Field, ...]) -> Field:
    # Explicit, because NumPy copies fields and not the gaps between them.
    used = np.dtype([(f.name, f.dtype, f.shape) for f in fields]).itemsize
    return Field("spare", "i1", (-used % _CACHE_LINE,), ALL, "zeros up to a whole cache line")


FIELDS: Final = (*_MEANINGFUL, _fill_up(_MEANINGFUL))

STATE: Final = np.dtype(
    (np.record, np.dtype([(f.name, f.dtype, f.shape) for f in FIELDS], align=True))
)
"""The dtype of a record. It has no gaps, so equal games are equal bytes."""

STATE_BYTES: Final = STATE.itemsize

assert sum(STATE[f.name].itemsize for f in FIELDS) == STATE_BYTES


class State:
    """A record as type checkers see it; `FIELDS` says what each field means.

    At run time a record is an `np.record`. This class does not inherit from it, because type
    checkers let an `np.record` have any attribute, so they would not see a misspelt field.
    """

    built: Array
    removable: Array
    rng: Array
    turn: int
    max_turns: int
    closed_rows: Array
    closed_columns: Array
    fits: Array
    scores: Array
    dirk_score: int
    cell: Array
    num_players: int
    book: int
    min_players: int
    scoring_card_on_top: int
    leftovers_by_cards: int
    may_decline: int
    first_seat: int
    phase: int
    to_play: int
    actions: int
    exact_slot: int
    rounds_scored: int
    ending: int
    truncated: int
    market: Array
    picked: int
    bought: Array
    reserves: Array
    dirk: Array
    award_tiles: Array
    award_seats: Array
    bag_size: int
    bag: Array
    city: Array
    buildings: Array
    walls: Array
    display: Array
    discards: Array
    hands: Array
    deck_size: int
    pile_cards: int
    deck: Array
    spare: Array


def new_states(num_games: int) -> Array:
    """Return records of zeros, for `setup.set_up`."""
    return np.zeros(num_games, STATE)


def states_from(data: bytes) -> Array:
    """Return writable records from `states.tobytes()`.

    This is also the fast way to copy records: NumPy copies field by field.
    """
    return np.frombuffer(bytearray(data), STATE)
