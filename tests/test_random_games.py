"""Random games of every edition and player count, with every invariant checked at every step."""

import pytest

from alhambra_env.engine.editions import EDITIONS
from benchmarks.soak import STYLES, Batch, play_batch, settings

GAMES = 102


@pytest.mark.parametrize(("edition", "num_players"), settings())
def test_every_position_of_random_games_keeps_all_invariants(
    edition: int, num_players: int
) -> None:
    assert GAMES % len(STYLES) == 0
    outcome = play_batch(Batch(edition, num_players, range(GAMES)))
    assert outcome.games == GAMES
    assert outcome.failures == []
    assert outcome.actions > 50 * GAMES


def test_all_editions_and_player_counts_are_played() -> None:
    counts = {e.name: 7 - e.min_players for e in EDITIONS}
    assert counts == {"german": 5, "portuguese": 5, "czech": 5, "polish": 5, "italian": 4}
    assert len(settings()) == sum(counts.values())
