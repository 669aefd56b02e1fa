"""Scoring rounds (R22-R24, R29) and what Dirk draws after them (R30)."""

import numpy as np

from ..material import DIRK, DIRK_TILES, MAX_PLAYERS, N_BUILDINGS, N_PLACES, PRIZES
from .jit import jit
from .refill import give_to_dirk


@jit
def write_points(state, scoring, out_points):
    """Write what each seat, and Dirk in the last place, would score in a round now.

    `scoring` is 0 to 2 for rounds 1 to 3.
    """
    out_points[:] = 0
    for seat in range(int(state.num_players)):
        out_points[seat] = state.walls[seat]
    for building in range(N_BUILDINGS):
        for row in range(MAX_PLAYERS + 1):  # seats not taken, and an absent Dirk, have no tiles
            if state.buildings[row, building] > 0:
                out_points[row] += majority_points(state, scoring, building, row)


@jit
def majority_points(state, scoring, building, row):
    """Return what a seat (or Dirk) with tiles of this type gets for its rank among all.

    Tied players share the prizes of the places that they fill together, rounded down (R23).
    """
    own = state.buildings[row, building]
    ahead = 0
    tied = 0
    for other in range(MAX_PLAYERS + 1):
        count = state.buildings[other, building]
        if count > own:
            ahead += 1
        elif count == own:
            tied += 1
    prizes = 0
    for place in range(ahead, min(ahead + tied, N_PLACES)):
        prizes += PRIZES[scoring, place, building]
    return prizes // tied


@jit
def score_round(state, scoring):
    """Score a round: 0 to 2 for rounds 1 to 3."""
    points = np.zeros(MAX_PLAYERS + 1, np.int64)
    write_points(state, scoring, points)
    for seat in range(int(state.num_players)):
        state.scores[seat] += points[seat]
    state.dirk_score += points[DIRK]
    state.rounds_scored += 1


@jit
def score_card(state):
    """Score the round of the scoring card that came up, and let Dirk draw after it (R20, R30)."""
    scoring = int(state.rounds_scored)
    score_round(state, scoring)
    if state.num_players == 2:
        give_to_dirk(state, DIRK_TILES if scoring == 0 else int(state.bag_size) // 3)
