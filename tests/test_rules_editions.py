"""Where the rulebooks differ."""

import pytest

from alhambra_env import Game
from alhambra_env.engine.editions import EDITION_NAMES, EDITIONS, EditionName
from tests.positions import legal, play, position, values_of

# What the table at the end of the rules says for each edition.
ON_TOP = {"german": False, "portuguese": False, "czech": False, "polish": False, "italian": True}
BY_CARDS = {"german": False, "portuguese": False, "czech": False, "polish": True, "italian": True}
DECLINE = {"german": False, "portuguese": False, "czech": False, "polish": True, "italian": True}
FEWEST = {"german": 2, "portuguese": 2, "czech": 2, "polish": 2, "italian": 3}

editions = pytest.mark.parametrize("edition", EDITION_NAMES)


def test_there_are_five_editions_and_the_german_is_the_default() -> None:
    for settings in (ON_TOP, BY_CARDS, DECLINE, FEWEST):
        assert set(settings) == {edition.book for edition in EDITIONS}
    assert Game(seed=0).edition == "german"


@editions
def test_the_scoring_card_lies_in_its_pile_or_on_top_of_it(edition: EditionName) -> None:
    # R7
    depths = set()
    for seed in range(100):
        deck = Game(edition=edition, seed=seed).snapshot()["deck"]
        cards = len(deck) - 2
        piles = [cards // 5 + (pile < cards % 5) for pile in range(5)]
        depths.add(deck.index("score1") - piles[0])
        depths.add(deck.index("score2") - 1 - sum(piles[:3]))
    assert (depths == {0}) is ON_TOP[edition]
    assert min(depths) == 0


@editions
def test_the_scoring_card_is_known_to_lie_on_top_where_it_does(edition: EditionName) -> None:
    # R7, E4: what a player cannot know is drawn again, but not where the edition puts the card
    deck = Game(edition=edition, seed=1).snapshot()["deck"]
    places = set()
    for seed in range(30):
        twin = Game(edition=edition, seed=1).resample(0, seed=seed)
        places.add(twin.snapshot()["deck"].index("score1"))
    assert (places == {deck.index("score1")}) is ON_TOP[edition]


@editions
def test_leftover_tiles_go_by_value_or_by_number_of_cards(edition: EditionName) -> None:
    # R25: 9 in one card, or 3 in two
    game = position(
        *(f"edition: {edition}", "rounds: 2", "phase: put", "picked: 0"),
        *("market: - 53 43 44", "bag:", "reserve 2: rest"),
        *("hand 1: g9", "hand 2: g1 g2"),
    )
    play(game, "store")
    assert game.snapshot()["picked"] == 53
    assert game.to_play == (2 if BY_CARDS[edition] else 1)


@editions
def test_as_many_cards_are_a_tie_where_cards_are_counted(edition: EditionName) -> None:
    # R25
    game = position(
        *(f"edition: {edition}", "rounds: 2", "phase: put", "picked: 0"),
        *("market: - 53 43 44", "bag:", "reserve 2: rest"),
        *("hand 1: g9 g1", "hand 2: g1 g2"),
    )
    play(game, "store")
    assert game.over is BY_CARDS[edition]


@editions
def test_the_extra_action_may_be_declined_or_not(edition: EditionName) -> None:
    # R10
    game = position(f"edition: {edition}", "rounds: 2", "market: 0 7 14 23", "hand 0: b2")
    assert "pass" not in legal(game)
    play(game, "buy:0:2")
    assert ("pass" in legal(game)) is DECLINE[edition]


@pytest.mark.parametrize("edition", [name for name, may in DECLINE.items() if may])
def test_declining_leads_to_placing_what_was_bought(edition: EditionName) -> None:
    # R10, R12
    game = position(f"edition: {edition}", "rounds: 2", "market: 0 7 14 23", "hand 0: b2 g3")
    before = game.snapshot()
    play(game, "buy:0:2", "buy:1:3", "pass")
    assert (game.to_play, game.phase) == (0, "place")
    play(game, "pick:0", "store", "store")
    assert game.snapshot()["reserves"][0] == [0, 7]
    assert game.snapshot()["display"] == before["display"]
    assert (game.to_play, game.phase) == (1, "turn")


@editions
def test_ties_for_the_first_turn_go_by_total_and_then_by_lot(edition: EditionName) -> None:
    # R6
    by_total, lots = 0, []
    for seed in range(1000):
        game = Game(num_players=5, edition=edition, seed=seed)
        hands = [values_of(hand) for hand in game.snapshot()["hands"]]
        ranks = [(len(hand), sum(hand)) for hand in hands]
        tied = [seat for seat in range(5) if ranks[seat] == min(ranks)]
        assert game.to_play in tied
        by_total += sum(len(hand) == min(map(len, hands)) for hand in hands) > len(tied)
        if len(tied) == 2:
            lots.append(tied.index(game.to_play))
    assert by_total > 100
    # A fair coin: six standard deviations are 3 heads for each root of the number of lots.
    assert abs(sum(lots) - len(lots) / 2) < 3 * len(lots) ** 0.5
    assert len(lots) > 50


@editions
@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_each_edition_has_its_numbers_of_players(edition: EditionName, num_players: int) -> None:
    # R29: the Italian book does not describe the game with Dirk
    if num_players >= FEWEST[edition]:
        assert Game(num_players=num_players, edition=edition, seed=0).edition == edition
    else:
        with pytest.raises(ValueError, match=f"{edition} edition does not describe.* 2 players"):
            Game(num_players=num_players, edition=edition, seed=0)
