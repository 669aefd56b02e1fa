"""What a seat observes: one `uint8` buffer, made of named pieces.

`PIECES` is the one table of them. A `Layout` puts some of them one after the other into a buffer;
the flat array and the dictionary of pieces are views of the same bytes.
"""

from collections.abc import Callable, Iterable
from math import prod
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np

from .actions import BUY, PICK, PUT, REMOVE, STORE
from .derived_pieces import OFFER_BYTES, write_offers, write_standing, write_wall_gain
from .engine.jit import borrow, jit
from .grid import SIZE
from .material import (
    DECK_ROOM,
    MAX_PLAYERS,
    MIN_PLAYERS,
    N_BUILDINGS,
    N_COPIES,
    N_CURRENCIES,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    TILE_PRICE,
)
from .pieces import (
    CITY_BYTES,
    CITY_PLANES,
    DISPLAY_BYTES,
    LARGEST,
    MARKET_BYTES,
    redraw_cell,
    seat_at,
    turn_cities,
    write_bought,
    write_buildings,
    write_city,
    write_discards,
    write_display,
    write_hand,
    write_hand_sizes,
    write_market,
    write_other_cities,
    write_other_hands,
    write_picked,
    write_progress,
    write_reserves,
    write_scores,
    write_unseen_tiles,
    write_walls,
)
from .settings import as_list, one_of, shown, whole_number

HANDS: Final = ("secret", "open")
"""Whether the others' hands are hidden, or seen as by a perfect memory (E4)."""

_MONEY: Final = (N_CURRENCIES, N_VALUES)


def check_hands(hands: str) -> None:
    """Raise `ValueError` unless this is one of `HANDS`."""
    if hands not in HANDS:
        raise ValueError(f"hands must be one of {', '.join(HANDS)}, not {shown(hands)}")


class Piece(NamedTuple):
    """One piece of an observation."""

    name: str
    shape: Callable[[int], tuple[int, ...]]
    """Its shape, from the number of players."""
    high: int
    """The largest value; the smallest is 0."""
    writer: Callable[..., None]
    """Writes the piece; its docstring says what it shows."""
    is_default: bool = True
    needs_open_hands: bool = False


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
    Piece("standing", lambda n: (n + 1 + N_BUILDINGS,), LARGEST, write_standing, False),
    Piece("offers", lambda n: (N_SLOTS, OFFER_BYTES), LARGEST, write_offers, False),
    Piece("wall_gain", lambda n: (SIZE, SIZE), LARGEST, write_wall_gain, False),
)
"""The pieces in the order in which they lie in a buffer."""

PIECE_NAMES: Final = tuple(piece.name for piece in PIECES)

# Their numbers, for compiled code
_CITY, _OTHER_CITIES, _MARKET, _DISPLAY, _HAND, _HAND_SIZES, _OTHER_HANDS = range(7)
_RESERVES, _BOUGHT, _PICKED, _BUILDINGS, _WALLS, _SCORES, _UNSEEN_TILES = range(7, 14)
_DISCARDS, _PROGRESS, _STANDING, _OFFERS, _WALL_GAIN = range(14, len(PIECES))


# --- writing -------------------------------------------------------------------------------------
#
# `bounds` says where in the buffer each piece begins and ends: [piece, 0..1]. A piece that is not
# in it begins and ends at 0.


@jit
def piece_of(out: np.ndarray, bounds: np.ndarray, number: int) -> np.ndarray:
    """Return the bytes of a piece."""
    piece: np.ndarray = borrow(out)[bounds[number, 0] : bounds[number, 1]]
    return piece


@jit
def has_piece(bounds: np.ndarray, number: int) -> bool:
    """Is this piece in the buffer?"""
    return bool(bounds[number, 1] > 0)


@jit
def write_observation(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write all that a seat observes into `out`, whatever was there."""
    for i in range(out.size):
        out[i] = 0
    if has_piece(bounds, _CITY):
        write_city(state, seat, piece_of(out, bounds, _CITY))
    if has_piece(bounds, _OTHER_CITIES):
        write_other_cities(state, seat, piece_of(out, bounds, _OTHER_CITIES))
    write_small_pieces(state, seat, bounds, out)


@jit
def write_observation_of(
    states: np.ndarray, game: int, seat: int, bounds: np.ndarray, out: np.ndarray
) -> None:
    """`write_observation` for one of some games; for callers from Python (see `try_step`)."""
    write_observation(states[game], seat, bounds, out)


@jit
def update_observation(
    state: Any,
    action: int,
    old_seat: int,
    old_turn: int,
    old_bag_size: int,
    bounds: np.ndarray,
    out: np.ndarray,
) -> None:
    """Change what `old_seat` observed before an action into what the seat to play observes now.

    Only what the action can have changed is written, given the seat, the turn and the size of the
    bag before it.
    """
    cell = changed_cell(action)
    if cell != NONE:
        redraw_changed_cell(state, old_seat, old_seat, cell, bounds, out)
    seat = int(state.to_play)
    if seat != old_seat:
        city = piece_of(out, bounds, _CITY)
        turn_cities(state, old_seat, seat, city, piece_of(out, bounds, _OTHER_CITIES))
    is_next_turn = seat != old_seat or state.turn != old_turn
    has_bought = BUY <= action < PICK
    # A turn that ends fills up what was bought from the bag, if there is something in it.
    if has_bought or state.bag_size != old_bag_size or state.ending:
        write_supply(state, seat, bounds, out)
    if action < PICK or is_next_turn:
        write_money(state, seat, bounds, out)
    if not has_bought or is_next_turn:
        write_holdings(state, seat, bounds, out)
    write_moment(state, seat, bounds, out)


@jit
def changed_cell(action: int) -> int:
    """Return the cell of the mover's city that an action changes, or NONE."""
    if REMOVE <= action < PUT:
        return action - REMOVE
    if PUT <= action < STORE:
        return action - PUT
    return NONE


@jit
def redraw_changed_cell(
    state: Any, observer: int, seat: int, cell: int, bounds: np.ndarray, out: np.ndarray
) -> None:
    """Draw one cell of a seat's city anew, where the observer sees it."""
    rel = seat_at(seat, int(state.num_players) - observer, int(state.num_players))
    if rel == 0:
        if has_piece(bounds, _CITY):
            redraw_cell(state, seat, cell, 0, piece_of(out, bounds, _CITY))
    elif has_piece(bounds, _OTHER_CITIES):
        start = (rel - 1) * CITY_BYTES
        redraw_cell(state, seat, cell, start, piece_of(out, bounds, _OTHER_CITIES))


@jit
def write_small_pieces(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write all pieces but the cities."""
    write_supply(state, seat, bounds, out)
    write_money(state, seat, bounds, out)
    write_holdings(state, seat, bounds, out)
    write_moment(state, seat, bounds, out)


@jit
def write_supply(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces that a purchase, and filling up after it, change."""
    if has_piece(bounds, _MARKET):
        write_market(state, seat, piece_of(out, bounds, _MARKET))
    if has_piece(bounds, _UNSEEN_TILES):
        write_unseen_tiles(state, seat, piece_of(out, bounds, _UNSEEN_TILES))


@jit
def write_money(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces about money cards."""
    if has_piece(bounds, _DISPLAY):
        write_display(state, seat, piece_of(out, bounds, _DISPLAY))
    if has_piece(bounds, _HAND):
        write_hand(state, seat, piece_of(out, bounds, _HAND))
    if has_piece(bounds, _HAND_SIZES):
        write_hand_sizes(state, seat, piece_of(out, bounds, _HAND_SIZES))
    if has_piece(bounds, _OTHER_HANDS):
        write_other_hands(state, seat, piece_of(out, bounds, _OTHER_HANDS))
    if has_piece(bounds, _DISCARDS):
        write_discards(state, seat, piece_of(out, bounds, _DISCARDS))


@jit
def write_holdings(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces about what everybody has got."""
    if has_piece(bounds, _RESERVES):
        write_reserves(state, seat, piece_of(out, bounds, _RESERVES))
    if has_piece(bounds, _BUILDINGS):
        write_buildings(state, seat, piece_of(out, bounds, _BUILDINGS))
    if has_piece(bounds, _WALLS):
        write_walls(state, seat, piece_of(out, bounds, _WALLS))
    if has_piece(bounds, _SCORES):
        write_scores(state, seat, piece_of(out, bounds, _SCORES))


@jit
def write_moment(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces that may change with any action."""
    if has_piece(bounds, _BOUGHT):
        write_bought(state, seat, piece_of(out, bounds, _BOUGHT))
    if has_piece(bounds, _PICKED):
        write_picked(state, seat, piece_of(out, bounds, _PICKED))
    if has_piece(bounds, _PROGRESS):
        write_progress(state, seat, piece_of(out, bounds, _PROGRESS))
    if has_piece(bounds, _STANDING):
        write_standing(state, seat, piece_of(out, bounds, _STANDING))
    if has_piece(bounds, _OFFERS):
        write_offers(state, seat, piece_of(out, bounds, _OFFERS))
    if has_piece(bounds, _WALL_GAIN):
        write_wall_gain(state, seat, piece_of(out, bounds, _WALL_GAIN))


# --- layout --------------------------------------------------------------------------------------


class Layout:
    """Which pieces an observation has, and where they lie in its buffer."""

    def __init__(
        self,
        num_players: int,
        hands: str = HANDS[0],
        pieces: Iterable[str] | None = None,
    ) -> None:
        """Choose the pieces.

        Args:
            num_players: 2 to 6.
            hands: `"secret"` or `"open"` (E4).
            pieces: names from `PIECE_NAMES`; None takes the default ones.

        Raises:
            ValueError: for an unknown name, a piece that needs open hands, or no piece at all.
        """
        num_players = whole_number(num_players, "num_players", MIN_PLAYERS, MAX_PLAYERS)
        check_hands(hands)
        chosen = _choose(hands, pieces)
        self.hands = hands
        self.pieces = tuple(piece.name for piece in chosen)
        """The names of the pieces, in the order in which they lie in the buffer."""
        self.shapes = {piece.name: piece.shape(num_players) for piece in chosen}
        self.highs = {piece.name: piece.high for piece in chosen}
        self.slices: dict[str, slice] = {}
        self.bounds = np.zeros((len(PIECES), 2), np.int64)
        """Where each of `PIECES` begins and ends, for compiled code."""
        self.size = 0
        """Bytes in the buffer."""
        for piece in chosen:
            end = self.size + prod(self.shapes[piece.name])
            self.slices[piece.name] = slice(self.size, end)
            self.bounds[PIECE_NAMES.index(piece.name)] = self.size, end
            self.size = end

    def high(self) -> np.ndarray:
        """Return the largest value of each byte of the buffer."""
        high = np.zeros(self.size, np.uint8)
        for name, where in self.slices.items():
            high[where] = self.highs[name]
        return high

    def split(self, buffer: np.ndarray) -> dict[str, np.ndarray]:
        """Return the pieces of a buffer as views, without copying.

        The last axis of `buffer` is the observation; axes before it, such as games, stay.

        Raises:
            ValueError: it is no array of observations of this layout.
        """
        if not isinstance(buffer, np.ndarray) or buffer.shape[-1:] != (self.size,):
            shape = getattr(buffer, "shape", None)
            raise ValueError(f"the last axis of a buffer has {self.size} bytes, not {shown(shape)}")
        return {
            name: buffer[..., where].reshape(*buffer.shape[:-1], *self.shapes[name])
            for name, where in self.slices.items()
        }

    def observe(self, states: np.ndarray, game: int, seat: int) -> np.ndarray:
        """Return a new buffer with what a seat observes in one of some games."""
        buffer = np.empty(self.size, np.uint8)
        write_observation_of(states, game, seat, self.bounds, buffer)
        return buffer

    def box(self) -> gymnasium.spaces.Box:
        """Return the space of the whole buffer."""
        return gymnasium.spaces.Box(np.uint8(0), self.high(), dtype=np.uint8)

    def boxes(self) -> dict[str, gymnasium.spaces.Space[Any]]:
        """Return the space of each piece."""
        return {
            name: gymnasium.spaces.Box(0, self.highs[name], shape, np.uint8)
            for name, shape in self.shapes.items()
        }


def _choose(hands: str, names: Iterable[str] | None) -> list[Piece]:
    if names is None:
        return [p for p in PIECES if p.is_default and (hands == "open" or not p.needs_open_hands)]
    wanted = as_list(names, "pieces")
    for name in wanted:
        one_of(name, PIECE_NAMES, "piece")
    chosen = [piece for piece in PIECES if piece.name in wanted]
    if not chosen:
        raise ValueError(f"an observation needs a piece; there are: {', '.join(PIECE_NAMES)}")
    for piece in chosen:
        if piece.needs_open_hands and hands != "open":
            raise ValueError(f'the piece {piece.name!r} needs hands="open", not {hands!r}')
    return chosen
