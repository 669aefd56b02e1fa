"""Settings of Hypothesis that all its tests here share."""

from hypothesis import HealthCheck, settings


def examples(number: int, *allowed: HealthCheck) -> settings:
    """Return settings for so many examples, the same ones in every run and however slow."""
    return settings(
        max_examples=number,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, *allowed],
    )
