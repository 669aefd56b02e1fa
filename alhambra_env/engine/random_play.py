"""Random play inside compiled code: for benchmarks, soak tests and playouts."""

from typing import Any, Final

import numpy as np

from .action_ranges import ACTIONS, N_ACTIONS
from .arrays import Array
from .bits import count_bits, lowest_bit
from .check import find_broken
from .jit import Constant, borrow, jit
from .legal import write_mask
from .material import NONE
from .rng import draw_below
from .setup import rules_of, set_up
from .state import OVER, State
from .step import step

_FLAGS: Final = 8  # flags of a mask that are read at once, as one 64-bit number
_BLOCK: Final = 30  # numbers that are counted together: at most 240 flags, which fit a byte
_N_BLOCKS: Final = N_ACTIONS // _FLAGS // _BLOCK
_TAIL: Final = _N_BLOCKS * _BLOCK * _FLAGS  # the last few actions, counted one by one

_BYTES: Final = 0x00FF00FF00FF00FF
_PAIRS: Final = 0x0000FFFF0000FFFF

assert _N_BLOCKS <= _FLAGS, "the counts of all blocks are kept in one 64-bit number"


@jit
def choose_random(mask: Array, rng: Array) -> int:
    """Return a legal action, all equally likely. The mask must have one."""
    numbers = borrow(mask)[:_TAIL].view(np.int64)
    counts = 0  # of the blocks, a byte each
    total = 0
    for block in range(_N_BLOCKS):
        count = count_flags(numbers, block * _BLOCK, _BLOCK)
        counts |= count << 8 * block
        total += count
    for action in range(_TAIL, N_ACTIONS):
        total += mask[action]
    left = draw_below(rng, total)
    first = 0
    while first < _N_BLOCKS * _BLOCK and left >= counts & 0xFF:
        left -= counts & 0xFF
        counts >>= 8
        first += _BLOCK
    for i in range(first, _N_BLOCKS * _BLOCK):
        count = count_bits(numbers[i])  # a flag that is set is one bit
        if left < count:
            return i * _FLAGS + bit_of(numbers[i], left) // 8
        left -= count
    action = _TAIL
    while left >= mask[action]:
        left -= mask[action]
        action += 1
    return action


@jit
def bit_of(number: int, index: int) -> int:
    """Return the position of the bit with this index among those that are set."""
    for _ in range(index):
        number &= number - 1
    return lowest_bit(number)


@jit
def count_legal(mask: Array) -> int:
    """Return how many actions are legal."""
    count = count_flags(borrow(mask)[:_TAIL].view(np.int64), 0, _N_BLOCKS * _BLOCK)
    for action in range(_TAIL, N_ACTIONS):
        count += mask[action]
    return count


@jit
def count_flags(numbers: Array, start: int, size: Constant) -> int:
    """Return how many flags are set in some 64-bit numbers, each eight flags of 0 or 1."""
    total = 0  # of each byte; a mask is too short for one to overflow
    for i in range(start, start + size):
        total += numbers[i]
    total = (total & _BYTES) + (total >> 8 & _BYTES)
    total = (total & _PAIRS) + (total >> 16 & _PAIRS)
    return (total & 0xFFFF) + (total >> 32 & 0xFFFF)


@jit
def play_out(state: State, rng: Array, mask: Array) -> int:
    """Play at random to the end of the game. Return how many actions that took.

    `mask` is scratch memory for the mask.
    """
    actions = 0
    while state.phase != OVER:
        write_mask(state, mask)
        step(state, choose_random(mask, rng))
        actions += 1
    return actions


@jit
def play_lockstep(states: Array, rng: Array, masks: Array, rounds: int) -> int:
    """Let every game make this many random decisions; games that end restart.

    `masks` holds a mask for each game and is written before each decision. Returns how many games
    ended.
    """
    ended = 0
    for _ in range(rounds):
        for game in range(states.size):
            state = states[game]
            if state.phase == OVER:
                ended += 1
                set_up(state, rules_of(state), state.rng)
            write_mask(state, masks[game])
            step(state, choose_random(masks[game], rng))
    return ended


# --- other random players, for tests that should reach other positions ----------------------------

UNIFORM, BY_KIND, EAGER = range(3)
"""Styles of `choose_in_style`."""

_STARTS: Final = np.array([kind.start for kind in ACTIONS])
_ENDS: Final = np.array([kind.end for kind in ACTIONS])
_N_KINDS: Final = len(ACTIONS)
_BUY: Final = [kind.name for kind in ACTIONS].index("buy")
_PUT: Final = [kind.name for kind in ACTIONS].index("put")


@jit
def choose_in_style(style: int, mask: Array, rng: Array) -> int:
    """Return a legal action at random.

    UNIFORM: all are equally likely. BY_KIND: all kinds of action that are legal are equally likely,
    and so are the actions within a kind. EAGER: buys and builds whenever it can, for large cities.
    """
    if style == UNIFORM:
        return choose_random(mask, rng)
    if style == EAGER:
        for kind in (_PUT, _BUY):
            count = count_kind(mask, kind)
            if count > 0:
                return choose_within(mask, kind, draw_below(rng, count))
    counts = np.empty(_N_KINDS, np.int64)
    kinds = 0
    for kind in range(_N_KINDS):
        counts[kind] = count_kind(mask, kind)
        kinds += counts[kind] > 0
    left = draw_below(rng, kinds)
    for kind in range(_N_KINDS):
        if counts[kind] > 0:
            if left == 0:
                return choose_within(mask, kind, draw_below(rng, counts[kind]))
            left -= 1
    return NONE


@jit
def count_kind(mask: Array, kind: int) -> int:
    """Return how many actions of a kind are legal."""
    flags = borrow(mask)[_STARTS[kind] : _ENDS[kind]]
    # Narrow, so that vector instructions add more at a time; Any, because mypy sees no `int`.
    count: Any = np.int32(0)
    for i in range(flags.size):
        count += np.int32(flags[i])
    return count


@jit
def choose_within(mask: Array, kind: int, index: int) -> int:
    """Return the legal action of a kind with this index among them."""
    for action in range(_STARTS[kind], _ENDS[kind]):
        if mask[action]:
            if index == 0:
                return action
            index -= 1
    return NONE


@jit
def play_out_checked(state: State, rng: Array, style: int) -> tuple[int, int]:
    """Play at random to the end in a style, checking after every step.

    Returns what is broken, as in `check.find_broken` (-1 if no action was legal), and the number of
    actions played. The game stops at the first broken position.
    """
    mask = np.zeros(N_ACTIONS, np.int8)
    actions = 0
    broken = find_broken(state)
    while state.phase != OVER and broken == 0:
        write_mask(state, mask)
        if not mask.any():
            return -1, actions
        step(state, choose_in_style(style, mask, rng))
        actions += 1
        broken = find_broken(state)
    return broken, actions
