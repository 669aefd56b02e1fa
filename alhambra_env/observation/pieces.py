"""The table of all pieces that an observation can have."""

from collections.abc import Callable
from typing import Final, NamedTuple

from ..engine.grid import SIZE
from ..engine.material import (
    DECK_ROOM,
    N_BUILDINGS,
    N_COPIES,
    N_CURRENCIES,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    TILE_PRICE,
)
from .derived import OFFER_BYTES, write_offers, write_standing, write_wall_gain
from .writers import (
    CITY_PLANES,
    DISPLAY_BYTES,
    LARGEST,
    MARKET_BYTES,
    write_awards,
    write_bought,
    write_buildings,
    write_city,
    write_discards,
    write_display,
    write_ending,
    write_exact_slot,
    write_hand,
    write_hand_sizes,
    write_market,
    write_other_cities,
    write_other_hands,
    write_picked,
    write_progress,
    write_reserves,
    write_scores,
    write_to_play,
    write_turns,
    write_unseen_tiles,
    write_walls,
)

OBSERVATION_VERSION: Final = 1
"""Rises whenever a byte of a piece changes its meaning or the default pieces change.

1 added `awards`, `ending`, `turns`, `to_play` and `exact_slot`; the other pieces are as in 0."""

_MONEY: Final = (N_CURRENCIES, N_VALUES)


class Piece(NamedTuple):
    """One piece of an observation."""

    name: str
    shape: Callable[[int], tuple[int, ...]]
    """Returns its shape for a number of players."""
    high: int
    """The largest value; the smallest is 0."""
    writer: Callable[..., None]
    """Writes the piece; its docstring says what it shows."""
    is_default: bool = True
    """Is it in a layout that does not name its pieces?"""
    needs_open_hands: bool = False
    """Does it show other players' cards, so that it needs `hands="open"` (E4)?"""


PIECES: Final = (
    Piece("city", lambda n: (CITY_PLANES, SIZE, SIZE), 1, write_city),
    Piece("other_cities", lambda n: (n - 1, CITY_PLANES, SIZE, SIZE), 1, write_other_cities),
    Piece("market", lambda n: (N_SLOTS, MARKET_BYTES), int(TILE_PRICE.max()), write_market),
    Piece("display", lambda n: (N_SLOTS, DISPLAY_BYTES), N_VALUES, write_display),
    Piece("hand", lambda n: _MONEY, N_COPIES, write_hand),
    Piece("hand_sizes", lambda n: (n,), DECK_ROOM, write_hand_sizes),
    Piece("other_hands", lambda n: (n - 1, *_MONEY), N_COPIES, write_other_hands, True, True),
    Piece("reserves", lambda n: (n, N_TILES), 1, write_reserves),
    Piece("bought", lambda n: (N_TILES,), 1, write_bought),
    Piece("picked", lambda n: (N_TILES,), 1, write_picked),
    Piece("buildings", lambda n: (n + 1, N_BUILDINGS), N_TILES, write_buildings),
    Piece("walls", lambda n: (n,), LARGEST, write_walls),
    Piece("scores", lambda n: (n + 1,), LARGEST, write_scores),
    Piece("unseen_tiles", lambda n: (N_TILES,), 1, write_unseen_tiles),
    Piece("discards", lambda n: _MONEY, N_COPIES, write_discards),
    Piece("progress", lambda n: (6,), DECK_ROOM, write_progress),
    Piece("awards", lambda n: (n, N_TILES), 1, write_awards),
    Piece("ending", lambda n: (1,), 1, write_ending),
    Piece("turns", lambda n: (2, 2), LARGEST, write_turns),
    Piece("to_play", lambda n: (n,), 1, write_to_play),
    Piece("exact_slot", lambda n: (N_SLOTS,), 1, write_exact_slot),
    Piece("standing", lambda n: (n + 1 + N_BUILDINGS,), LARGEST, write_standing, False),
    Piece("offers", lambda n: (N_SLOTS, OFFER_BYTES), LARGEST, write_offers, False),
    Piece("wall_gain", lambda n: (SIZE, SIZE), LARGEST, write_wall_gain, False),
)
"""All pieces, in the order in which they lie in a buffer."""

PIECE_NAMES: Final = tuple(piece.name for piece in PIECES)

# Their indices, for compiled code
CITY, OTHER_CITIES, MARKET, DISPLAY, HAND, HAND_SIZES, OTHER_HANDS = range(7)
RESERVES, BOUGHT, PICKED, BUILDINGS, WALLS, SCORES, UNSEEN_TILES = range(7, 14)
DISCARDS, PROGRESS, AWARDS, ENDING, TURNS, TO_PLAY, EXACT_SLOT = range(14, 21)
STANDING, OFFERS, WALL_GAIN = range(21, len(PIECES))
