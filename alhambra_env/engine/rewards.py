"""The rewards of the environments."""

from typing import Final

import numpy as np

from .arrays import Array
from .jit import jit
from .state import OVER, State

REWARDS: Final = {
    "outcome": "at the end: each of W winners of P players (P/W - 1)/(P - 1), others -1/(P - 1)",
    "score": "points, when they are scored",
    "margin": "points minus the mean of the others' points, when they are scored",
}
"""The kinds of reward. All but `score` sum to 0 over the players."""

OUTCOME, SCORE, MARGIN = range(len(REWARDS))


# `note_scores` before a step and `write_rewards` after it share one array, which saves an
# allocation.


@jit
def note_scores(state: State, out_scores: Array) -> None:
    """Write the scores before a step, for `write_rewards`."""
    for seat in range(int(state.num_players)):
        out_scores[seat] = state.scores[seat]


@jit
def write_rewards(state: State, kind: int, out_rewards: Array) -> None:
    """Replace the scores that `note_scores` wrote before a step by each seat's reward for it."""
    players = int(state.num_players)
    total = 0.0
    for seat in range(players):
        out_rewards[seat] = state.scores[seat] - out_rewards[seat]
        total += out_rewards[seat]
    if kind == MARGIN and total != 0:
        for seat in range(players):
            out_rewards[seat] -= (total - out_rewards[seat]) / (players - 1)
    elif kind == OUTCOME:
        for seat in range(players):
            out_rewards[seat] = 0.0
        if state.phase == OVER:
            write_outcome(state, out_rewards)


@jit
def write_rewards_of(states: Array, game: int, kind: int, out_rewards: Array) -> None:
    """`write_rewards` for one game of a batch; for callers from Python (see `try_step`)."""
    write_rewards(states[game], kind, out_rewards)


@jit
def write_outcome(state: State, out_rewards: Array) -> None:
    """Write the reward `outcome` of a finished game for each seat."""
    players = int(state.num_players)
    best = 0
    for seat in range(players):
        best = max(best, int(state.scores[seat]))
    winners = 0
    for seat in range(players):
        winners += state.scores[seat] == best
    for seat in range(players):
        has_won = state.scores[seat] == best
        out_rewards[seat] = (players / winners - 1 if has_won else -1) / (players - 1)


def step_rewards(states: Array, kind: int, scores_before: list[int]) -> list[float]:
    """Return each seat's reward for a step of the first game, given the scores before it."""
    rewards = np.array(scores_before, np.float64)
    write_rewards_of(states, 0, kind, rewards)
    values: list[float] = rewards.tolist()
    return values


# The same measures for arrays of final scores, for statistics outside compiled code


def find_winners(scores: np.ndarray) -> np.ndarray:
    """Return bool flags of the seats that share the win (R28).

    Args:
        scores: points at the end, `[..., seat]`.
    """
    flags: np.ndarray = scores == scores.max(axis=-1, keepdims=True)
    return flags


def win_shares(scores: np.ndarray) -> np.ndarray:
    """Return how much of each game each seat won: 1/W for each of W winners, 0 for the others.

    Args:
        scores: points, `[..., seat]`, of two seats or more.
    """
    is_winner = find_winners(scores)
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
