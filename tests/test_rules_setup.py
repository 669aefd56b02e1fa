"""What is in the box, and how a game is set up."""

from collections import Counter

import pytest

from alhambra_env import Game
from alhambra_env.engine.material import BUILDINGS, CURRENCIES, TILES
from tests.positions import around, legal, play, position, values_of

ALL_COUNTS = (2, 3, 4, 5, 6)
SEEDS = range(400)
EVERY_TILE = set(range(54))


# --- the box ----------------------------------------------------------------------------------


def test_there_are_54_building_tiles_of_six_types() -> None:
    # R1
    assert len(TILES) == 54
    assert BUILDINGS == ("pavilion", "seraglio", "arcades", "chambers", "garden", "tower")
    counts = Counter(tile.building for tile in TILES)
    assert [counts[building] for building in BUILDINGS] == [7, 7, 9, 9, 11, 11]


@pytest.mark.parametrize(
    ("building", "prices"),
    [
        ("pavilion", [2, 3, 4, 5, 6, 7, 8]),
        ("seraglio", [3, 4, 5, 6, 7, 8, 9]),
        ("arcades", [4, 5, 6, 6, 7, 8, 8, 9, 10]),
        ("chambers", [5, 6, 7, 7, 8, 9, 9, 10, 11]),
        ("garden", [6, 7, 8, 8, 8, 9, 10, 10, 10, 11, 12]),
        ("tower", [7, 8, 9, 9, 9, 10, 11, 11, 11, 12, 13]),
    ],
)
def test_each_type_has_its_prices(building: str, prices: list[int]) -> None:
    # R1
    assert sorted(tile.price for tile in TILES if tile.building == building) == prices


def test_each_tile_is_unique_and_open_on_one_side_at_least() -> None:
    # R1
    assert len({(tile.building, tile.price, tile.walls) for tile in TILES}) == 54
    for tile in TILES:
        assert [side for side in "NESW" if side in tile.walls] == list(tile.walls)
    assert Counter(len(tile.walls) for tile in TILES) == {0: 10, 1: 16, 2: 20, 3: 8}


@pytest.mark.parametrize(("num_players", "copies"), [(2, 2), (3, 3), (4, 3), (5, 3), (6, 3)])
def test_every_money_card_is_there_three_times_or_twice_for_two_players(
    num_players: int, copies: int
) -> None:
    # R2
    picture = Game(num_players=num_players, seed=1).snapshot()
    cards = Counter(tuple(card) for card in picture["deck"] + picture["display"] if len(card) == 2)
    for hand in picture["hands"]:
        for currency, row in enumerate(hand):
            cards.update({(currency, value + 1): number for value, number in enumerate(row)})
    everything = {(currency, value) for currency in range(4) for value in range(1, 10)}
    assert cards == dict.fromkeys(everything, copies)
    assert cards.total() == 36 * copies


def test_the_deck_holds_two_scoring_cards() -> None:
    # R3
    deck = Game(seed=1).snapshot()["deck"]
    assert [card for card in deck if isinstance(card, str)] == ["score1", "score2"]


@pytest.mark.parametrize(
    ("slot", "currency", "card"),
    [(0, "denar", "b8"), (1, "dirham", "g8"), (2, "ducat", "o8"), (3, "guilder", "y8")],
)
def test_a_market_slot_is_paid_in_its_own_currency(slot: int, currency: str, card: str) -> None:
    # R3: all four tiles cost 8
    game = position("market: 6 12 19 20", f"hand 0: {card}")
    assert CURRENCIES[slot] == currency
    assert legal(game, "buy") == {f"buy:{slot}:8"}


@pytest.mark.parametrize("num_players", ALL_COUNTS)
def test_every_player_begins_with_a_fountain_that_is_no_building(num_players: int) -> None:
    # R3
    game = Game(num_players=num_players, seed=1)
    assert game.snapshot()["cities"] == [[]] * num_players
    assert not game.state.buildings[:num_players].any()
    assert not game.state.walls.any()


def test_the_fountain_is_open_on_all_four_sides() -> None:
    # R3: 51 has no walls
    game = position("phase: put", "picked: 51")
    assert legal(game, "put") == {"put:-1,0", "put:0,1", "put:1,0", "put:0,-1"}


# --- tiles and money at the start -------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "of_dirk", "in_bag"),
    [(2, 6, 44), (3, 0, 50), (4, 0, 50), (5, 0, 50), (6, 0, 50)],
)
def test_four_tiles_are_laid_out_and_dirk_gets_six(
    num_players: int, of_dirk: int, in_bag: int
) -> None:
    # R4
    for seed in range(50):
        picture = Game(num_players=num_players, seed=seed).snapshot()
        tiles_of_dirk = picture["dirk"]["tiles"] if picture["dirk"] else []
        assert len(tiles_of_dirk) == of_dirk
        assert len(picture["bag"]) == in_bag
        assert {*picture["bag"], *picture["market"], *tiles_of_dirk} == EVERY_TILE


def test_which_tiles_dirk_and_the_market_get_is_random() -> None:
    # R4
    pictures = [Game(num_players=2, seed=seed).snapshot() for seed in range(600)]
    assert {tile for picture in pictures for tile in picture["dirk"]["tiles"]} == EVERY_TILE
    for slot in range(4):
        assert {picture["market"][slot] for picture in pictures} == EVERY_TILE


@pytest.mark.parametrize("num_players", ALL_COUNTS)
def test_everybody_is_dealt_cards_until_they_are_worth_20(num_players: int) -> None:
    # R5: without its last card, which is at most the largest, a hand is worth less than 20
    totals = set()
    for seed in SEEDS:
        for hand in Game(num_players=num_players, seed=seed).snapshot()["hands"]:
            values = values_of(hand)
            totals.add(sum(values))
            assert sum(values) - max(values) < 20
    assert totals == set(range(20, 29))


def test_the_fewest_cards_begin_then_the_lowest_total_then_the_lot_decides() -> None:
    # R6: nobody's age is known
    decided_by: Counter[str] = Counter()
    for seed in SEEDS:
        game = Game(num_players=6, seed=seed)
        hands = [values_of(hand) for hand in game.snapshot()["hands"]]
        fewest = [s for s in range(6) if len(hands[s]) == min(map(len, hands))]
        poorest = [s for s in fewest if sum(hands[s]) == min(sum(hands[t]) for t in fewest)]
        decided_by["cards" if len(fewest) == 1 else "total"] += len(poorest) == 1
        decided_by["first of the tied"] += len(poorest) > 1 and game.to_play == poorest[0]
        decided_by["another of the tied"] += len(poorest) > 1 and game.to_play != poorest[0]
        assert game.to_play == game.state.first_seat
        assert game.to_play in poorest
    assert min(decided_by.values()) > 10
    assert len(decided_by) == 4


# --- the deck ---------------------------------------------------------------------------------


def pile_sizes(cards: int) -> list[int]:
    """How many money cards the five piles get, the top one first."""
    return [cards // 5 + (pile < cards % 5) for pile in range(5)]


def places_in_piles(deck: list[object]) -> tuple[int, int]:
    """How many money cards of the second and of the fourth pile lie above their scoring card."""
    sizes = pile_sizes(len(deck) - 2)
    return (
        deck.index("score1") - sizes[0],
        deck.index("score2") - 1 - sum(sizes[:3]),
    )


@pytest.mark.parametrize("num_players", ALL_COUNTS)
def test_the_scoring_cards_lie_in_the_second_and_fourth_of_five_equal_piles(
    num_players: int,
) -> None:
    # R7
    remainders = set()
    for seed in SEEDS:
        picture = Game(num_players=num_players, seed=seed).snapshot()
        dealt = sum(len(values_of(hand)) for hand in picture["hands"])
        cards = (72 if num_players == 2 else 108) - dealt - 4
        assert len(picture["deck"]) == cards + 2
        assert all(picture["display"])
        sizes = pile_sizes(cards)
        remainders.add(cards % 5)
        first, second = places_in_piles(picture["deck"])
        assert 0 <= first <= sizes[1]
        assert 0 <= second <= sizes[3]
    assert remainders == {0, 1, 2, 3, 4}


def test_the_scoring_cards_are_equally_likely_anywhere_in_their_piles() -> None:
    # R7: with 90 cards in the piles of 18, each has 19 places
    places: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
    for seed in range(6000):
        game = Game(num_players=3, seed=seed)
        if game.state.pile_cards == 90:
            deck = game.snapshot()["deck"]
            for counter, place in zip(places, places_in_piles(deck), strict=True):
                counter[place] += 1
    for counter in places:
        assert set(counter) == set(range(19))
        expected = counter.total() / 19
        # Chi-squared with 18 degrees of freedom: 42.3 is exceeded once in a thousand.
        assert sum((n - expected) ** 2 / expected for n in counter.values()) < 42.3


def test_the_first_pile_is_drawn_before_the_first_scoring_card() -> None:
    # R7, with a position whose piles hold four cards each
    deck = "deck: y9 y9 y9 y8 s1 y8 y8 y7 y7 y7 y6 y6 y6 y5 y5 s2 y5 y4 y4 y4 y3 y3"
    game = position(deck, "discards: rest", "players: 4", f"city 1: {around(51)}")
    assert game.state.pile_cards == 20
    for _ in range(4):
        play(game, "take:0")
    assert game.snapshot()["rounds_scored"] == 0
    assert play(game, "take:0").snapshot()["rounds_scored"] == 1
