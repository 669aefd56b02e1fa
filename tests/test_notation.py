"""Positions as text and back, and drawn for people."""

import random
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alhambra_env import DamagedRecord, Game, notation
from alhambra_env.engine.check import Broken, check
from alhambra_env.engine.editions import EditionName
from alhambra_env.engine.state import PHASES
from alhambra_env.notation import from_text, to_text
from tests.examples import SETTINGS, examples


def positions(game: Game, seed: int) -> Iterator[Game]:
    """Play a game at random, and give every position of it."""
    chooser = random.Random(seed)
    yield game
    while not game.over:
        game.step(chooser.choice(game.legal_actions()))
        yield game


# --- there and back ---------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "num_players"), SETTINGS)
def test_a_position_is_the_same_record_after_writing_and_reading(
    edition: EditionName, num_players: int
) -> None:
    chooser = random.Random(num_players)
    for game in positions(Game(num_players, edition, seed=num_players), seed=1):
        if game.phase != "turn" or game.over or chooser.random() < 0.2:
            text = to_text(game)
            again = from_text(text)
            assert again.to_bytes() == game.to_bytes()
            assert to_text(again) == text
            assert again.legal_actions() == game.legal_actions()


def test_positions_of_all_phases_are_written() -> None:
    phases = {game.phase for game in positions(Game(3, seed=3), seed=1)}
    assert phases == set(PHASES)


@pytest.mark.parametrize("num_players", [2, 4])
def test_a_truncated_game_is_the_same_record_after_writing_and_reading(num_players: int) -> None:
    *_, game = positions(Game(num_players, seed=5, max_turns=17), seed=2)
    assert game.truncated
    again = from_text(to_text(game))
    assert again.to_bytes() == game.to_bytes()
    assert again.truncated


def test_a_position_that_was_read_goes_on_like_the_game() -> None:
    game = Game(4, seed=8)
    chooser = random.Random(3)
    for _ in range(60):
        game.step(chooser.choice(game.legal_actions()))
    again = from_text(to_text(game))
    while not game.over:
        action = chooser.choice(game.legal_actions())
        game.step(action)
        again.step(action)
    assert again.to_bytes() == game.to_bytes()


def test_a_position_read_from_text_has_no_seed_and_no_history() -> None:
    game = from_text(to_text(Game(seed=1)))
    assert game.seed is None
    assert game.history == []


# --- what is left out -------------------------------------------------------------------------


def test_an_empty_text_is_a_table_with_everything_on_it() -> None:
    picture = from_text("").snapshot()
    assert (picture["edition"], picture["num_players"], picture["phase"]) == ("german", 3, "turn")
    assert (picture["to_play"], picture["turn"], picture["rounds_scored"]) == (0, 0, 0)
    assert picture["scores"] == [0, 0, 0]
    assert picture["market"] == [0, 1, 2, 3]
    assert picture["bag"] == list(range(4, 54))
    assert picture["display"] == [[0, 1], [0, 1], [0, 1], [0, 2]]
    assert picture["hands"] == [[[0] * 9] * 4] * 3
    assert picture["cities"] == picture["reserves"] == [[], [], []]
    assert (picture["bought"], picture["picked"], picture["awards"]) == ([], None, [])
    assert picture["dirk"] is None
    assert picture["discards"] == [[0] * 9] * 4
    money = [card for card in picture["deck"] if card not in ("score1", "score2")]
    rising = [[currency, value] for currency in range(4) for value in range(1, 10)]
    assert money == [card for card in rising for _ in range(3)][4:]
    assert [card for card in picture["deck"] if card not in money] == ["score1", "score2"]


def test_the_example_in_the_documentation_can_be_read() -> None:
    example = [line for line in str(notation.__doc__).splitlines() if line.startswith("    ")]
    assert len(example) > 5
    picture = from_text("\n".join(example)).snapshot()
    assert picture["to_play"] == 1
    assert picture["hands"][1][0] == [0, 0, 2, 0, 0, 0, 0, 0, 0]  # b3 b3
    assert picture["cities"][1] == [[12, 0, 1], [30, -1, 0]]
    assert picture["deck"][0] == [0, 7]


def test_scoring_cards_that_are_not_named_lie_in_their_piles() -> None:
    for rounds, left in enumerate([["score1", "score2"], ["score2"], []]):
        deck = from_text(f"rounds: {rounds}\ndeck: rest").snapshot()["deck"]
        assert [card for card in deck if isinstance(card, str)] == left


def test_a_deck_that_is_given_comes_in_its_order() -> None:
    picture = from_text("rounds: 2\ndeck: y9 b1 g5\ndiscards: rest").snapshot()
    assert picture["deck"] == [[3, 9], [0, 1], [1, 5]]
    assert sum(map(sum, picture["discards"])) == 108 - 3 - 4


def test_rest_may_follow_what_is_drawn_first() -> None:
    picture = from_text("bag: 9 7 rest\ndeck: y9 y8 rest").snapshot()
    others = [tile for tile in range(4, 54) if tile not in (9, 7)]
    assert picture["bag"] == [9, 7, *others]
    assert picture["deck"][:3] == [[3, 9], [3, 8], [0, 2]]


def test_rest_puts_all_other_tiles_somewhere_else() -> None:
    picture = from_text("reserve 1: rest\ncity 0: 6@0,1\nmarket: 10 11 12 13").snapshot()
    named = {6, 10, 11, 12, 13}
    assert picture["reserves"][1] == [tile for tile in range(54) if tile not in named]
    assert picture["bag"] == []
    picture = from_text("players: 2\ndirk: 50 rest\nbag: 20 21").snapshot()
    assert picture["dirk"]["tiles"] == [tile for tile in range(4, 54) if tile not in (20, 21)]
    assert picture["bag"] == [20, 21]


def test_rest_puts_all_other_money_somewhere_else() -> None:
    picture = from_text("hand 2: rest\ndeck: b9 s1 b8 b7 s2 b6\ndisplay: g1 g2 g3 g4").snapshot()
    assert sum(map(sum, picture["hands"][2])) == 108 - 4 - 4
    assert picture["deck"] == [[0, 9], "score1", [0, 8], [0, 7], "score2", [0, 6]]


def test_lines_may_come_in_any_order_with_comments_and_blank_lines() -> None:
    game = Game(3, seed=11)
    lines = to_text(game).splitlines()
    random.Random(1).shuffle(lines)
    text = "# a position\n\n" + "".join(f"   {line}   # why\r\n\n" for line in lines)
    assert from_text(text).to_bytes() == game.to_bytes()


# --- what is refused --------------------------------------------------------------------------

OPEN: Final = [6, 13, 21, 22, 30, 31, 40]
HOLE: Final = " ".join(
    f"{tile}@{cell}"
    for tile, cell in zip(OPEN, ["0,1", "0,2", "1,0", "1,2", "2,0", "2,1", "2,2"], strict=True)
)
ROW: Final = [*OPEN, 41, 51, 52, 4, 20, 38, 49, 12, 28]
TOO_WIDE: Final = "50@0,-1 " + " ".join(f"{tile}@0,{dx}" for dx, tile in enumerate(ROW, 1))


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("to_play: 3", Broken.RANGE),
        ("to_play: -1", Broken.RANGE),
        ("first: 3", Broken.RANGE),
        ("rounds: 4", Broken.RANGE),
        ("rounds: -1", Broken.RANGE),
        ("turn: -1", Broken.RANGE),
        ("turn: 1001", Broken.RANGE),
        ("ending: 2", Broken.RANGE),
        ("piles: 109", Broken.RANGE),
        ("scores: 1 2 -3", Broken.RANGE),
        ("scores: 0 0 1", Broken.SCORES),
        ("bag: 1 2 3", Broken.TILES),
        ("deck: b1 b2", Broken.MONEY),
        ("piles: 104", Broken.SCORING_CARDS),
        ("deck: s1 rest\npiles: 104", Broken.SCORING_CARDS),
        ("rounds: 1\ndeck: rest s1 s2\npiles: 104", Broken.SCORING_CARDS),
        ("city 0: 3@0,1", Broken.SIDES),
        ("city 0: 6@1,1", Broken.ON_FOOT),
        ("city 0: 12@0,1 4@1,1", Broken.ON_FOOT),
        ("city 0: 6@0,2", Broken.ON_FOOT),
        (f"city 0: {HOLE}", Broken.HOLE),
        (f"city 0: {TOO_WIDE}", Broken.EXTENT),
        ("phase: put", Broken.PHASE),
        ("picked: 3", Broken.PHASE),
        ("bought: 3", Broken.PHASE),
        ("actions: 1", Broken.PHASE),
        ("phase: place\nbought: 3", Broken.PHASE),
        ("phase: place\nbought: 3 4 5 6 7", Broken.PHASE),
        ("ending: 1", Broken.PHASE),
        ("truncated: 1", Broken.PHASE),
        ("rounds: 3", Broken.PHASE),
        ("awards: 4@0 - - -", Broken.PHASE),
        ("market: 1 2 3 -", Broken.REFILL),
        ("display: b1 b2 b3 -", Broken.REFILL),
        ("dirk: 4", Broken.EMPTY_SEATS),
        ("dirk_score: 4", Broken.EMPTY_SEATS),
    ],
)
def test_what_is_no_position_of_the_game_is_refused(text: str, flag: Broken) -> None:
    with pytest.raises(DamagedRecord, match=str(flag.name)):
        from_text(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("hello", "'hello'; there are: edition, players"),
        ("colour: blue", "'colour'; there are: edition, players"),
        ("players: 3\nplayers: 3", "there are two lines 'players'"),
        ("players: 7", "num_players must be 2 to 6, not 7"),
        ("players:", "players needs one value"),
        ("players: 3 4", "players needs one value"),
        ("edition: french", "unknown edition 'french'; there are: german"),
        ("edition: italian\nplayers: 2", "italian edition"),
        ("phase: fight", "phase must be one of turn, rebuild, place, put, over, not 'fight'"),
        ("city 3: 6@0,1", "'city 3' is not a line of a game for 3 players"),
        ("hand: b1", "'hand' is not a line of a game for 3 players"),
        ("players: 2\nhand 2: b1", "'hand 2' is not a line of a game for 2 players"),
        ("market: 1 2 3", "market: it needs 4 entries, with - for an empty one"),
        ("market: 1 2 3 54", "a tile is a number from 0 to 53, not '54'"),
        ("market: 1 2 3 b3", "market: 'b3' is not a whole number"),
        ("market: 1 2 3 3", "tile 3 is in two places"),
        ("market: 1 2 3 4\ncity 0: 4@0,1", "tile 4 is in two places"),
        ("reserve 0: 7 7", "tile 7 is in two places"),
        ("display: b1 b2 b3", "display: it needs 4 entries"),
        ("awards: 1@0", "awards: it needs 4 entries"),
        ("hand 0: b0", "such as b3, not 'b0'"),
        ("hand 0: x1", "such as b3, not 'x1'"),
        ("hand 0: b1 b1 b1 b1", "hand 0: there are more b1 than the game has"),
        ("players: 2\nhand 0: b1 b1 b1", "hand 0: there are more b1"),
        ("city 0: 6", "a city tile is written as 41@-1,0"),
        ("city 0: 6@1", "a city tile is written as 41@-1,0"),
        ("city 0: 6@0,0", "city 0: 6@0,0 lies on another tile or on the fountain"),
        ("city 0: 6@0,1 13@0,1", "city 0: 13@0,1 lies on another tile"),
        ("picked: 3 4", "picked needs one value"),
        ("picked: rest", "picked: 'rest'"),
        ("deck: s2 s1 rest", "no five piles have the scoring cards where this deck has them"),
    ],
)
def test_text_that_cannot_be_read_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(DamagedRecord) as caught:
        from_text(text)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("players: x", "players"),
        ("turn: soon", "turn"),
        ("turn: 99999999999", "turn"),
        ("to_play: 300", "to_play"),
        ("scores: 1 2", "scores"),
        ("scores: a b c", "scores"),
        ("scores: 1 2 99999", "scores"),
        ("rng: 1 2 3", "rng"),
        ("rng: 1 2 3 -1", "rng"),
        ("awards: 4 - - -", "awards"),
        ("awards: 4@x - - -", "awards"),
        ("city 0: 6@a,b", "city"),
        ("hand 0: s1", "hand"),
        ("discards: s1", "discards"),
        (": 3", "unknown line"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text: str, key: str) -> None:
    with pytest.raises(DamagedRecord, match=key):
        from_text(text)


@pytest.mark.parametrize("cell", ["0,20", "-18,0", "0,17", "999,999"])
def test_a_cell_that_no_city_can_reach_is_not_taken_for_another(cell: str) -> None:
    # Around the torus 20 east would be 1 east.
    with pytest.raises(DamagedRecord, match=f"city 0: .*{cell}"):
        from_text(f"city 0: 6@{cell}")


def test_a_dash_stands_for_no_tile_and_no_card() -> None:
    tiles = " ".join(map(str, range(4, 53)))
    with pytest.raises(DamagedRecord):  # tile 53 is nowhere
        from_text(f"reserve 0: -\nbag: {tiles}")
    cards = " ".join(f"{colour}{value}" for colour in "bgoy" for value in range(1, 10))
    with pytest.raises(DamagedRecord):  # one y9 is nowhere
        from_text(
            f"rounds: 2\ndisplay: - - - -\nhand 0: -\nhand 1: {cards}\ndiscards: {cards} "
            f"{cards.removesuffix(' y9')}\ndeck:"
        )


def test_a_game_must_have_a_turn_left_to_play() -> None:
    with pytest.raises(DamagedRecord):
        from_text("max_turns: 0")  # as Game(max_turns=0) is
    with pytest.raises(DamagedRecord):
        from_text("max_turns: 7\nturn: 7")  # E3: it would have been truncated


def test_market_and_display_cannot_be_drawn_when_nothing_is_left() -> None:
    tiles = " ".join(map(str, range(51)))
    with pytest.raises(DamagedRecord, match="market"):
        from_text(f"reserve 0: {tiles}")
    cards = " ".join(f"{c}{v}" for c in "bgoy" for v in range(1, 10) for _ in range(3))
    with pytest.raises(DamagedRecord, match="display"):
        from_text(f"hand 0: {cards}")


ODD_WORDS: Final = ["", "-", "rest", "s1", "s2", "b1", "y9", "0", "1", "-1", "53", "54", "300"]
ODD_WORDS_TOO: Final = ["3@0", "6@0,1", "6@0,-20", "6@x", "@", ":", "#", "99999999999", "put", "é"]


@examples(1000)
@given(
    st.integers(0, 9),
    st.lists(
        st.tuples(st.integers(0, 10**4), st.sampled_from(ODD_WORDS + ODD_WORDS_TOO)),
        min_size=1,
        max_size=3,
    ),
)
def test_an_altered_text_is_read_as_a_sound_position_or_refused(
    moment: int, changes: list[tuple[int, str]]
) -> None:
    words = MOMENTS[moment].replace("\n", " \n ").split(" ")
    for place, word in changes:
        words[place % len(words)] = word
    try:
        game = from_text(" ".join(words))
    except DamagedRecord:
        return
    assert not check(game.state)


def _moments() -> list[str]:
    texts = [to_text(game) for game in positions(Game(2, seed=4), seed=4)]
    return texts[:: len(texts) // 9][:9] + texts[-1:]


MOMENTS: Final = _moments()


# --- drawn for people -------------------------------------------------------------------------

TEXT: Final = """
players: 2
to_play: 1
turn: 9
rounds: 1
scores: 7 12
dirk_score: 5
actions: 1
bought: 12
market: 41 3 - 17
display: b4 g9 o1 y5
hand 0: b1 b1
hand 1: b3 b3 g9
city 1: 34@-1,0 35@-1,1 30@0,1 10@0,2 50@1,0
reserve 1: 28 6
dirk: 0 7 14
deck: g1 s2 g2 b5
discards: rest
"""

PICTURE: Final = """\
Alhambra, german edition · turn 9 · 1 of 3 rounds scored · seat 1 to play (turn)
40 tiles in the bag, 4 cards in the deck
Market
  0 denar    garden 11 [....] (41)
  1 dirham   pavilion 5 [N..W] (3)
  2 ducat    -
  3 guilder  arcades 6 [..SW] (17)
Open money  denar 4, dirham 9, ducat 1, guilder 5
Hand of 1   denar 3 3, dirham 9
Bought      seraglio 8 [..S.] (12)
Dirk        5 points, pavilion 2 [NE.W] (0), seraglio 3 [.ESW] (7), arcades 4 [NES.] (14)

 Seat 0: 7 points, 2 cards, wall 0; nothing built
        0
     +-----+
   0 | (O) |
     +-----+

*Seat 1: 12 points, 3 cards, wall 2; 1 seraglio, 1 chambers, 2 garden, 1 tower
 Reserve    pavilion 8 [....] (6), chambers 9 [..S.] (28)
        0     1     2
     +=====+=====+
  -1 |ga  8#ga  8|
     +     +     +-----+
   0 | (O)  ch 10 se  6#
     +     +-----+=====+
   1 |to 11|
     +=====+"""


def test_a_position_is_drawn_with_all_that_lies_on_the_table() -> None:
    assert str(from_text(TEXT)) == PICTURE


@pytest.mark.parametrize(
    ("city", "drawing"),
    [
        ("", ["0", "+-----+", "0 | (O) |", "+-----+"]),
        # pavilion 2, walls N, E and W
        ("0@-1,0", ["0", "+=====+", "-1 #pa  2#", "+     +", "0 | (O) |", "+-----+"]),
        # arcades 4, walls N, E and S
        ("14@0,1", ["0     1", "+-----+=====+", "0 | (O)  ar  4#", "+-----+=====+"]),
        # garden 7, walls N, S and W
        ("33@0,-1", ["-1     0", "+=====+-----+", "0 #ga  7  (O) |", "+=====+-----+"]),
        # seraglio 3, walls E, S and W
        ("7@1,0", ["0", "+-----+", "0 | (O) |", "+     +", "1 #se  3#", "+=====+"]),
        # a wall between two tiles is drawn, an open side is not
        (
            "34@-1,0 35@-1,1 30@0,1",
            [
                "0     1",
                "+=====+=====+",
                "-1 |ga  8#ga  8|",
                "+     +     +",
                "0 | (O)  ch 10|",
                "+-----+-----+",
            ],
        ),
    ],
)
def test_a_drawn_city_shows_its_walls_and_offsets(city: str, drawing: list[str]) -> None:
    lines = str(from_text(f"city 2: {city}")).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(" Seat 2"))
    assert [line.strip() for line in lines[start + 1 :]] == drawing


@pytest.mark.parametrize(("edition", "num_players"), SETTINGS[::3])
def test_every_position_of_a_game_can_be_drawn(edition: EditionName, num_players: int) -> None:
    for number, game in enumerate(positions(Game(num_players, edition, seed=6), seed=6)):
        if number % 20 == 0 or game.over:
            drawn = str(game)
            assert f"{edition} edition" in drawn
            for seat in range(num_players):
                assert f"Seat {seat}: {game.scores[seat]} points" in drawn
            assert drawn.count("(O)") == num_players
    assert "game over" in str(game)
