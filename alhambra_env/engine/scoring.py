"""Scoring rounds (R22-R24, R29) and what Dirk draws after them (R30)."""

import numpy as np

from .arrays import Array
from .jit import jit
from .material import DIRK, DIRK_TILES, MAX_PLAYERS, N_BUILDINGS, N_PLACES, PRIZES
from .refill import give_to_dirk
from .state import State


@jit
def write_points(state: State, scoring: int, out_points: Array) -> None:
    """Write the points that each seat, and Dirk in the last place, would score in a round now.

    `scoring` is 0 to 2 for rounds 1 to 3.
    """
    out_points[:] = 0
    for seat in range(int(state.num_players)):
        out_points[seat] = state.walls[seat]
    for building in range(N_BUILDINGS):
        counts = state.buildings[:, building]  # unused seats, and an absent Dirk, have no tiles
        for row in range(MAX_PLAYERS + 1):
            out_points[row] += majority_points(counts, row, scoring, building)


@jit
def majority_points(counts: Array, row: int, scoring: int, building: int) -> int:
    """Return the points of a row for its rank in a type; `counts` are the tiles of all rows.

    Tied players share the prizes of the places that they fill together, rounded down (R23). A row
    without tiles of the type is not ranked (R22).
    """
    own = counts[row]
    if own == 0:
        return 0
    ahead = 0
    tied = 0
    for other in range(counts.size):
        if counts[other] > own:
            ahead += 1
        elif counts[other] == own:
            tied += 1
    prizes = 0
    for place in range(ahead, min(ahead + tied, N_PLACES)):
        prizes += PRIZES[scoring, place, building]
    return prizes // tied


@jit
def score_round(state: State, scoring: int) -> None:
    """Score a round: 0 to 2 for rounds 1 to 3."""
    points = np.zeros(MAX_PLAYERS + 1, np.int64)
    write_points(state, scoring, points)
    for seat in range(int(state.num_players)):
        state.scores[seat] += points[seat]
    state.dirk_score += points[DIRK]
    state.rounds_scored += 1


@jit
def score_card(state: State) -> None:
    """Score the round of the scoring card that came up, and let Dirk draw after it (R20, R30)."""
    scoring = int(state.rounds_scored)
    score_round(state, scoring)
    if state.num_players == 2:
        give_to_dirk(state, DIRK_TILES if scoring == 0 else int(state.bag_size) // 3)
