"""How well each player did in a match, with confidence intervals.

Every player plays a deal on every seat, so the luck of a deal is the same for all. The deal is
therefore the unit of all statistics: intervals are 95% bootstrap intervals over deals.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ..engine.rewards import margins, win_shares
from ..extras import extras_explained
from ..validation import one_of
from .ratings import Rating, rate
from .results import Results

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000
_SEED: Final = 0
_AT_ONCE: Final = 2_000_000  # numbers resampled together; limits memory


class Measured(NamedTuple):
    """A mean over deals and its 95% interval, which is nan if there is only one deal."""

    mean: float
    low: float
    high: float


class Row(NamedTuple):
    """How one player did."""

    name: str
    games: int
    """Seats it had in all games; a player with two seats in a game counts twice."""
    win_share: Measured
    """Share of games won; each of W winners gets 1/W. Equal players have 1/`num_players`."""
    score: Measured
    """Points."""
    margin: Measured
    """Points minus the mean of the others' points."""
    rank: Measured
    """1 is the best; players with the same points share the mean of their places."""
    rating: Rating
    """By openskill (Plackett-Luce): a `mu` of 25 is average, and `sigma` is its uncertainty."""


@dataclass(frozen=True)
class Standings:
    """The table of a match."""

    num_players: int
    edition: str
    deals: int
    games: int
    rows: tuple[Row, ...]
    """The players, the one with the largest win share first."""
    ahead: dict[str, dict[str, Measured]]
    """`ahead[a][b]`: the share of games in which `a` finishes ahead of `b`; a tie counts half."""

    def row(self, name: str) -> Row:
        """Return the row of a player, or raise `ValueError` with the names there are."""
        rows = {row.name: row for row in self.rows}
        return rows[one_of(name, rows, "player")]


def standings(results: Results) -> Standings:
    """Return the table of a match: win share, points, margin, rank and rating of each player.

    Raises:
        ValueError: no deal was played.
    """
    if not results.deals:
        raise ValueError("no deal was played yet, so there are no standings")
    match = results.match
    seats, scores = results.seats, results.scores
    players = range(len(match.names))
    measures = _measures(scores)  # [measure, deal, game, seat]
    sits = [seats == player for player in players]
    by_deal = [[_mean_by_deal(measure, sat) for measure in measures] for sat in sits]
    pairs = [(a, b) for a in players for b in players if a < b and _met(sits[a], sits[b])]
    # All at once, so that every number is resampled with the same deals
    measured = iter(
        _measure(
            [values for rows in by_deal for values in rows]
            + [_ahead_by_deal(scores, sits[a], sits[b]) for a, b in pairs]
        )
    )
    ratings = rate(results)
    rows = [
        Row(
            name,
            int(sat.sum()),
            win_share=next(measured),
            score=next(measured),
            margin=next(measured),
            rank=next(measured),
            rating=ratings[name],
        )
        for name, sat in zip(match.names, sits, strict=True)
    ]
    ahead: dict[str, dict[str, Measured]] = {name: {} for name in match.names}
    for a, b in pairs:
        share = next(measured)
        ahead[match.names[a]][match.names[b]] = share
        turned = Measured(1 - share.mean, 1 - share.high, 1 - share.low)
        ahead[match.names[b]][match.names[a]] = turned
    return Standings(
        match.num_players,
        match.edition,
        len(results.deals),
        len(results.deals) * match.games_per_deal,
        tuple(sorted(rows, key=lambda row: (-row.win_share.mean, row.rank.mean, row.name))),
        ahead,
    )


def _measures(scores: np.ndarray) -> np.ndarray:
    """Return win share, score, margin and rank, each `[deal, game, seat]`."""
    beaten_by = scores[..., None, :] > scores[..., :, None]
    level_with = scores[..., None, :] == scores[..., :, None]  # itself among them
    rank = beaten_by.sum(axis=-1) + (level_with.sum(axis=-1) + 1) / 2
    return np.stack([win_shares(scores), scores, margins(scores), rank])


def _mean_by_deal(measure: np.ndarray, sat: np.ndarray) -> np.ndarray:
    """Return the mean over a player's seats, for each deal."""
    total: np.ndarray = (measure * sat).sum(axis=(1, 2)) / sat.sum(axis=(1, 2))
    return total


def _met(sat_a: np.ndarray, sat_b: np.ndarray) -> bool:
    return bool((sat_a.any(axis=-1) & sat_b.any(axis=-1)).any())


def _ahead_by_deal(scores: np.ndarray, sat_a: np.ndarray, sat_b: np.ndarray) -> np.ndarray:
    """Return the share of games in which one player finishes ahead of another, for each deal."""
    pairs = sat_a[..., :, None] & sat_b[..., None, :]
    more = scores[..., :, None] > scores[..., None, :]
    level = scores[..., :, None] == scores[..., None, :]
    axes = (1, 2, 3)
    share: np.ndarray = ((more + 0.5 * level) * pairs).sum(axis=axes) / pairs.sum(axis=axes)
    return share


def _measure(rows: list[np.ndarray]) -> list[Measured]:
    """Return mean and interval of each row of values; a row has one value for each deal."""
    values = np.array(rows)
    means = values.mean(axis=-1)
    if values.shape[-1] == 1:
        nothing = np.full(len(rows), np.nan)
        low, high = nothing, nothing
    else:
        # SciPy takes a second to import, and the workers of a match do not need it.
        with extras_explained():
            from scipy.stats import bootstrap

        interval = bootstrap(
            (values,),
            np.mean,
            axis=-1,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=max(1, _AT_ONCE // values.size),
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(_SEED),
        ).confidence_interval
        low, high = interval.low, interval.high
    return [Measured(*map(float, each)) for each in zip(means, low, high, strict=True)]
