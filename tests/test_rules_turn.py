"""A turn: taking money, buying, the extra action, and placing at the end. Rebuilding is in
`test_rules_building`.
"""

import pytest

from tests.positions import legal, money, play, position, take_turns

# Tiles and their prices that the positions below use:
#
#     0 pavilion 2 NEW    7 seraglio 3 ESW    14 arcades 4 NES    23 chambers 5 NSW
#     6 pavilion 8        51 tower 11         52 tower 12
FOUR_CHEAP_TILES = "market: 0 7 14 23"


# --- taking money -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("display", "sets"),
    [
        ("b9 g8 o7 y6", "0 1 2 3"),
        ("b9 b9 b9 g6", "0 1 2 3"),
        ("b1 g4 o5 y3", "0 1 2 3 0,1 0,3"),
        ("b2 b2 g2 y5", "0 1 2 3 0,1 0,2 1,2"),
        ("b1 b1 g2 y2", "0 1 2 3 0,1 0,2 0,3 1,2 1,3 2,3 0,1,2 0,1,3 0,2,3 1,2,3"),
        ("b1 g1 o1 y2", "0 1 2 3 0,1 0,2 0,3 1,2 1,3 2,3 0,1,2 0,1,3 0,2,3 1,2,3 0,1,2,3"),
    ],
)
def test_one_open_card_or_several_worth_5_at_most_are_taken(display: str, sets: str) -> None:
    # R8
    game = position(f"display: {display}")
    assert legal(game) == {f"take:{cards}" for cards in sets.split()}


def test_cards_taken_go_to_the_hand_and_end_the_actions() -> None:
    # R8
    game = position("display: b1 g9 o3 y9", "hand 0: g9", "to_play: 0")
    play(game, "take:0,2")
    assert game.snapshot()["hands"][0] == money("b1 g9 o3")
    assert (game.to_play, game.phase) == (1, "turn")


def test_turns_go_round_clockwise() -> None:
    # R8: taking money is the whole turn
    game = position("players: 4", "to_play: 2")
    assert take_turns(game, 5) == [2, 3, 0, 1, 2]
    assert game.snapshot()["turn"] == 5


# --- buying -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "buys"),
    [
        ("b7", ""),  # too little
        ("g8 o8 y8", ""),  # not the slot's currency
        ("b7 g9", ""),  # currencies cannot be mixed
        ("b8", "8"),
        ("b9", "9"),
        ("b5 b3", "5+3"),
        ("b5 b4 b9", "9 5+4"),
    ],
)
def test_a_tile_is_bought_for_its_price_or_more_in_its_slots_currency(hand: str, buys: str) -> None:
    # R9: the tile in the first slot costs 8, the others more than anybody has
    game = position("market: 6 51 52 53", f"hand 0: {hand}")
    assert legal(game, "buy") == {f"buy:0:{payment}" for payment in buys.split()}


def test_the_cards_paid_are_discarded_and_no_change_is_given() -> None:
    # R9
    game = position("market: 6 51 52 53", "hand 0: b6 b7 g1", "discards: b6 o2")
    play(game, "buy:0:7+6")
    assert game.snapshot()["hands"][0] == money("g1")
    assert game.snapshot()["discards"] == money("b6 b6 b7 o2")


def test_a_bought_tile_waits_until_the_end_of_the_turn() -> None:
    # R9
    game = position(FOUR_CHEAP_TILES, "hand 0: b2")
    play(game, "buy:0:2")
    picture = game.snapshot()
    assert picture["bought"] == [0]
    assert picture["market"] == [None, 7, 14, 23]
    assert picture["cities"][0] == picture["reserves"][0] == []


# --- the extra action -------------------------------------------------------------------------


def test_an_exact_payment_gives_another_action_of_any_kind() -> None:
    # R10: 51 can be added from the reserve, 52 removed from the city
    game = position(
        FOUR_CHEAP_TILES,
        "display: b1 g9 o9 y9",
        "hand 0: b2 g3",
        "reserve 0: 51",
        "city 0: 52@0,1",
    )
    play(game, "buy:0:2")
    assert (game.to_play, game.phase) == (0, "turn")
    assert legal(game) == {
        *("take:0", "take:1", "take:2", "take:3"),
        *("buy:1:3", "pick:51", "remove:0,1"),
    }


def test_an_overpayment_ends_the_actions() -> None:
    # R10
    game = position(FOUR_CHEAP_TILES, "hand 0: b3 g3 o4")
    play(game, "buy:0:3")
    assert game.phase == "put"
    assert legal(game) == {"put:-1,0", "store"}
    play(game, "store")
    assert game.to_play == 1


def test_the_second_purchase_may_overpay_and_is_the_last() -> None:
    # R10
    game = position(FOUR_CHEAP_TILES, "hand 0: b2 g9 o4")
    play(game, "buy:0:2", "buy:1:9")
    assert game.phase == "place"
    assert legal(game) == {"pick:0", "pick:7"}


def test_four_exact_purchases_leave_a_fifth_action_and_four_tiles_to_place() -> None:
    # R10, R12
    game = position(FOUR_CHEAP_TILES, "display: b9 g9 o9 y9", "hand 0: b2 g3 o4 y5")
    play(game, "buy:3:5", "buy:0:2", "buy:2:4", "buy:1:3")
    assert game.phase == "turn"
    assert legal(game) == {"take:0", "take:1", "take:2", "take:3"}
    play(game, "take:2")
    assert game.phase == "place"
    assert game.to_play == 0
    assert legal(game) == {"pick:0", "pick:7", "pick:14", "pick:23"}


def test_nothing_is_refilled_before_the_last_tile_is_placed() -> None:
    # R10, R12
    game = position(FOUR_CHEAP_TILES, "display: b9 g9 o9 y9", "hand 0: b2 g3 o4 y5")
    play(game, "buy:3:5", "buy:0:2", "buy:2:4", "buy:1:3", "take:2")
    for actions in (["pick:23", "put:0,-1"], ["pick:7", "store"], ["pick:14", "put:0,1"]):
        play(game, *actions)
        assert game.snapshot()["market"] == [None] * 4
        assert game.snapshot()["display"] == [[0, 9], [1, 9], None, [3, 9]]
    assert game.snapshot()["picked"] == 0  # the last one is picked by itself
    play(game, "put:-1,0")
    assert None not in game.snapshot()["market"]
    assert None not in game.snapshot()["display"]
    assert (game.to_play, game.phase) == (1, "turn")


# --- placing what was bought ------------------------------------------------------------------


def test_bought_tiles_are_placed_in_the_order_the_player_likes() -> None:
    # R12: 0 is open to the south only, where 43 is walled; once 51 lies east of the fountain
    # there is a place for it
    text = "phase: place\nbought: 0 51\ncity 0: 43@-1,0"
    game = play(position(text), "pick:0")
    assert legal(game) == {"store"}
    game = play(position(text), "pick:51", "put:0,1")
    assert game.snapshot()["picked"] == 0
    assert legal(game) == {"put:-1,1", "store"}


def test_a_bought_tile_may_go_to_the_reserve_which_holds_any_number() -> None:
    # R12
    reserve = [*range(1, 7), *range(8, 14), *range(30, 50)]
    game = position(
        "phase: put", "picked: 0", "reserve 1: " + " ".join(map(str, reserve)), "to_play: 1"
    )
    play(game, "store")
    assert game.snapshot()["reserves"][1] == [0, *reserve]
    assert game.to_play == 2


def test_a_bought_tile_is_not_swapped_for_a_city_tile() -> None:
    # R12: 52 could lie where 51 lies
    city = "city 0: 51@0,1"
    swap = play(position("reserve 0: 52", city), "pick:52")
    assert "put:0,1" in legal(swap)
    game = position("phase: put", "picked: 52", city)
    assert "put:0,1" not in legal(game)
    assert "put:0,2" in legal(game)


def test_a_tile_bought_this_turn_is_not_used_for_rebuilding() -> None:
    # R12: after the purchase there is still nothing in the reserve to pick
    game = play(position(FOUR_CHEAP_TILES, "hand 0: b2"), "buy:0:2")
    assert legal(game, "pick") == set()


# --- passing ----------------------------------------------------------------------------------

NOTHING_TO_DO = """
    rounds: 2
    hand 1: rest        # all the money
    deck:
    market: 0 7 14 23
"""


def test_a_player_with_no_legal_action_passes() -> None:
    # R13
    game = position(NOTHING_TO_DO, "display: - - - -")
    assert legal(game) == {"pass"}
    before = game.snapshot()
    play(game, "pass")
    assert game.snapshot() == before | {"to_play": 1, "turn": 1}


@pytest.mark.parametrize(
    ("lines", "action"),
    [
        ("display: b9 - - -", "take:0"),
        ("display: - - - -\nhand 0: o4", "buy:2:4"),
        ("display: - - - -\nreserve 0: 43", "pick:43"),
        ("display: - - - -\ncity 0: 43@-1,0", "remove:-1,0"),
    ],
)
def test_passing_is_not_legal_if_anything_else_is(lines: str, action: str) -> None:
    # R13
    assert legal(position(NOTHING_TO_DO, lines)) == {action}


def test_a_player_without_another_action_after_an_exact_payment_passes_too() -> None:
    # R13: the tile that was bought is placed all the same
    game = position(NOTHING_TO_DO, "display: - - - -", "hand 0: b2")
    play(game, "buy:0:2")
    assert legal(game) == {"pass"}
    play(game, "pass")
    assert (game.to_play, game.phase, game.snapshot()["picked"]) == (0, "put", 0)
