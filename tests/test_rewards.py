"""The measures for arrays of scores say the same as the rewards of compiled code."""

import numpy as np
import pytest

from alhambra_env import Game
from alhambra_env.engine.rewards import margins, step_rewards, win_shares
from alhambra_env.engine.state import OVER
from alhambra_env.options import reward_number


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_win_shares_and_margins_agree_with_the_rewards_of_compiled_code(num_players: int) -> None:
    rng = np.random.default_rng(num_players)
    scores = rng.integers(4, size=(50, num_players)).astype(np.int16)  # so few that many tie
    shares, differences = win_shares(scores), margins(scores)
    states = Game(num_players, seed=0).states
    states["phase"][0] = OVER
    for game, points in enumerate(scores):
        states["scores"][0, :num_players] = points
        before = [0] * num_players
        outcome = step_rewards(states, reward_number("outcome"), before)
        assert (num_players * shares[game] - 1) / (num_players - 1) == pytest.approx(outcome)
        assert differences[game].tolist() == step_rewards(states, reward_number("margin"), before)


def test_win_shares_and_margins_of_scores_by_hand() -> None:
    scores = np.array([[[30, 10, 20], [20, 20, 20]], [[0, 50, 50], [7, 7, 1]]])
    half, third = 1 / 2, 1 / 3
    assert win_shares(scores).tolist() == [
        [[1, 0, 0], [third, third, third]],
        [[0, half, half], [half, half, 0]],
    ]
    assert margins(scores).tolist() == [
        [[15, -15, 0], [0, 0, 0]],
        [[-50, 25, 25], [3, 3, -6]],
    ]
