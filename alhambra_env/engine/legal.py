"""Legal actions, as a mask over the action space: one function per kind (R8-R13).

Each `legal_<kind>` sets the flags of its actions in `out_mask`, which starts as zeros. Most return
whether they set any.
"""

from typing import Final

import numpy as np

from .action_ranges import BUY, GIVE, N_ACTIONS, OVERPAY, PASS, PICK, PUT, REMOVE, STORE, TAKE
from .arrays import Array
from .city import write_cells
from .grid import N_CELLS
from .jit import borrow, jit
from .material import N_MONEY, N_SLOTS, N_TILES, N_VALUES, NONE, TAKE_LIMIT, TILE_PRICE, TILE_WALLS
from .payments import (
    END_PAYABLE,
    FIRST_PAYABLE,
    GUARDS,
    N_PAYMENTS,
    PAYABLE,
    PAYMENT_PACKED,
    VALUE_SHIFT,
)
from .state import PLACE, REBUILD, TURN, State
from .state import PUT as PUT_PHASE
from .tileset import lowest_tile

_WALLS: Final = TILE_WALLS.astype(np.int32)


@jit
def write_mask(state: State, out_mask: Array) -> None:
    """Set `out_mask` to 1 for each legal action and to 0 for all others."""
    for action in range(out_mask.size):  # compiles to memset, which `out_mask[:] = 0` does not
        out_mask[action] = 0
    if state.phase == TURN:
        legal_turn(state, out_mask)
    elif state.phase == REBUILD:
        legal_put(state, True, out_mask)
    elif state.phase == PLACE:
        legal_pick_bought(state, out_mask)
    elif state.phase == PUT_PHASE:
        legal_put(state, False, out_mask)
        out_mask[STORE] = 1
        # R12, R26: leftover tiles were not bought, so they cannot be given to Dirk.
        out_mask[GIVE] = state.num_players == 2 and state.ending == 0


_FLAGS: Final = 8  # flags that are skipped together if all are 0
_WHOLE: Final = N_ACTIONS // _FLAGS * _FLAGS


@jit
def next_legal(mask: Array, start: int, end: int) -> int:
    """Return the first legal action from `start` on, or `end` if no action before it is legal.

    Legal actions are few, so loop over them: `action = next_legal(mask, action + 1, end)`.
    """
    numbers = borrow(mask)[:_WHOLE].view(np.int64)
    action = start
    while action < end:
        if action % _FLAGS == 0 and action < _WHOLE and numbers[action // _FLAGS] == 0:
            action += _FLAGS
        elif mask[action]:
            return action
        else:
            action += 1
    return end


@jit
def write_masks(states: Array, out_masks: Array) -> None:
    """`write_mask` for each game."""
    for game in range(states.size):
        write_mask(states[game], out_masks[game])


@jit
def legal_turn(state: State, out_mask: Array) -> None:
    """The actions of a turn."""
    can_take = legal_take(state, out_mask)
    can_buy = legal_buy(state, out_mask)
    can_pick = legal_pick_reserve(state, out_mask)
    can_remove = legal_remove(state, out_mask)
    if state.exact_slot != NONE:
        legal_overpay(state, out_mask)
    # Overpaying does not count: who can take no action may keep the card and pass.
    has_action = can_take or can_buy or can_pick or can_remove
    # R13, and in some editions R10
    out_mask[PASS] = not has_action or (state.actions > 0 and state.may_decline)


_TOO_MUCH: Final = TAKE_LIMIT + 1
_CARD_VALUES: Final = np.array(
    [*(card % N_VALUES + 1 for card in range(N_MONEY)), _TOO_MUCH], np.int32
)
"""Value of each money card; the last one, at index NONE (-1), makes any subset too much."""


@jit
def legal_take(state: State, out_mask: Array) -> bool:
    """Any one open card, or several with a total of 5 or less (R8)."""
    a = _CARD_VALUES[state.display[0]]
    b = _CARD_VALUES[state.display[1]]
    c = _CARD_VALUES[state.display[2]]
    d = _CARD_VALUES[state.display[3]]
    # The bits of a subset are its slots. Unrolled, because a loop over the slots of each subset
    # takes ten times as long, and this is part of every turn.
    out_mask[TAKE + 0b0011 - 1] = a + b <= TAKE_LIMIT
    out_mask[TAKE + 0b0101 - 1] = a + c <= TAKE_LIMIT
    out_mask[TAKE + 0b0110 - 1] = b + c <= TAKE_LIMIT
    out_mask[TAKE + 0b0111 - 1] = a + b + c <= TAKE_LIMIT
    out_mask[TAKE + 0b1001 - 1] = a + d <= TAKE_LIMIT
    out_mask[TAKE + 0b1010 - 1] = b + d <= TAKE_LIMIT
    out_mask[TAKE + 0b1011 - 1] = a + b + d <= TAKE_LIMIT
    out_mask[TAKE + 0b1100 - 1] = c + d <= TAKE_LIMIT
    out_mask[TAKE + 0b1101 - 1] = a + c + d <= TAKE_LIMIT
    out_mask[TAKE + 0b1110 - 1] = b + c + d <= TAKE_LIMIT
    out_mask[TAKE + 0b1111 - 1] = a + b + c + d <= TAKE_LIMIT
    can_take = False
    for slot in range(N_SLOTS):
        has_card = state.display[slot] != NONE
        out_mask[TAKE + (1 << slot) - 1] = has_card
        can_take |= has_card
    return can_take


@jit
def legal_buy(state: State, out_mask: Array) -> bool:
    """A market tile, for a payment in the slot's currency that reaches its price (R9, E1)."""
    can_buy = False
    for slot in range(N_SLOTS):
        tile = int(state.market[slot])
        if tile == NONE:
            continue
        price = TILE_PRICE[tile]
        hand, total = pack_hand(state.hands[state.to_play, slot])
        if total < price:
            continue
        can_buy = True
        # Slices of one length, with nothing else in the loop: LLVM vectorises it.
        first, end = FIRST_PAYABLE[price], END_PAYABLE[price]
        packed = PAYMENT_PACKED[first:end]
        payable = PAYABLE[price, first:end]
        start = BUY + slot * N_PAYMENTS
        out_flags = out_mask[start + first : start + end]
        for i in range(out_flags.size):
            out_flags[i] = (hand - packed[i] & GUARDS == GUARDS) & payable[i]
    return can_buy


@jit
def legal_overpay(state: State, out_mask: Array) -> None:
    """One more card for the exact purchase just made, to end the actions (R9, E1)."""
    hand = state.hands[state.to_play, state.exact_slot]
    for value in range(N_VALUES):
        out_mask[OVERPAY + value] = hand[value] > 0


@jit
def pack_hand(counts: Array) -> tuple[int, int]:
    """Return a hand of one currency, packed as in `payments`, and its total."""
    packed = GUARDS
    total = 0
    for value in range(N_VALUES):
        count = int(counts[value])
        packed |= count << VALUE_SHIFT[value]
        total += count * (value + 1)
    return packed, total


@jit
def legal_pick_reserve(state: State, out_mask: Array) -> bool:
    """A reserve tile that fits somewhere, to rebuild with (R11)."""
    reserve = state.reserves[state.to_play]
    fits = np.int32(state.fits[state.to_play])
    out_flags = out_mask[PICK : PICK + N_TILES]
    any_flag = 0
    for tile in range(out_flags.size):  # not a constant, so that LLVM vectorises the loop
        flag = reserve[tile] & np.int8(fits >> _WALLS[tile] & 1)
        out_flags[tile] = flag
        any_flag |= flag
    return any_flag != 0


@jit
def legal_pick_bought(state: State, out_mask: Array) -> None:
    """Any of the bought tiles, to place it next (R12)."""
    for tile in range(N_TILES):
        out_mask[PICK + tile] = state.bought[tile]


@jit
def legal_remove(state: State, out_mask: Array) -> bool:
    """A city tile that may be removed (R11)."""
    removable = state.removable[state.to_play]
    tiles = removable
    while tiles != 0:
        out_mask[REMOVE + state.cell[lowest_tile(tiles)]] = 1
        tiles &= tiles - 1
    return removable != 0


@jit
def legal_put(state: State, with_swaps: bool, out_mask: Array) -> None:
    """The cells where the picked tile fits; swaps only when rebuilding (R11, R12)."""
    cells = out_mask[PUT : PUT + N_CELLS]
    write_cells(state, int(state.to_play), int(state.picked), with_swaps, cells)
