"""The statistics are right: checked with coins of known bias in place of games."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from alhambra_env import arena
from alhambra_env.arena import draw, duel, markdown, standings
from alhambra_env.arena.ladder import RUNGS, climb, read_ladder, write_ladder
from alhambra_env.arena.results import DealResult, GameResult, Match, Results
from alhambra_env.arena.seating import LineUp, all_line_ups, rotations
from alhambra_env.arena.speed import decisions_per_second
from alhambra_env.arena.tables import NEVER_MET, as_markdown, cross_table, ladder_table
from alhambra_env.bots import BOT_NAMES
from alhambra_env.errors import DamagedRecord
from alhambra_env.options import GameRules


def match_of(names: str, num_players: int, line_ups: tuple[LineUp, ...] | None = None) -> Match:
    return Match(
        players=tuple({"name": name} for name in names),
        line_ups=line_ups or all_line_ups(len(names), num_players),
        rules=GameRules(num_players),
        seed=0,
    )


def results_of(match: Match, scores: Sequence[Sequence[Sequence[int]]]) -> Results:
    """Return results with these scores by player, for every game of every deal."""
    seatings = [seats for line_up in match.line_ups for seats in rotations(line_up)]
    deals = []
    for number, games in enumerate(scores):
        played = [
            GameResult(seats, tuple(points), (1,) * len(seats))
            for seats, points in zip(seatings, games, strict=True)
        ]
        deals.append(DealResult(number, number, tuple(played)))
    return Results(match, tuple(deals))


def toss(seed: int, bias: float, luck: float, deals: int) -> Results:
    """Return a match of two in which `a` wins by a biased coin.

    `luck` is the probability that the first seat decides the whole deal, whichever player has it.
    """
    rng = np.random.default_rng(seed)
    scores = []
    for _ in range(deals):
        if rng.random() < luck:
            scores.append([(1, 0), (1, 0)])
        else:
            first, second = rng.random(2) < bias
            scores.append([(int(first), int(not first)), (int(not second), int(second))])
    return results_of(match_of("ab", 2), scores)


def test_win_shares_scores_margins_and_ranks_of_a_game_by_hand() -> None:
    match = match_of("abc", 3)
    # Rotations: abc, bca, cab. Scores go by seat.
    results = results_of(match, [[(30, 10, 20), (20, 20, 20), (0, 50, 50)]])
    table = standings(results)
    a, b, c = (table.row(name) for name in "abc")
    assert a.win_share.mean == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)
    assert b.win_share.mean == pytest.approx((0 + 1 / 3 + 1 / 2) / 3)
    assert c.win_share.mean == pytest.approx((0 + 1 / 3 + 0) / 3)
    assert [row.score.mean for row in (a, b, c)] == pytest.approx([100 / 3, 80 / 3, 40 / 3])
    assert a.margin.mean == pytest.approx((15 + 0 + 25) / 3)
    assert [row.rank.mean for row in (a, b, c)] == pytest.approx([4.5 / 3, 6.5 / 3, 7 / 3])
    assert table.ahead["a"]["b"].mean == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert table.ahead["a"]["c"].mean == pytest.approx((1 + 0.5 + 1) / 3)
    assert table.ahead["c"]["a"].mean == pytest.approx(1 - 2.5 / 3)
    assert [row.name for row in table.rows] == ["a", "b", "c"]
    assert math.isnan(a.score.low)
    assert a.rating.mu > max(b.rating.mu, c.rating.mu)


def test_copies_of_a_player_count_seat_by_seat() -> None:
    match = match_of("ab", 3, ((0, 1, 1),))
    # Rotations: abb, bba, bab.
    results = results_of(match, [[(9, 1, 5), (7, 2, 4), (0, 3, 3)]])
    table = standings(results)
    assert table.row("a").games == 3
    assert table.row("b").games == 6
    assert table.row("a").win_share.mean == pytest.approx((1 + 0 + 0.5) / 3)
    assert table.row("b").win_share.mean == pytest.approx((0 + 0 + 1 + 0 + 0 + 0.5) / 6)
    assert table.ahead["a"]["b"].mean == pytest.approx((2 + 1 + 1.5) / 6)
    assert "b" not in table.ahead["b"]


def test_all_shares_of_a_match_add_up() -> None:
    rng = np.random.default_rng(1)
    match = match_of("abcd", 3)
    games = match.games_per_deal
    scores = rng.integers(9, size=(7, games, 3)).tolist()
    table = standings(results_of(match, scores))
    assert np.mean([row.win_share.mean for row in table.rows]) == pytest.approx(1 / 3)
    assert sum(row.margin.mean for row in table.rows) == pytest.approx(0)
    assert np.mean([row.rank.mean for row in table.rows]) == pytest.approx(2)


@pytest.mark.parametrize("luck", [0.0, 0.6])
def test_intervals_cover_the_truth_about_as_often_as_they_claim(luck: float) -> None:
    bias = 0.6
    truth = luck * 0.5 + (1 - luck) * bias
    tries = 120
    covered = 0
    for seed in range(tries):
        share = standings(toss(seed, bias, luck, deals=60)).row("a").win_share
        covered += share.low <= truth <= share.high
    # 95% of 120 are 114, give or take 2.4; three times that, and the bootstrap's usual shortfall
    assert 104 <= covered < tries


def test_luck_that_is_the_same_for_all_does_not_widen_the_interval() -> None:
    lucky, plain = (standings(toss(3, 0.6, luck, 200)).row("a").win_share for luck in (1.0, 0.0))
    assert lucky == (0.5, 0.5, 0.5)
    assert 0.08 < plain.high - plain.low < 0.12


def test_the_same_results_give_the_same_intervals() -> None:
    assert standings(toss(1, 0.6, 0.2, 30)) == standings(toss(1, 0.6, 0.2, 30))


def test_a_better_player_is_rated_higher_and_more_games_make_surer() -> None:
    short, long = (standings(toss(5, 0.8, 0.0, deals)) for deals in (10, 200))
    for table in (short, long):
        assert table.row("a").rating.mu > 25 > table.row("b").rating.mu
    assert long.row("a").rating.sigma < short.row("a").rating.sigma


def test_standings_need_a_deal() -> None:
    with pytest.raises(ValueError, match="no deal"):
        standings(results_of(match_of("ab", 2), []))


def test_tables_in_markdown_show_every_player() -> None:
    table = standings(toss(1, 0.7, 0.0, 20))
    text = markdown(table)
    assert "20 deals, 40 games; win share 50.0% is parity" in text
    assert text.count("\n| a |") == 2
    assert cross_table(table)[1][1] == NEVER_MET
    assert "nan" not in markdown(standings(toss(1, 0.7, 0.0, 1)))


@pytest.mark.parametrize("deals", [1, 30])
def test_the_picture_is_written(deals: int, tmp_path: Path) -> None:
    path = tmp_path / "match.png"
    draw(standings(toss(1, 0.7, 0.0, deals)), path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 10_000


def test_a_missing_folder_is_refused_and_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    file = missing / "file"
    says = re.escape(f"cannot write to {file}: there is no folder {missing}")
    with pytest.raises(ValueError, match=says):
        arena.match(["random", "uniform"], 2, deals=1, workers=1, out=file)
    with pytest.raises(ValueError, match=says):
        draw(standings(toss(1, 0.7, 0.0, 1)), file)
    with pytest.raises(ValueError, match=says):
        write_ladder([], file)
    with pytest.raises(ValueError, match=says):
        next(climb((("uniform", "random"),), (2,), deals=1, workers=1, folder=file))
    assert not missing.exists()


def test_the_ladder_plays_each_bot_against_copies_of_a_weaker_one(tmp_path: Path) -> None:
    bots = (("uniform", "random"), ("saver", "uniform"))
    rungs = list(climb(bots, (2, 3), deals=4, workers=1, folder=tmp_path / "rungs"))
    assert [(rung.player, rung.other, rung.num_players) for rung in rungs] == [
        ("uniform", "random", 2),
        ("uniform", "random", 3),
        ("saver", "uniform", 2),
        ("saver", "uniform", 3),
    ]
    assert len(list((tmp_path / "rungs").iterdir())) == 4
    last = standings(duel("saver", "uniform", 3, 4, workers=1)).row("saver")
    assert rungs[-1].win_share == last.win_share
    assert rungs[-1].is_step_up
    with pytest.raises(ValueError, match="there are: "):
        standings(duel("saver", "uniform", 2, 1, workers=1)).row("nobody")
    write_ladder(rungs, tmp_path / "ladder.json")
    assert read_ladder(tmp_path / "ladder.json") == rungs
    assert as_markdown(ladder_table(rungs), 2).count("\n") == 6


def test_slow_bots_get_fewer_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alhambra_env.arena.ladder.SLOW", ("saver",))
    bots = (("uniform", "random"), ("saver", "uniform"))
    rungs = climb(bots, (2,), deals=3, slow_deals=2, workers=1)
    assert [rung.deals for rung in rungs] == [3, 2]


@pytest.mark.parametrize("text", ["", "{}", '{"format": "alhambra ladder", "rungs": [{"a": 1}]}'])
def test_a_file_that_is_no_ladder_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "ladder.json").write_text(text)
    with pytest.raises(DamagedRecord, match="is not a ladder"):
        read_ladder(tmp_path / "ladder.json")


def test_players_of_a_ladder_can_have_names() -> None:
    (rung,) = climb((("tests.test_arena:PlainBuilder", "low=random"),), (2,), deals=1, workers=1)
    assert (rung.player, rung.other) == ("builder", "low")


@pytest.mark.parametrize("player", ["uniform", "tests.test_arena:PlainRandom"])
def test_speed_is_measured(player: str) -> None:
    assert decisions_per_second(player, num_players=2, seconds=0.05) > 0


def test_the_rungs_are_those_of_the_bots() -> None:
    assert ("planner", "builder") in RUNGS
    assert {name for rung in RUNGS for name in rung} < set(BOT_NAMES)
