"""The pieces of an observation, each written by one compiled function.

`write_<piece>(state, seat, out)` writes what a seat sees into `out`, which holds the bytes of this
piece and no others. Seats are relative there: 0 is the observer, then clockwise. All bytes are
written, except that the cities are drawn on zeros: they are large and change little, so `GameBatch`
keeps them from step to step (`redraw_cell`, `turn_cities`). `derived_pieces` has more of them.
"""

from typing import Final

import numpy as np

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
        # Filled up with the first one: writing it again costs less than asking how many there are.
        shown += shown[:1] * (MOST_PLANES - len(shown))
        planes[tile] = [plane * N_CELLS for plane in shown]
    return planes


TILE_PLANES: Final = _tile_planes()
"""Where the planes that show a tile begin: its type, and each of its up to three walls."""

MARKET_BYTES: Final = N_BUILDINGS + 1 + N_SIDES + 1
DISPLAY_BYTES: Final = N_CURRENCIES + 1 + 1
LARGEST: Final = 255
"""The most that a byte can say."""


@jit
def seat_at(seat, rel, players):
    """Return the seat that sits `rel` places after another, clockwise."""
    other = seat + rel
    return other if other < players else other - players  # a division would cost more


# --- cities --------------------------------------------------------------------------------------


@jit
def draw_tile(tile, cell, flag, start, out):
    """Draw a tile on the planes of a city that begin at `start`, or erase it with `flag` 0."""
    first = start + cell
    for i in range(MOST_PLANES):
        out[first + TILE_PLANES[tile, i]] = flag


@jit
def draw_tiles(state, seat, flag, start, out):
    """Draw all tiles of a seat's city, or erase them."""
    tiles = state.built[seat] & ~TILE_BIT[FOUNTAIN]
    while tiles != 0:
        tile = lowest_tile(tiles)
        tiles &= tiles - 1
        draw_tile(tile, state.cell[tile], flag, start, out)


@jit
def write_city(state, seat, out):
    """The seat's own city."""
    draw_city(state, seat, 0, out)


@jit
def draw_city(state, seat, start, out):
    """Draw a city, with its fountain, on planes that are zeros."""
    out[start + FOUNTAIN_PLANE * N_CELLS + FOUNTAIN_CELL] = 1
    draw_tiles(state, seat, 1, start, out)


@jit
def write_other_cities(state, seat, out):
    """The cities of the others."""
    players = int(state.num_players)
    for rel in range(1, players):
        draw_city(state, seat_at(seat, rel, players), (rel - 1) * CITY_BYTES, out)


@jit
def redraw_cell(state, seat, cell, start, out):
    """Draw one cell of a city anew after it changed, on planes that begin at `start`."""
    for plane in range(FOUNTAIN_PLANE):
        out[start + plane * N_CELLS + cell] = 0
    tile = int(state.city[seat, cell])
    if tile != NONE:
        draw_tile(tile, cell, 1, start, out)


@jit
def turn_cities(state, old, new, out_city, out_others):
    """Change the cities from how one seat sees them to how another does.

    An array of no bytes stands for a piece that is not there.
    """
    players = int(state.num_players)
    if out_city.size > 0:
        replace_city(state, old, new, 0, out_city)
    if out_others.size > 0:
        for rel in range(1, players):
            before, now = seat_at(old, rel, players), seat_at(new, rel, players)
            replace_city(state, before, now, (rel - 1) * CITY_BYTES, out_others)


@jit
def replace_city(state, old, new, start, out):
    """Draw one seat's city where another's was. The fountain is in the same place."""
    draw_tiles(state, old, 0, start, out)
    draw_tiles(state, new, 1, start, out)


# --- market and money ----------------------------------------------------------------------------


@jit
def write_market(state, seat, out):
    """Of each slot: building type (one of six flags), price, walls, is there a tile?"""
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
def write_display(state, seat, out):
    """Of each open card: currency (one of four flags), value, is there a card?"""
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
def copy_row(source, out):
    """Copy the bytes of a row."""
    for i in range(out.size):
        out[i] = source[i]


@jit
def copy_turned(source, width, first, count, players, out):
    """Copy `width` bytes of each of `count` seats, clockwise from the seat `first` on."""
    middle = min(count, players - first) * width
    out = borrow(out)
    copy_row(source[first * width :], out[:middle])
    copy_row(source, out[middle : count * width])


@jit
def write_hand(state, seat, out):
    """The seat's own cards."""
    copy_row(flat(state.hands[seat]), out)


@jit
def write_hand_sizes(state, seat, out):
    """How many cards everybody holds."""
    players = int(state.num_players)
    for rel in range(players):
        cards = flat(state.hands[seat_at(seat, rel, players)])
        size = 0
        for card in range(cards.size):
            size += cards[card]
        out[rel] = size


@jit
def write_other_hands(state, seat, out):
    """The cards of the others, for players with a perfect memory (E4)."""
    players = int(state.num_players)
    first = seat_at(seat, 1, players)
    copy_turned(flat(state.hands), N_CURRENCIES * N_VALUES, first, players - 1, players, out)


@jit
def write_discards(state, seat, out):
    """The cards that were paid since the last shuffle."""
    copy_row(flat(state.discards), out)


# --- tiles ---------------------------------------------------------------------------------------


@jit
def write_reserves(state, seat, out):
    """The tiles in everybody's reserve, as flags."""
    players = int(state.num_players)
    copy_turned(flat(state.reserves), N_TILES, seat, players, players, out)


@jit
def write_bought(state, seat, out):
    """The tiles that are bought and not yet placed, as flags."""
    copy_row(state.bought, out)


@jit
def write_picked(state, seat, out):
    """The tile that is being placed, as a flag."""
    for tile in range(N_TILES):
        out[tile] = 0
    if state.picked != NONE:
        out[state.picked] = 1


@jit
def write_unseen_tiles(state, seat, out):
    """The tiles that are still in the bag, as flags."""
    for tile in range(N_TILES):
        out[tile] = 0
    for i in range(int(state.bag_size)):
        out[state.bag[i]] = 1


# --- standing ------------------------------------------------------------------------------------


@jit
def write_buildings(state, seat, out):
    """Tiles of each type in everybody's city; Dirk last."""
    players = int(state.num_players)
    for rel in range(players + 1):
        row = seat_at(seat, rel, players) if rel < players else DIRK
        for building in range(N_BUILDINGS):
            out[rel * N_BUILDINGS + building] = state.buildings[row, building]


@jit
def write_walls(state, seat, out):
    """Length of everybody's longest wall."""
    players = int(state.num_players)
    for rel in range(players):
        out[rel] = state.walls[seat_at(seat, rel, players)]


@jit
def write_scores(state, seat, out):
    """Points of everybody, at most 255; Dirk last."""
    players = int(state.num_players)
    for rel in range(players):
        out[rel] = min(int(state.scores[seat_at(seat, rel, players)]), LARGEST)
    out[players] = min(int(state.dirk_score), LARGEST)


@jit
def write_progress(state, seat, out):
    """Phase, rounds scored, bag, deck (how many are left), purchases this turn, first seat."""
    out[0] = state.phase
    out[1] = state.rounds_scored
    out[2] = state.bag_size
    out[3] = state.deck_size
    out[4] = state.actions
    out[5] = (int(state.first_seat) - seat) % int(state.num_players)
