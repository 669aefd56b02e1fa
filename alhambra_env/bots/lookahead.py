"""`lookahead`: plays every legal sequence of its own turn and takes the one with the best outlook.

A turn is a chain of exact purchases, one last action, and the placing of what was bought. What can
be built depends on which tiles were bought, not on how they were paid. So the hands that a turn can
end with are collected first. Then, for each set of bought tiles, all cities are built once for all
hands (`layouts`). The refill after the turn is unknown: nothing is drawn.
"""

from typing import Final

import numpy as np

from ..engine.action_ranges import BUY, N_ACTIONS, PASS, PICK, PUT
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.legal import write_mask
from ..engine.material import N_CURRENCIES, N_SLOTS, N_VALUES, NONE
from ..engine.payments import N_PAYMENTS
from ..engine.state import STATE, TURN, State
from ..engine.step import apply_action
from .layouts import try_layouts
from .outlook import N_PURSE, write_purse
from .planner import best_within

_WORST: Final = -1e9
_N_SETS: Final = 1 << N_SLOTS

MOST_CHAINS: Final = 256
"""The most chains of exact purchases to search."""

MOST_ENDS: Final = 4096
"""The most ways to end a turn with money or a purchase to search."""

MOST_REBUILT: Final = 50_000
"""The most cities with a rebuilt tile to evaluate; nearly all games need fewer."""


@jit
def choose_like_lookahead(state: State, mask: Array, knows_hands: bool, weights: Array) -> int:
    """Return the action of the lookahead."""
    values = np.full(N_ACTIONS, _WORST)
    if state.phase == TURN:
        search_turn(state, knows_hands, weights, values)
    else:
        search_placing(state, mask, knows_hands, weights, values)
    return best_within(mask, values, 0, N_ACTIONS)


@jit
def search_placing(
    state: State, mask: Array, knows_hands: bool, weights: Array, out_values: Array
) -> None:
    """Write the value of each way to continue placing or rebuilding."""
    work = np.empty(3, STATE)
    firsts = np.empty(1, np.int64)
    purses = np.empty((1, N_PURSE), np.float64)
    write_purse(state, state.hands[state.to_play], knows_hands, weights, purses[0])
    for action in range(PICK, N_ACTIONS):
        if mask[action]:
            firsts[0] = action
            work[0] = state
            try_action(work, action, knows_hands, weights, firsts, purses, out_values)


@jit
def try_action(
    work: Array,
    action: int,
    knows_hands: bool,
    weights: Array,
    firsts: Array,
    purses: Array,
    out_values: Array,
) -> int:
    """Play an action that picks, puts or removes a tile in `work[0]`, and all that can follow.

    Returns how many cities were evaluated.
    """
    work[1] = work[0]
    apply_action(work[1], action)
    if work[1].picked == NONE:
        return try_layouts(work[1], knows_hands, weights, firsts, purses, out_values)
    mask = np.empty(N_ACTIONS, np.int8)
    write_mask(work[1], mask)
    n_cities = 0
    for then in range(PUT, PASS):
        if mask[then]:
            work[2] = work[1]
            apply_action(work[2], then)
            n_cities += try_layouts(work[2], knows_hands, weights, firsts, purses, out_values)
    return n_cities


# --- a turn --------------------------------------------------------------------------------------


@jit
def search_turn(state: State, knows_hands: bool, weights: Array, out_values: Array) -> None:
    """Write the value of each action of a turn: that of the best sequence it starts."""
    chains = np.empty(MOST_CHAINS, STATE)
    chain_firsts = np.empty(MOST_CHAINS, np.int64)
    chain_sets = np.empty(MOST_CHAINS, np.int64)
    end_firsts = np.empty(MOST_ENDS, np.int64)
    end_sets = np.empty(MOST_ENDS, np.int64)
    end_hands = np.empty((MOST_ENDS, N_CURRENCIES, N_VALUES), np.int8)
    n_chains, n_ends = write_chains_and_ends(
        state, (chains, chain_firsts, chain_sets), (end_firsts, end_sets, end_hands)
    )
    firsts = np.empty(MOST_ENDS, np.int64)
    purses = np.empty((MOST_ENDS, N_PURSE), np.float64)
    work = np.empty(3, STATE)
    mask = np.empty(N_ACTIONS, np.int8)
    for bought in range(_N_SETS):
        work[0] = state
        take_off_market(work[0], bought)
        count = 0
        for end in range(n_ends):
            if end_sets[end] == bought:
                firsts[count] = end_firsts[end]
                write_purse(work[0], end_hands[end], knows_hands, weights, purses[count])
                count += 1
        if count > 0:
            try_layouts(work[0], knows_hands, weights, firsts[:count], purses[:count], out_values)
    n_rebuilt = 0
    for bought in range(_N_SETS):
        work[0] = state
        take_off_market(work[0], bought)
        count = 0
        for chain in range(n_chains):
            if chain_sets[chain] == bought:
                hand = chains[chain].hands[state.to_play]
                firsts[count] = chain_firsts[chain]
                write_purse(work[0], hand, knows_hands, weights, purses[count])
                count += 1
        if count > 0:
            write_mask(work[0], mask)
            for action in range(PICK, PUT):
                if mask[action] and n_rebuilt < MOST_REBUILT:
                    if bought == 0:
                        firsts[0] = action
                    found = firsts[:count], purses[:count]
                    n_rebuilt += try_action(
                        work, action, knows_hands, weights, found[0], found[1], out_values
                    )


@jit
def write_chains_and_ends(
    state: State, out_chains: tuple[Array, Array, Array], out_ends: tuple[Array, Array, Array]
) -> tuple[int, int]:
    """Write the chains of exact purchases, the empty one first, and how a turn can end after them.

    Of each: its first action, and the slots that it buys, as bits. Rebuilding is not among the
    ends, since it does not change the hand. The order of exact purchases does not matter, so they
    are made from the first slot to the last. Returns how many chains and ends there are.
    """
    chains, chain_firsts, chain_sets = out_chains
    end_firsts, end_sets, end_hands = out_ends
    work = np.empty(1, STATE)
    mask = np.empty(N_ACTIONS, np.int8)
    chains[0] = state
    chain_firsts[0] = NONE
    chain_sets[0] = 0
    n_chains = 1
    n_ends = 0
    chain = 0
    while chain < n_chains:
        write_mask(chains[chain], mask)
        for action in range(N_ACTIONS):
            if not mask[action] or PICK <= action < PASS:
                continue
            bought = chain_sets[chain]
            first = chain_firsts[chain] if chain > 0 else action
            work[0] = chains[chain]
            goes_on = apply_action(work[0], action)
            if BUY <= action < PICK:
                bought |= 1 << (action - BUY) // N_PAYMENTS
            if not goes_on and n_ends < MOST_ENDS:
                end_firsts[n_ends] = first
                end_sets[n_ends] = bought
                end_hands[n_ends] = work[0].hands[state.to_play]
                n_ends += 1
            slot_bit = bought - chain_sets[chain]
            if goes_on and slot_bit > chain_sets[chain] and n_chains < MOST_CHAINS:
                chains[n_chains] = work[0]
                chain_firsts[n_chains] = first
                chain_sets[n_chains] = bought
                n_chains += 1
        chain += 1
    return n_chains, n_ends


@jit
def take_off_market(state: State, bought: int) -> None:
    """Move the tiles in these slots, as bits, to the bought ones."""
    for slot in range(N_SLOTS):
        if bought >> slot & 1 and state.market[slot] != NONE:
            state.bought[state.market[slot]] = 1
            state.market[slot] = NONE
