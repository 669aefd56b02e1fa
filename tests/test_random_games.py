"""Random games of every edition and player count, with every invariant checked at every step."""

import pytest

from alhambra_env.engine.editions import EDITIONS, EditionName
from benchmarks.soak import STYLES, Batch, play_batch, settings

GAMES = 102


@pytest.mark.parametrize(("edition", "num_players"), settings())
def test_every_position_of_random_games_keeps_all_invariants(
    edition: EditionName, num_players: int
) -> None:
    assert GAMES % len(STYLES) == 0
    outcome = play_batch(Batch(edition, num_players, range(GAMES)))
    assert outcome.games == GAMES
    assert outcome.failures == []
    assert outcome.actions > 50 * GAMES


@pytest.mark.parametrize(
    ("edition", "num_players"),
    [
        ("german:may_decline=yes", 4),
        ("polish:leftovers_by_cards=no", 3),
        ("czech:scoring_card_on_top=yes,may_decline=yes", 2),
        ("italian:min_players=2", 2),
    ],
)
def test_editions_with_points_changed_keep_all_invariants(edition: str, num_players: int) -> None:
    outcome = play_batch(Batch(edition, num_players, range(len(STYLES) * 4)))
    assert outcome.failures == []
    assert outcome.actions > 50 * outcome.games


def test_all_editions_and_player_counts_are_played() -> None:
    counts = {e.book: 7 - e.min_players for e in EDITIONS}
    assert counts == {"german": 5, "portuguese": 5, "czech": 5, "polish": 5, "italian": 4}
    assert len(settings()) == sum(counts.values())
