"""The player's aid."""

import pytest

from alhambra_env import Game
from alhambra_env.engine.material import BUILDINGS, PRIZES, TILES
from alhambra_env.render.aid import aid_headings, aid_rows, draw_aid, draw_standing
from tests.positions import around, play, play_randomly, position, score

WIDEST = 80
ALL_COUNTS = (2, 3, 4, 5, 6)


def standing(game: Game) -> str:
    return draw_standing(game.snapshot(), game.state.walls[: game.num_players].tolist())


def row(game: Game, name: str) -> list[str]:
    """The words of a row of the standing, without its name."""
    (line,) = (line for line in standing(game).splitlines() if line.split()[:1] == [name])
    return line.split()[1:]


# --- for every game ---------------------------------------------------------------------------


def test_the_aid_is_the_table_of_the_reserve_boards() -> None:
    # R1, R22, R24
    assert draw_aid().splitlines() == [
        "Player's aid",
        "                         round 1       round 2            round 3",
        "           tiles  price      1st      1st  2nd      1st  2nd  3rd",
        "  pavilion     7    2-8        1        8    1       16    8    1",
        "  seraglio     7    3-9        2        9    2       17    9    2",
        "  arcades      9   4-10        3       10    3       18   10    3",
        "  chambers     9   5-11        4       11    4       19   11    4",
        "  garden      11   6-12        5       12    5       20   12    5",
        "  tower       11   7-13        6       13    6       21   13    6",
        "  wall     1 point for each part of the longest outer wall, in every round",
    ]


def test_the_rows_of_the_aid_add_up_to_what_is_in_the_box() -> None:
    rows = aid_rows()
    assert [cells[0] for cells in rows] == list(BUILDINGS)
    assert sum(int(cells[1]) for cells in rows) == len(TILES)
    assert sum(int(prize) for cells in rows for prize in cells[3:]) == PRIZES.sum()
    assert {len(cells) for cells in rows} == {len(aid_headings())}


# --- for a position ---------------------------------------------------------------------------

THREE_PLAYERS = f"""
    players: 3
    to_play: 1
    rounds: 1
    scores: 4 0 11
    market: 0 1 32 51
    city 0: {around(43, 44, 49, 50)}
    city 1: {around(46, 47, 45, 52)}
    city 2: {around(21, 14)}
    reserve 2: 48 53
"""


def test_the_standing_says_who_would_score_what() -> None:
    # R23: four towers each bring 9; the two towers of the reserve of seat 2 count nothing
    assert standing(position(THREE_PLAYERS)).splitlines() == [
        "If round 2 were scored now",
        "           prizes market bag  Seat 0 *Seat 1  Seat 2",
        "  pavilion   8  1      2   5  .       .       .",
        "  seraglio   9  2      .   7  .       .       .",
        "  arcades   10  3      .   7  .       .       2  +10",
        "  chambers  11  4      .   9  .       .       .",
        "  garden    12  5      1  10  .       .       .",
        "  tower     13  6      1   .  4   +9  4   +9  .",
        "  wall                        7   +7  2   +2  3   +3",
        "  together                       +16     +11     +13",
        "  score                            4       0      11",
    ]


def test_dirk_has_a_column_and_no_wall() -> None:
    # R29
    game = position("players: 2", f"city 1: {around(51)}", "dirk: 43 44 6")
    assert standing(game).splitlines()[1].endswith("*Seat 0  Seat 1    Dirk")
    assert row(game, "tower")[-3:] == ["1", "2", "+6"]
    assert row(game, "pavilion")[-2:] == ["1", "+1"]
    assert row(game, "wall") == [".", ".", "."]
    assert row(game, "together") == ["+0", "+0", "+7"]
    game = position("players: 2", "rounds: 1", "dirk: 43", "dirk_score: 6")
    assert row(game, "score") == ["0", "0", "6"]


def test_the_standing_of_a_game_that_is_over_is_that_of_the_last_round() -> None:
    # R22: pavilions bring 16, 8 and 1
    game = score(3, around(6, 1, 2), around(3, 4), around(5))
    assert game.over
    assert standing(game).splitlines()[0] == "How round 3 was scored"
    assert row(game, "pavilion") == ["16", "8", "1", ".", ".", "3", "+16", "2", "+8", "1", "+1"]
    assert row(game, "together") == [f"+{points}" for points in game.scores]
    assert "*" not in standing(game)


@pytest.mark.parametrize("num_players", ALL_COUNTS)
def test_the_standing_before_a_round_is_what_the_round_brings(num_players: int) -> None:
    # R22-R24, R29: taking money changes no city, so that the round which it brings is as foretold
    game = play_randomly(Game(num_players=num_players, seed=num_players), 50)
    while game.phase != "turn" or game.state.actions:
        play_randomly(game, 1)
    dirk = game.snapshot()["dirk"]
    before, rounds = [*game.scores, *([dirk["score"]] if dirk else [])], game.rounds_scored
    foretold = row(game, "together")
    while game.rounds_scored == rounds:
        assert row(game, "together") == foretold
        play(game, "take:0")
    dirk = game.snapshot()["dirk"]
    after = [*game.scores, *([dirk["score"]] if dirk else [])]
    gained = [now - then for now, then in zip(after, before, strict=True)]
    assert foretold == [f"+{points}" for points in gained]
    assert min(gained[:num_players]) >= 0 < max(gained)


@pytest.mark.parametrize("num_players", ALL_COUNTS)
def test_the_aid_fits_into_80_columns_in_every_position(num_players: int) -> None:
    game = Game(num_players=num_players, seed=1)
    for seed in range(10**6):
        aid = f"{draw_aid()}\n{standing(game)}"
        assert max(map(len, aid.splitlines())) < WIDEST
        assert len(standing(game).splitlines()) == len(BUILDINGS) + 5
        if game.over:
            break
        play_randomly(game, 7, seed)


def test_the_aid_does_not_show_what_is_hidden() -> None:
    # E4: the order of the bag and the others' cards
    game = play_randomly(Game(num_players=4, seed=3), 120)
    for seed in range(20):
        assert standing(game.resample(0, seed=seed)) == standing(game)


# --- with the table ---------------------------------------------------------------------------


def test_the_text_of_a_game_has_the_aid_if_asked() -> None:
    game = position(THREE_PLAYERS)
    assert game.text() == str(game)
    assert game.text(aid=True) == f"{game}\n\n{draw_aid()}\n\n{standing(game)}"
