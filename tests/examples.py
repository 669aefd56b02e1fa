"""What several tests try: settings of games, and those of Hypothesis."""

from typing import Final

from hypothesis import HealthCheck, settings

from alhambra_env.engine.editions import EDITIONS

SETTINGS: Final = [
    (edition.book, num_players)
    for edition in EDITIONS
    for num_players in range(edition.min_players, 7)
]
"""Every edition with every number of players that it allows."""


def examples(number: int, *allowed: HealthCheck) -> settings:
    """Return settings for so many examples, the same ones in every run and however slow."""
    return settings(
        max_examples=number,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, *allowed],
    )
