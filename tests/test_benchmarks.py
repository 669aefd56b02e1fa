"""The benchmarks of the environments run, however short."""

from alhambra_env import alhambra_v0
from benchmarks.environments import aec_speed, vector_speed, wrapped_empty_env


def test_environments_can_be_measured() -> None:
    assert vector_speed(num_envs=4, rounds=3) > 0
    assert aec_speed(alhambra_v0.env(), steps=5) > 0
    assert aec_speed(wrapped_empty_env(), steps=5) > 0
