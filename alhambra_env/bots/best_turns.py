"""The best ways to play a turn, as a search finds them.

A way is a list of actions. The best few of each class are kept, so that the best of all classes are
also different from each other. A class is which tiles are bought, and the kind of the last action
before they are placed.
"""

from typing import Final, NamedTuple

import numpy as np

from ..engine.action_ranges import BUY, PICK, PUT, REMOVE
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.material import N_SLOTS, NONE
from .outlook import N_PURSE, PLAIN

WORST: Final = -1e9
"""Less than the value of any position."""

MOST_STEPS: Final = 16
"""Room for the actions of a turn: four purchases, a rebuilt tile, and up to eight to place tiles.
"""

MOST_PATH_STEPS: Final = 8
"""Room for those of them before tiles are placed."""

_ROUNDING: Final = 1e-9

_TAKES, _BUYS, _REBUILDS, _REMOVES, _STOPS = range(5)
N_KINDS: Final = 5
"""Kinds of a last action: takes money, buys, rebuilds, removes a tile, or stops."""

N_CLASSES: Final = (1 << N_SLOTS) * N_KINDS


class Turns(NamedTuple):
    """The best ways of each class, best first; changed in place."""

    values: Array
    """`float64 [class, place]`: WORST where there is none."""
    lengths: Array
    """`int64 [class, place]`: how many actions."""
    actions: Array
    """`int64 [class, place, step]`"""
    bars: Array
    """`float64 [class]`: the lowest value of each class, which a better way must reach."""


class Paths(NamedTuple):
    """How a turn can go up to the placing of what was bought, one way in each row."""

    classes: Array
    """`int64 [path]`"""
    lengths: Array
    """`int64 [path]`: how many actions."""
    actions: Array
    """`int16 [path, step]`"""
    purses: Array
    """`float64 [path, share]`: what the hand at its end is worth (`outlook.write_purse`)."""


@jit
def new_turns(most: int) -> Turns:
    """Return room for `most` ways of each class."""
    return Turns(
        np.full((N_CLASSES, most), WORST),
        np.zeros((N_CLASSES, most), np.int64),
        np.empty((N_CLASSES, most, MOST_STEPS), np.int64),
        np.full(N_CLASSES, WORST),
    )


@jit
def new_paths(most: int) -> Paths:
    """Return room for `most` paths; the first one has no actions yet, and class 0."""
    paths = Paths(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty((most, MOST_PATH_STEPS), np.int16),
        np.empty((most, N_PURSE), np.float64),
    )
    paths.classes[0] = 0
    paths.lengths[0] = 0
    return paths


@jit
def drop_worse_paths(paths: Paths, n_paths: int, most: int) -> int:
    """Drop paths of which `most` others of their class are better, whatever is built after them.

    Returns how many are left; they stay in order. Dropping them does not change what is kept.
    """
    order = np.argsort(-paths.purses[:n_paths, PLAIN], kind="mergesort")
    kept = np.empty(n_paths, np.int64)
    stays = np.zeros(n_paths, np.bool_)
    n_kept = 0
    for path in order:
        better = 0
        for i in range(n_kept):
            better += is_always_better(paths, kept[i], path)
            if better == most:
                break
        if better < most:
            stays[path] = True
            kept[n_kept] = path
            n_kept += 1
    count = 0
    for path in range(n_paths):
        if stays[path]:
            copy_path(paths, path, paths, count)
            paths.purses[count] = paths.purses[path]
            count += 1
    return count


@jit
def is_always_better(paths: Paths, path: int, other: int) -> bool:
    """Is a path better than another of its class with every city, also if the values are equal?"""
    if paths.classes[path] != paths.classes[other]:
        return False
    for i in range(N_PURSE):
        if paths.purses[path, i] < paths.purses[other, i]:
            return False
    if paths.purses[path, PLAIN] > paths.purses[other, PLAIN] + _ROUNDING:
        return True
    first, other_first = paths.actions[path, 0], paths.actions[other, 0]
    return first < other_first or (first == other_first and path < other)


@jit
def copy_path(paths: Paths, path: int, out: Paths, place: int) -> None:
    """Copy the class and the actions of a path."""
    out.classes[place] = paths.classes[path]
    out.lengths[place] = paths.lengths[path]
    for step in range(paths.lengths[path]):
        out.actions[place, step] = paths.actions[path, step]


@jit
def class_of(bought: int, last: int) -> int:
    """Return the class of turns that buy these slots, as bits, and end with an action."""
    if last < BUY:
        kind = _TAKES
    elif last < PICK:
        kind = _BUYS
    elif last < REMOVE:
        kind = _REBUILDS
    elif last < PUT:
        kind = _REMOVES
    else:
        kind = _STOPS
    return bought * N_KINDS + kind


@jit
def keep_turn(
    value: float, paths: Paths, path: int, placing: Array, n_placing: int, out: Turns
) -> None:
    """Keep a path and the placing after it, if it is among the best of its class.

    Of ways with the same value, the one with the lower first action is better.
    """
    group = paths.classes[path]
    most = out.values.shape[1]
    first = paths.actions[path, 0] if paths.lengths[path] > 0 else placing[0]
    place = most
    while place > 0 and is_better(value, first, out, group, place - 1):
        place -= 1
    if place == most:
        return
    for i in range(most - 1, place, -1):
        out.values[group, i] = out.values[group, i - 1]
        out.lengths[group, i] = out.lengths[group, i - 1]
        for step in range(out.lengths[group, i]):
            out.actions[group, i, step] = out.actions[group, i - 1, step]
    out.values[group, place] = value
    out.bars[group] = out.values[group, most - 1]
    length = paths.lengths[path]
    out.lengths[group, place] = length + n_placing
    for step in range(length):
        out.actions[group, place, step] = paths.actions[path, step]
    for step in range(n_placing):
        out.actions[group, place, length + step] = placing[step]


@jit
def is_better(value: float, first: int, turns: Turns, group: int, place: int) -> bool:
    """Is a way with this value and first action better than one of those kept?"""
    other = turns.values[group, place]
    return value > other or (value == other and first < turns.actions[group, place, 0])


@jit
def order_turns(turns: Turns, out_order: Array) -> int:
    """Write the numbers of the best ways, best first; return how many there are.

    The number of a way is `class * most + place`.
    """
    most = turns.values.shape[1]
    places = np.zeros(N_CLASSES, np.int64)
    groups = np.empty(N_CLASSES, np.int64)
    n_groups = 0
    for group in range(N_CLASSES):
        if turns.values[group, 0] != WORST:
            groups[n_groups] = group
            n_groups += 1
    for i in range(out_order.size):
        best = NONE
        for group in groups[:n_groups]:
            place = places[group]
            if place == most or turns.values[group, place] == WORST:
                continue
            value, first = turns.values[group, place], turns.actions[group, place, 0]
            if best == NONE or is_better(value, first, turns, best, places[best]):
                best = group
        if best == NONE:
            return i
        out_order[i] = best * most + places[best]
        places[best] += 1
    return out_order.size
