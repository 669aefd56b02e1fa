"""The game for two, with Dirk."""

import pytest

from alhambra_env import Game
from tests.positions import around, legal, play, position, prizes, score, take_turns


def score_of_dirk(game: Game) -> int:
    return int(game.snapshot()["dirk"]["score"])


# --- Dirk among the players -------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_dirk_plays_with_two_players_only(num_players: int) -> None:
    # R29
    assert Game(num_players=2, seed=0).snapshot()["dirk"] is not None
    assert Game(num_players=num_players, seed=0).snapshot()["dirk"] is None


def test_dirk_has_no_turn() -> None:
    # R29
    assert take_turns(position("players: 2", "dirk: 51 52"), 4) == [0, 1, 0, 1]


def test_dirk_takes_the_prize_from_the_players() -> None:
    # R29: two towers of Dirk, one of seat 0
    dirk = "dirk: 51 52"
    assert prizes(1, around(49), "") == [6, 0]
    assert prizes(1, around(49), "", more=dirk) == [0, 0]
    assert prizes(2, around(49), "", more=dirk) == [6, 0]
    assert prizes(3, around(49), around(50), more=dirk) == [(13 + 6) // 2] * 2
    assert score_of_dirk(score(1, around(49), "", more=dirk)) == 6
    assert score_of_dirk(score(2, around(49), "", more=dirk)) == 13
    assert score_of_dirk(score(3, around(49), "", more=dirk)) == 21


def test_dirk_shares_prizes_with_those_he_ties_with() -> None:
    # R29, R23
    game = score(2, around(49), around(50, 51), more="dirk: 52")
    assert game.scores == [6 // 2 + 1, 13 + 1]  # each player has a wall of 1
    assert score_of_dirk(game) == 6 // 2


def test_dirk_may_come_third() -> None:
    # R29
    cities = around(49, 50), around(51, 53, 48)
    assert prizes(3, *cities, more="dirk: 52") == [13, 21]
    assert score_of_dirk(score(3, *cities, more="dirk: 52")) == 6


def test_dirk_scores_no_wall() -> None:
    # R29: his tower has three walls, and he leads with it
    assert score_of_dirk(score(1, "", "", more="dirk: 44")) == 6


def test_the_score_of_dirk_is_kept_from_round_to_round() -> None:
    # R29
    assert score_of_dirk(score(2, "", "", more="dirk: 51\ndirk_score: 6")) == 6 + 13


def test_dirk_never_wins() -> None:
    # R29
    game = score(3, around(40), "", more="dirk: 51 52 53\ndirk_score: 80")
    assert score_of_dirk(game) == 80 + 21
    assert game.scores == [20, 0]
    assert game.winners == [0]


def test_dirk_holds_no_money_and_wins_no_leftovers() -> None:
    # R29, R25: nobody has any money, so all leftovers stay
    game = position(
        *("players: 2", "rounds: 2", "phase: put", "picked: 0", "market: - 43 44 45"),
        *("bag:", "dirk: rest"),
    )
    play(game, "store")
    assert game.over
    assert game.snapshot()["market"] == [None, 43, 44, 45]


# --- what Dirk draws --------------------------------------------------------------------------

BAG = [40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51]


def refilled_after(scoring: int, bag: list[int], *lines: str) -> Game:
    """The game after a refill with this scoring; nobody bought anything."""
    game = position(
        "players: 2",
        f"rounds: {scoring - 1}",
        f"deck: s{scoring} y9 y9",
        "discards: rest",
        "dirk: 6",
        "bag: " + " ".join(map(str, bag)),
        "reserve 0: rest",
        *lines,
    )
    return play(game, "take:0")


@pytest.mark.parametrize(("in_bag", "drawn"), [(12, 6), (7, 6), (6, 6), (4, 4), (1, 1), (0, 0)])
def test_after_round_one_dirk_draws_six_tiles_or_all_there_are(in_bag: int, drawn: int) -> None:
    # R30
    game = refilled_after(1, BAG[:in_bag])
    assert game.snapshot()["dirk"]["tiles"] == [6, *BAG[:drawn]]
    assert game.snapshot()["bag"] == BAG[drawn:in_bag]


@pytest.mark.parametrize(("in_bag", "drawn"), [(12, 4), (11, 3), (10, 3), (9, 3), (3, 1), (2, 0)])
def test_after_round_two_dirk_draws_a_third_of_the_bag_rounded_down(
    in_bag: int, drawn: int
) -> None:
    # R30
    game = refilled_after(2, BAG[:in_bag])
    assert game.snapshot()["dirk"]["tiles"] == [6, *BAG[:drawn]]
    assert game.snapshot()["bag"] == BAG[drawn:in_bag]


def test_dirk_draws_after_the_round_and_after_the_market_was_refilled() -> None:
    # R30, R20: 40 goes to the market; the towers that Dirk draws do not count in this round
    game = position(
        "players: 2",
        "market: 0 1 2 3",
        "hand 0: b2",
        "deck: s1 y9 y9",
        "discards: rest",
        "bag: 40 46 47 48 49 50 51",
        "reserve 0: rest",
        f"city 1: {around(52)}",
    )
    play(game, "buy:0:2", "take:0", "store")
    assert game.snapshot()["market"] == [40, 1, 2, 3]
    assert game.snapshot()["dirk"] == {"tiles": [46, 47, 48, 49, 50, 51], "score": 0}
    assert game.scores == [0, 6]
    assert not game.over


def test_the_tiles_that_dirk_draws_count_from_the_next_round_on() -> None:
    # R30, R29, R20: both scoring cards in one refill, and Dirk draws six towers between the rounds
    game = position(
        *("players: 2", "phase: put", "picked: 0", "display: - b9 b9 b8"),
        *("deck: s1 s2", "discards: rest"),
        *("bag: 46 47 48 49 50 51", "reserve 0: rest", f"city 1: {around(52)}"),
    )
    play(game, "store")
    assert game.scores == [0, 6 + 6]
    assert score_of_dirk(game) == 0 + 13


def test_a_bag_that_dirk_emptied_ends_the_game_at_the_next_purchase() -> None:
    # R30, R21
    game = refilled_after(1, BAG[:4], "hand 1: b3")
    assert (game.to_play, game.phase) == (1, "turn")
    play(game, "buy:0:3", "store")
    assert game.over


# --- gifts ------------------------------------------------------------------------------------


def test_a_bought_tile_may_be_given_to_dirk() -> None:
    # R12, R29
    game = position("players: 2", "market: 43 1 2 3", "hand 0: b8", "dirk: 51")
    play(game, "buy:0:8")
    assert legal(game) == {"put:-1,0", "store", "give"}
    play(game, "give")
    assert game.snapshot()["dirk"]["tiles"] == [43, 51]
    assert (game.to_play, game.phase) == (1, "turn")


def test_each_of_several_bought_tiles_may_be_given_to_dirk_or_kept() -> None:
    # R12
    game = position("players: 2", "phase: place", "bought: 43 44 45")
    play(game, "pick:44", "give", "pick:43", "put:-1,0", "give")
    assert game.snapshot()["dirk"]["tiles"] == [44, 45]
    assert game.snapshot()["cities"][0] == [[43, -1, 0]]


def test_a_gift_counts_for_dirk_at_once() -> None:
    # R12, R22: the gift of 43 makes Dirk lead in towers in the round that follows
    lines = ["players: 2", "phase: put", "picked: 43", "dirk: 51", "display: - b1 b2 b3"]
    lines += ["deck: s1 y9 y9", "discards: rest", f"city 1: {around(52)}"]
    assert play(position(*lines), "store").scores == [0, 3]
    game = play(position(*lines), "give")
    assert game.scores == [0, 0]
    assert score_of_dirk(game) == 6


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_there_is_nobody_to_give_to_with_more_players(num_players: int) -> None:
    # R12
    game = position(f"players: {num_players}", "phase: put", "picked: 43")
    assert legal(game) == {"put:-1,0", "store"}


def test_a_tile_of_the_reserve_is_not_given_away() -> None:
    # R12, R11
    game = play(position("players: 2", "reserve 0: 43"), "pick:43")
    assert legal(game) == {"put:-1,0"}
