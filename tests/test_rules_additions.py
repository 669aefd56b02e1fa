"""What the environment adds to the rules: payments, the width of a city, truncation, secrets."""

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement

import pytest

from alhambra_env import Game
from alhambra_env.engine.check import check
from alhambra_env.engine.material import TILES
from alhambra_env.engine.payments import PAYMENTS
from alhambra_env.options import Hands
from tests.positions import legal, play, play_randomly, position

# --- payments ---------------------------------------------------------------------------------

PRICES = range(2, 14)


def needed(cards: tuple[int, ...], price: int) -> bool:
    """Do the cards reach the price, and would they fall short without any one of them?"""
    return sum(cards) >= price and all(sum(cards) - card < price for card in cards)


@cache
def all_payments(price: int) -> list[tuple[int, ...]]:
    """All sets of up to eight needed cards, values falling.

    With three cards of each value, nine are worth 18, and one of them is never needed.
    """
    values = range(9, 0, -1)
    sets = (cards for n in range(1, 9) for cards in combinations_with_replacement(values, n))
    return [cards for cards in sets if needed(cards, price)]


def payments_from(hand: list[int], price: int) -> set[tuple[int, ...]]:
    """All payments of needed cards from a hand of one currency."""
    return {cards for cards in all_payments(price) if Counter(cards) <= Counter(hand)}


def test_there_are_288_payments_and_each_is_needed_for_some_price() -> None:
    # E1
    assert len(set(PAYMENTS)) == len(PAYMENTS) == 288
    for payment in PAYMENTS:
        assert any(needed(payment, price) for price in PRICES)
        assert max(Counter(payment).values()) <= 3


def buys(hand: list[int], price: int) -> set[tuple[int, ...]]:
    """The payments that are offered for a tile of this price in the first slot."""
    tile = next(tile.number for tile in TILES if tile.price == price)
    others = [str(n) for n in (6, 13, 21, 22) if n != tile][:3]
    game = position(
        f"market: {tile} {' '.join(others)}", "hand 0: " + " ".join(f"b{value}" for value in hand)
    )
    payments = (name.split(":")[2] for name in legal(game, "buy"))
    return {tuple(int(value) for value in payment.split("+")) for payment in payments}


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize(
    "hand",
    [
        [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 1, 4, 6, 6, 6, 7, 7, 8, 8, 9, 9, 9],
        [5, 5, 9],
        [1],
        [value for value in range(1, 10) for _ in range(3)],
    ],
    ids=["small", "one of each", "mixed", "few", "one", "all"],
)
def test_a_hand_may_be_paid_with_in_every_way_without_a_needless_card(
    hand: list[int], price: int
) -> None:
    # E1
    assert buys(hand, price) == payments_from(hand, price)


def test_a_card_that_is_not_needed_is_not_paid() -> None:
    # E1: 9 alone pays for 8, as do 7 and 2
    assert buys([9, 7, 2], 8) == {(9,), (7, 2)}


# --- the width of a city ----------------------------------------------------------------------

OPEN_TILES = [6, 13, 21, 22, 30, 31, 40, 41, 51, 52]
EAST_WEST = [*OPEN_TILES, 4, 20, 38, 12, 28, 42]
"""Sixteen tiles that are open to the east and the west."""
NORTH_SOUTH = [*OPEN_TILES, 5, 19, 37, 11, 29, 39]
"""Sixteen tiles that are open to the north and the south."""


def row(tiles: list[int], first: int) -> str:
    """A city in the fountain's row, from this column on; the fountain is in its place."""
    columns = [x for x in range(first, first + len(tiles) + 1) if x]
    return " ".join(f"{tile}@0,{x}" for tile, x in zip(tiles, columns, strict=True))


def column(tiles: list[int], first: int) -> str:
    rows = [y for y in range(first, first + len(tiles) + 1) if y]
    return " ".join(f"{tile}@{y},0" for tile, y in zip(tiles, rows, strict=True))


def folded(offset: int) -> int:
    """An offset as actions name it: they count around a torus of 19 x 19."""
    return (offset + 9) % 19 - 9


@pytest.mark.parametrize("first", [-16, -11, -8, -3, 0])
@pytest.mark.parametrize(("width", "grows"), [(16, True), (17, False)])
def test_a_city_is_at_most_17_columns_wide(first: int, width: int, grows: bool) -> None:
    # E2: wherever it lies; 50 (S) fits at both ends, and south of the fountain
    first += 17 - width if first < 0 else 0
    game = position("phase: put", "picked: 50", "city 0: " + row(EAST_WEST[: width - 1], first))
    ends = {f"put:0,{folded(first - 1)}", f"put:0,{folded(first + width)}"}
    assert ends & legal(game) == (ends if grows else set())
    assert "put:1,0" in legal(game)


@pytest.mark.parametrize("first", [-16, -11, -8, -3, 0])
@pytest.mark.parametrize(("height", "grows"), [(16, True), (17, False)])
def test_a_city_is_at_most_17_rows_high(first: int, height: int, grows: bool) -> None:
    # E2: 53 (E) fits at both ends, and east of the fountain
    first += 17 - height if first < 0 else 0
    game = position(
        "phase: put", "picked: 53", "city 0: " + column(NORTH_SOUTH[: height - 1], first)
    )
    ends = {f"put:{folded(first - 1)},0", f"put:{folded(first + height)},0"}
    assert ends & legal(game) == (ends if grows else set())
    assert "put:0,1" in legal(game)


def test_the_width_is_that_of_all_rows_together() -> None:
    # E2: eight columns to the west in one row, eight to the east in the next; 50 (S) fits above
    # 49 (N), which is within the 17, and at no end
    lower = zip([6, 49, *EAST_WEST[9:]], range(9), strict=True)
    city = row(EAST_WEST[1:9], -8) + " " + " ".join(f"{tile}@1,{x}" for tile, x in lower)
    game = position("phase: put", "picked: 50", f"city 0: {city}")
    assert "put:0,1" in legal(game)
    assert not {"put:0,-9", "put:1,9"} & legal(game)


@pytest.mark.parametrize(("dy", "dx"), [(0, 1), (0, -1), (1, 0), (-1, 0)])
def test_a_city_may_lie_far_off_its_fountain(dy: int, dx: int) -> None:
    # E2: twelve cells in one direction, and the picture shows how far they are
    tiles = EAST_WEST[:12] if dx else NORTH_SOUTH[:12]
    city = [[tile, n * dy, n * dx] for n, tile in enumerate(tiles, start=1)]
    game = position("city 0: " + " ".join(f"{tile}@{y},{x}" for tile, y, x in city))
    assert game.snapshot()["cities"][0] == sorted(city)
    # The twelfth is the only one at an end, and it is called by its place on the torus.
    last = f"{folded(12 * dy)},{folded(12 * dx)}"
    assert legal(game, "remove") == {f"remove:{last}"}
    play(game, f"remove:{last}")
    assert game.snapshot()["cities"][0] == sorted(city[:-1])
    assert not check(game.state)


# --- truncation -------------------------------------------------------------------------------


def test_a_game_is_truncated_after_a_thousand_turns_or_as_many_as_set() -> None:
    # E3
    assert Game(seed=0).state.max_turns == 1000
    game = play_randomly(Game(seed=0, max_turns=12), steps=10**6, seed=0)
    assert game.truncated
    assert game.over
    assert game.snapshot()["turn"] == 12


def test_truncation_scores_round_three_at_once() -> None:
    # E3: seat 0 could buy and build for ever; seat 1 has a tower (21) and walls of 3
    game = position(
        *("max_turns: 5", "turn: 4", "rounds: 1", "scores: 22 0 24"),
        *("hand 0: b9 g9 o9 y9", "city 1: 44@0,1"),
    )
    market = game.snapshot()["market"]
    play(game, "take:0")
    assert game.over
    assert game.truncated
    assert game.scores == [22, 21 + 3, 24]
    assert game.winners == [1, 2]
    assert game.snapshot()["market"] == market  # nothing is left over: nobody gets the tiles


def test_tiles_bought_in_the_last_turn_are_placed_before_the_truncation() -> None:
    # E3
    game = position("max_turns: 1", "market: 43 1 2 3", "hand 0: b9")
    play(game, "buy:0:9")
    assert not game.over
    play(game, "put:-1,0")
    assert game.truncated
    assert game.scores == [21 + 3, 0, 0]


def test_rebuilding_back_and_forth_ends_by_truncation() -> None:
    # E3
    cities = [f"city {seat}: {tile}@0,1" for seat, tile in enumerate((51, 52, 40))]
    game = position("max_turns: 30", *cities)
    while not game.over:
        tile = (51, 52, 40)[game.to_play]
        play(game, *(["remove:0,1"] if legal(game, "remove") else [f"pick:{tile}", "put:0,1"]))
    assert game.snapshot()["turn"] == 30
    assert game.truncated


def test_a_game_that_ends_by_the_rules_in_its_last_turn_is_not_truncated() -> None:
    # E3, R21
    game = position(
        *("max_turns: 1", "rounds: 2", "phase: put", "picked: 0"),
        *("market: - 1 2 3", "bag:", "reserve 0: rest"),
    )
    play(game, "store")
    assert game.over
    assert not game.truncated


# --- what a seat cannot know ------------------------------------------------------------------

SECRETS = ("hands", "deck", "bag")


def middle_of_a_game(num_players: int) -> Game:
    return play_randomly(Game(num_players=num_players, seed=5), steps=40, seed=5)


def money_of(*hands: list[list[int]]) -> Counter[tuple[int, ...]]:
    cards: Counter[tuple[int, ...]] = Counter()
    for hand in hands:
        for currency, counts in enumerate(hand):
            cards.update({(currency, value + 1): n for value, n in enumerate(counts)})
    return +cards


def cards_of(deck: list[list[int] | str]) -> Counter[tuple[int, ...]]:
    return Counter(tuple(card) for card in deck if not isinstance(card, str))


@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("num_players", [2, 4, 6])
def test_what_a_seat_knows_is_kept(num_players: int, hands: Hands) -> None:
    # E4
    game = middle_of_a_game(num_players)
    before, picture = game.to_bytes(), game.snapshot()
    for seat in range(num_players):
        twin = game.resample(seat, seed=seat, hands=hands)
        new = twin.snapshot()
        assert not check(twin.state)
        for key in set(picture) - set(SECRETS):
            assert new[key] == picture[key]
        assert new["hands"][seat] == picture["hands"][seat]
        for ours, theirs in zip(picture["hands"], new["hands"], strict=True):
            assert sum(map(sum, ours)) == sum(map(sum, theirs))
        assert sorted(new["bag"]) == sorted(picture["bag"])
        assert len(new["deck"]) == len(picture["deck"])
        unseen = cards_of(picture["deck"]) + money_of(*picture["hands"])
        assert cards_of(new["deck"]) + money_of(*new["hands"]) == unseen
    assert game.to_bytes() == before


def test_deck_bag_and_secret_hands_are_redrawn() -> None:
    # E4
    game = middle_of_a_game(4)
    pictures = [game.resample(1, seed=seed).snapshot() for seed in range(20)]
    for key in ("deck", "bag"):
        assert len({str(picture[key]) for picture in pictures}) == 20
    for seat in (0, 2, 3):
        assert len({str(picture["hands"][seat]) for picture in pictures}) > 15
    assert pictures[3] == game.resample(1, seed=3).snapshot()


def test_open_hands_are_kept_and_only_the_order_of_deck_and_bag_is_unknown() -> None:
    # E4
    game = middle_of_a_game(4)
    pictures = [game.resample(1, seed=seed, hands="open").snapshot() for seed in range(20)]
    for picture in pictures:
        assert picture["hands"] == game.snapshot()["hands"]
        assert cards_of(picture["deck"]) == cards_of(game.snapshot()["deck"])
    for key in ("deck", "bag"):
        assert len({str(picture[key]) for picture in pictures}) == 20


def test_a_scoring_card_stays_within_what_is_left_of_its_pile() -> None:
    # E4, R7: piles of four; the first and one card of the second are gone
    deck = "deck: y8 s1 y8 y7 y7 y7 y6 y6 y6 y5 s2 y5 y5 y4 y4 y4 y3"
    game = position(deck, "piles: 20", "discards: rest")
    places = set()
    for seed in range(100):
        order = game.resample(0, seed=seed).snapshot()["deck"]
        places.add((order.index("score1"), order.index("score2")))
    assert {first for first, _ in places} == {0, 1, 2, 3}
    assert {second for _, second in places} == {8, 9, 10, 11, 12}
