"""The end of the game: leftover tiles, the last scoring, the winners."""

import pytest

from alhambra_env import Game
from alhambra_env.options import Hands
from tests.positions import legal, play, position

# Seat 1 takes the last turn: it stores tile 0, and the bag is empty. What is left in the market:
# 53 tower 13 E, 43 tower 7 NEW, 44 tower 8 NES.
LAST_TURN = """
    rounds: 2
    to_play: 1
    phase: put
    picked: 0
    market: - 53 43 44
    bag:
    reserve 2: rest
"""


def end(*lines: str) -> Game:
    """The game after the last turn, with these lines."""
    return play(position(LAST_TURN, *lines), "store")


def winners_of_leftovers(game: Game) -> dict[int, int]:
    """Who won which tile, by letting everybody store what they won."""
    won = {}
    while not game.over:
        if game.phase == "place":
            play(game, min(legal(game)))
        won[game.snapshot()["picked"]] = game.to_play
        play(game, "store")
    return won


# --- leftover tiles ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "won"),
    [
        ("hand 0: g1", {53: 0}),  # the price of 13 does not matter
        ("hand 0: g3 g4\nhand 2: g8", {53: 2}),
        ("hand 0: g3 g6\nhand 2: g8", {53: 0}),  # the sum counts, not the largest card
        ("hand 0: g9\nhand 1: g1 g1 g2 g2", {53: 0}),  # nor the number of cards
        ("hand 0: g1\nhand 1: o1\nhand 2: y1", {53: 0, 43: 1, 44: 2}),
        ("hand 2: g1 o1 y1", {53: 2, 43: 2, 44: 2}),
        ("hand 0: b9 b9 b9", {}),  # the first slot is empty
    ],
)
def test_a_leftover_tile_goes_to_the_most_money_of_its_currency(
    hands: Hands, won: dict[int, int]
) -> None:
    # R25
    game = end(hands)
    assert winners_of_leftovers(game) == won
    assert game.snapshot()["market"] == [
        None,
        *(None if tile in won else tile for tile in (53, 43, 44)),
    ]


@pytest.mark.parametrize(
    "hands",
    [
        "hand 0: g3 g4\nhand 2: g7",
        "hand 0: g7\nhand 1: g7\nhand 2: g6",
        "hand 0: g6\nhand 1: g7\nhand 2: g7",
        "hand 0: g5\nhand 1: g5\nhand 2: g5",
    ],
)
def test_a_leftover_tile_stays_on_a_tie(hands: Hands) -> None:
    # R25
    game = end(hands)
    assert game.over
    assert game.snapshot()["market"] == [None, 53, 43, 44]


def test_a_tie_below_the_most_does_not_matter() -> None:
    # R25
    assert winners_of_leftovers(end("hand 0: g5\nhand 1: g5\nhand 2: g6")) == {53: 2}


def test_a_leftover_tile_stays_if_nobody_holds_its_currency() -> None:
    # R25
    game = end("hand 0: b9", "hand 1: b8")
    assert game.over
    assert game.snapshot()["market"] == [None, 53, 43, 44]


def test_money_spent_in_the_last_turn_does_not_count() -> None:
    # R25: seat 1 pays 8 of its 9 for 12, in whose place 43, the last of the bag, is left over
    game = position(
        *("rounds: 2", "to_play: 1", "market: 53 12 14 44", "bag: 43", "reserve 0: rest"),
        *("hand 1: g8 g1 o5", "hand 2: g2"),
    )
    play(game, "buy:1:8", "buy:2:5", "pick:12", "store", "store")
    assert winners_of_leftovers(game) == {43: 2}


# --- placing them -----------------------------------------------------------------------------


def test_leftover_tiles_are_placed_in_seat_order_from_the_next_player() -> None:
    # R26: seat 1 took the last turn, so it is last
    game = end("hand 0: g1", "hand 1: o1", "hand 2: y1")
    assert game.snapshot()["ending"]
    assert game.snapshot()["awards"] == [[0, 53], [1, 43]]
    seats = []
    while not game.over:
        seats.append(game.to_play)
        play(game, "store")
    assert seats == [2, 0, 1]


def test_leftover_tiles_may_be_placed_in_the_city_or_the_reserve() -> None:
    # R26: 43 is open to the south
    game = end("hand 0: o1", "hand 2: y1")
    assert legal(game) == {"put:0,1", "store"}
    play(game, "store")
    assert legal(game) == {"put:-1,0", "store"}
    play(game, "put:-1,0")
    assert game.over
    assert game.snapshot()["cities"] == [[[43, -1, 0]], [], []]
    assert 44 in game.snapshot()["reserves"][2]


def test_several_leftover_tiles_are_placed_in_any_order() -> None:
    # R26
    game = end("hand 0: g1 o1 y1")
    assert game.phase == "place"
    assert legal(game) == {"pick:43", "pick:44", "pick:53"}
    play(game, "pick:53", "put:0,1")
    assert legal(game) == {"pick:43", "pick:44"}
    play(game, "pick:43", "put:-1,0")
    assert game.snapshot()["picked"] == 44


def test_leftover_tiles_are_not_swapped_in() -> None:
    # R26: 44 could lie where 51 lies
    game = end("hand 0: y1", "city 0: 51@0,1")
    assert "put:0,1" not in legal(game)
    assert "store" in legal(game)


def test_leftover_tiles_are_not_given_to_dirk() -> None:
    # R26: what was bought in the last turn may be
    last_turn = LAST_TURN.replace("reserve 2", "reserve 0")
    game = position("players: 2", last_turn, "hand 0: o1")
    assert "give" in legal(game)
    play(game, "store")
    assert game.snapshot()["picked"] == 43
    assert legal(game) == {"put:-1,0", "store"}


# --- the last scoring -------------------------------------------------------------------------


def test_the_last_round_is_scored_after_the_leftovers_are_placed() -> None:
    # R27: the tower that seat 0 has won is worth 21 and its walls 3
    game = end("hand 0: o1", "scores: 5 6 7")
    assert game.scores == [5, 6, 7]
    play(game, "put:-1,0")
    assert game.over
    assert game.snapshot()["rounds_scored"] == 3
    assert game.scores == [5 + 21 + 3, 6, 7]


def test_a_scoring_card_still_in_the_deck_is_never_scored() -> None:
    # R27: a tower is worth 21 in round 3, and nothing is added for rounds 1 and 2
    game = play(position(LAST_TURN.replace("rounds: 2", ""), "city 2: 51@0,1"), "store")
    assert game.over
    assert game.scores == [0, 0, 21]
    for card in ("score1", "score2"):
        assert card in game.snapshot()["deck"]


@pytest.mark.parametrize(
    ("scores", "winners"),
    [("10 30 20", [1]), ("30 10 30", [0, 2]), ("7 7 7", [0, 1, 2]), ("0 0 1", [2])],
)
def test_the_most_points_win_and_a_tie_shares_the_win(scores: str, winners: list[int]) -> None:
    # R28: nobody has built anything
    game = position(LAST_TURN, f"scores: {scores}")
    assert game.winners == []
    play(game, "store")
    assert game.over
    assert game.winners == winners


def test_the_points_of_the_last_round_count_for_the_win() -> None:
    # R28: 21 and 20 points for a tower and a garden
    game = end("scores: 0 2 0", "city 0: 51@0,1", "city 1: 40@0,1")
    assert game.scores == [21, 22, 0]
    assert game.winners == [1]


def test_nothing_is_played_after_the_end() -> None:
    # R28
    assert legal(end()) == set()
