"""Between two turns: drawing money and tiles, and what they set off."""

from alhambra_env import Game
from alhambra_env.engine.material import COLOURS
from tests.positions import around, money, play, position


def open_cards(game: Game) -> str:
    """The open money, as positions write it."""
    cards = game.snapshot()["display"]
    return " ".join("-" if card is None else f"{COLOURS[card[0]][0]}{card[1]}" for card in cards)


# --- cards and tiles --------------------------------------------------------------------------


def test_money_is_refilled_to_four_cards() -> None:
    # R19
    game = position("display: b9 g1 o9 y2", "deck: b7 g7 rest")
    play(game, "take:1,3")
    assert open_cards(game) == "b9 b7 o9 g7"


def test_tiles_are_refilled_in_order_of_slot() -> None:
    # R19: in whichever order they were bought
    game = position("market: 0 7 14 23", "hand 0: b2 o4 y5", "bag: 40 41 51 rest")
    play(game, "buy:3:5", "buy:0:2", "buy:2:4", "take:0")
    play(game, "pick:0", "store", "pick:14", "store", "store")
    assert game.snapshot()["market"] == [40, 7, 41, 51]
    assert not {40, 41, 51} & set(game.snapshot()["bag"])


def test_the_discards_are_shuffled_when_the_deck_runs_out() -> None:
    # R19
    game = position(
        "rounds: 2",
        "display: b1 g1 o1 y9",
        "deck: y8",
        "discards: b2 b3 b4 b5 b6",
        "hand 1: rest",
    )
    drawn = set()
    for seed in range(60):
        twin = play(game.resample(0, seed=seed, hands="open"), "take:0,1,2")
        first, *new, last = open_cards(twin).split()
        deck = [f"b{value}" for _, value in twin.snapshot()["deck"]]
        assert (first, last) == ("y8", "y9")
        assert sorted(new + deck) == ["b2", "b3", "b4", "b5", "b6"]
        assert twin.snapshot()["discards"] == money("")
        drawn.add(tuple(new))
    assert len(drawn) > 15  # of 20 pairs


def test_the_discards_stay_until_a_card_is_wanting() -> None:
    # R19
    game = position("rounds: 2", "display: b1 g1 o1 y9", "deck: y8", "discards: b2", "hand 1: rest")
    play(game, "take:0")
    assert open_cards(game) == "y8 g1 o1 y9"
    assert game.snapshot()["discards"] == money("b2")


def test_the_cards_paid_in_the_turn_are_shuffled_too() -> None:
    # R19
    game = position(
        "rounds: 2",
        "market: 0 7 14 23",
        "display: y9 g9 o9 b9",
        "deck:",
        "hand 0: b2",
        "hand 1: rest",
    )
    play(game, "buy:0:2", "take:0", "store")
    assert open_cards(game) == "b2 g9 o9 b9"
    assert game.snapshot()["discards"] == money("")


def test_fewer_than_four_cards_lie_open_if_there_are_no_more() -> None:
    # R19
    game = position("rounds: 2", "display: b1 g2 o2 y9", "deck: y8", "hand 1: rest")
    play(game, "take:0,1,2")
    assert open_cards(game) == "y8 - - y9"
    assert (game.to_play, game.phase) == (1, "turn")


# --- scoring cards ----------------------------------------------------------------------------


def test_a_scoring_card_is_set_aside_and_the_refill_goes_on() -> None:
    # R20
    game = position("display: b1 g2 o2 y9", "deck: y8 s1 y7 y6 y5 y4", "discards: rest")
    assert "score1" in game.snapshot()["deck"]
    play(game, "take:0,1,2")
    assert open_cards(game) == "y8 y7 y6 y9"
    assert "score1" not in game.snapshot()["deck"]
    assert game.snapshot()["rounds_scored"] == 1


def test_the_round_is_scored_after_the_turn_and_before_the_next() -> None:
    # R20: the tower that seat 0 places now is worth 6, and its wall 3 (NEW)
    game = position(
        "market: 43 7 14 23",
        "hand 0: b7",
        "deck: s1 y7 y6 y5",
        "discards: rest",
        f"city 1: {around(40)}",
    )
    play(game, "buy:0:7", "take:0")
    assert game.scores == [0, 0, 0]
    play(game, "put:-1,0")
    assert game.scores == [6 + 3, 5, 0]
    assert (game.to_play, game.phase) == (1, "turn")


def test_a_scoring_card_that_comes_next_is_not_drawn_before_it_is_wanted() -> None:
    # R20
    game = position("display: b1 g2 o2 y9", "deck: y8 s1 y7 y6", "discards: rest")
    play(game, "take:0")
    assert game.snapshot()["deck"][0] == "score1"
    assert game.snapshot()["rounds_scored"] == 0


def test_two_scoring_cards_in_one_refill_are_scored_in_order() -> None:
    # R20: a single tower is worth 6 in round 1 and 13 in round 2, a second place 0 and then 6
    game = position(
        "deck: s1 s2",
        "discards: rest",
        f"city 0: {around(51)}",
        f"city 1: {around(52, 49)}",
        "display: b9 - b9 b9",
        "phase: put",
        "picked: 0",
    )
    play(game, "store")
    assert game.snapshot()["rounds_scored"] == 2
    assert game.scores == [0 + 6, (6 + 1) + (13 + 1), 0]  # seat 1 has one piece of wall
    assert "-" not in open_cards(game)
    assert (game.to_play, game.phase) == (1, "turn")


# --- the last tiles ---------------------------------------------------------------------------


def test_the_game_goes_on_while_all_slots_can_be_refilled() -> None:
    # R21: the last two tiles of the bag
    game = position(
        "market: 0 7 14 23", "hand 0: b2 o4", "bag: 51 52", "reserve 1: rest", "rounds: 2"
    )
    play(game, "buy:0:2", "buy:2:4", "take:0", "pick:0", "store", "store")
    assert game.snapshot()["market"] == [51, 7, 52, 23]
    assert game.snapshot()["bag"] == []
    assert (game.to_play, game.phase) == (1, "turn")


def test_the_game_ends_when_a_slot_stays_empty_after_the_others_were_refilled() -> None:
    # R21: one tile for two slots; nobody has money, so the leftovers stay where they are
    game = position("market: 0 7 14 23", "hand 0: b2 o5", "bag: 51", "reserve 1: rest", "rounds: 2")
    play(game, "buy:0:2", "buy:2:5", "pick:0", "store")
    assert not game.over
    play(game, "store")
    assert game.over
    assert not game.truncated
    assert game.snapshot()["market"] == [51, 7, None, 23]


def test_a_scoring_of_the_same_refill_comes_before_the_end() -> None:
    # R21, R20: seat 1 wins a tower at the end, which counts in round 3 and not in round 2
    game = position(
        "rounds: 1",
        "market: 0 43 14 23",
        "hand 0: b2",
        "hand 1: g1",
        "display: b9 y9 y9 y9",
        "deck: s2 y8 y8",
        "discards: rest",
        "bag:",
        f"city 0: {around(51)}",
        "reserve 2: rest",
    )
    play(game, "buy:0:2", "take:0", "store")
    assert (game.to_play, game.phase) == (1, "put")
    assert game.snapshot()["rounds_scored"] == 2
    assert game.scores == [13, 0, 0]
    play(game, "put:-1,0")
    assert game.over
    shared = (21 + 13) // 2
    assert game.scores == [13 + shared, shared + 3, 0]  # 43 has three walls
