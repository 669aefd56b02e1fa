"""The examples of the rulebooks, with the books' own numbers: set-up, turns and building.

Scoring, the end of the game and the game for two are in `test_rulebook_examples_scoring`. Where a
book describes a picture, the tiles here are ours and the situation is the book's.
"""

import pytest

from alhambra_env import Game
from alhambra_env.engine.editions import EditionName
from alhambra_env.engine.material import TILES
from tests.positions import legal, money, play, position, values_of
from tests.rulebooks import in_all_books, in_four_books

# --- set-up -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("building", "cheapest", "dearest", "number"),
    [
        ("pavilion", 2, 8, 7),
        ("seraglio", 3, 9, 7),
        ("arcades", 4, 10, 9),
        ("chambers", 5, 11, 9),
        ("garden", 6, 12, 11),
        ("tower", 7, 13, 11),
    ],
)
def test_the_table_of_prices_and_numbers_of_tiles_is_the_printed_one(
    building: str, cheapest: int, dearest: int, number: int
) -> None:
    # R1: the same table in the German, Portuguese, Czech and Polish books
    prices = [tile.price for tile in TILES if tile.building == building]
    assert (min(prices), max(prices), len(prices)) == (cheapest, dearest, number)


def test_a_tile_shows_up_to_three_walls() -> None:
    # R1: the list of what is in the box, in the same four books
    assert max(len(tile.walls) for tile in TILES) == 3


@in_four_books
def test_nobody_begins_with_more_than_28_or_less_than_20(edition: EditionName) -> None:
    # R5: the remark beside the deal
    totals = set()
    for seed in range(300):
        for hand in Game(num_players=3, edition=edition, seed=seed).snapshot()["hands"]:
            totals.add(sum(values_of(hand)))
    assert (min(totals), max(totals)) == (20, 28)


def parts_of_deck(edition: EditionName, seed: int) -> tuple[list[int], list[int]]:
    """Money cards above, between and below the scoring cards; and in each of the five piles."""
    deck = Game(num_players=4, edition=edition, seed=seed).snapshot()["deck"]
    first, second, money_cards = deck.index("score1"), deck.index("score2"), len(deck) - 2
    piles = [money_cards // 5 + (pile < money_cards % 5) for pile in range(5)]
    return [first, second - first - 1, len(deck) - second - 1], piles


@in_four_books
def test_scoring_cards_come_neither_early_nor_late_nor_close_together(edition: EditionName) -> None:
    # R7: the remark beside the five piles. A whole pile lies above, between and below them
    for seed in range(100):
        (above, between, below), piles = parts_of_deck(edition, seed)
        assert above >= piles[0]
        assert between >= piles[2]
        assert below >= piles[4]


def test_in_the_italian_book_scoring_cards_lie_on_top_of_piles_two_and_four() -> None:
    # R7, Italian: the first pile, then card A; piles two and three, then card B
    for seed in range(20):
        parts, piles = parts_of_deck("italian", seed)
        assert parts == [piles[0], piles[1] + piles[2], piles[3] + piles[4]]


# --- taking money -----------------------------------------------------------------------------

OPEN_MONEY = "display: b2 g3 o7 y9"


@in_four_books
def test_of_2_3_7_and_9_the_two_on_the_left_may_be_taken_or_one_card(edition: EditionName) -> None:
    # R8: the values are in the Polish book, in part in the Czech; the others show the picture
    game = position(f"edition: {edition}", OPEN_MONEY)
    assert legal(game, "take") == {"take:0,1", "take:0", "take:1", "take:2", "take:3"}


@in_four_books
@pytest.mark.parametrize(
    ("action", "hand"), [("take:0,1", "b2 g3"), ("take:2", "o7"), ("take:3", "y9")]
)
def test_taking_2_and_3_or_the_7_or_the_9_ends_the_turn(
    edition: EditionName, action: str, hand: str
) -> None:
    # R8
    game = play(position(f"edition: {edition}", OPEN_MONEY), action)
    assert game.snapshot()["hands"][0] == money(hand)
    assert (game.to_play, game.phase) == (1, "turn")
    assert None not in game.snapshot()["display"]


# --- buying -----------------------------------------------------------------------------------


@in_four_books
def test_a_garden_for_10_paid_with_11_gives_no_change_and_no_other_action(
    edition: EditionName,
) -> None:
    # R9, R10: garden 40 costs 10 in blue denars; a 7 and a 4 in the Czech book, 11 in the others
    game = position(f"edition: {edition}", "market: 40 0 7 14", "hand 0: b7 b4 g3")
    assert legal(game, "buy") == {"buy:0:7+4", "buy:1:3"}
    play(game, "buy:0:7+4")
    assert game.snapshot()["hands"][0] == money("g3")
    assert game.snapshot()["discards"] == money("b4 b7")
    assert game.phase == "put"  # the 3 green would buy another tile, but the actions are over
    assert legal(game) == {"put:-1,0", "put:0,1", "put:1,0", "put:0,-1", "store"}
    play(game, "put:0,1")
    assert game.snapshot()["cities"][0] == [[40, 0, 1]]
    assert (game.to_play, game.phase) == (1, "turn")


FOUR_EXACT = ("buy:0:2", "buy:1:3", "buy:2:4", "buy:3:5")
FOUR_PRICES = "market: 0 7 14 23\nhand 0: b2 g3 o4 y5\ncity 0: 51@0,1\nreserve 0: 52"


@in_all_books
@pytest.mark.parametrize("fifth", ["take:0", "remove:0,1"])
def test_five_actions_at_most_four_exact_purchases_and_money_or_rebuilding(
    edition: EditionName, fifth: str
) -> None:
    # R10
    game = position(f"edition: {edition}", FOUR_PRICES)
    for purchase in FOUR_EXACT:
        play(game, purchase)
        assert (game.to_play, game.phase) == (0, "turn")
    assert legal(game, "buy") == set()  # no tile is left, and none was put in its place
    assert legal(game, "take") > {"take:0"}
    assert legal(game, "remove") == {"remove:0,1"}
    assert legal(game, "pick") == {"pick:52"}
    play(game, fifth)
    assert game.phase == "place"
    assert legal(game) == {"pick:0", "pick:7", "pick:14", "pick:23"}


@in_four_books
def test_two_exact_purchases_then_a_swap_then_the_new_tiles_are_placed(
    edition: EditionName,
) -> None:
    # R10, R11, R12: the long example of rebuilding. 49 comes from the reserve in the place of 51
    game = position(
        *(f"edition: {edition}", "market: 0 7 14 23", "hand 0: b2 g3"),
        *("city 0: 51@0,1", "reserve 0: 49"),
    )
    play(game, "buy:0:2")
    assert (game.to_play, game.phase) == (0, "turn")
    play(game, "buy:1:3")
    assert (game.to_play, game.phase) == (0, "turn")
    play(game, "pick:49", "put:0,1")
    assert game.snapshot()["cities"][0] == [[49, 0, 1]]
    assert game.snapshot()["reserves"][0] == [51]
    assert (game.to_play, game.phase) == (0, "place")  # no action is left, only placing
    assert legal(game) == {"pick:0", "pick:7"}
    play(game, "pick:7", "put:1,0", "store")  # one into the city, the other into the reserve
    assert game.snapshot()["cities"][0] == [[7, 1, 0], [49, 0, 1]]
    assert game.snapshot()["reserves"][0] == [0, 51]
    assert (game.to_play, game.phase) == (1, "turn")


@in_four_books
@pytest.mark.parametrize("purchases", [("buy:1:3", "buy:3:5"), ("buy:3:5", "buy:1:3")])
def test_of_the_empty_slots_2_and_4_the_second_is_filled_first(
    edition: EditionName, purchases: tuple[str, str]
) -> None:
    # R19: whichever was bought first. Slots count from 0 in the names of actions
    game = position(
        *(f"edition: {edition}", "market: 0 7 14 23"),
        *("hand 0: g3 y5", "bag: 40 51 rest", "display: b9 b9 g9 o9"),
    )
    play(game, *purchases)
    assert game.snapshot()["market"] == [0, None, 14, None]  # not within the turn
    play(game, "take:0", "pick:7", "store", "store")
    assert game.snapshot()["market"] == [0, 40, 14, 51]


# --- what may not be built --------------------------------------------------------------------
#
# The four books show the same five forbidden pictures, each with a line of text. Tiles without
# walls: 6 13 21 22 30 31 40 41 51 52.


def cells_for(tile: int, city: str, edition: str) -> set[str]:
    """Where a bought tile may be put in this city, as `dy,dx`."""
    game = position(f"edition: {edition}", "phase: put", f"picked: {tile}", f"city 0: {city}")
    return {name.removeprefix("put:") for name in legal(game, "put")}


@in_four_books
def test_a_tile_may_not_lie_upside_down(edition: EditionName) -> None:
    # R14: tower 43 is open to the south. Turned around it would fit south of the fountain
    assert cells_for(43, "", edition) == {"-1,0"}


@in_four_books
def test_a_side_with_a_wall_may_not_touch_a_side_without(edition: EditionName) -> None:
    # R15: tower 53 has a wall to the east, where garden 40 has none; and the other way round
    assert "0,2" not in cells_for(40, "53@0,1", edition)
    assert "0,2" not in cells_for(48, "40@0,1", edition)
    assert "0,2" in cells_for(40, "51@0,1", edition)


@in_four_books
def test_a_tower_that_the_wall_of_the_chambers_shuts_off_may_not_be_built(
    edition: EditionName,
) -> None:
    # R16:   O  25  48     wall meets wall between chambers 25 (NE) and tower 48 (W), so that they
    #                      match; but from the fountain nobody gets to the tower without climbing
    assert "0,2" not in cells_for(48, "25@0,1", edition)
    #        O  25  48     here the way leads around, over three tiles without walls
    #       51  52   6
    assert "0,2" in cells_for(48, "25@0,1 51@1,0 52@1,1 6@1,2", edition)


@in_four_books
def test_two_tiles_may_not_touch_at_a_corner_only(edition: EditionName) -> None:
    # R17: garden 40 lies east of the fountain; four cells touch the two at a corner and no side
    cells = cells_for(41, "40@0,1", edition)
    assert cells == {"-1,0", "-1,1", "0,2", "1,1", "1,0", "0,-1"}
    assert not cells & {"-1,-1", "1,-1", "-1,2", "1,2"}


@in_four_books
def test_the_arcades_may_not_close_a_ring_around_an_empty_space(edition: EditionName) -> None:
    # R18:   O   6  13
    #        x   .  51      on x, arcades 21 would leave the space in the middle shut in
    #       40  41  52
    ring = "6@0,1 13@0,2 51@1,2 52@2,2 41@2,1 40@2,0"
    cells = cells_for(21, ring, edition)
    assert "1,0" not in cells
    assert "1,1" in cells  # to fill the space is no hole


@in_four_books
def test_the_fountain_is_neither_moved_nor_replaced_in_rebuilding(edition: EditionName) -> None:
    # R11, R3: garden 41 has no walls either, and could lie wherever the fountain lies
    game = position(f"edition: {edition}", "city 0: 40@0,1", "reserve 0: 41")
    assert legal(game, "remove") == {"remove:0,1"}
    assert "put:0,0" not in legal(play(game, "pick:41"))
