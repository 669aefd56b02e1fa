"""The pieces of an observation, each written by one compiled function.

`write_<piece>(state, seat, out)` writes what a seat sees into `out`, which holds the bytes of this
piece only. Seats are relative: 0 is the observer, then clockwise. A writer sets every byte, except
that cities are marked on planes of zeros: they are large and change little, so `GameBatch` keeps
them from step to step (`update_cell`, `rotate_cities`). `derived` holds the derived pieces.
"""

from typing import Final

import numpy as np

from ..engine.arrays import Array
from ..engine.grid import FOUNTAIN_CELL, N_CELLS
from ..engine.jit import borrow, flat, jit
from ..engine.material import (
    DIRK,
    FOUNTAIN,
    N_BUILDINGS,
    N_CURRENCIES,
    N_SIDES,
    N_SLOTS,
    N_TILES,
    N_VALUES,
    NONE,
    TILE_BUILDING,
    TILE_PRICE,
    TILE_WALLS,
)
from ..engine.state import OVER, State
from ..engine.tileset import TILE_BIT, lowest_tile

CITY_PLANES: Final = N_BUILDINGS + N_SIDES + 1
"""One plane for each building type, one for the walls on each side, one for the fountain."""

CITY_BYTES: Final = CITY_PLANES * N_CELLS
FOUNTAIN_PLANE: Final = CITY_PLANES - 1

MOST_PLANES: Final = 4


def _tile_planes() -> np.ndarray:
    planes = np.zeros((N_TILES, MOST_PLANES), dtype=np.uint16)
    for tile in range(N_TILES):
        walls = [side for side in range(N_SIDES) if TILE_WALLS[tile] >> side & 1]
        shown = [int(TILE_BUILDING[tile]), *(N_BUILDINGS + side for side in walls)]
        # Padded with the first plane: writing it twice is faster than a loop of varying length.
        shown += shown[:1] * (MOST_PLANES - len(shown))
        planes[tile] = [plane * N_CELLS for plane in shown]
    return planes


TILE_PLANES: Final = _tile_planes()
"""Where the planes that show a tile start: its type, and each of its up to three walls."""

MARKET_BYTES: Final = N_BUILDINGS + 1 + N_SIDES + 1
DISPLAY_BYTES: Final = N_CURRENCIES + 1 + 1
LARGEST: Final = 255
"""The largest value of a byte."""
LARGEST_PAIR: Final = 65_535
"""The largest value of two bytes."""


@jit
def seat_at(seat: int, rel: int, players: int) -> int:
    """Return the seat `rel` places clockwise from a seat."""
    other = seat + rel
    return other if other < players else other - players  # faster than a division


# --- cities --------------------------------------------------------------------------------------


@jit
def mark_tile(tile: int, cell: int, flag: int, start: int, out: Array) -> None:
    """Set a tile's bytes to `flag` (1 shows it, 0 erases it), in city planes from `start` on."""
    first = start + cell
    for i in range(MOST_PLANES):
        out[first + TILE_PLANES[tile, i]] = flag


@jit
def mark_tiles(state: State, seat: int, flag: int, start: int, out: Array) -> None:
    """`mark_tile` for all tiles of a seat's city."""
    tiles = state.built[seat] & ~TILE_BIT[FOUNTAIN]
    while tiles != 0:
        tile = lowest_tile(tiles)
        tiles &= tiles - 1
        mark_tile(tile, state.cell[tile], flag, start, out)


@jit
def write_city(state: State, seat: int, out: Array) -> None:
    """The observer's city."""
    mark_city(state, seat, 0, out)


@jit
def mark_city(state: State, seat: int, start: int, out: Array) -> None:
    """Mark a city, with its fountain, on planes that are zeros."""
    out[start + FOUNTAIN_PLANE * N_CELLS + FOUNTAIN_CELL] = 1
    mark_tiles(state, seat, 1, start, out)


@jit
def write_other_cities(state: State, seat: int, out: Array) -> None:
    """The other players' cities."""
    players = int(state.num_players)
    for rel in range(1, players):
        mark_city(state, seat_at(seat, rel, players), (rel - 1) * CITY_BYTES, out)


@jit
def update_cell(state: State, seat: int, cell: int, start: int, out: Array) -> None:
    """Update one changed cell of a city, in city planes from `start` on."""
    for plane in range(FOUNTAIN_PLANE):
        out[start + plane * N_CELLS + cell] = 0
    tile = int(state.city[seat, cell])
    if tile != NONE:
        mark_tile(tile, cell, 1, start, out)


@jit
def rotate_cities(state: State, old: int, new: int, out_city: Array, out_others: Array) -> None:
    """Change the cities from the view of seat `old` to the view of seat `new`.

    An empty array means that the layout does not have this piece.
    """
    players = int(state.num_players)
    if out_city.size > 0:
        replace_city(state, old, new, 0, out_city)
    if out_others.size > 0:
        for rel in range(1, players):
            before, now = seat_at(old, rel, players), seat_at(new, rel, players)
            replace_city(state, before, now, (rel - 1) * CITY_BYTES, out_others)


@jit
def replace_city(state: State, old: int, new: int, start: int, out: Array) -> None:
    """Replace one seat's city by another's. The fountain is in the same place."""
    mark_tiles(state, old, 0, start, out)
    mark_tiles(state, new, 1, start, out)


# --- market and money ----------------------------------------------------------------------------


@jit
def write_market(state: State, seat: int, out: Array) -> None:
    """For each slot: building type (one-hot), price, walls (N, E, S, W), whether it has a tile."""
    for slot in range(N_SLOTS):
        first = slot * MARKET_BYTES
        for i in range(MARKET_BYTES):
            out[first + i] = 0
        tile = int(state.market[slot])
        if tile != NONE:
            out[first + TILE_BUILDING[tile]] = 1
            out[first + N_BUILDINGS] = TILE_PRICE[tile]
            for side in range(N_SIDES):
                out[first + N_BUILDINGS + 1 + side] = TILE_WALLS[tile] >> side & 1
            out[first + MARKET_BYTES - 1] = 1


@jit
def write_display(state: State, seat: int, out: Array) -> None:
    """For each open card: currency (one-hot), value, whether there is a card."""
    for slot in range(N_SLOTS):
        first = slot * DISPLAY_BYTES
        for i in range(DISPLAY_BYTES):
            out[first + i] = 0
        card = int(state.display[slot])
        if card != NONE:
            out[first + card // N_VALUES] = 1
            out[first + N_CURRENCIES] = card % N_VALUES + 1
            out[first + DISPLAY_BYTES - 1] = 1


@jit
def copy_row(source: Array, out: Array) -> None:
    """Copy the first `out.size` bytes of a row."""
    for i in range(out.size):
        out[i] = source[i]


@jit
def copy_rotated(
    source: Array, width: int, first: int, count: int, players: int, out: Array
) -> None:
    """Copy `width` bytes for each of `count` seats, clockwise from the seat `first`."""
    middle = min(count, players - first) * width
    out = borrow(out)
    copy_row(source[first * width :], out[:middle])
    copy_row(source, out[middle : count * width])


@jit
def write_hand(state: State, seat: int, out: Array) -> None:
    """The observer's cards: how many of each currency and value."""
    copy_row(flat(state.hands[seat]), out)


@jit
def write_hand_sizes(state: State, seat: int, out: Array) -> None:
    """How many cards each player holds."""
    players = int(state.num_players)
    for rel in range(players):
        cards = flat(state.hands[seat_at(seat, rel, players)])
        size = 0
        for card in range(cards.size):
            size += cards[card]
        out[rel] = size


@jit
def write_other_hands(state: State, seat: int, out: Array) -> None:
    """The other players' cards, for observers with a perfect memory (E4)."""
    players = int(state.num_players)
    first = seat_at(seat, 1, players)
    copy_rotated(flat(state.hands), N_CURRENCIES * N_VALUES, first, players - 1, players, out)


@jit
def write_discards(state: State, seat: int, out: Array) -> None:
    """The cards paid since the last shuffle."""
    copy_row(flat(state.discards), out)


# --- tiles ---------------------------------------------------------------------------------------


@jit
def write_reserves(state: State, seat: int, out: Array) -> None:
    """The tiles in each player's reserve, as flags."""
    players = int(state.num_players)
    copy_rotated(flat(state.reserves), N_TILES, seat, players, players, out)


@jit
def write_bought(state: State, seat: int, out: Array) -> None:
    """The tiles bought and not yet placed, as flags."""
    copy_row(state.bought, out)


@jit
def write_picked(state: State, seat: int, out: Array) -> None:
    """The tile being placed, one-hot."""
    for tile in range(N_TILES):
        out[tile] = 0
    if state.picked != NONE:
        out[state.picked] = 1


@jit
def write_unseen_tiles(state: State, seat: int, out: Array) -> None:
    """The tiles still in the bag, as flags."""
    for tile in range(N_TILES):
        out[tile] = 0
    for i in range(int(state.bag_size)):
        out[state.bag[i]] = 1


@jit
def write_awards(state: State, seat: int, out: Array) -> None:
    """The leftover tiles that each player won and has not placed yet (R26), as flags."""
    for i in range(out.size):
        out[i] = 0
    for slot in range(N_SLOTS):
        if state.award_tiles[slot] != NONE:
            rel = (int(state.award_seats[slot]) - seat) % int(state.num_players)
            out[rel * N_TILES + state.award_tiles[slot]] = 1


# --- standing ------------------------------------------------------------------------------------


@jit
def write_buildings(state: State, seat: int, out: Array) -> None:
    """Tiles of each type in each player's city; Dirk last."""
    players = int(state.num_players)
    for rel in range(players + 1):
        row = seat_at(seat, rel, players) if rel < players else DIRK
        for building in range(N_BUILDINGS):
            out[rel * N_BUILDINGS + building] = state.buildings[row, building]


@jit
def write_walls(state: State, seat: int, out: Array) -> None:
    """Length of each player's longest wall."""
    players = int(state.num_players)
    for rel in range(players):
        out[rel] = state.walls[seat_at(seat, rel, players)]


@jit
def write_scores(state: State, seat: int, out: Array) -> None:
    """Points of each player, capped at 255; Dirk last."""
    players = int(state.num_players)
    for rel in range(players):
        out[rel] = min(int(state.scores[seat_at(seat, rel, players)]), LARGEST)
    out[players] = min(int(state.dirk_score), LARGEST)


@jit
def write_progress(state: State, seat: int, out: Array) -> None:
    """Phase, rounds scored, tiles in bag, cards in deck, purchases this turn, first seat."""
    out[0] = state.phase
    out[1] = state.rounds_scored
    out[2] = state.bag_size
    out[3] = state.deck_size
    out[4] = state.actions
    out[5] = (int(state.first_seat) - seat) % int(state.num_players)


@jit
def write_ending(state: State, seat: int, out: Array) -> None:
    """1 once the market cannot be refilled: leftover tiles are placed, then the game is over."""
    out[0] = state.ending


@jit
def write_turns(state: State, seat: int, out: Array) -> None:
    """Turns finished, and turns left until truncation (E3): each high byte, low byte; capped."""
    finished = min(int(state.turn), LARGEST_PAIR)
    left = min(int(state.max_turns) - int(state.turn), LARGEST_PAIR)
    out[0] = finished >> 8
    out[1] = finished & LARGEST
    out[2] = left >> 8
    out[3] = left & LARGEST


@jit
def write_to_play(state: State, seat: int, out: Array) -> None:
    """The player to decide, one-hot; none once the game is over."""
    players = int(state.num_players)
    for rel in range(players):
        out[rel] = state.phase != OVER and seat_at(seat, rel, players) == state.to_play


@jit
def write_exact_slot(state: State, seat: int, out: Array) -> None:
    """The slot of the exact purchase just made, which `overpay` belongs to, one-hot."""
    for slot in range(N_SLOTS):
        out[slot] = slot == state.exact_slot
