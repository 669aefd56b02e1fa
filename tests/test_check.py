"""`check`: every way in which a record can be wrong has a flag, and a good record has none."""

import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alhambra_env import DamagedRecord, Game, GameBatch
from alhambra_env.engine.check import Broken, check
from alhambra_env.engine.editions import EditionName
from alhambra_env.engine.grid import FOUNTAIN_CELL, cell_at
from alhambra_env.engine.material import FOUNTAIN, NONE, SCORE_1, SCORE_2
from alhambra_env.engine.state import FIELDS, OVER, PHASES, PLACE, PUT, REBUILD, STATE
from alhambra_env.notation import from_text
from tests.examples import examples

thoroughly: Final = examples(2000)


def good_records() -> dict[str, Game]:
    """Return positions of random games: the last one of each phase, and some turns."""
    records = {}
    editions: dict[int, EditionName] = {2: "polish", 3: "italian", 6: "german"}
    for num_players, edition in editions.items():
        chooser = random.Random(num_players)
        game = Game(num_players, edition, seed=num_players)
        while True:
            is_start = game.phase == "turn" and not game.state.actions
            moment = f"turn {game.state.turn // 30 * 30}" if is_start else game.phase
            records[f"{edition} {moment}"] = game.clone()
            if game.over:
                break
            game.step(chooser.choice(game.legal_actions()))
    return records


GOOD: Final = good_records()
TURNS: Final = {
    name: game for name, game in GOOD.items() if game.phase == "turn" and not game.state.actions
}


def test_the_good_records_are_of_all_phases() -> None:
    assert {game.phase for game in GOOD.values()} == set(PHASES)
    assert len(TURNS) > 6


@pytest.mark.parametrize("name", GOOD)
def test_a_good_record_breaks_nothing(name: str) -> None:
    assert check(GOOD[name].state) == Broken(0)
    assert not check(GOOD[name].state)


# --- each flag, by hand -----------------------------------------------------------------------

Corruption = Callable[[Any], None]


def setting(field: str, value: int, at: Any = None) -> Corruption:
    """Return a function that writes a value into a field."""

    def corrupt(state: Any) -> None:
        if at is None:
            state[field] = value
        else:
            state[field][at] = value

    return corrupt


def moving(tile: int, dy: int, dx: int) -> Corruption:
    """Return a function that moves a tile within the city of seat 0, even against the rules."""

    def corrupt(state: Any) -> None:
        state.city[0, state.cell[tile]] = NONE
        state.city[0, cell_at(dy, dx)] = tile
        state.cell[tile] = cell_at(dy, dx)

    return corrupt


def swap_market_and_bag(state: Any) -> None:
    state.market[0], state.bag[0] = state.market[1], state.market[0]


def award_a_tile(state: Any) -> None:
    state.award_tiles[0], state.award_seats[0] = 9, 0


def lose_a_bag_tile(state: Any) -> None:
    state.bag_size -= 1
    state.bag[state.bag_size] = NONE


def give_a_card_from_the_deck(state: Any) -> None:
    # With the card itself still in the deck
    card = state.deck[0]
    state.hands[0, card // 9, card % 9] += 1


def lose_an_open_card(state: Any) -> None:
    state.display[0] = NONE


def exchange_scoring_cards(state: Any) -> None:
    deck = state.deck
    first, second = np.flatnonzero(deck == SCORE_1)[0], np.flatnonzero(deck == SCORE_2)[0]
    deck[first], deck[second] = SCORE_2, SCORE_1


def put_scoring_card_on_top(state: Any) -> None:
    deck, top = state.deck, state.deck_size - 1
    first = np.flatnonzero(deck == SCORE_1)[0]
    deck[first], deck[top] = deck[top], SCORE_1


def lower_scoring_card_by_one(state: Any) -> None:
    deck = state.deck
    first = np.flatnonzero(deck == SCORE_1)[0]
    deck[first], deck[first - 1] = deck[first - 1], SCORE_1


def double_scoring_card(state: Any) -> None:
    state.deck[state.deck_size] = SCORE_2
    state.deck_size += 1


START: Final = "market: 0 1 2 3"
DIRK: Final = "market: 0 1 2 3\nplayers: 2"
ITALIAN: Final = "market: 0 1 2 3\nedition: italian"
CITY: Final = "market: 0 1 2 3\ncity 0: 30@0,1 20@-1,0"
WALLED: Final = "market: 0 1 2 3\ncity 0: 12@0,1 4@-1,0"  # S, and N
BAY: Final = "market: 0 1 2 3\ncity 0: 6@0,1 13@0,2 21@1,2 22@2,2 30@2,1 31@2,0 40@0,3"
ROW: Final = "market: 0 1 2 3\ncity 0: 20@-1,0 " + " ".join(
    f"{tile}@0,{dx}"
    for dx, tile in enumerate([6, 13, 21, 22, 30, 31, 40, 41, 51, 52, 4, 38, 49, 12, 28, 42], 1)
)

END: Final = "players: 2\nphase: over\npiles: 10\ndiscards: rest"
NO_CARD_CAME: Final = f"{END}\ndeck: g1 g2 s1 g3 g4 g5 g6 s2 g7 g8 o1 o2"
ONE_CARD_CAME: Final = f"{END}\ndeck: g5 g6 s2 g7 g8 o1 o2"

# 80 parts of wall are on all tiles together; 21, 63 and 111 points are all first prizes of a round.
MOST: Final = [
    ("players: 2\nrounds: 1", 80 + 21, 21),
    ("players: 2\nrounds: 2", 2 * 80 + 21 + 63, 21 + 63),
    (f"{NO_CARD_CAME}\nrounds: 1", 80 + 111, 111),  # R27
    (f"{ONE_CARD_CAME}\nrounds: 2", 2 * 80 + 21 + 111, 21 + 111),
    ("players: 2\nphase: over\nrounds: 3", 3 * 80 + 21 + 63 + 111, 21 + 63 + 111),
]
"""Positions, and the most points that a seat and Dirk can have in them (R22-R24, R29)."""

CORRUPTIONS: Final[list[tuple[Broken, str, Corruption]]] = [
    (Broken.RANGE, START, setting("num_players", 1)),
    (Broken.RANGE, START, setting("num_players", 7)),
    (Broken.RANGE, START, setting("book", 5)),
    (Broken.RANGE, START, setting("book", -1)),
    (Broken.RANGE, START, setting("min_players", 1)),
    (Broken.RANGE, START, setting("min_players", 4)),
    (Broken.RANGE, START, setting("scoring_card_on_top", 2)),
    (Broken.RANGE, START, setting("leftovers_by_cards", 2)),
    (Broken.RANGE, START, setting("may_decline", -1)),
    (Broken.RANGE, START, setting("exact_slot", 4)),
    (Broken.PHASE, START, setting("exact_slot", 0)),
    (Broken.RANGE, START, setting("phase", 5)),
    (Broken.RANGE, START, setting("to_play", 3)),
    (Broken.RANGE, START, setting("first_seat", -1)),
    (Broken.RANGE, START, setting("actions", 5)),
    (Broken.RANGE, START, setting("rounds_scored", 4)),
    (Broken.RANGE, START, setting("ending", 2)),
    (Broken.RANGE, START, setting("truncated", -1)),
    (Broken.RANGE, START, setting("turn", -1)),
    (Broken.RANGE, START, setting("turn", 1001)),
    (Broken.RANGE, START, setting("scores", -1, 0)),
    (Broken.RANGE, START, setting("dirk_score", -1)),
    (Broken.RANGE, START, setting("market", 54, 0)),
    (Broken.RANGE, START, setting("picked", 54)),
    (Broken.RANGE, START, setting("bought", 2, 9)),
    (Broken.RANGE, START, setting("reserves", -1, (0, 9))),
    (Broken.RANGE, START, setting("dirk", 2, 9)),
    (Broken.RANGE, START, setting("award_tiles", 54, 0)),
    (Broken.RANGE, START, setting("award_seats", 3, 0)),
    (Broken.RANGE, START, setting("bag_size", 51)),
    (Broken.RANGE, START, setting("bag_size", -1)),
    (Broken.RANGE, START, setting("bag", NONE, 0)),
    (Broken.RANGE, START, setting("bag", 9, 53)),  # beyond its size
    (Broken.RANGE, START, setting("city", FOUNTAIN + 1, (0, 0))),
    (Broken.RANGE, START, setting("cell", 361, 9)),
    (Broken.RANGE, START, setting("display", SCORE_1, 0)),
    (Broken.RANGE, START, setting("discards", 4, (0, 0))),
    (Broken.RANGE, START, setting("hands", -1, (0, 0, 0))),
    (Broken.RANGE, START, setting("deck_size", 111)),
    (Broken.RANGE, START, setting("deck", SCORE_2 + 1, 0)),
    (Broken.RANGE, START, setting("pile_cards", 109)),
    (Broken.TILES, START, setting("market", 1, 0)),
    (Broken.TILES, START, setting("reserves", 1, (2, 9))),
    (Broken.TILES, START, setting("bought", 1, 9)),
    (Broken.TILES, START, setting("award_seats", 1, 0)),  # of no tile
    (Broken.TILES, START, swap_market_and_bag),
    (Broken.TILES, START, lose_a_bag_tile),
    (Broken.TILES, DIRK, setting("dirk", 1, 9)),
    (Broken.TILES, CITY, setting("reserves", 1, (0, 30))),
    (Broken.MONEY, START, give_a_card_from_the_deck),
    (Broken.MONEY, START, lose_an_open_card),
    (Broken.MONEY, START, setting("display", 35, 0)),
    (Broken.MONEY, START, setting("discards", 1, (0, 0))),
    (Broken.MONEY, DIRK, setting("hands", 1, (1, 3, 8))),
    (Broken.SCORING_CARDS, START, exchange_scoring_cards),
    (Broken.SCORING_CARDS, START, put_scoring_card_on_top),
    (Broken.SCORING_CARDS, START, double_scoring_card),
    (Broken.SCORING_CARDS, START, setting("rounds_scored", 1)),
    (Broken.SCORING_CARDS, START, setting("pile_cards", 20)),
    (Broken.SCORING_CARDS, ITALIAN, lower_scoring_card_by_one),
    (Broken.CITY, START, setting("city", NONE, (1, FOUNTAIN_CELL))),  # no fountain
    (Broken.CITY, START, setting("city", FOUNTAIN, (1, 0))),  # two of them
    (Broken.CITY, CITY, setting("cell", FOUNTAIN_CELL + 2, 30)),
    (Broken.CITY, CITY, setting("cell", NONE, 30)),
    (Broken.CITY, CITY, setting("city", NONE, (0, FOUNTAIN_CELL + 1))),
    (Broken.CITY, CITY, setting("city", 30, (1, FOUNTAIN_CELL + 1))),
    (Broken.SIDES, CITY, moving(20, 1, 0)),  # its wall N faces the fountain
    (Broken.SIDES, CITY, moving(20, 1, 1)),  # and here an open side
    (Broken.ON_FOOT, CITY, moving(30, 0, 2)),  # far away
    (Broken.ON_FOOT, CITY, moving(30, 1, 1)),  # by a corner
    (Broken.ON_FOOT, WALLED, moving(4, 1, 1)),  # wall to wall
    (Broken.HOLE, BAY, moving(40, 1, 0)),
    (Broken.EXTENT, ROW, moving(20, 0, 17)),
    (Broken.EXTENT, ROW, moving(20, 0, -1)),
    (Broken.DERIVED, CITY, setting("walls", 7, 0)),
    (Broken.DERIVED, CITY, setting("fits", 0, 0)),
    (Broken.DERIVED, CITY, setting("buildings", 5, (0, 0))),
    (Broken.DERIVED, CITY, setting("buildings", 1, (6, 0))),  # Dirk's
    (Broken.DERIVED, CITY, setting("closed_rows", 1, 0)),
    (Broken.DERIVED, CITY, setting("closed_columns", 1, 2)),
    (Broken.PHASE, START, setting("phase", REBUILD)),
    (Broken.PHASE, START, setting("phase", PLACE)),
    (Broken.PHASE, START, setting("phase", PUT)),
    (Broken.PHASE, START, setting("phase", OVER)),
    (Broken.PHASE, START, setting("ending", 1)),
    (Broken.PHASE, START, setting("truncated", 1)),
    (Broken.PHASE, START, setting("actions", 1)),
    (Broken.PHASE, START, setting("picked", 9)),
    (Broken.PHASE, START, setting("rounds_scored", 3)),
    (Broken.PHASE, START, award_a_tile),
    (Broken.REFILL, START, setting("market", NONE, 2)),
    (Broken.REFILL, START, setting("display", NONE, 2)),
    (Broken.EMPTY_SEATS, START, setting("scores", 1, 3)),
    (Broken.EMPTY_SEATS, START, setting("walls", 1, 5)),
    (Broken.EMPTY_SEATS, START, setting("fits", 1, 4)),
    (Broken.EMPTY_SEATS, START, setting("closed_rows", 1, 4)),
    (Broken.EMPTY_SEATS, START, setting("closed_columns", 1, 4)),
    (Broken.EMPTY_SEATS, START, setting("buildings", 1, (3, 0))),
    (Broken.EMPTY_SEATS, START, setting("reserves", 1, (3, 9))),
    (Broken.EMPTY_SEATS, START, setting("hands", 1, (5, 0, 0))),
    (Broken.EMPTY_SEATS, START, setting("city", FOUNTAIN, (3, FOUNTAIN_CELL))),
    (Broken.EMPTY_SEATS, START, setting("dirk", 1, 9)),
    (Broken.EMPTY_SEATS, START, setting("dirk_score", 1)),
    (Broken.SCORES, START, setting("scores", 1, 0)),  # before any round
    (Broken.SCORES, DIRK, setting("dirk_score", 1)),
    *((Broken.SCORES, text, setting("scores", most + 1, 1)) for text, most, _ in MOST),
    *((Broken.SCORES, text, setting("dirk_score", most + 1)) for text, _, most in MOST),
]


@pytest.mark.parametrize(
    ("flag", "text", "corrupt"),
    CORRUPTIONS,
    ids=[f"{flag.name} {number}" for number, (flag, _, _) in enumerate(CORRUPTIONS)],
)
def test_what_is_wrong_has_its_flag(flag: Broken, text: str, corrupt: Corruption) -> None:
    game = from_text(text)
    assert not check(game.state)
    corrupt(game.state)
    assert flag in check(game.state)


def test_every_flag_is_tested() -> None:
    assert {flag for flag, _, _ in CORRUPTIONS} == set(Broken)


@pytest.mark.parametrize(
    ("text", "corrupt", "broken"),
    [
        (CITY, moving(20, 1, 0), Broken.SIDES),
        (CITY, moving(30, 0, 2), Broken.ON_FOOT),
        (BAY, moving(40, 1, 0), Broken.HOLE),
        (ROW, moving(20, 0, 17), Broken.EXTENT),
        (START, exchange_scoring_cards, Broken.SCORING_CARDS),
        (START, lose_a_bag_tile, Broken.TILES),
        (START, give_a_card_from_the_deck, Broken.MONEY),
        (START, setting("city", NONE, (1, FOUNTAIN_CELL)), Broken.CITY),
        (CITY, setting("walls", 7, 0), Broken.DERIVED),
        (START, setting("phase", PUT), Broken.PHASE),
        (START, setting("market", NONE, 2), Broken.REFILL | Broken.TILES),
        (START, setting("scores", 1, 3), Broken.EMPTY_SEATS),
        (START, setting("scores", 1, 2), Broken.SCORES),
        (START, setting("dirk_score", 1), Broken.EMPTY_SEATS),
        (START, setting("phase", 5), Broken.RANGE),
    ],
)
def test_only_what_is_wrong_is_named(text: str, corrupt: Corruption, broken: Broken) -> None:
    game = from_text(text)
    corrupt(game.state)
    # Nothing was derived again from a city whose tile was moved.
    assert check(game.state) & ~Broken.DERIVED == broken & ~Broken.DERIVED
    assert broken in check(game.state)


@pytest.mark.parametrize(("text", "most", "most_of_dirk"), MOST)
def test_the_most_points_that_the_rounds_can_bring_are_right(
    text: str, most: int, most_of_dirk: int
) -> None:
    from_text(f"{text}\nscores: {most} 0\ndirk_score: {most_of_dirk}")
    for line in (f"scores: {most + 1} 0", f"dirk_score: {most_of_dirk + 1}"):
        with pytest.raises(DamagedRecord, match=r"rounds scored so far can bring.*\[SCORES\]"):
            from_text(f"{text}\n{line}")


def test_points_that_no_game_can_bring_are_refused_wherever_a_record_is_read() -> None:
    batch = GameBatch(2, seed=1)
    batch.states["scores"][1, 2] = 9000
    with pytest.raises(DamagedRecord, match="SCORES"):
        Game.from_state(batch.states[1:])
    with pytest.raises(DamagedRecord, match=r"game 1 .*SCORES"):
        GameBatch(2, seed=1).load(batch.save())
    game = Game(2, seed=1)
    game.state.dirk_score = 9000
    with pytest.raises(DamagedRecord, match="SCORES"):
        Game.from_bytes(game.to_bytes())


def test_a_turn_after_the_last_is_wrong() -> None:
    game = from_text("max_turns: 7\nturn: 6")
    assert not check(game.state)
    game.state.turn = 7
    assert check(game.state)  # E3: the game would have been truncated


def test_a_record_with_two_things_wrong_has_two_flags() -> None:
    game = from_text(START)
    state = game.state
    exchange_scoring_cards(state)
    state.scores[5] = 3
    assert check(state) == Broken.SCORING_CARDS | Broken.EMPTY_SEATS
    assert "SCORING_CARDS" in str(check(state).name)


@pytest.mark.parametrize(
    "field", [field.name for field in FIELDS if field.meaning.startswith("derived")]
)
def test_a_derived_field_must_follow_from_the_others(field: str) -> None:
    game = TURNS["german turn 60"]
    start, _ = span(field)
    assert check(altered(game, (start, 1))[0]) & (Broken.DERIVED | Broken.CITY)


# --- any byte ---------------------------------------------------------------------------------

FREE: Final = {
    # Other values of these can be right too.
    *("rng", "turn", "max_turns", "scores", "dirk_score", "first_seat", "to_play"),
    *("book", "min_players", "scoring_card_on_top", "leftovers_by_cards", "may_decline"),
    "pile_cards",
}
FIXED: Final = [field.name for field in FIELDS if field.name not in FREE and 0 not in field.shape]


def altered(game: Game, *changes: tuple[int, int]) -> np.ndarray:
    """Return the record of a game, as an array of one, with some bits flipped."""
    data = bytearray(game.state.tobytes())
    for place, change in changes:
        data[place] ^= change
    return np.frombuffer(data, STATE)


def span(field: str) -> tuple[int, int]:
    """Return the first byte of a field, and how many it has."""
    assert STATE.fields is not None
    dtype, offset = STATE.fields[field][:2]
    return offset, dtype.itemsize


@thoroughly
@given(
    st.sampled_from(list(GOOD.values())),
    st.lists(
        st.tuples(st.integers(0, STATE.itemsize - 1), st.integers(1, 255)), min_size=1, max_size=3
    ),
)
def test_a_record_with_any_bytes_altered_is_looked_at_without_a_crash(
    game: Game, changes: list[tuple[int, int]]
) -> None:
    broken = check(altered(game, *changes)[0])
    assert Broken.RANGE not in broken or broken == Broken.RANGE  # nothing else was looked at


@settings(thoroughly, max_examples=300)
@given(st.binary(min_size=STATE.itemsize, max_size=STATE.itemsize))
def test_random_bytes_are_no_record(data: bytes) -> None:
    assert check(np.frombuffer(bytearray(data), STATE)[0])


@settings(thoroughly, max_examples=100)
@given(st.sampled_from(list(TURNS.values())), st.data())
@pytest.mark.parametrize("field", FIXED)
def test_a_change_that_is_never_right_is_noticed(
    field: str, game: Game, data: st.DataObject
) -> None:
    start, size = span(field)
    place = start + data.draw(st.integers(0, size - 1))
    assert check(altered(game, (place, data.draw(st.integers(1, 255))))[0])


@settings(thoroughly, max_examples=100)
@given(st.sampled_from(list(GOOD.values())), st.data(), st.integers(0, 2**32))
@pytest.mark.parametrize("field", sorted(FREE - {"scores", "dirk_score"}))
def test_what_passes_the_check_can_be_played_on(
    field: str, game: Game, data: st.DataObject, seed: int
) -> None:
    start, size = span(field)
    place = start + data.draw(st.integers(0, size - 1))
    states = altered(game, (place, data.draw(st.integers(1, 255))))
    if check(states[0]):
        return
    twin = Game.from_state(states)
    chooser = random.Random(seed)
    for _ in range(15):
        if twin.over:
            break
        twin.step(chooser.choice(twin.legal_actions()))
        assert not check(twin.state)
