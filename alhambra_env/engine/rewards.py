"""What players are paid: the rewards of the environments."""

from typing import Any, Final

import numpy as np

from .jit import jit
from .state import OVER

REWARDS: Final = {
    "outcome": "at the end: each of W winners of P players (P/W - 1)/(P - 1), others -1/(P - 1)",
    "score": "points, when they are scored",
    "margin": "points minus the mean of the others' points, when they are scored",
}
"""The kinds of reward. All but `score` sum to 0 over the players."""

_OUTCOME, _SCORE, _MARGIN = range(len(REWARDS))


# `note_scores` before a step and `write_rewards` after it share one array, so that nothing has to
# be allocated in between.


@jit
def note_scores(state: Any, out: np.ndarray) -> None:
    """Write down the scores before a step, for `write_rewards`."""
    for seat in range(int(state.num_players)):
        out[seat] = state.scores[seat]


@jit
def write_rewards(state: Any, kind: int, out: np.ndarray) -> None:
    """Write each seat's reward for a step over what `note_scores` wrote before it."""
    players = int(state.num_players)
    total = 0.0
    for seat in range(players):
        out[seat] = state.scores[seat] - out[seat]
        total += out[seat]
    if kind == _MARGIN and total != 0:
        for seat in range(players):
            out[seat] -= (total - out[seat]) / (players - 1)
    elif kind == _OUTCOME:
        for seat in range(players):
            out[seat] = 0.0
        if state.phase == OVER:
            write_outcome(state, out)


@jit
def write_rewards_of(states: np.ndarray, game: int, kind: int, out: np.ndarray) -> None:
    """`write_rewards` for one of some games; for callers from Python (see `try_step`)."""
    write_rewards(states[game], kind, out)


@jit
def write_outcome(state: Any, out: np.ndarray) -> None:
    """Write what the outcome of a finished game is worth to each seat."""
    players = int(state.num_players)
    best = 0
    for seat in range(players):
        best = max(best, int(state.scores[seat]))
    winners = 0
    for seat in range(players):
        winners += state.scores[seat] == best
    for seat in range(players):
        has_won = state.scores[seat] == best
        out[seat] = (players / winners - 1 if has_won else -1) / (players - 1)


def step_rewards(states: np.ndarray, kind: int, scores_before: list[int]) -> list[float]:
    """Return each seat's reward for a step of the first of some games, given the scores before."""
    rewards = np.array(scores_before, np.float64)
    write_rewards_of(states, 0, kind, rewards)
    values: list[float] = rewards.tolist()
    return values


# The same measures for arrays of final scores, for statistics outside compiled code


def win_shares(scores: np.ndarray) -> np.ndarray:
    """Return how much of each game each seat won: 1/W for each of W winners, 0 for the others.

    Args:
        scores: points, `[..., seat]`, of two seats or more.
    """
    is_winner = scores == scores.max(axis=-1, keepdims=True)
    shares: np.ndarray = is_winner / is_winner.sum(axis=-1, keepdims=True)
    return shares


def margins(scores: np.ndarray) -> np.ndarray:
    """Return each seat's points minus the mean of the other seats' points.

    Args:
        scores: points, `[..., seat]`, of two seats or more.
    """
    others = (scores.sum(axis=-1, keepdims=True) - scores) / (scores.shape[-1] - 1)
    differences: np.ndarray = scores - others
    return differences
