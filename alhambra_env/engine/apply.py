"""What each kind of action does to the record (R8-R12): one function per kind.

They do not check whether the action is legal, and they do not end a turn: `step` does that.
"""

from .city import add_tile, lift_tile, refresh_city
from .jit import jit
from .material import DIRK, N_SLOTS, N_VALUES, NONE, TILE_BUILDING, TILE_PRICE
from .payments import PAYMENT_COUNTS, PAYMENT_TOTAL
from .state import PUT, REBUILD, TURN, State


@jit
def apply_take(state: State, subset: int) -> None:
    """Take open money cards (R8)."""
    for slot in range(N_SLOTS):
        if subset >> slot & 1:
            card = int(state.display[slot])
            state.hands[state.to_play, card // N_VALUES, card % N_VALUES] += 1
            state.display[slot] = NONE


@jit
def apply_buy(state: State, slot: int, payment: int) -> bool:
    """Pay for a market tile (R9). Return whether the payment was exact (R10)."""
    for value in range(N_VALUES):
        count = PAYMENT_COUNTS[payment, value]
        state.hands[state.to_play, slot, value] -= count
        state.discards[slot, value] += count
    tile = int(state.market[slot])
    state.market[slot] = NONE
    state.bought[tile] = 1
    is_exact = PAYMENT_TOTAL[payment] == TILE_PRICE[tile]
    if is_exact:
        state.exact_slot = slot
    return is_exact


@jit
def apply_overpay(state: State, slot: int, value: int) -> None:
    """Add a card to the payment for the tile just bought from a slot (R9, E1)."""
    state.hands[state.to_play, slot, value] -= 1
    state.discards[slot, value] += 1


@jit
def apply_pick(state: State, tile: int) -> None:
    """Pick a tile: during a turn from the reserve, to rebuild (R11), otherwise a bought one."""
    if state.phase == TURN:
        state.reserves[state.to_play, tile] = 0
        state.picked = tile
        state.phase = REBUILD
    else:
        apply_pick_bought(state, tile)


@jit
def apply_pick_bought(state: State, tile: int) -> None:
    """Pick a bought tile, to place it now (R12)."""
    state.bought[tile] = 0
    state.picked = tile
    state.phase = PUT


@jit
def apply_remove(state: State, cell: int) -> None:
    """Move a city tile to the reserve (R11)."""
    seat = int(state.to_play)
    tile = lift_tile(state, seat, cell)
    state.reserves[seat, tile] = 1
    refresh_city(state, seat)


@jit
def apply_put(state: State, cell: int) -> None:
    """Put the picked tile into the city; a tile in its place goes to the reserve (R11, R12)."""
    seat = int(state.to_play)
    if state.city[seat, cell] != NONE:
        old = lift_tile(state, seat, cell)
        state.reserves[seat, old] = 1
    add_tile(state, seat, int(state.picked), cell)
    state.picked = NONE
    refresh_city(state, seat)


@jit
def apply_store(state: State) -> None:
    """Move the picked tile to the reserve (R12)."""
    state.reserves[state.to_play, state.picked] = 1
    state.picked = NONE


@jit
def apply_give(state: State) -> None:
    """Give the picked tile to Dirk (R12)."""
    tile = int(state.picked)
    state.dirk[tile] = 1
    state.buildings[DIRK, TILE_BUILDING[tile]] += 1
    state.picked = NONE
