"""`lookahead`: plays every legal sequence of its own turn and takes the one with the best outlook.

A turn is a chain of exact purchases, one last action, and the placing of what was bought. What can
be built depends on which tiles were bought, not on how they were paid. So the hands that a turn can
end with are collected first. Then, for each set of bought tiles, all cities are built once for all
hands (`layouts`). The refill after the turn is unknown: nothing is drawn.
"""

from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import boolean, float64, from_dtype, int8, int64, none
from numba.extending import intrinsic, overload

from ..engine.action_ranges import BUY, N_ACTIONS, PASS, PICK, PUT, REMOVE
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.legal import next_legal, write_mask
from ..engine.material import N_CURRENCIES, N_SLOTS, N_VALUES, NONE
from ..engine.notice import compiling
from ..engine.on_demand import OnDemand
from ..engine.payments import N_PAYMENTS
from ..engine.state import STATE, TURN, State
from ..engine.step import apply_action
from .best_turns import (
    Paths,
    Turns,
    class_of,
    copy_path,
    drop_worse_paths,
    new_paths,
    new_turns,
    order_turns,
)
from .layouts import ALL, Desk, Scope, list_tiles, new_desk, want_subsets, write_layouts
from .outlook import write_purse
from .placements import judge_tiles, try_layouts
from .weights import LOOKAHEAD_WEIGHTS

_N_SETS: Final = 1 << N_SLOTS

SEARCH_COMPILES: Final = 15
"""About how many seconds it takes to compile the search."""

MOST_CHAINS: Final = 256
"""The most chains of exact purchases to search."""

MOST_ENDS: Final = 4096
"""The most ways to end a turn with money or a purchase to search."""

MOST_REBUILT: Final = 50_000
"""The most cities with a rebuilt tile to evaluate; nearly all games need fewer."""


@jit
def choose_like_lookahead(state: State, mask: Array, knows_hands: bool, weights: Array) -> int:
    """Return the action of the lookahead."""
    turns = new_turns(1)
    search(state, mask, Scope(weights, knows_hands, True, ALL), turns)
    best = np.empty(1, np.int64)
    if order_turns(turns, best) == 0:
        return next_legal(mask, 0, N_ACTIONS)
    return turns.actions[best[0], 0, 0]


@jit
def _search(
    state: State,
    mask: Array,
    weights: Array,
    knows_hands: bool,
    with_removals: bool,
    width: int,
    values: Array,
    lengths: Array,
    actions: Array,
    bars: Array,
) -> None:
    scope = Scope(weights, knows_hands, with_removals, width)
    out = Turns(values, lengths, actions, bars)
    if state.phase == TURN:
        search_turn(state, scope, out)
    else:
        search_placing(state, mask, scope, out)


def search(state: State, mask: Array, scope: Scope, out: Turns) -> None:
    """Find the best ways to play the turn, or the rest of it, of the seat to play.

    `mask` is the mask of the position, `out` has room for the ways of each class. Compiled code
    calls it by its address, so that it is compiled once for all who use it.
    """
    _search(state, mask, *scope, *out)


_ARGUMENTS: Final = (
    from_dtype(STATE),
    int8[::1],
    float64[::1],
    boolean,
    boolean,
    int64,
    float64[:, ::1],
    int64[:, ::1],
    int64[:, :, ::1],
    float64[::1],
)


def _say_compiling(number: int) -> AbstractContextManager[None]:
    return compiling("the search of turns", SEARCH_COMPILES)


_on_demand: Final = OnDemand("search", [_search], _ARGUMENTS, none, _say_compiling)


@intrinsic
def _call_search(
    typing_context: Any,
    state: Any,
    mask: Any,
    weights: Any,
    knows_hands: Any,
    with_removals: Any,
    width: Any,
    values: Any,
    lengths: Any,
    actions: Any,
    bars: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _on_demand.generate_call(context, builder, ir.IntType(64)(0), *arguments)

    return none(*_ARGUMENTS), generate


@overload(search)
def _compile_search(state: Any, mask: Any, scope: Any, out: Any) -> Any:
    def implementation(state: Any, mask: Any, scope: Any, out: Any) -> Any:
        _call_search(  # type: ignore[call-arg]  # Numba adds the first one
            state,
            mask,
            scope.weights,
            scope.knows_hands,
            scope.with_removals,
            scope.width,
            out.values,
            out.lengths,
            out.actions,
            out.bars,
        )

    return implementation


@jit
def write_best_turns(
    states: Array, game: int, masks: Array, knows_hands: bool, out: Turns, out_order: Array
) -> int:
    """Search as the lookahead does, and write the numbers of the best turns (`order_turns`).

    Returns how many there are. For one game of a batch, and callers from Python (see `try_step`).
    """
    scope = Scope(LOOKAHEAD_WEIGHTS, knows_hands, True, ALL)
    search(states[game], masks[game], scope, out)
    return order_turns(out, out_order)


@jit
def search_placing(state: State, mask: Array, scope: Scope, out: Turns) -> None:
    """Find the best ways to continue placing or rebuilding; all are of one class."""
    work = np.empty(3, STATE)
    paths = new_paths(1)
    desk = new_desk(state, 1)
    write_purse(
        state, state.hands[state.to_play], scope.knows_hands, scope.weights, paths.purses[0]
    )
    for action in range(PICK, N_ACTIONS):
        if mask[action]:
            work[0] = state
            try_action(work, action, scope, paths, 1, desk, out)


@jit
def try_action(
    work: Array,
    action: int,
    scope: Scope,
    paths: Paths,
    n_paths: int,
    desk: Desk,
    out: Turns,
) -> int:
    """Play an action that picks, puts or removes a tile in `work[0]`, and all that can follow.

    It follows each of the first paths, which are restored. Returns how many cities were evaluated.
    """
    work[1] = work[0]
    apply_action(work[1], action)
    add_step(action, paths, n_paths)
    n_cities = 0
    if work[1].picked == NONE:
        n_cities = try_layouts(work[1], scope, paths, n_paths, desk, out)
    else:
        mask = np.empty(N_ACTIONS, np.int8)
        write_mask(work[1], mask)
        for then in range(PUT, PASS):
            if mask[then]:
                work[2] = work[1]
                apply_action(work[2], then)
                add_step(then, paths, n_paths)
                n_cities += try_layouts(work[2], scope, paths, n_paths, desk, out)
                paths.lengths[:n_paths] -= 1
    paths.lengths[:n_paths] -= 1
    return n_cities


@jit
def add_step(action: int, paths: Paths, n_paths: int) -> None:
    """Add an action to the first paths."""
    for path in range(n_paths):
        extend_path(paths, path, action)


# --- a turn --------------------------------------------------------------------------------------


@jit
def search_turn(state: State, scope: Scope, out: Turns) -> None:
    """Find the best ways to play a turn."""
    chains = np.empty(MOST_CHAINS, STATE)
    chain_sets = np.empty(MOST_CHAINS, np.int64)
    chain_paths = new_paths(MOST_CHAINS)
    end_sets = np.empty(MOST_ENDS, np.int64)
    end_hands = np.empty((MOST_ENDS, N_CURRENCIES, N_VALUES), np.int8)
    end_chains = np.empty(MOST_ENDS, np.int16)
    end_actions = np.empty(MOST_ENDS, np.int16)
    n_chains, n_ends = write_chains_and_ends(
        state,
        (chains, chain_sets),
        chain_paths,
        (end_hands, end_sets, end_chains, end_actions),
    )
    most = out.values.shape[1]
    paths = new_paths(MOST_ENDS)
    desk = new_desk(state, MOST_ENDS)
    work = np.empty(3, STATE)
    work[0] = state
    n_tiles = list_tiles(state, True, desk)
    ends_with = which_sets(end_sets[:n_ends])
    for bought in range(_N_SETS):
        if ends_with >> bought & 1:
            want_subsets(tiles_bought(bought, n_tiles, desk), desk.wanted)
    write_layouts(work[0], scope, n_tiles, desk)
    for bought in range(_N_SETS):
        if not ends_with >> bought & 1:
            continue
        work[0] = state
        take_off_market(work[0], bought)
        count = 0
        for end in range(n_ends):
            if end_sets[end] == bought:
                copy_path(chain_paths, int(end_chains[end]), paths, count)
                extend_path(paths, count, end_actions[end])
                paths.classes[count] = class_of(bought, end_actions[end])
                write_purse(
                    work[0], end_hands[end], scope.knows_hands, scope.weights, paths.purses[count]
                )
                count += 1
        count = drop_worse_paths(paths, count, most)
        tiles = tiles_bought(bought, n_tiles, desk)
        judge_tiles(work[0], scope, tiles, n_tiles, paths, count, desk, out)
    mask = np.empty(N_ACTIONS, np.int8)
    n_rebuilt = 0
    goes_on_with = which_sets(chain_sets[:n_chains])
    for bought in range(_N_SETS):
        if not goes_on_with >> bought & 1:
            continue
        work[0] = state
        take_off_market(work[0], bought)
        count = 0
        for chain in range(n_chains):
            if chain_sets[chain] == bought:
                hand = chains[chain].hands[state.to_play]
                copy_path(chain_paths, chain, paths, count)
                write_purse(work[0], hand, scope.knows_hands, scope.weights, paths.purses[count])
                count += 1
        count = drop_worse_paths(paths, count, most)
        write_mask(work[0], mask)
        for action in range(PICK, PUT if scope.with_removals else REMOVE):
            if mask[action] and n_rebuilt < MOST_REBUILT:
                paths.classes[:count] = class_of(bought, action)
                n_rebuilt += try_action(work, action, scope, paths, count, desk, out)


@jit
def write_chains_and_ends(
    state: State,
    out_chains: tuple[Array, Array],
    out_chain_paths: Paths,
    out_ends: tuple[Array, Array, Array, Array],
) -> tuple[int, int]:
    """Write the chains of exact purchases, the empty one first, and how a turn can end after them.

    Of each: the slots that it buys, as bits. Of a chain, its record and its actions; of an end, the
    hand, the chain before it and the last action. Rebuilding is not among the ends, since it does
    not change the hand. The order of exact purchases does not matter, so they are made from the
    first slot to the last. Returns how many chains and ends there are.
    """
    chains, chain_sets = out_chains
    end_hands, end_sets, end_chains, end_actions = out_ends
    work = np.empty(1, STATE)
    mask = np.empty(N_ACTIONS, np.int8)
    chains[0] = state
    chain_sets[0] = 0
    n_chains = 1
    n_ends = 0
    chain = 0
    while chain < n_chains:
        write_mask(chains[chain], mask)
        mask[PICK:PASS] = 0  # what places tiles
        action = next_legal(mask, 0, N_ACTIONS)
        while action < N_ACTIONS:
            bought = chain_sets[chain]
            work[0] = chains[chain]
            goes_on = apply_action(work[0], action)
            if BUY <= action < PICK:
                bought |= 1 << (action - BUY) // N_PAYMENTS
            if not goes_on and n_ends < MOST_ENDS:
                end_sets[n_ends] = bought
                end_hands[n_ends] = work[0].hands[state.to_play]
                end_chains[n_ends] = chain
                end_actions[n_ends] = action
                n_ends += 1
            slot_bit = bought - chain_sets[chain]
            if goes_on and slot_bit > chain_sets[chain] and n_chains < MOST_CHAINS:
                chains[n_chains] = work[0]
                chain_sets[n_chains] = bought
                copy_path(out_chain_paths, chain, out_chain_paths, n_chains)
                extend_path(out_chain_paths, n_chains, action)
                n_chains += 1
            action = next_legal(mask, action + 1, N_ACTIONS)
        chain += 1
    return n_chains, n_ends


@jit
def extend_path(paths: Paths, path: int, action: int) -> None:
    """Add an action to a path."""
    paths.actions[path, paths.lengths[path]] = action
    paths.lengths[path] += 1


@jit
def tiles_bought(bought: int, n_tiles: int, desk: Desk) -> int:
    """Return the set of the desk's tiles that are to be placed after buying these slots, as bits.

    It has those that were bought before, too.
    """
    tiles = 0
    for i in range(n_tiles):
        slot = desk.tiles[1, i]
        if slot == NONE or bought >> slot & 1:
            tiles |= 1 << i
    return tiles


@jit
def which_sets(sets: Array) -> int:
    """Return which sets of slots occur, as bits."""
    found = 0
    for bought in sets:
        found |= 1 << bought
    return found


@jit
def take_off_market(state: State, bought: int) -> None:
    """Move the tiles in these slots, as bits, to the bought ones."""
    for slot in range(N_SLOTS):
        if bought >> slot & 1 and state.market[slot] != NONE:
            state.bought[state.market[slot]] = 1
            state.market[slot] = NONE
