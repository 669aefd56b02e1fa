"""Ratings of players from games of two or more, by openskill's Plackett-Luce model."""

from typing import NamedTuple

import numpy as np

from ..extras import extras_explained
from .results import Results


class Rating(NamedTuple):
    """The estimated strength of a player: a normal distribution."""

    mu: float
    sigma: float


def rate(results: Results) -> dict[str, Rating]:
    """Return the ratings of all players, updated game by game in the order of the results.

    A player that takes several seats of a game gets the mean of the ratings of its copies.
    """
    with extras_explained():
        from openskill.models import PlackettLuce

    match = results.match
    # Players do not change during a match, so sigma does not grow from game to game (tau).
    model = PlackettLuce(tau=0.0)
    start = model.rating()
    ratings = [Rating(start.mu, start.sigma) for _ in match.names]
    for deal in results.deals:
        for game in deal.games:
            teams = [[model.create_rating(list(ratings[player]))] for player in game.seats]
            rated = model.rate(teams, scores=list(map(float, game.scores)))
            for player in sorted(set(game.seats)):
                after = [
                    team[0] for team, sat in zip(rated, game.seats, strict=True) if sat == player
                ]
                ratings[player] = Rating(
                    float(np.mean([each.mu for each in after])),
                    float(np.mean([each.sigma for each in after])),
                )
    return dict(zip(match.names, ratings, strict=True))
