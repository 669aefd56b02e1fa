"""Where tiles may lie, and rebuilding.

`test_city_brute_force` asks the same of many cities; here is one for each sentence of the rules.
"""

import pytest

from tests.positions import legal, play, position

# Tiles without walls: 6 13 21 22 30 31 40 41 51 52. Towers with walls: 43 NEW, 44 NES, 45 ES,
# 46 NE, 47 NW, 48 W, 49 N, 50 S, 53 E.


def cells_for(tile: int, city: str) -> set[str]:
    """Where a bought tile may be put in this city, as `dy,dx`."""
    game = position("phase: put", f"picked: {tile}", f"city 0: {city}")
    return {name.removeprefix("put:") for name in legal(game, "put")}


# --- the building rules -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "cells"),
    [
        (0, {"-1,0"}),  # NEW
        (14, {"0,1"}),  # NES
        (7, {"1,0"}),  # ESW
        (23, {"0,-1"}),  # NSW
        (8, {"-1,0", "0,1"}),  # NE
        (1, {"1,0", "0,-1"}),  # SW
        (49, {"-1,0", "0,1", "0,-1"}),  # N
    ],
)
def test_a_tile_is_never_turned(tile: int, cells: set[str]) -> None:
    # R14: beside the fountain a tile lies only where the side it has printed there is open
    assert cells_for(tile, "") == cells


def test_a_placed_tile_keeps_its_walls_where_they_are_printed() -> None:
    # R14: 44 (NES) shows its three walls to the north, east and south
    game = play(position("phase: put", "picked: 44"), "put:0,1")
    assert game.state.walls[0] == 3
    assert cells_for(51, "44@0,1") == {"-1,0", "1,0", "0,-1"}


@pytest.mark.parametrize(
    ("tile", "fits"),
    [
        (52, False),  # open to the north, where 50 has its wall
        (48, False),  # walled to the west, where 51 is open
        (47, False),  # north fits, west does not
        (49, True),  # walled to the north, open to the west
    ],
)
def test_touching_sides_are_both_wall_or_both_open(tile: int, fits: bool) -> None:
    # R15:   O  50      50 has a wall to the south
    #       51   ?
    assert ("1,1" in cells_for(tile, "50@0,1 51@1,0")) is fits


def test_an_open_side_never_touches_a_wall() -> None:
    # R15: east of 53 is a wall, so 51 goes anywhere but there
    assert cells_for(51, "53@0,1") == {"-1,0", "1,0", "0,-1", "-1,1", "1,1"}


@pytest.mark.parametrize("tile", [1, 17, 48, 23, 33])
def test_a_tile_is_reached_on_foot_not_over_walls(tile: int) -> None:
    # R16: 53 has a wall to the east and these to the west: the sides match, but there is no way
    assert "0,2" not in cells_for(tile, "53@0,1")


def test_a_wall_beside_the_way_does_not_matter() -> None:
    # R16:   O  53   ?     48 is reached over 6; that it touches 53 wall to wall does no harm
    #       51  52   6
    assert "0,2" in cells_for(48, "53@0,1 51@1,0 52@1,1 6@1,2")


def test_a_tile_touches_the_city_with_a_side_not_a_corner() -> None:
    # R17
    assert cells_for(52, "51@0,1") == {"-1,0", "1,0", "0,-1", "-1,1", "1,1", "0,2"}
    assert cells_for(52, "") == {"-1,0", "1,0", "0,-1", "0,1"}


def test_a_hole_of_one_cell_is_not_left() -> None:
    # R18:   O   6  13
    #        x   .  21      on x the cell in the middle would be shut in
    #        .  30  22
    cells = cells_for(31, "6@0,1 13@0,2 21@1,2 22@2,2 30@2,1")
    assert "1,0" not in cells
    assert {"1,1", "2,0", "3,1", "0,-1"} <= cells


def test_a_hole_of_several_cells_is_not_left() -> None:
    # R18:   O   6  13  21
    #        x   .   .  22
    #        .  40  31  30
    cells = cells_for(41, "6@0,1 13@0,2 21@0,3 22@1,3 30@2,3 31@2,2 40@2,1")
    assert "1,0" not in cells
    # One cell of the bay may be filled if the other stays joined with the outside.
    assert {"1,2", "2,0"} <= cells
    assert "1,1" not in cells


def test_a_bay_may_be_filled() -> None:
    # R18:   O   6  13
    #        .   x  21      a bay that is open to the west
    #       31  30  22
    assert "1,1" in cells_for(41, "6@0,1 13@0,2 21@1,2 22@2,2 30@2,1 31@2,0")


# --- rebuilding -------------------------------------------------------------------------------

BLOCK = "6@0,1 13@0,2 21@1,0 22@1,1 30@1,2 31@2,0 40@2,1 41@2,2"
"""Three by three tiles without walls; the fountain is the north-west corner."""


def test_a_tile_of_the_reserve_is_added_to_the_city_and_ends_the_actions() -> None:
    # R11
    game = position("reserve 0: 49 52", "display: b9 b9 b9 b8")
    assert legal(game) == {"take:0", "take:1", "take:2", "take:3", "pick:49", "pick:52"}
    play(game, "pick:49")
    assert game.phase == "rebuild"
    assert legal(game) == {"put:-1,0", "put:0,1", "put:0,-1"}
    play(game, "put:-1,0")
    assert game.snapshot()["cities"][0] == [[49, -1, 0]]
    assert game.snapshot()["reserves"][0] == [52]
    assert (game.to_play, game.phase) == (1, "turn")


def test_a_tile_of_the_reserve_that_fits_nowhere_cannot_be_picked() -> None:
    # R11:  49  44     0 (NEW) is open to the south only: it would have to lie north of an open
    #        O         side, or in the place of a tile that is touched from the south alone
    game = position("city 0: 49@-1,0 44@-1,1", "reserve 0: 0 14")
    assert legal(game, "pick") == {"pick:14"}


def test_a_city_tile_is_moved_to_the_reserve_and_ends_the_actions() -> None:
    # R11
    game = position("city 0: 51@0,1 44@0,2")
    play(game, "remove:0,2")
    assert game.snapshot()["cities"][0] == [[51, 0, 1]]
    assert game.snapshot()["reserves"][0] == [44]
    assert (game.to_play, game.phase) == (1, "turn")


def test_a_removal_does_not_cut_the_city() -> None:
    # R11, R16
    game = position("city 0: 51@0,1 44@0,2 49@0,-1")
    assert legal(game, "remove") == {"remove:0,2", "remove:0,-1"}


def test_a_removal_does_not_cut_the_way_on_foot() -> None:
    # R11, R16:   O  51     without 51, 48 would touch the city at the wall of 53 only
    #            53  48
    game = position("city 0: 51@0,1 53@1,0 48@1,1")
    assert legal(game, "remove") == {"remove:1,0", "remove:1,1"}


def test_a_removal_leaves_no_hole() -> None:
    # R11, R18: all but the middle, and the fountain
    game = position(f"city 0: {BLOCK}")
    cells = {"0,1", "0,2", "1,0", "1,2", "2,0", "2,1", "2,2"}
    assert legal(game, "remove") == {f"remove:{cell}" for cell in cells}


def test_only_the_own_city_is_rebuilt() -> None:
    # R11
    game = position("city 1: 51@0,1", "reserve 1: 52")
    assert legal(game, "remove") == legal(game, "pick") == set()


def test_the_fountain_is_neither_removed_nor_swapped() -> None:
    # R3, R11: 51 is as open as the fountain
    game = position("city 0: 52@0,1", "reserve 0: 51")
    assert legal(game, "remove") == {"remove:0,1"}
    play(game, "pick:51")
    assert "put:0,0" not in legal(game)
    assert "put:0,1" in legal(game)


def test_a_swap_changes_outer_walls_as_it_likes() -> None:
    # R11: 51 touches the fountain only, to the west, where 44 (NES) is open too
    game = position("city 0: 51@0,1", "reserve 0: 44")
    play(game, "pick:44", "put:0,1")
    assert game.snapshot()["cities"][0] == [[44, 0, 1]]
    assert game.snapshot()["reserves"][0] == [51]
    assert (game.to_play, game.phase) == (1, "turn")


@pytest.mark.parametrize(
    ("tile", "fits"),
    [
        (48, False),  # W: walled towards the fountain
        (53, False),  # E: walled towards 52
        (44, False),  # NES
        (49, True),  # N
        (50, True),  # S
        (13, True),
    ],
)
def test_a_swap_matches_all_touching_sides(tile: int, fits: bool) -> None:
    # R11, R15:  O  51  52
    game = play(position("city 0: 51@0,1 52@0,2", f"reserve 0: {tile}"), f"pick:{tile}")
    assert ("put:0,1" in legal(game)) is fits


def test_a_swap_keeps_inner_walls() -> None:
    # R11, R15:   O  51     48 (W) touches 53 (E) wall to wall; 17 (SW) does so too, 49 (N) not
    #            53  48
    game = position("city 0: 51@0,1 53@1,0 48@1,1", "reserve 0: 17 49")
    assert "put:1,1" in legal(play(game.clone(), "pick:17"))
    assert "put:1,1" not in legal(play(game.clone(), "pick:49"))


def test_rebuilding_after_an_exact_purchase_leaves_the_bought_tile_to_place() -> None:
    # R10, R11, R12
    game = position("market: 0 7 14 23", "hand 0: b2", "city 0: 51@0,1")
    play(game, "buy:0:2", "remove:0,1")
    assert (game.to_play, game.phase, game.snapshot()["picked"]) == (0, "put", 0)
