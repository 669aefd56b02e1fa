"""Writes a whole observation into its buffer, or updates one after an action.

`bounds[piece]` holds the start and end of a piece in the buffer. A piece that the layout does not
have starts and ends at 0.
"""

from ..engine.action_ranges import BUY, OVERPAY, PICK, PUT, REMOVE, STORE
from ..engine.arrays import Array
from ..engine.jit import borrow, jit
from ..engine.material import NONE
from ..engine.state import State
from .derived import write_offers, write_standing, write_wall_gain
from .pieces import (
    AWARDS,
    BOUGHT,
    BUILDINGS,
    CITY,
    DISCARDS,
    DISPLAY,
    ENDING,
    EXACT_SLOT,
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
    TO_PLAY,
    TURNS,
    UNSEEN_TILES,
    WALL_GAIN,
    WALLS,
)
from .writers import (
    CITY_BYTES,
    rotate_cities,
    seat_at,
    update_cell,
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


@jit
def piece_of(out: Array, bounds: Array, number: int) -> Array:
    """Return the bytes of a piece."""
    piece: Array = borrow(out)[bounds[number, 0] : bounds[number, 1]]
    return piece


@jit
def has_piece(bounds: Array, number: int) -> bool:
    """Does the layout have this piece?"""
    return bool(bounds[number, 1] > 0)


@jit
def write_observation(state: State, seat: int, bounds: Array, out: Array) -> None:
    """Write what a seat observes into `out`, overwriting all of it."""
    for i in range(out.size):
        out[i] = 0
    if has_piece(bounds, CITY):
        write_city(state, seat, piece_of(out, bounds, CITY))
    if has_piece(bounds, OTHER_CITIES):
        write_other_cities(state, seat, piece_of(out, bounds, OTHER_CITIES))
    write_small_pieces(state, seat, bounds, out)


@jit
def write_observation_of(states: Array, game: int, seat: int, bounds: Array, out: Array) -> None:
    """`write_observation` for one game of an array; for callers from Python (see `try_step`)."""
    write_observation(states[game], seat, bounds, out)


@jit
def update_observation(
    state: State,
    action: int,
    old_seat: int,
    old_turn: int,
    old_bag_size: int,
    bounds: Array,
    out: Array,
) -> None:
    """Change what `old_seat` observed before an action into what the seat to play observes now.

    `old_turn` and `old_bag_size` are from before the action too. Only pieces that the action can
    have changed are written.
    """
    cell = changed_cell(action)
    if cell != NONE:
        update_city_cell(state, old_seat, old_seat, cell, bounds, out)
    seat = int(state.to_play)
    if seat != old_seat:
        change_observer(state, old_seat, seat, bounds, out)
    is_next_turn = seat != old_seat or state.turn != old_turn
    has_bought = BUY <= action < PICK
    # The end of a turn refills the market from the bag, unless the bag is empty.
    if has_bought or state.bag_size != old_bag_size or state.ending:
        write_supply(state, seat, bounds, out)
    if action < PICK or action >= OVERPAY or is_next_turn:
        write_money(state, seat, bounds, out)
    if not has_bought or is_next_turn:
        write_holdings(state, seat, bounds, out)
    write_moment(state, seat, bounds, out)


@jit
def change_observer(state: State, old_seat: int, seat: int, bounds: Array, out: Array) -> None:
    """Redraw the cities for another observer; `write_small_pieces` writes the rest."""
    city = piece_of(out, bounds, CITY)
    rotate_cities(state, old_seat, seat, city, piece_of(out, bounds, OTHER_CITIES))


@jit
def changed_cell(action: int) -> int:
    """Return the cell of the mover's city that an action changes, or NONE."""
    if REMOVE <= action < PUT:
        return action - REMOVE
    if PUT <= action < STORE:
        return action - PUT
    return NONE


@jit
def update_city_cell(
    state: State, observer: int, seat: int, cell: int, bounds: Array, out: Array
) -> None:
    """Update one cell of a seat's city in what an observer sees."""
    rel = seat_at(seat, int(state.num_players) - observer, int(state.num_players))
    if rel == 0:
        if has_piece(bounds, CITY):
            update_cell(state, seat, cell, 0, piece_of(out, bounds, CITY))
    elif has_piece(bounds, OTHER_CITIES):
        start = (rel - 1) * CITY_BYTES
        update_cell(state, seat, cell, start, piece_of(out, bounds, OTHER_CITIES))


@jit
def write_small_pieces(state: State, seat: int, bounds: Array, out: Array) -> None:
    """Write all pieces except the cities."""
    write_supply(state, seat, bounds, out)
    write_money(state, seat, bounds, out)
    write_holdings(state, seat, bounds, out)
    write_moment(state, seat, bounds, out)


@jit
def write_supply(state: State, seat: int, bounds: Array, out: Array) -> None:
    """Write the pieces that a purchase, the refill after it, and the end of the game change."""
    if has_piece(bounds, MARKET):
        write_market(state, seat, piece_of(out, bounds, MARKET))
    if has_piece(bounds, UNSEEN_TILES):
        write_unseen_tiles(state, seat, piece_of(out, bounds, UNSEEN_TILES))
    if has_piece(bounds, AWARDS):
        write_awards(state, seat, piece_of(out, bounds, AWARDS))


@jit
def write_money(state: State, seat: int, bounds: Array, out: Array) -> None:
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
def write_holdings(state: State, seat: int, bounds: Array, out: Array) -> None:
    """Write the pieces about what each player owns."""
    if has_piece(bounds, RESERVES):
        write_reserves(state, seat, piece_of(out, bounds, RESERVES))
    if has_piece(bounds, BUILDINGS):
        write_buildings(state, seat, piece_of(out, bounds, BUILDINGS))
    if has_piece(bounds, WALLS):
        write_walls(state, seat, piece_of(out, bounds, WALLS))
    if has_piece(bounds, SCORES):
        write_scores(state, seat, piece_of(out, bounds, SCORES))


@jit
def write_moment(state: State, seat: int, bounds: Array, out: Array) -> None:
    """Write the pieces that may change with any action."""
    if has_piece(bounds, BOUGHT):
        write_bought(state, seat, piece_of(out, bounds, BOUGHT))
    if has_piece(bounds, PICKED):
        write_picked(state, seat, piece_of(out, bounds, PICKED))
    if has_piece(bounds, PROGRESS):
        write_progress(state, seat, piece_of(out, bounds, PROGRESS))
    if has_piece(bounds, ENDING):
        write_ending(state, seat, piece_of(out, bounds, ENDING))
    if has_piece(bounds, TURNS):
        write_turns(state, seat, piece_of(out, bounds, TURNS))
    if has_piece(bounds, TO_PLAY):
        write_to_play(state, seat, piece_of(out, bounds, TO_PLAY))
    if has_piece(bounds, EXACT_SLOT):
        write_exact_slot(state, seat, piece_of(out, bounds, EXACT_SLOT))
    if has_piece(bounds, STANDING):
        write_standing(state, seat, piece_of(out, bounds, STANDING))
    if has_piece(bounds, OFFERS):
        write_offers(state, seat, piece_of(out, bounds, OFFERS))
    if has_piece(bounds, WALL_GAIN):
        write_wall_gain(state, seat, piece_of(out, bounds, WALL_GAIN))
