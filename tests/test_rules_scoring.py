"""Scoring rounds: majorities, ties, and the longest wall."""

import pytest

from tests.positions import around, position, prizes, score

# Six tiles of each type, for one player with three of them, one with two and one with one.
THREE_TWO_ONE = {
    "pavilion": (around(6, 1, 2), around(3, 4), around(5)),
    "seraglio": (around(13, 7, 8), around(9, 10), around(11)),
    "arcades": (around(21, 14, 15), around(16, 17), around(18)),
    "chambers": (around(30, 23, 24), around(25, 26), around(27)),
    "garden": (around(40, 32, 33), around(34, 35), around(36)),
    "tower": (around(51, 43, 44), around(45, 46), around(47)),
}

# --- majorities -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scoring", "building", "points"),
    [
        (1, "pavilion", [1, 0, 0]),
        (1, "seraglio", [2, 0, 0]),
        (1, "arcades", [3, 0, 0]),
        (1, "chambers", [4, 0, 0]),
        (1, "garden", [5, 0, 0]),
        (1, "tower", [6, 0, 0]),
        (2, "pavilion", [8, 1, 0]),
        (2, "seraglio", [9, 2, 0]),
        (2, "arcades", [10, 3, 0]),
        (2, "chambers", [11, 4, 0]),
        (2, "garden", [12, 5, 0]),
        (2, "tower", [13, 6, 0]),
        (3, "pavilion", [16, 8, 1]),
        (3, "seraglio", [17, 9, 2]),
        (3, "arcades", [18, 10, 3]),
        (3, "chambers", [19, 11, 4]),
        (3, "garden", [20, 12, 5]),
        (3, "tower", [21, 13, 6]),
    ],
)
def test_the_most_tiles_of_a_type_score_its_prize(
    scoring: int, building: str, points: list[int]
) -> None:
    # R22
    assert prizes(scoring, *THREE_TWO_ONE[building]) == points


def test_each_type_is_ranked_by_itself() -> None:
    # R22: seat 0 leads with a pavilion and a tower, seat 1 with a garden
    cities = around(6, 51), around(40), ""
    assert prizes(1, *cities) == [1 + 6, 5, 0]
    assert prizes(2, *cities) == [8 + 13, 12, 0]


def test_a_player_without_a_tile_of_the_type_is_not_ranked() -> None:
    # R22: the second and the third prize go to nobody
    assert prizes(3, around(51), "", "") == [21, 0, 0]
    assert prizes(3, around(51, 52), around(49), "", "") == [21, 13, 0, 0]


def test_the_reserve_does_not_count() -> None:
    # R22
    cities = around(51), "", ""
    assert prizes(1, *cities, more="reserve 1: 52 43 44") == [6, 0, 0]


def test_prices_do_not_matter() -> None:
    # R22: two cheap towers (7 and 8) against one for 13
    assert prizes(2, around(53), around(43, 44), "") == [6, 13, 0]


# --- ties -------------------------------------------------------------------------------------


def test_two_with_four_towers_each_get_nine_in_round_two() -> None:
    # R23: (13 + 6) / 2, rounded down
    assert prizes(2, around(43, 44, 49, 50), around(46, 47, 45, 51), "") == [9, 9, 0]


def test_in_round_three_two_tied_for_second_share_second_and_third_place() -> None:
    # R23: gardens are worth 20, 12 and 5
    shared = (12 + 5) // 2
    assert prizes(3, around(38), around(40, 41), around(37)) == [shared, 20, shared]


def test_in_round_three_three_tied_for_first_share_all_three_places() -> None:
    # R23: chambers are worth 19, 11 and 4
    shared = (19 + 11 + 4) // 3
    assert prizes(3, around(30), around(31), around(28)) == [shared] * 3


@pytest.mark.parametrize(
    ("cities", "shared"),
    [
        ((around(51), around(52)), 3),  # 6 / 2
        ((around(21), around(22)), 1),  # 3 / 2
        ((around(5), around(6)), 0),  # 1 / 2
    ],
)
def test_in_round_one_two_tied_for_first_share_the_one_prize(
    cities: tuple[str, str], shared: int
) -> None:
    # R23
    assert prizes(1, *cities, "") == [shared, shared, 0]


def test_in_round_two_two_tied_for_first_leave_no_second_place() -> None:
    # R23: gardens are worth 12 and 5
    shared = (12 + 5) // 2
    assert prizes(2, around(40, 39), around(41, 38), around(37)) == [shared, shared, 0]


def test_in_round_three_two_tied_for_first_leave_the_third_place() -> None:
    # R23: gardens are worth 20, 12 and 5
    shared = (20 + 12) // 2
    assert prizes(3, around(40, 39), around(41, 38), around(37)) == [shared, shared, 5]


def test_places_beyond_the_paid_ones_are_worth_nothing() -> None:
    # R23: the last two towers tie for second place in round 1, for third and fourth in round 3
    assert prizes(1, around(51, 49), around(52), around(50)) == [6, 0, 0]
    four = around(51, 49, 50), around(52, 48), around(53), around(43)
    assert prizes(2, *four) == [13, 6, 0, 0]
    assert prizes(3, *four) == [21, 13, (6 + 0) // 2, (6 + 0) // 2]


def test_more_players_than_places_share_what_there_is() -> None:
    # R23: six with a tower each
    cities = [around(tower) for tower in (43, 44, 45, 46, 47, 48)]
    assert prizes(1, *cities) == [6 // 6] * 6
    assert prizes(2, *cities) == [(13 + 6) // 6] * 6
    assert prizes(3, *cities) == [(21 + 13 + 6) // 6] * 6


# --- the wall ---------------------------------------------------------------------------------


def wall(city: str) -> int:
    """The length of the longest wall of a city."""
    return int(position(f"city 0: {city}").state.walls[0])


@pytest.mark.parametrize("scoring", [1, 2, 3])
def test_every_player_scores_the_longest_wall_in_every_round(scoring: int) -> None:
    # R24: seat 2 leads in towers; walls of 3, 0 and 1
    game = score(scoring, around(14), "", around(49))
    arcades, tower = {1: (3, 6), 2: (10, 13), 3: (18, 21)}[scoring]
    assert game.scores == [arcades + 3, 0, tower + 1]


def test_the_wall_goes_on_around_a_corner_of_a_tile() -> None:
    # R24: 44 has walls to the north, east and south
    assert wall("44@0,1") == 3


def test_the_wall_goes_on_into_a_corner_between_tiles() -> None:
    # R24:  53 .      the east wall of 53 meets the north wall of 49
    #        O 49
    assert wall("53@-1,0 49@0,1") == 2


def test_the_wall_goes_straight_on_from_tile_to_tile() -> None:
    # R24: three walls to the north, in a row
    assert wall("49@0,1 38@0,2 20@0,3") == 3


def test_an_open_side_ends_the_wall() -> None:
    # R24: 51 lies between two walls to the north
    assert wall("49@0,1 51@0,2 38@0,3") == 1
    assert wall("49@0,1 38@0,2 51@0,3 20@0,4") == 2


def test_only_the_longest_of_several_walls_counts() -> None:
    # R24: 3 of 44, 2 of 35 (NW), 1 of 50
    assert wall("44@0,1 35@-1,0 50@0,-1") == 3
    assert wall("44@0,1") + wall("35@-1,0") + wall("50@0,-1") == 6


CLOSED = "47@-1,-1 49@-1,0 46@-1,1 53@0,1 45@1,1 50@1,0 36@1,-1 48@0,-1"
"""Eight tiles around the fountain, each with all of its outer sides walled."""


def test_a_wall_may_close_all_around_the_city() -> None:
    # R24: three sides each to the north, east, south and west
    assert wall(CLOSED) == 12


def test_a_closed_wall_goes_around_corners_to_both_hands() -> None:
    # R24: the northern tile is open now, and 43 (NEW) juts out there
    assert wall(CLOSED.replace("49@-1,0", "51@-1,0 43@-2,0")) == 11 + 3


@pytest.mark.parametrize("gap", ["51@-1,0", "52@0,1", "40@1,0", "41@0,-1"])
def test_a_single_gap_leaves_the_rest_of_a_closed_wall_in_one_piece(gap: str) -> None:
    # R24: wherever a count around the city may begin
    place = gap[gap.index("@") :]
    tiles = [tile for tile in CLOSED.split() if not tile.endswith(place)]
    assert wall(" ".join([*tiles, gap])) == 11


# A wall of three to the north, and a way around its eastern end. What is laid against a wall needs
# an open side next to it, so it shortens a wall from an end:
#
#              x  52
#     O 49 38 20  51
WALL_OF_THREE = "49@0,1 38@0,2 20@0,3 51@0,4 52@-1,4"


def test_a_tile_laid_against_the_wall_makes_it_shorter() -> None:
    # R24: 50 (S) covers the third piece, which is an inner wall from now on
    assert wall(WALL_OF_THREE) == 3
    assert wall(WALL_OF_THREE + " 50@-1,3") == 2


def test_inner_walls_count_nothing_however_many() -> None:
    # R24: 28 (S) covers the second piece too
    assert wall(WALL_OF_THREE + " 50@-1,3 28@-1,2") == 1


def test_an_outer_wall_of_the_new_tile_goes_on_where_the_covered_one_ends() -> None:
    # R24: 36 (SW) covers the third piece, and its western wall joins the two that are left
    assert wall(WALL_OF_THREE + " 36@-1,3") == 3


def test_a_tile_between_two_walls_makes_both_inner() -> None:
    # R24:  46  x  48     on x, 43 (NEW) touches the walls of 46 (NE) and 48 (W)
    #        O 51  52
    city = "46@-1,0 51@0,1 52@0,2 48@-1,2"
    assert wall(city) == 2
    assert wall(city + " 43@-1,1") == 2  # the northern walls of 46 and 43
