"""`Game.resample`: everything that a seat cannot know is redrawn, and nothing else (E4)."""

import random
from collections import Counter
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alhambra_env import Game, actions
from alhambra_env.engine.check import check
from alhambra_env.engine.editions import EDITIONS
from alhambra_env.engine.state import ALL, FIELDS, NOBODY, OWNER
from alhambra_env.notation import from_text
from alhambra_env.options import Hands
from tests.examples import examples

thoroughly: Final = examples(500)


def some_positions(game: Game, number: int) -> list[Game]:
    """Play a game at random, and return positions from its beginning to its end."""
    chooser = random.Random(game.num_players)
    played = [game.clone()]
    while not game.over:
        game.step(chooser.choice(game.legal_actions()))
        played.append(game.clone())
    return [*played[:: len(played) // number], played[-2]]


POSITIONS: Final = [
    position
    for edition in EDITIONS
    for num_players in range(edition.min_players, 7)
    for position in some_positions(Game(num_players, edition.book, seed=num_players), number=8)
]

HANDS: Final = st.sampled_from(["secret", "open"])
SEEDS: Final = st.integers(0, 2**64)
anywhere: Final = given(st.sampled_from(POSITIONS), st.integers(0, 5), SEEDS, HANDS)
"""A test for any game, choice of a seat, seed and hands."""


def seats_of(game: Game, choice: int) -> tuple[int, list[int]]:
    """Return a seat, and all other seats."""
    seat = choice % game.num_players
    return seat, [other for other in range(game.num_players) if other != seat]


def unseen_money(game: Game, seat: int) -> Counter[tuple[int, int]]:
    """Return the money cards in the deck and in the hands of the other seats."""
    picture = game.snapshot()
    cards = Counter((card[0], card[1]) for card in picture["deck"] if isinstance(card, list))
    for other, hand in enumerate(picture["hands"]):
        if other != seat:
            cards.update({(c, v + 1): hand[c][v] for c in range(4) for v in range(9) if hand[c][v]})
    return cards


# --- what stays -------------------------------------------------------------------------------


@thoroughly
@anywhere
def test_what_everybody_sees_stays(game: Game, choice: int, seed: int, hands: Hands) -> None:
    seat, _ = seats_of(game, choice)
    twin = game.resample(seat, seed, hands=hands)
    assert not check(twin.state)
    for field in FIELDS:
        if field.seen_by == ALL:
            assert np.array_equal(twin.state[field.name], game.state[field.name]), field.name


def test_only_hands_are_seen_by_their_owner_and_only_orders_by_nobody() -> None:
    assert [field.name for field in FIELDS if field.seen_by == OWNER] == ["hands"]
    assert [field.name for field in FIELDS if field.seen_by == NOBODY] == ["rng", "bag", "deck"]


@thoroughly
@anywhere
def test_the_own_hand_and_the_size_of_all_hands_stay(
    game: Game, choice: int, seed: int, hands: Hands
) -> None:
    seat, others = seats_of(game, choice)
    twin = game.resample(seat, seed, hands=hands)
    before, after = game.snapshot()["hands"], twin.snapshot()["hands"]
    assert after[seat] == before[seat]
    for other in others:
        assert np.sum(after[other]) == np.sum(before[other])
    if hands == "open":
        assert after == before


@thoroughly
@anywhere
def test_what_is_unseen_is_the_same_in_another_order(
    game: Game, choice: int, seed: int, hands: Hands
) -> None:
    seat, _ = seats_of(game, choice)
    twin = game.resample(seat, seed, hands=hands)
    before, after = game.snapshot(), twin.snapshot()
    assert sorted(after["bag"]) == sorted(before["bag"])
    assert len(after["deck"]) == len(before["deck"])
    assert unseen_money(twin, seat) == unseen_money(game, seat)
    for card in ("score1", "score2"):
        assert after["deck"].count(card) == before["deck"].count(card)


@thoroughly
@given(st.sampled_from(POSITIONS), SEEDS, HANDS)
def test_the_seat_to_play_has_the_same_legal_actions(game: Game, seed: int, hands: Hands) -> None:
    twin = game.resample(game.to_play, seed, hands=hands)
    assert twin.legal_actions() == game.legal_actions()


@thoroughly
@anywhere
def test_the_game_itself_is_not_changed_and_the_same_seed_draws_the_same(
    game: Game, choice: int, seed: int, hands: Hands
) -> None:
    seat, _ = seats_of(game, choice)
    before, history = game.to_bytes(), list(game.history)
    twin = game.resample(seat, seed, hands=hands)
    assert game.to_bytes() == before
    assert game.history == history
    assert game.resample(seat, seed, hands=hands).to_bytes() == twin.to_bytes()


@thoroughly
@anywhere
def test_legal_actions_are_those_of_the_hand_that_was_drawn(
    game: Game, choice: int, seed: int, hands: Hands
) -> None:
    twin = game.resample(seats_of(game, choice)[0], seed, hands=hands)
    assert twin.legal_actions() == Game.from_bytes(twin.to_bytes()).legal_actions()


@settings(thoroughly, max_examples=60)
@anywhere
def test_a_resampled_game_can_be_played_to_its_end(
    game: Game, choice: int, seed: int, hands: Hands
) -> None:
    twin = game.resample(seats_of(game, choice)[0], seed, hands=hands)
    chooser = random.Random(seed)
    while not twin.over:
        twin.step(chooser.choice(twin.legal_actions()))
    assert not check(twin.state)


def test_hands_are_secret_unless_they_are_said_to_be_open() -> None:
    game = POSITIONS[2]
    assert game.resample(1, 5).to_bytes() == game.resample(1, 5, hands="secret").to_bytes()
    assert game.resample(1, 5).to_bytes() != game.resample(1, 5, hands="open").to_bytes()


# --- what changes -----------------------------------------------------------------------------

MANY: Final = range(300)


@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("number", range(3, len(POSITIONS), 23))
def test_the_orders_of_deck_and_bag_change(number: int, hands: Hands) -> None:
    game = POSITIONS[number]
    pictures = [game.resample(0, seed, hands=hands).snapshot() for seed in MANY]
    for place in ("deck", "bag"):
        if (
            len({str(item) for item in game.snapshot()[place]}) > 10
        ):  # 11! orders: hardly ever the same twice
            assert len({str(picture[place]) for picture in pictures}) == len(MANY)


def test_every_tile_of_the_bag_may_be_the_next_and_the_last() -> None:
    game = from_text("bag: 20 21 22 23 24 25\nreserve 1: rest")
    bags = [game.resample(0, seed).snapshot()["bag"] for seed in MANY]
    for place in range(6):
        assert {bag[place] for bag in bags} == {20, 21, 22, 23, 24, 25}


def test_every_card_of_the_deck_may_be_the_next_and_the_last() -> None:
    game = from_text("rounds: 2\ndeck: b1 g2 o3 y4 b5 g6\ndiscards: rest")
    decks = [game.resample(0, seed).snapshot()["deck"] for seed in MANY]
    for place in range(6):
        assert len({str(deck[place]) for deck in decks}) == 6


def test_future_randomness_is_redrawn() -> None:
    game = POSITIONS[4]
    words = {tuple(game.resample(0, seed).state.rng.tolist()) for seed in MANY}
    assert len(words) == len(MANY)
    assert tuple(game.state.rng.tolist()) not in words


@pytest.mark.parametrize("number", range(5, len(POSITIONS), 29))
def test_the_hands_of_all_others_change_if_they_are_secret(number: int) -> None:
    game = POSITIONS[number]
    seat, others = seats_of(game, number)
    drawn = [game.resample(seat, seed).snapshot()["hands"] for seed in MANY]
    for other in others:
        if np.sum(game.snapshot()["hands"][other]) > 4:
            assert len({str(hands[other]) for hands in drawn}) > len(MANY) // 2


def test_any_unseen_card_may_be_in_any_other_hand_and_in_the_deck() -> None:
    game = from_text(
        """
        rounds: 2
        hand 0: b1 b1
        hand 1: g2 g3
        hand 2: o4
        deck: y5 y6 y7
        discards: rest
        """
    )
    unseen = {(1, 2), (1, 3), (2, 4), (3, 5), (3, 6), (3, 7)}
    met: dict[Any, set[tuple[int, int]]] = {1: set(), 2: set(), "deck": set()}
    for seed in MANY:
        picture = game.resample(0, seed).snapshot()
        met["deck"] |= {(card[0], card[1]) for card in picture["deck"]}
        for other in (1, 2):
            hand = picture["hands"][other]
            met[other] |= {(c, v + 1) for c in range(4) for v in range(9) if hand[c][v]}
    assert met == {1: unseen, 2: unseen, "deck": unseen}


# --- scoring cards ----------------------------------------------------------------------------


def piles(money: int) -> list[range]:
    """Return where the five piles lie in the first deck, counted from its bottom (R7)."""
    sizes = [money // 5 + (pile < money % 5) for pile in range(5)]
    sizes[1] += 1
    sizes[3] += 1
    return [range(sum(sizes[pile + 1 :]), sum(sizes[pile:])) for pile in range(5)]


def place_of(card: str, game: Game) -> int | None:
    """Return how many cards lie under a scoring card."""
    deck = game.snapshot()["deck"][::-1]
    return deck.index(card) if card in deck else None


@pytest.mark.parametrize("num_players", range(2, 7))
def test_the_piles_are_those_of_the_first_deck(num_players: int) -> None:
    game = Game(num_players, seed=num_players)
    money = len(game.snapshot()["deck"]) - 2
    assert game.state.pile_cards == money
    assert piles(money)[0].stop == money + 2
    for seed in range(50):
        game = Game(num_players, seed=seed)
        second, fourth = piles(len(game.snapshot()["deck"]) - 2)[1::2]
        assert place_of("score1", game) in second
        assert place_of("score2", game) in fourth


@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("number", range(0, len(POSITIONS), 7))
def test_a_scoring_card_may_be_anywhere_in_what_is_left_of_its_pile(
    number: int, hands: Hands
) -> None:
    game = POSITIONS[number]
    twins = [game.resample(0, seed, hands=hands) for seed in MANY]
    left = len(game.snapshot()["deck"])
    for card, pile in zip(
        ("score1", "score2"), piles(int(game.state.pile_cards))[1::2], strict=True
    ):
        places = {place_of(card, twin) for twin in twins}
        if place_of(card, game) is None:
            assert places == {None}
        elif game.edition == "italian":
            assert places == {pile[-1]}
        else:
            assert places == set(pile) & set(range(left))


def test_all_places_left_to_a_scoring_card_are_equally_likely() -> None:
    # All take money, one card each, until six places of the second pile are left. In one game of
    # a few the scoring card is still to come then.
    for start in range(100):
        game = Game(3, seed=start)
        pile = piles(int(game.state.pile_cards))[1]
        while game.state.deck_size > pile.start + 6:
            game.step(actions.parse("take:0"))
        if place_of("score1", game) is not None:
            break
    places = Counter(place_of("score1", game.resample(1, seed)) for seed in range(1200))
    assert set(places) == set(pile[:6])
    assert all(140 < count < 260 for count in places.values())  # 200 each


# --- invalid seats ----------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [-1, 3, 6, 1.5, "0", None, True])
def test_a_seat_that_nobody_plays_is_refused(seat: Any) -> None:
    with pytest.raises(ValueError, match="seat must be"):
        Game(3, seed=1).resample(seat, seed=1)


@pytest.mark.parametrize("hands", ["", "closed", None, True])
def test_other_words_for_hands_are_refused(hands: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown hands .*there are: secret, open"):
        Game(3, seed=1).resample(0, seed=1, hands=hands)


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_a_seed_that_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be"):
        Game(3, seed=1).resample(0, seed=seed)
