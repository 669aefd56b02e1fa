"""The value of tiles of a type: the points that their rank is expected to bring (R23).

The ranks at a scoring are uncertain while tiles of the type can still be drawn. The lead of one
player over another is modelled as a normal distribution around the present lead. Its variance grows
with the tiles of the type that will be drawn from the bag before the scoring. The chances against
each of the others give the chances of the places, and these the points.
"""

from math import erf, sqrt
from typing import Final

import numpy as np

from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.material import (
    DIRK,
    N_BUILDINGS,
    N_PLACES,
    N_ROUNDS,
    N_TILES,
    NONE,
    PRIZES,
    TILE_BUILDING,
)
from ..engine.state import State

_LARGEST_LEAD: Final = 16
_SPREAD_STEPS: Final = 8  # steps of the table for one unit of spread
_N_SPREADS: Final = 6 * _SPREAD_STEPS

SCORED_AT: Final = np.array([0.36, 0.70, 1.0])
"""The share of all tiles that has been drawn when a round is scored, roughly."""


def _chances() -> Array:
    chances = np.zeros((_N_SPREADS, 2 * _LARGEST_LEAD + 1))
    for i in range(_N_SPREADS):
        spread = (i + 0.5) / _SPREAD_STEPS
        for lead in range(-_LARGEST_LEAD, _LARGEST_LEAD + 1):
            chances[i, lead + _LARGEST_LEAD] = (1 + erf(lead / spread / sqrt(2))) / 2
    return chances


_AHEAD: Final = _chances()
"""The chance to be ahead at the scoring: [spread, present lead]. Tied players have even chances."""


@jit
def share_to_come(state: State, scoring: int) -> float:
    """Return the share of the bag that will be drawn before a round is scored."""
    left = state.bag_size / N_TILES
    if scoring == N_ROUNDS - 1 or left <= 0:
        return 1.0
    to_come = (left - (1 - SCORED_AT[scoring])) / left
    return max(0.1, to_come)


@jit
def count_unseen(state: State, out_counts: Array) -> None:
    """Write how many tiles of each type are in the bag."""
    for building in range(N_BUILDINGS):
        out_counts[building] = 0
    for i in range(int(state.bag_size)):
        out_counts[TILE_BUILDING[state.bag[i]]] += 1


@jit
def points_for_rank(
    state: State, scoring: int, building: int, row: int, seat: int, extra: int, spread: float
) -> float:
    """Return the expected points of a row of `buildings` for its rank in a type.

    `seat` is counted with `extra` more tiles than it has.
    """
    own = int(state.buildings[row, building])
    if row == seat:
        own += extra
    step = min(int(spread * _SPREAD_STEPS), _N_SPREADS - 1)
    first, second, third = 1.0, 0.0, 0.0  # chances that 0, 1, 2 others are ahead
    rows = int(state.num_players) + (state.num_players == 2)
    for i in range(rows):
        other = i if i < state.num_players else DIRK
        if other == row:
            continue
        count = int(state.buildings[other, building])
        if other == seat:
            count += extra
        stays = _AHEAD[step, min(max(own - count, -_LARGEST_LEAD), _LARGEST_LEAD) + _LARGEST_LEAD]
        if count == 0 and own > 0:
            stays = max(stays, 1 - (1 - stays) * 0.5)  # the other must get one first
        third = third * stays + second * (1 - stays)
        second = second * stays + first * (1 - stays)
        first = first * stays
    return (
        first * PRIZES[scoring, 0, building]
        + second * PRIZES[scoring, 1, building]
        + third * PRIZES[scoring, N_PLACES - 1, building]
    )


@jit
def margin_of_type(
    state: State,
    seat: int,
    building: int,
    extra: int,
    unseen: int,
    spreading: float,
    spite: float,
    later: float,
) -> float:
    """Return the expected margin of a seat from a type in all remaining rounds.

    `unseen` is how many tiles of the type are in the bag, `spreading` how much they blur the ranks,
    `spite` how much the mean of the others' points counts against the seat's own, and `later` what
    each further round counts compared with the one before.
    """
    margin = 0.0
    weight = 1.0
    for scoring in range(int(state.rounds_scored), N_ROUNDS):
        own, others = points_of_type(state, scoring, seat, building, extra, unseen, spreading)
        margin += weight * (own - spite * others / (int(state.num_players) - 1))
        weight *= later
    return margin


@jit
def points_of_type(
    state: State,
    scoring: int,
    seat: int,
    building: int,
    extra: int,
    unseen: int,
    spreading: float,
) -> tuple[float, float]:
    """Return the expected points for a type in a round: those of a seat, and of all others.

    The arguments are those of `margin_of_type`.
    """
    players = int(state.num_players)
    coming = unseen * share_to_come(state, scoring)
    spread = np.sqrt(0.02 + spreading * coming)
    others = 0.0
    own = 0.0
    points = 0.0
    count_before = NONE
    for row in range(players):
        count = state.buildings[row, building] + (extra if row == seat else 0)
        if count == 0 and unseen == 0:
            count_before = NONE
            continue
        # A neighbour with as many tiles has the same chances, down to the rounding.
        if count != count_before:
            points = points_for_rank(state, scoring, building, row, seat, extra, spread)
            if count == 0:
                points *= coming / (coming + players)  # it must get one first
            count_before = count
        if row == seat:
            own = points
        else:
            others += points
    return own, others
