"""Matches between players, and their evaluation: standings, ratings, tables, pictures.

>>> from alhambra_env.arena import match, standings
>>> results = match(["builder", "saver", "random"], num_players=3, deals=2)
>>> standings(results).row("random").games
6
"""

from ..extras import extras_explained

with extras_explained():
    from .ladder import climb, read_ladder, write_ladder
    from .matches import duel, match
    from .picture import draw
    from .results import DealResult, GameResult, Match, Results, load
    from .speed import decisions_per_second
    from .standings import Measured, Row, Standings, standings
    from .tables import cross_table, markdown, rich_tables

__all__ = [
    "DealResult",
    "GameResult",
    "Match",
    "Measured",
    "Results",
    "Row",
    "Standings",
    "climb",
    "cross_table",
    "decisions_per_second",
    "draw",
    "duel",
    "load",
    "markdown",
    "match",
    "read_ladder",
    "rich_tables",
    "standings",
    "write_ladder",
]
