"""Writing a whole observation into its buffer, or bringing one up to date after an action."""

from typing import Any

import numpy as np

from ..engine.action_ranges import BUY, PICK, PUT, REMOVE, STORE
from ..engine.jit import borrow, jit
from ..engine.material import NONE
from .derived import write_offers, write_standing, write_wall_gain
from .pieces import (
    BOUGHT,
    BUILDINGS,
    CITY,
    DISCARDS,
    DISPLAY,
    HAND,
    HAND_SIZES,
    MARKET,
    OFFERS,
    OTHER_CITIES,
    OTHER_HANDS,
    PICKED,
    PROGRESS,
    RESERVES,
    SCORES,
    STANDING,
    UNSEEN_TILES,
    WALL_GAIN,
    WALLS,
)
from .writers import (
    CITY_BYTES,
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
    if has_piece(bounds, CITY):
        write_city(state, seat, piece_of(out, bounds, CITY))
    if has_piece(bounds, OTHER_CITIES):
        write_other_cities(state, seat, piece_of(out, bounds, OTHER_CITIES))
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
        change_observer(state, old_seat, seat, bounds, out)
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
def change_observer(
    state: Any, old_seat: int, seat: int, bounds: np.ndarray, out: np.ndarray
) -> None:
    """Redraw the cities for another observer; `write_small_pieces` writes the rest."""
    city = piece_of(out, bounds, CITY)
    turn_cities(state, old_seat, seat, city, piece_of(out, bounds, OTHER_CITIES))


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
        if has_piece(bounds, CITY):
            redraw_cell(state, seat, cell, 0, piece_of(out, bounds, CITY))
    elif has_piece(bounds, OTHER_CITIES):
        start = (rel - 1) * CITY_BYTES
        redraw_cell(state, seat, cell, start, piece_of(out, bounds, OTHER_CITIES))


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
    if has_piece(bounds, MARKET):
        write_market(state, seat, piece_of(out, bounds, MARKET))
    if has_piece(bounds, UNSEEN_TILES):
        write_unseen_tiles(state, seat, piece_of(out, bounds, UNSEEN_TILES))


@jit
def write_money(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces about money cards."""
    if has_piece(bounds, DISPLAY):
        write_display(state, seat, piece_of(out, bounds, DISPLAY))
    if has_piece(bounds, HAND):
        write_hand(state, seat, piece_of(out, bounds, HAND))
    if has_piece(bounds, HAND_SIZES):
        write_hand_sizes(state, seat, piece_of(out, bounds, HAND_SIZES))
    if has_piece(bounds, OTHER_HANDS):
        write_other_hands(state, seat, piece_of(out, bounds, OTHER_HANDS))
    if has_piece(bounds, DISCARDS):
        write_discards(state, seat, piece_of(out, bounds, DISCARDS))


@jit
def write_holdings(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces about what everybody has got."""
    if has_piece(bounds, RESERVES):
        write_reserves(state, seat, piece_of(out, bounds, RESERVES))
    if has_piece(bounds, BUILDINGS):
        write_buildings(state, seat, piece_of(out, bounds, BUILDINGS))
    if has_piece(bounds, WALLS):
        write_walls(state, seat, piece_of(out, bounds, WALLS))
    if has_piece(bounds, SCORES):
        write_scores(state, seat, piece_of(out, bounds, SCORES))


@jit
def write_moment(state: Any, seat: int, bounds: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces that may change with any action."""
    if has_piece(bounds, BOUGHT):
        write_bought(state, seat, piece_of(out, bounds, BOUGHT))
    if has_piece(bounds, PICKED):
        write_picked(state, seat, piece_of(out, bounds, PICKED))
    if has_piece(bounds, PROGRESS):
        write_progress(state, seat, piece_of(out, bounds, PROGRESS))
    if has_piece(bounds, STANDING):
        write_standing(state, seat, piece_of(out, bounds, STANDING))
    if has_piece(bounds, OFFERS):
        write_offers(state, seat, piece_of(out, bounds, OFFERS))
    if has_piece(bounds, WALL_GAIN):
        write_wall_gain(state, seat, piece_of(out, bounds, WALL_GAIN))
