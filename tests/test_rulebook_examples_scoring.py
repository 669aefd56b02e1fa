"""The examples of the rulebooks, with the books' own numbers: scoring, the end, and two players.

See `test_rulebook_examples`.
"""

import pytest

from alhambra_env import Game
from alhambra_env.engine.editions import EditionName
from alhambra_env.engine.material import BUILDINGS, PRIZES
from tests.positions import around, legal, play, position, prizes, score
from tests.rulebooks import in_all_books, in_four_books

# --- majorities -------------------------------------------------------------------------------


def test_the_points_for_majorities_are_the_printed_ones() -> None:
    # R22: the two scoring cards and the table of the reserve board, in the German book; the Czech,
    # Polish and Portuguese have the same with pictures of the buildings
    assert BUILDINGS == ("pavilion", "seraglio", "arcades", "chambers", "garden", "tower")
    assert PRIZES.tolist() == [
        [[1, 2, 3, 4, 5, 6], [0] * 6, [0] * 6],
        [[8, 9, 10, 11, 12, 13], [1, 2, 3, 4, 5, 6], [0] * 6],
        [[16, 17, 18, 19, 20, 21], [8, 9, 10, 11, 12, 13], [1, 2, 3, 4, 5, 6]],
    ]


@in_four_books
def test_in_round_one_the_most_chambers_bring_4_points(edition: EditionName) -> None:
    # R22
    cities = around(30, 31), around(28), ""
    assert prizes(1, *cities, more=f"edition: {edition}") == [4, 0, 0]


@in_four_books
def test_in_round_two_the_most_towers_bring_13_points_and_the_next_6(edition: EditionName) -> None:
    # R22
    cities = around(51, 52, 49), around(50, 53), around(48)
    assert prizes(2, *cities, more=f"edition: {edition}") == [13, 6, 0]


@in_four_books
def test_in_round_two_two_with_four_towers_each_get_9_points_each(edition: EditionName) -> None:
    # R23: 13 + 6 = 19 points, halved and rounded down
    cities = around(43, 44, 49, 50), around(46, 47, 45, 51), ""
    assert prizes(2, *cities, more=f"edition: {edition}") == [9, 9, 0]


@in_four_books
def test_in_round_three_the_most_pavilions_bring_16_the_next_8_and_1(edition: EditionName) -> None:
    # R22
    cities = around(6, 1, 2), around(3, 4), around(5)
    assert prizes(3, *cities, more=f"edition: {edition}") == [16, 8, 1]


@in_four_books
def test_tiles_are_counted_not_their_prices_and_not_those_in_reserve(edition: EditionName) -> None:
    # R22: two notes beside the tables. Towers for 7 and 8 in a city, against one for 13 there and
    # three more in the reserve; without any, seat 2 is not ranked
    cities = around(53), around(43, 44), ""
    more = f"edition: {edition}\nreserve 0: 49 50 51"
    assert prizes(2, *cities, more=more) == [6, 13, 0]


@in_all_books
def test_money_takes_the_place_of_a_scoring_card_and_then_the_round_is_scored(
    edition: EditionName,
) -> None:
    # R20: before the next player's turn
    game = position(
        *(f"edition: {edition}", "display: b1 g9 o9 y8", "deck: s1 y9 y9", "discards: rest"),
        "city 1: 51@0,1",
    )
    play(game, "take:0")
    assert game.snapshot()["display"] == [[3, 9], [1, 9], [2, 9], [3, 8]]
    assert "score1" not in game.snapshot()["deck"]
    assert game.scores == [0, 6, 0]
    assert (game.to_play, game.phase) == (1, "turn")


# --- ties, in the Italian book ----------------------------------------------------------------
#
# It goes through the cases without naming a building; with towers (6; 13, 6; 21, 13, 6) and, where
# something has to be rounded down, arcades (3; 10, 3; 18, 10, 3).

ITALIAN = "edition: italian"


def test_in_round_one_tied_players_divide_the_points_and_round_down() -> None:
    # R23, Italian
    assert prizes(1, around(51), around(52), "", more=ITALIAN) == [6 // 2, 6 // 2, 0]
    assert prizes(1, around(21), around(22), "", more=ITALIAN) == [1, 1, 0]  # of 3


def test_in_round_two_tied_players_divide_the_first_and_the_second_prize() -> None:
    # R23, Italian: players ranked below them get nothing
    cities = around(51, 49), around(52, 50), around(53)
    assert prizes(2, *cities, more=ITALIAN) == [(13 + 6) // 2, (13 + 6) // 2, 0]


def test_in_round_three_two_in_front_divide_two_prizes_and_leave_the_third() -> None:
    # R23, Italian
    cities = around(51, 49), around(52, 50), around(53)
    assert prizes(3, *cities, more=ITALIAN) == [(21 + 13) // 2, (21 + 13) // 2, 6]


def test_in_round_three_three_in_front_divide_all_prizes_and_others_get_none() -> None:
    # R23, Italian
    cities = around(51, 49), around(52, 50), around(53, 48), around(47)
    assert prizes(3, *cities, more=ITALIAN) == [*[(21 + 13 + 6) // 3] * 3, 0]


@pytest.mark.parametrize("seconds", [2, 3, 4])
def test_in_round_three_several_behind_the_first_divide_what_is_left(seconds: int) -> None:
    # R23, Italian: A is first, n players B are second, and C gets nothing
    second = [around(51, 49), around(52, 50), around(53, 48), around(46, 47)][:seconds]
    cities = around(43, 44, 45), *second, ""
    got = prizes(3, *cities, more=ITALIAN)
    assert got == [21, *[(13 + 6) // seconds] * seconds, 0]


def test_in_round_three_a_city_behind_the_tied_seconds_gets_nothing() -> None:
    # R23, Italian: C has a tower, but all three places are taken
    cities = around(43, 44, 45), around(51, 49), around(52, 50), around(53)
    assert prizes(3, *cities, more=ITALIAN) == [21, 9, 9, 0]


# --- walls ------------------------------------------------------------------------------------


@in_all_books
@pytest.mark.parametrize("scoring", [1, 2, 3])
def test_each_part_of_the_longest_outer_wall_is_a_point_in_every_round(
    edition: EditionName, scoring: int
) -> None:
    # R24: garden 35 (NW) north of the fountain has a wall of two; that of garden 42 (S), to the
    # south, is not joined with it
    game = score(scoring, "35@-1,0 42@1,0", "", "", more=f"edition: {edition}")
    gardens = {1: 5, 2: 12, 3: 20}[scoring]
    assert game.scores == [gardens + 2, 0, 0]


@in_four_books
def test_walls_that_lie_against_each_other_bring_nothing(edition: EditionName) -> None:
    # R24:   O  53  48     53 (E) and 48 (W) are walled on the side that they share
    #       51  52   6
    city = "53@0,1 48@0,2 51@1,0 52@1,1 6@1,2"
    game = score(1, city, "", "", more=f"edition: {edition}")
    assert game.scores == [6 + 1, 0, 0]  # towers and a pavilion; no wall


# --- the end ----------------------------------------------------------------------------------

# Seat 0 ends the last turn. Two slots are empty and the bag holds one tile, which fills the first.
LAST_TURN = """
    rounds: 2
    phase: put
    picked: 0
    market: - 53 - 44
    bag: 43
    reserve 0: rest
"""


@pytest.mark.parametrize("edition", ["german", "portuguese", "polish"])
def test_the_market_is_filled_up_as_far_as_the_last_tiles_go(edition: EditionName) -> None:
    # R21: the remark beside the end of the game
    game = play(position(f"edition: {edition}", LAST_TURN), "store")
    assert game.over
    assert game.snapshot()["market"] == [43, 53, None, 44]
    assert game.snapshot()["bag"] == []


@pytest.mark.parametrize("edition", ["german", "portuguese", "czech"])
def test_a_tile_that_is_left_goes_to_the_most_money_of_its_colour(edition: EditionName) -> None:
    # R25: 9 green in one card against 3 in two; the price of 13 does not matter
    game = position(f"edition: {edition}", LAST_TURN, "hand 1: g9", "hand 2: g1 g2")
    play(game, "store")
    assert (game.to_play, game.snapshot()["picked"]) == (1, 53)


@pytest.mark.parametrize("edition", ["polish", "italian"])
def test_a_tile_that_is_left_goes_to_the_most_cards_of_its_colour(edition: EditionName) -> None:
    # R25: two cards worth 3 against one worth 9
    game = position(f"edition: {edition}", LAST_TURN, "hand 1: g9", "hand 2: g1 g2")
    play(game, "store")
    assert (game.to_play, game.snapshot()["picked"]) == (2, 53)


@in_all_books
def test_a_tile_that_two_players_could_claim_stays_in_the_market(edition: EditionName) -> None:
    # R25: as much money, and as many cards
    game = position(f"edition: {edition}", LAST_TURN, "hand 1: g3 g4", "hand 2: g2 g5")
    play(game, "store")
    assert game.over
    assert 53 in game.snapshot()["market"]


@in_four_books
def test_a_tile_that_is_won_may_be_built_and_counts_in_the_last_round(edition: EditionName) -> None:
    # R26, R27: tower 53 (E) does not fit west of the fountain; its wall is a point
    game = position(f"edition: {edition}", LAST_TURN, "hand 1: g1")
    play(game, "store")
    assert (game.to_play, legal(game)) == (1, {"put:-1,0", "put:0,1", "put:1,0", "store"})
    play(game, "put:0,1")
    assert game.over
    assert game.scores == [0, 21 + 1, 0]


@in_all_books
def test_the_player_with_the_most_points_at_the_end_wins(edition: EditionName) -> None:
    # R28: nobody has built anything
    game = position(f"edition: {edition}", LAST_TURN, "scores: 40 90 70")
    assert play(game, "store").winners == [1]


@in_four_books
def test_two_who_are_ahead_together_share_the_win(edition: EditionName) -> None:
    # R28
    game = position(f"edition: {edition}", LAST_TURN, "scores: 90 40 90")
    assert play(game, "store").winners == [0, 2]


# --- two players ------------------------------------------------------------------------------
#
# The third player is called Dirk in the German and Portuguese books, Pavel in the Czech one and
# Marek in the Polish one. The Italian book has no game for two.


@in_four_books
def test_two_players_use_72_money_cards_and_dirk_begins_with_6_tiles(edition: EditionName) -> None:
    # R2, R4
    picture = Game(num_players=2, edition=edition, seed=3).snapshot()
    in_hands = sum(number for hand in picture["hands"] for row in hand for number in row)
    in_deck = sum(isinstance(card, list) for card in picture["deck"])
    assert in_hands + in_deck + len(picture["display"]) == 72
    assert len(picture["dirk"]["tiles"]) == 6


def scored(edition: str, scoring: int, bag: list[int]) -> Game:
    """A game for two after a round was scored, with these tiles in the bag before Dirk draws."""
    game = position(
        *(f"edition: {edition}", "players: 2", f"rounds: {scoring - 1}", "dirk: 44"),
        *(f"deck: s{scoring} y9 y9", "discards: rest", "city 1: 51@0,1 52@0,2"),
        *("bag: " + " ".join(map(str, bag)), "reserve 0: rest"),
    )
    return play(game, "take:0")


@in_four_books
def test_dirk_scores_majorities_but_no_wall(edition: EditionName) -> None:
    # R29: his one tower (NES) is second to the two of seat 1, and its three walls bring nothing
    assert scored(edition, 1, []).snapshot()["dirk"]["score"] == 0
    assert scored(edition, 2, []).snapshot()["dirk"]["score"] == 6
    assert scored(edition, 2, []).scores == [0, 13]


@in_four_books
def test_dirk_gets_6_more_tiles_right_after_round_one(edition: EditionName) -> None:
    # R30
    bag = list(range(30, 43))
    game = scored(edition, 1, bag)
    assert game.snapshot()["dirk"]["tiles"] == [*bag[:6], 44]
    assert game.snapshot()["bag"] == bag[6:]


@in_four_books
@pytest.mark.parametrize(("in_bag", "third"), [(12, 4), (13, 4), (14, 4), (2, 0)])
def test_after_round_two_dirk_gets_a_third_of_the_bag_rounded_down(
    edition: EditionName, in_bag: int, third: int
) -> None:
    # R30
    bag = list(range(20, 20 + in_bag))
    game = scored(edition, 2, bag)
    assert game.snapshot()["dirk"]["tiles"] == [*bag[:third], 44]
    assert game.snapshot()["bag"] == bag[third:]


@in_four_books
@pytest.mark.parametrize("place", ["put:-1,0", "store", "give"])
def test_a_tile_bought_in_a_game_for_two_is_built_kept_or_given_to_dirk(
    edition: EditionName, place: str
) -> None:
    # R12
    game = position(f"edition: {edition}", "players: 2", "market: 43 1 2 3", "hand 0: b8")
    play(game, "buy:0:8")
    assert legal(game) == {"put:-1,0", "store", "give"}
    play(game, place)
    picture = game.snapshot()
    assert (picture["dirk"]["tiles"] == [43]) is (place == "give")
    assert (picture["reserves"][0] == [43]) is (place == "store")
    assert (picture["cities"][0] == [[43, -1, 0]]) is (place == "put:-1,0")


@in_four_books
def test_dirk_has_no_turn_between_those_of_the_two(edition: EditionName) -> None:
    # R29
    game = position(f"edition: {edition}", "players: 2", "dirk: 44")
    assert play(game, "take:0").to_play == 1
    assert play(game, "take:0").to_play == 0
