"""What a seat may know is observed, and what it may not know is hidden."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
import pytest

from alhambra_env import Game
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import HANDS, Hands
from tests.observed_games import NUMBERS_OF_PLAYERS, some_moments
from tests.positions import position

# --- what a seat may not know ---------------------------------------------------------------------


@cache
def twins(hands: Hands) -> list[tuple[Game, int, Game]]:
    """Return games, each with a seat and a game that this seat cannot tell from the first."""
    drawn = []
    for num_players in NUMBERS_OF_PLAYERS:
        for number, (game, *_) in enumerate(some_moments(num_players, every=13)):
            for seat in range(num_players):
                drawn.append((game, seat, game.resample(seat, seed=number, hands=hands)))
    return drawn


@pytest.mark.parametrize("hands", HANDS)
def test_a_seat_cannot_know_a_lot(hands: Hands) -> None:
    pictures = [(game.snapshot(), twin.snapshot()) for game, _, twin in twins(hands)]
    for secret in ("deck", "bag", "hands"):
        unequal = sum(this[secret] != that[secret] for this, that in pictures)
        if (secret, hands) == ("hands", "open"):
            assert unequal == 0
        else:
            assert unequal > len(pictures) // 2


@pytest.mark.parametrize(
    ("name", "hands"),
    [(n, h) for n in PIECE_NAMES for h in HANDS if (n, h) != ("other_hands", "secret")],
)
def test_no_piece_shows_what_a_seat_cannot_know(name: str, hands: Hands) -> None:
    layouts = {players: Layout(players, hands, [name]) for players in NUMBERS_OF_PLAYERS}
    for game, seat, twin in twins(hands):
        layout = layouts[game.num_players]
        seen = layout.observe(game.states, 0, seat)
        assert np.array_equal(layout.observe(twin.states, 0, seat), seen)


# --- what a seat may know -------------------------------------------------------------------------


# Tiles without walls lie in the market, so that no offer changes by itself. 13 and 21 cost the
# same. Seat 0 observes.
TABLE: Final = """
    market: 13 21 22 30
    display: b1 g2 o3 y4
"""


LEFTOVERS: Final = """
    market: - - - -
    bag:
    display: b1 g2 o3 y4
    phase: put
    picked: 6
    rounds: 2
"""
"""The last tiles are placed."""


class Fact(NamedTuple):
    """Two positions that differ in one fact, and the pieces that show it."""

    common: str
    this: str
    that: str
    shown_in: set[str]


FACTS: Final = {
    "where an own tile lies": Fact(TABLE, "city 0: 6@0,1", "city 0: 6@1,0", {"city"}),
    "where a tile of another lies": Fact(TABLE, "city 1: 6@0,1", "city 1: 6@1,0", {"other_cities"}),
    "in whose city a tile lies": Fact(
        TABLE,
        "city 1: 6@0,1",
        "city 2: 6@0,1",
        {"other_cities", "buildings", "standing"},
    ),
    "what is for sale for which money": Fact(
        "display: b1 g2 o3 y4", "market: 13 21 22 30", "market: 21 13 22 30", {"market"}
    ),
    "what a tile for sale costs": Fact(
        "display: b1 g2 o3 y4\nreserve 1: rest\nbag: 0",
        "market: 13 21 22 30",
        "market: 13 22 21 30",
        {"market", "offers"},
    ),
    "whether a tile is for sale": Fact(
        "display: b1 g2 o3 y4\nphase: put\npicked: 7",
        "market: 13 21 22 30",
        "market: 13 21 22 -",
        {"market", "offers", "unseen_tiles", "progress"},
    ),
    "which card lies where": Fact(
        "market: 13 21 22 30", "display: b1 g2 o3 y4", "display: g2 b1 o3 y4", {"display"}
    ),
    "whether a card lies there": Fact(
        "market: 13 21 22 -\nphase: put\npicked: 7",
        "display: b1 g2 o3 y4\ndiscards: b2",
        "display: b1 g2 o3 -\ndiscards: b2 y4",
        {"display", "discards"},
    ),
    "an own card": Fact(TABLE, "hand 0: b1", "hand 0: b2", {"hand", "offers"}),
    "the currency of an own card": Fact(TABLE, "hand 0: b1", "hand 0: g1", {"hand", "offers"}),
    "who holds how many cards": Fact(
        TABLE,
        "hand 1: b1 b2\nhand 2: b3",
        "hand 1: b1\nhand 2: b2 b3",
        {"hand_sizes", "other_hands"},
    ),
    "a card of another": Fact(TABLE, "hand 1: b1", "hand 1: b2", {"other_hands"}),
    "a card of the last seat": Fact(TABLE, "hand 2: y8", "hand 2: y9", {"other_hands"}),
    "an own tile in reserve": Fact(
        TABLE, "reserve 0: 50\nreserve 1: 49", "reserve 0: 49\nreserve 1: 50", {"reserves"}
    ),
    "a tile in the reserve of another": Fact(TABLE, "reserve 1: 50", "reserve 2: 50", {"reserves"}),
    "a bought tile": Fact(
        "display: b1 g2 o3 y4\nmarket: - - 22 30\nphase: place\nactions: 2",
        "bought: 7 8\nreserve 1: 9",
        "bought: 7 9\nreserve 1: 8",
        {"bought", "reserves"},
    ),
    "the picked tile": Fact(
        f"{TABLE}\nphase: put",
        "picked: 6\nbag: 31 rest",
        "picked: 31\nbag: 6 rest",
        {"picked", "unseen_tiles"},
    ),
    "a type of building": Fact(
        "market: 6 22 30 31\ndisplay: b1 g2 o3 y4",
        "city 1: 13@0,1\nreserve 2: 21",
        "city 1: 21@0,1\nreserve 2: 13",
        {"other_cities", "buildings", "reserves", "standing"},
    ),
    "a type of building of Dirk": Fact(
        f"{TABLE}\nplayers: 2",
        "dirk: 40\nreserve 1: 51",
        "dirk: 51\nreserve 1: 40",
        {"buildings", "reserves", "standing"},
    ),
    "the wall of another": Fact(
        TABLE,
        "city 1: 4@0,1 38@0,-1",
        "city 1: 4@0,1 38@0,2",
        {"other_cities", "walls", "standing"},
    ),
    "own points": Fact(f"{TABLE}\nrounds: 1", "scores: 3 5 7", "scores: 4 5 7", {"scores"}),
    "points of another": Fact(f"{TABLE}\nrounds: 1", "scores: 3 5 7", "scores: 3 5 8", {"scores"}),
    "points of Dirk": Fact(
        f"{TABLE}\nplayers: 2\nrounds: 1", "dirk_score: 3", "dirk_score: 4", {"scores"}
    ),
    "a tile in the bag": Fact(
        TABLE, "reserve 1: 50", "reserve 1: 49", {"reserves", "unseen_tiles"}
    ),
    "a discarded card": Fact(TABLE, "discards: b9", "discards: g9", {"discards"}),
    "the phase": Fact(
        f"{TABLE}\nreserve 1: 50\nactions: 0",
        "phase: put\npicked: 6",
        "phase: rebuild\npicked: 6",
        {"progress"},
    ),
    "the rounds scored": Fact(
        f"{TABLE}\ncity 1: 6@0,1", "rounds: 1", "rounds: 2", {"progress", "standing"}
    ),
    "the tiles left in the bag": Fact(
        TABLE, "reserve 1: 50", "reserve 1: 49 50", {"reserves", "unseen_tiles", "progress"}
    ),
    "the cards left in the deck": Fact(
        TABLE, "discards: b9", "discards: b8 b9", {"discards", "progress"}
    ),
    "the actions of this turn": Fact(
        "display: b1 g2 o3 y4\nmarket: - 21 22 30",
        "bought: 6\nactions: 1\nreserve 1: 31",
        "bought: 6 31\nactions: 2",
        {"bought", "reserves", "progress"},
    ),
    "the slot of an exact purchase": Fact(
        "display: b1 g2 o3 y4\nmarket: - - 22 30\nbought: 6 31\nactions: 2",
        "exact_slot: 0",
        "exact_slot: 1",
        {"exact_slot"},
    ),
    "a leftover tile that was won": Fact(
        f"{LEFTOVERS}\nending: 1\nreserve 1: rest",
        "awards: 4@1 - - -",
        "awards: 4@2 - - -",
        {"awards"},
    ),
    "whether the game is ending": Fact(
        f"{LEFTOVERS}\nreserve 1: rest", "ending: 0", "ending: 1", {"ending"}
    ),
    "the turns finished": Fact(TABLE, "turn: 3", "turn: 300", {"turns"}),
    "the turns left": Fact(TABLE, "max_turns: 300", "max_turns: 3", {"turns"}),
    "whose turn it is": Fact(TABLE, "to_play: 1", "to_play: 2", {"to_play"}),
    "who began": Fact(TABLE, "first: 0", "first: 1", {"progress"}),
    "the wall gain of the picked tile in the own city": Fact(
        f"{TABLE}\nphase: put\npicked: 4",
        "city 0: 20@0,1",
        "city 0: 20@0,-1",
        {"city", "wall_gain"},
    ),
    # What seat 0 cannot know.
    "the next tile": Fact(TABLE, "bag: 50 49 rest", "bag: 49 50 rest", set()),
    "the next card": Fact(
        f"{TABLE}\nrounds: 2\ndiscards: rest", "deck: b9 b8 b7", "deck: b8 b9 b7", set()
    ),
    "where the scoring card lies": Fact(
        f"{TABLE}\nrounds: 1\npiles: 20\ndiscards: rest",
        "deck: g1 g5 s2 g6 g7 g8 g9",
        "deck: g1 s2 g5 g6 g7 g8 g9",
        set(),
    ),
    "randomness to come": Fact(TABLE, "rng: 1 2 3 4", "rng: 4 3 2 1", set()),
}


def pieces_that_differ(fact: Fact, hands: Hands) -> set[str]:
    """Return the pieces, of all that there are, in which seat 0 sees a fact."""
    names = [name for name in PIECE_NAMES if name != "other_hands" or hands == "open"]
    this, that = (
        position(fact.common, lines).observe(0, hands, names) for lines in (fact.this, fact.that)
    )
    return {name for name in names if not np.array_equal(this[name], that[name])}


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_a_fact_is_shown_by_these_pieces_and_no_others(fact: Fact, hands: Hands) -> None:
    hidden = {"other_hands"} if hands == "secret" else set()
    assert pieces_that_differ(fact, hands) == fact.shown_in - hidden


def test_every_piece_shows_some_fact() -> None:
    assert set().union(*(fact.shown_in for fact in FACTS.values())) == set(PIECE_NAMES)
