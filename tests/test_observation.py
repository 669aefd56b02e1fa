"""Observations: each piece against plain Python, what a seat may know, and the layout of bytes.

What is expected comes from `Game.snapshot()`, from the list of tiles and from the building rules of
`brute_force`, and shares nothing with the compiled writers.
"""

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np
import pytest

from alhambra_env import Game, actions, alhambra_v0
from alhambra_env.engine.material import BUILDINGS, FOUNTAIN, TILES
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import HANDS, Hands
from tests import brute_force
from tests.positions import play, play_randomly, position

Picture = dict[str, Any]
Numbers = list[Any]

PHASES: Final = ["turn", "rebuild", "place", "put", "over"]
NUMBERS_OF_PLAYERS: Final = range(2, 7)
KINDS: Final = [actions.kind_of(action).name for action in range(actions.N_ACTIONS)]
OFFSET: Final = 64
"""Added to a gain of wall; 0 stands for a tile that fits nowhere."""


# --- positions of random games ----------------------------------------------------------------


class Moment(NamedTuple):
    """A position on the way through a game, and what a snapshot does not tell about it."""

    game: Game
    first_seat: int
    purchases: int
    """Tiles bought so far in this turn."""


def choose(game: Game, chooser: random.Random) -> int:
    """Return a legal action of a random kind, often an exact purchase, so that cities grow."""
    by_kind: dict[str, list[int]] = {}
    for action in game.legal_actions():
        by_kind.setdefault(KINDS[action], []).append(action)
    if exact := [action for action in by_kind.get("buy", []) if is_exact(game, action)]:
        by_kind["buy"] = exact
    kinds = sorted(by_kind)
    weights = [4 if kind in ("buy", "put") else 1 for kind in kinds]
    return chooser.choice(by_kind[chooser.choices(kinds, weights)[0]])


def is_exact(game: Game, purchase: int) -> bool:
    slot, payment = actions.decode(purchase).args
    price: int = TILES[game.state.market[slot]].price
    return bool(sum(payment) == price)


@cache
def moments(num_players: int) -> list[Moment]:
    """Return all positions of a random game."""
    game = Game(num_players, seed=num_players + 20)
    chooser = random.Random(num_players)
    first, purchases, met = game.to_play, 0, [Moment(game.clone(), game.to_play, 0)]
    while not game.over:
        turn, action = game.snapshot()["turn"], choose(game, chooser)
        game.step(action)
        is_same_turn = game.snapshot()["turn"] == turn
        purchases = is_same_turn * (purchases + (KINDS[action] == "buy"))
        met.append(Moment(game.clone(), first, purchases))
    return met


def some_moments(num_players: int, every: int) -> list[Moment]:
    """Return some positions of a random game, always with those of its end."""
    met = moments(num_players)
    ending = [moment for moment in met if moment.game.snapshot()["ending"]]
    return met[:: max(1, every)] + ending


def clockwise(items: Numbers, seat: int) -> Numbers:
    """Return what each seat has, in the order in which a seat sees it."""
    return items[seat:] + items[:seat]


# --- what is expected of each piece -----------------------------------------------------------


def flags(tiles: list[int]) -> Numbers:
    return [int(tile in tiles) for tile in range(54)]


def planes(city: list[list[int]]) -> np.ndarray:
    drawn = np.zeros((11, 19, 19), int)
    drawn[10, 9, 9] = 1
    for tile, dy, dx in city:
        y, x = (9 + dy) % 19, (9 + dx) % 19
        drawn[BUILDINGS.index(TILES[tile].building), y, x] = 1
        for side in TILES[tile].walls:
            drawn[6 + "NESW".index(side), y, x] = 1
    return drawn


def market_row(tile: int | None) -> Numbers:
    if tile is None:
        return [0] * 12
    _, building, price, walls = TILES[tile]
    kinds = [int(building == b) for b in BUILDINGS]
    return [*kinds, price, *(int(side in walls) for side in "NESW"), 1]


def display_row(card: list[int] | None) -> Numbers:
    return [0] * 6 if card is None else [*(int(card[0] == c) for c in range(4)), card[1], 1]


def as_city(picture: Picture, seat: int) -> brute_force.City:
    return {(0, 0): FOUNTAIN} | {(dy, dx): tile for tile, dy, dx in picture["cities"][seat]}


def count_buildings(tiles: list[int]) -> Numbers:
    counts = Counter(TILES[tile].building for tile in tiles)
    return [counts[building] for building in BUILDINGS]


def buildings_of(picture: Picture) -> Numbers:
    """Return a row for each seat, and one for Dirk."""
    rows = [count_buildings([tile for tile, _, _ in city]) for city in picture["cities"]]
    return [*rows, count_buildings(picture["dirk"]["tiles"] if picture["dirk"] else [])]


def walls_of(picture: Picture) -> Numbers:
    seats = range(picture["num_players"])
    return [brute_force.longest_wall(as_city(picture, seat)) for seat in seats]


def prizes(round_number: int, building: int) -> list[int]:
    """Return what the places are worth (R22)."""
    firsts = {1: [1], 2: [8, 1], 3: [16, 8, 1]}[round_number]
    return [first + building for first in firsts] + [0] * 7


def points_of(picture: Picture, round_number: int) -> Numbers:
    """Return what everybody, Dirk last, would score in a round (R22 to R24, R29)."""
    rows = buildings_of(picture)
    points = [*walls_of(picture), 0]
    for building in range(6):
        counts = sorted((row[building] for row in rows), reverse=True)
        for player, row in enumerate(rows):
            if row[building]:
                places = [i for i, count in enumerate(counts) if count == row[building]]
                shared = sum(prizes(round_number, building)[i] for i in places)
                points[player] += shared // len(places)
    return points


def standing_of(picture: Picture, seat: int) -> Numbers:
    points = points_of(picture, min(picture["rounds_scored"] + 1, 3))
    rows = buildings_of(picture)
    leads = [
        [row[building] - rows[seat][building] for row in rows if row[building] > own]
        for building, own in enumerate(rows[seat])
    ]
    return [*clockwise(points[:-1], seat), points[-1], *(min(lead, default=0) for lead in leads)]


def offer_row(picture: Picture, seat: int, slot: int) -> Numbers:
    tile = picture["market"][slot]
    if tile is None:
        return [0] * 4
    sums = {0}
    for value, copies in enumerate(picture["hands"][seat][slot], 1):
        for _ in range(copies):
            sums |= {total + value for total in sums}
    price = TILES[tile].price
    least = min((total - price for total in sums if total >= price), default=None)
    paid = [0, 0, price - max(sums)] if least is None else [int(least == 0), least, 0]
    return [*paid, max(gains_of(as_city(picture, seat), tile).values(), default=0)]


def gains_of(city: brute_force.City, tile: int) -> dict[brute_force.Cell, int]:
    """Return what a tile does to the longest wall, for each empty cell where it may be added."""
    before = brute_force.longest_wall(city)
    return {
        cell: brute_force.longest_wall({**city, cell: tile}) - before + OFFSET
        for cell in brute_force.placements(city, tile)
    }


def expected(name: str, moment: Moment, seat: int) -> Any:
    """Return what a seat should see."""
    picture = moment.game.snapshot()
    players = picture["num_players"]
    match name:
        case "city":
            return planes(picture["cities"][seat])
        case "other_cities":
            return [planes(city) for city in clockwise(picture["cities"], seat)[1:]]
        case "market":
            return [market_row(tile) for tile in picture["market"]]
        case "display":
            return [display_row(card) for card in picture["display"]]
        case "hand":
            return picture["hands"][seat]
        case "hand_sizes":
            return [sum(map(sum, hand)) for hand in clockwise(picture["hands"], seat)]
        case "other_hands":
            return clockwise(picture["hands"], seat)[1:]
        case "reserves":
            return [flags(tiles) for tiles in clockwise(picture["reserves"], seat)]
        case "bought":
            return flags(picture["bought"])
        case "picked":
            return flags([picture["picked"]])
        case "buildings":
            *rows, dirk = buildings_of(picture)
            return [*clockwise(rows, seat), dirk]
        case "walls":
            return clockwise(walls_of(picture), seat)
        case "scores":
            dirk_score = picture["dirk"]["score"] if picture["dirk"] else 0
            return [*clockwise(picture["scores"], seat), dirk_score]
        case "unseen_tiles":
            return flags(picture["bag"])
        case "discards":
            return picture["discards"]
        case "progress":
            return [
                PHASES.index(picture["phase"]),
                picture["rounds_scored"],
                len(picture["bag"]),
                len(picture["deck"]),
                moment.purchases,
                (moment.first_seat - seat) % players,
            ]
        case "standing":
            return standing_of(picture, seat)
        case "offers":
            return [offer_row(picture, seat, slot) for slot in range(4)]
    raise AssertionError(f"nothing is expected of {name!r}")


SIMPLE: Final = [name for name in PIECE_NAMES if name not in ("offers", "wall_gain")]


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_random_games_meet_all_there_is(num_players: int) -> None:
    pictures = [moment.game.snapshot() for moment in moments(num_players)]
    assert {picture["phase"] for picture in pictures} == set(PHASES)
    assert {picture["rounds_scored"] for picture in pictures} == {0, 1, 2, 3}
    assert {picture["ending"] for picture in pictures} == {False, True}
    assert max(moment.purchases for moment in moments(num_players)) > 1
    for seat in range(num_players):
        assert any(picture["reserves"][seat] for picture in pictures)
        assert any(picture["cities"][seat] for picture in pictures)
    assert any(pictures[-1]["scores"])
    assert num_players > 2 or pictures[-1]["dirk"]["score"] > 0


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_every_seat_sees_what_the_snapshot_says(num_players: int, name: str) -> None:
    layout = Layout(num_players, "open", [name])
    is_slow = name in ("walls", "standing")
    for moment in some_moments(num_players, every=20 if is_slow else 3):
        for seat in range(num_players):
            buffer = layout.observe(moment.game.states, 0, seat)
            wanted = expected(name, moment, seat)
            assert np.array_equal(layout.split(buffer)[name], wanted), (seat, moment.game)


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_offers_are_what_trying_out_all_payments_and_cells_gives(num_players: int) -> None:
    layout = Layout(num_players, pieces=["offers"])
    met: Counter[str] = Counter()
    for number, moment in enumerate(some_moments(num_players, every=15)):
        seat = number % num_players
        offers = layout.split(layout.observe(moment.game.states, 0, seat))["offers"]
        assert offers.tolist() == expected("offers", moment, seat)
        for exact, over, short, gain in offers.tolist():
            met["exact"] += exact
            met["overpaid"] += over > 0
            met["too dear"] += short > 0
            met["longer wall"] += gain > OFFSET
    assert min(met[what] for what in ("exact", "overpaid", "too dear", "longer wall")) > 0


def test_an_empty_slot_offers_nothing() -> None:
    game = position("phase: put\npicked: 7\nmarket: - 13 21 22\nhand 0: b9 b9 g9")
    assert game.observe(0, pieces=["offers"])["offers"].tolist() == [
        [0, 0, 0, 0],
        [1, 0, 0, OFFSET],
        [0, 0, 9, OFFSET],
        [0, 0, 10, OFFSET],
    ]


def test_a_tile_that_fits_nowhere_has_no_gain() -> None:
    # 0 is open to the south only, and all tiles here have a wall in the north.
    game = position("city 0: 4@-1,0 20@0,1 38@0,-1\nmarket: 0 13 21 22")
    city = as_city(game.snapshot(), 0)
    assert not brute_force.placements(city, 0)
    assert game.observe(0, pieces=["offers"])["offers"][0].tolist() == [0, 0, 2, 0]


@pytest.mark.parametrize(
    ("hand", "row"),
    [
        ("", [0, 0, 9]),
        ("b8", [0, 0, 1]),
        ("b9", [1, 0, 0]),
        ("b4 b5", [1, 0, 0]),
        ("b7 b8", [0, 6, 0]),
        ("b7 b8 b3", [0, 1, 0]),
        ("b1 b1 b1 b2 b2 b2", [1, 0, 0]),
        ("g9 o9 y9", [0, 0, 9]),  # money of other currencies
    ],
)
def test_offers_say_whether_and_how_the_hand_pays(hand: str, row: list[int]) -> None:
    game = position(f"market: 13 21 22 30\nhand 0: {hand}\nhand 1: b9")
    assert game.observe(0, pieces=["offers"])["offers"][0, :3].tolist() == row


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_gain_of_wall_is_what_a_step_makes_of_it(num_players: int) -> None:
    layout = Layout(num_players, pieces=["wall_gain"])
    placing = [m.game for m in moments(num_players) if m.game.phase == "put"]
    assert len(placing) > 10
    for game in placing[::3]:
        seat, picture = game.to_play, game.snapshot()
        gains = dict.fromkeys(range(361), 0)
        for action in game.legal_actions():
            move = actions.decode(action)
            if move.kind == "put":
                after = game.clone()
                after.step(action)
                walls = [
                    brute_force.longest_wall(as_city(p, seat)) for p in (picture, after.snapshot())
                ]
                dy, dx = move.args
                gains[(9 + dy) % 19 * 19 + (9 + dx) % 19] = walls[1] - walls[0] + OFFSET
        assert layout.observe(game.states, 0, seat).tolist() == list(gains.values())
        for other in set(range(num_players)) - {seat}:
            assert not layout.observe(game.states, 0, other).any()


def rebuilding(num_players: int) -> list[Game]:
    """Return the positions in which a tile of the reserve is being put."""
    return [m.game for m in moments(num_players) if m.game.phase == "rebuild"]


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_gain_of_wall_on_an_empty_cell_is_shown_in_a_rebuild_too(num_players: int) -> None:
    layout = Layout(num_players, pieces=["wall_gain"])
    assert rebuilding(num_players)
    for game in rebuilding(num_players):
        picture = game.snapshot()
        city = as_city(picture, game.to_play)
        seen = layout.split(layout.observe(game.states, 0, game.to_play))["wall_gain"]
        wanted = np.zeros((19, 19), int)
        for (dy, dx), gain in gains_of(city, picture["picked"]).items():
            wanted[(9 + dy) % 19, (9 + dx) % 19] = gain
        for dy, dx in city:
            wanted[(9 + dy) % 19, (9 + dx) % 19] = seen[(9 + dy) % 19, (9 + dx) % 19]
        assert np.array_equal(seen, wanted)


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_gain_of_wall_of_a_swap_is_shown(num_players: int) -> None:
    # R11: in a rebuild the picked tile may also be put on a city tile.
    layout = Layout(num_players, pieces=["wall_gain"])
    for game in rebuilding(num_players):
        picture = game.snapshot()
        city = as_city(picture, game.to_play)
        before = brute_force.longest_wall(city)
        seen = layout.split(layout.observe(game.states, 0, game.to_play))["wall_gain"]
        shown = {cell: int(seen[(9 + cell[0]) % 19, (9 + cell[1]) % 19]) for cell in city}
        assert {cell: gain for cell, gain in shown.items() if gain} == {
            cell: brute_force.longest_wall({**city, cell: picture["picked"]}) - before + OFFSET
            for cell in brute_force.swaps(city, picture["picked"])
        }


@pytest.mark.parametrize(("tile", "gain"), [(6, 0), (4, 1), (0, 3)])
def test_a_swap_for_a_tile_with_walls_makes_the_wall_longer(tile: int, gain: int) -> None:
    # 13, which has no walls, is swapped for the tile; 0 is open to the south only.
    cell = (-1, 0) if tile == 0 else (0, 1)
    game = position(
        f"city 0: 13@{cell[0]},{cell[1]}\nphase: rebuild\npicked: {tile}\nmarket: 21 22 30 31"
    )
    assert actions.parse(f"put:{cell[0]},{cell[1]}") in game.legal_actions()
    seen = game.observe(0, pieces=["wall_gain"])["wall_gain"]
    assert seen[9 + cell[0], 9 + cell[1]] == OFFSET + gain


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_there_is_no_gain_of_wall_while_no_tile_is_picked(num_players: int) -> None:
    layout = Layout(num_players, pieces=["wall_gain"])
    for moment in moments(num_players):
        if moment.game.snapshot()["picked"] is None:
            for seat in range(num_players):
                assert not layout.observe(moment.game.states, 0, seat).any()


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_standing_foretells_the_points_of_a_scoring(num_players: int) -> None:
    foretold = 0
    for (game, *_), (later, *_) in pairwise(moments(num_players)):
        before, after = game.snapshot(), later.snapshot()
        leaves_all_tiles = KINDS[later.history[-1]] in ("take", "store")
        if leaves_all_tiles and after["rounds_scored"] == before["rounds_scored"] + 1:
            foretold += 1
            for seat in range(num_players):
                points = game.observe(seat, pieces=["standing"])["standing"][:num_players]
                old, new = clockwise(before["scores"], seat), clockwise(after["scores"], seat)
                assert [b - a for a, b in zip(old, new, strict=True)] == points.tolist()
    assert foretold


def test_points_above_255_are_shown_as_255() -> None:
    game = position("players: 2\nphase: over\nrounds: 3\nscores: 254 256\ndirk_score: 195")
    assert game.observe(0)["scores"].tolist() == [254, 255, 195]
    assert game.observe(1)["scores"].tolist() == [255, 254, 195]


@pytest.mark.parametrize(
    ("dy", "dx", "last"), [(0, 1, 5), (0, -1, 11), (1, 0, 12), (-1, 0, 4)], ids=["E", "W", "S", "N"]
)
def test_a_city_that_reaches_around_the_grid_is_drawn_around_it(
    dy: int, dx: int, last: int
) -> None:
    # Ten tiles without walls, and one with a wall on its far side.
    line = enumerate([6, 13, 21, 22, 30, 31, 40, 41, 51, 52, last], 1)
    game = position("city 1: " + " ".join(f"{tile}@{i * dy},{i * dx}" for i, tile in line))
    city = game.observe(1)["city"]
    assert np.array_equal(city, planes(game.snapshot()["cities"][1]))
    assert np.array_equal(game.observe(0)["other_cities"][0], city)
    assert city[5, (9 + 10 * dy) % 19, (9 + 10 * dx) % 19] == 1  # 52, a tower
    assert city[6:10, (9 + 11 * dy) % 19, (9 + 11 * dx) % 19].sum() == 1


# --- what a seat may not know -----------------------------------------------------------------


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
        assert unequal > len(pictures) // 2 or (
            unequal == 0 and (secret, hands) == ("hands", "open")
        )


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


# --- what a seat may know ---------------------------------------------------------------------

# Tiles without walls lie in the market, so that no offer changes by itself. 13 and 21 cost the
# same. What else is told is told of seat 0, which looks on.
TABLE: Final = """
    market: 13 21 22 30
    display: b1 g2 o3 y4
"""


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
    "who began": Fact(TABLE, "first: 0", "first: 1", {"progress"}),
    "what an own city makes of the picked tile": Fact(
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


# --- the layout of bytes ----------------------------------------------------------------------


def shapes(players: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each piece, in order."""
    return {
        "city": (11, 19, 19),
        "other_cities": (players - 1, 11, 19, 19),
        "market": (4, 12),
        "display": (4, 6),
        "hand": (4, 9),
        "hand_sizes": (players,),
        "other_hands": (players - 1, 4, 9),
        "reserves": (players, 54),
        "bought": (54,),
        "picked": (54,),
        "buildings": (players + 1, 6),
        "walls": (players,),
        "scores": (players + 1,),
        "unseen_tiles": (54,),
        "discards": (4, 9),
        "progress": (6,),
        "standing": (players + 1 + 6,),
        "offers": (4, 4),
        "wall_gain": (19, 19),
    }


DERIVED: Final = ["standing", "offers", "wall_gain"]


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_pieces_have_the_documented_names_order_and_shapes(num_players: int) -> None:
    layout = Layout(num_players, "open", PIECE_NAMES)
    assert layout.shapes == shapes(num_players)
    assert list(layout.shapes) == list(shapes(num_players)) == list(layout.pieces)
    seen = Game(num_players, seed=1).observe(0, "open", PIECE_NAMES)
    assert {name: piece.shape for name, piece in seen.items()} == shapes(num_players)


@pytest.mark.parametrize("hands", HANDS)
def test_pieces_lie_one_after_the_other(hands: Hands) -> None:
    for names in (None, ["scores", "city", "hand"], ["wall_gain", "walls"], ["progress"]):
        layout = Layout(4, hands, names)
        end = 0
        for name in layout.pieces:
            where = layout.slices[name]
            assert (where.start, where.step) == (end, None)
            end = where.stop
            assert end - where.start == np.prod(layout.shapes[name])
        assert layout.size == end
        assert list(layout.slices) == list(layout.pieces) == list(layout.shapes)


def test_the_pieces_of_a_buffer_are_views_of_it() -> None:
    layout = Layout(3, "open", PIECE_NAMES)
    game = play_randomly(Game(3, seed=5), steps=60)
    buffer = layout.observe(game.states, 0, 1)
    assert buffer.dtype == np.uint8
    assert buffer.shape == (layout.size,)
    pieces = layout.split(buffer)
    for name, piece in pieces.items():
        assert np.shares_memory(piece, buffer)
        where = layout.slices[name]
        assert piece.ctypes.data - buffer.ctypes.data == where.start
        assert np.array_equal(piece.reshape(-1), buffer[where])
        for other in pieces:
            assert other == name or not np.shares_memory(piece, pieces[other])
    pieces["scores"][0] = 77
    assert buffer[layout.slices["scores"].start] == 77


def test_the_pieces_of_several_buffers_are_views_too() -> None:
    layout = Layout(3, "open", PIECE_NAMES)
    games = [play_randomly(Game(3, seed=seed), steps=50) for seed in range(6)]
    buffers = np.array([layout.observe(game.states, 0, 0) for game in games]).reshape(2, 3, -1)
    pieces = layout.split(buffers)
    for name, piece in pieces.items():
        assert np.shares_memory(piece, buffers)
        assert piece.shape == (2, 3, *layout.shapes[name])
        for number, game in enumerate(games):
            alone = game.observe(0, "open", [name])[name]
            assert np.array_equal(piece[divmod(number, 3)], alone)


def test_each_observation_has_a_buffer_of_its_own() -> None:
    layout, game = Layout(3), Game(3, seed=1)
    first, second = (layout.observe(game.states, 0, 0) for _ in range(2))
    assert not np.shares_memory(first, second)
    first[:] = 9
    assert np.array_equal(layout.observe(game.states, 0, 0), second)


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_piece_is_the_same_whatever_lies_beside_it(num_players: int) -> None:
    names = list(PIECE_NAMES)
    random.Random(num_players).shuffle(names)
    for moment in some_moments(num_players, every=61):
        seat = moment.game.to_play
        everything = moment.game.observe(seat, "open", PIECE_NAMES)
        for some in (names[:1], names[1:3], names[3:8], names[8:], names[::2]):
            for name, piece in moment.game.observe(seat, "open", some).items():
                assert np.array_equal(piece, everything[name])


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_all_bytes_are_within_their_bounds(num_players: int) -> None:
    layout = Layout(num_players, "open", PIECE_NAMES)
    box, boxes = layout.box(), layout.boxes()
    assert isinstance(box, gymnasium.spaces.Box)
    assert box.shape == (layout.size,)
    assert box.dtype == np.uint8
    assert list(boxes) == list(PIECE_NAMES)
    for name, space in boxes.items():
        assert space.shape == layout.shapes[name]
        assert space.dtype == np.uint8
    for moment in some_moments(num_players, every=11):
        for seat in range(num_players):
            buffer = layout.observe(moment.game.states, 0, seat)
            assert box.contains(buffer)
            for name, piece in layout.split(buffer).items():
                assert boxes[name].contains(piece)
                assert piece.max(initial=0) <= layout.highs[name]


def test_the_bounds_of_the_buffer_are_those_of_its_pieces() -> None:
    layout = Layout(5, "open", PIECE_NAMES)
    high = layout.box().high
    assert not layout.box().low.any()
    assert np.array_equal(high, layout.high())
    for name, where in layout.slices.items():
        assert set(high[where].tolist()) == {layout.highs[name]}
    ones = ("city", "other_cities", "reserves", "bought", "picked", "unseen_tiles")
    assert {layout.highs[name] for name in ones} == {1}
    assert {layout.highs[name] for name in ("hand", "other_hands", "discards")} == {3}


# --- the form of an observation ---------------------------------------------------------------


def test_a_flat_layout_shows_the_buffer_itself_in_a_box() -> None:
    layout = Layout(3, form="flat")
    buffer = layout.observe(Game(3, seed=1).states, 0, 0)
    assert layout.view(buffer) is buffer
    assert layout.space() == layout.box()
    assert layout.space().contains(layout.view(buffer))


def test_a_layout_of_pieces_shows_views_of_the_buffer_in_a_space_of_pieces() -> None:
    layout = Layout(3, "open", ["walls", "hand", "other_hands"], form="dict")
    buffers = np.array([layout.observe(Game(3, seed=seed).states, 0, 0) for seed in range(4)])
    pieces = layout.view(buffers)
    assert isinstance(pieces, dict)
    assert tuple(pieces) == layout.pieces == ("hand", "other_hands", "walls")
    assert all(np.shares_memory(piece, buffers) for piece in pieces.values())
    assert pieces["other_hands"].shape == (4, 2, 4, 9)
    space = layout.space()
    assert space == gymnasium.spaces.Dict(layout.boxes())
    assert all(space.contains(layout.view(buffer)) for buffer in buffers)


def test_the_form_changes_nothing_about_the_buffer() -> None:
    flat, split = Layout(4), Layout(4, form="dict")
    assert (flat.form, split.form) == ("flat", "dict")
    assert flat.slices == split.slices
    assert np.array_equal(flat.bounds, split.bounds)
    assert flat.box() == split.box()


@pytest.mark.parametrize("form", ["", "Flat", "array", None, 1, True])
def test_an_unknown_form_is_refused_with_the_names_there_are(form: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown form of observation .*there are: flat, dict"):
        Layout(3, form=form)


# --- choosing pieces --------------------------------------------------------------------------


def test_by_default_all_pieces_on_the_table_are_there() -> None:
    on_the_table = [name for name in PIECE_NAMES if name not in DERIVED]
    assert list(Layout(3, "open").pieces) == on_the_table
    on_the_table.remove("other_hands")
    assert list(Layout(3, "secret").pieces) == on_the_table
    assert Layout(3).pieces == Layout(3, "secret").pieces


def test_pieces_are_chosen_by_name_in_any_order() -> None:
    for names in (["hand", "walls"], ("walls", "hand"), {"walls", "hand"}, iter(["walls", "hand"])):
        assert Layout(3, pieces=names).pieces == ("hand", "walls")
    assert Layout(3, pieces=["walls", "walls"]).pieces == ("walls",)
    assert Layout(3, pieces=["walls"]).size == 3


def test_a_single_name_is_a_choice_too() -> None:
    assert Layout(3, pieces="walls").pieces == ("walls",)


def test_environments_show_the_chosen_pieces() -> None:
    chosen = ["walls", "standing", "other_hands"]
    env = alhambra_v0.env(observation="dict", hands="open", pieces=chosen)
    env.reset(seed=3)
    assert list(env.observe("player_1")) == ["other_hands", "walls", "standing", "action_mask"]
    space = env.observation_space("player_1")
    assert isinstance(space, gymnasium.spaces.Dict)
    assert set(space) == {*chosen, "action_mask"}
    flat = alhambra_v0.env(hands="open", pieces=chosen)
    flat.reset(seed=3)
    assert flat.observe("player_1")["observation"].shape == (2 * 36 + 3 + 10,)


def ask_layout(**settings: Any) -> None:
    Layout(3, **settings)


def ask_game(**settings: Any) -> None:
    Game(3, seed=1).observe(0, **settings)


def ask_env(**settings: Any) -> None:
    alhambra_v0.env(**settings)


@pytest.mark.parametrize("ask", [ask_layout, ask_game, ask_env])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pieces": ["cty"]}, "unknown piece 'cty'; did you mean 'city'?"),
        ({"pieces": ["city", "wals"]}, "unknown piece 'wals'; did you mean 'walls'?"),
        ({"pieces": "reserve"}, "unknown piece 'reserve'; did you mean 'reserves'?"),
        ({"pieces": ["xyzzy"]}, "unknown piece 'xyzzy'; there are:"),
        ({"pieces": [3]}, "unknown piece 3; there are:"),
        ({"pieces": [None]}, "unknown piece None; there are:"),
        ({"pieces": []}, "needs a piece; there are:"),
        ({"pieces": ()}, "needs a piece; there are:"),
    ],
)
def test_other_choices_are_refused_with_the_names_there_are(
    ask: Callable[..., None], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match="piece") as refusal:
        ask(**settings)
    assert message in str(refusal.value)
    for name in PIECE_NAMES:
        assert name in str(refusal.value)


@pytest.mark.parametrize("ask", [ask_layout, ask_game, ask_env])
def test_hands_of_others_are_refused_while_hands_are_secret(ask: Callable[..., None]) -> None:
    for settings in ({}, {"hands": "secret"}):
        with pytest.raises(ValueError, match="piece 'other_hands' needs hands=\"open\""):
            ask(pieces=["city", "other_hands"], **settings)
    ask(pieces=["city", "other_hands"], hands="open")


@pytest.mark.parametrize("ask", [ask_layout, ask_game, ask_env])
@pytest.mark.parametrize("hands", ["", "closed", "Open", None, 1, True])
def test_unknown_hands_are_refused_with_the_words_there_are(
    ask: Callable[..., None], hands: Any
) -> None:
    with pytest.raises(ValueError, match=r"unknown hands .*there are: secret, open"):
        ask(hands=hands)


# --- Game.observe -----------------------------------------------------------------------------


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_a_game_is_observed_as_by_a_layout(num_players: int, hands: Hands) -> None:
    layout = Layout(num_players, hands)
    for moment in some_moments(num_players, every=97):
        for seat in range(num_players):
            pieces = moment.game.observe(seat, hands)
            assert list(pieces) == list(layout.pieces)
            buffer = np.concatenate([piece.reshape(-1) for piece in pieces.values()])
            assert np.array_equal(buffer, layout.observe(moment.game.states, 0, seat))


def test_hands_are_secret_and_derived_pieces_left_out_unless_asked_for() -> None:
    seen = Game(3, seed=1).observe(0)
    assert not {"other_hands", *DERIVED} & set(seen)
    assert set(Game(3, seed=1).observe(0, pieces=DERIVED)) == set(DERIVED)
    assert "other_hands" in Game(3, seed=1).observe(0, hands="open")


def test_observing_changes_nothing_and_what_is_seen_is_the_callers_own() -> None:
    game = play_randomly(Game(3, seed=2), steps=40)
    before = game.to_bytes()
    seen = game.observe(2, "open", PIECE_NAMES)
    assert game.to_bytes() == before
    copies = {name: piece.copy() for name, piece in seen.items()}
    for piece in seen.values():
        piece[...] = 200
    assert game.to_bytes() == before
    again = game.observe(2, "open", PIECE_NAMES)
    assert all(np.array_equal(again[name], copies[name]) for name in PIECE_NAMES)
    game.step(game.legal_actions()[0])
    assert all(np.array_equal(again[name], copies[name]) for name in PIECE_NAMES)


def test_a_finished_game_can_be_observed() -> None:
    game = play_randomly(Game(4, seed=3))
    for seat in range(4):
        seen = game.observe(seat)
        assert seen["progress"][0] == PHASES.index("over")
        assert seen["scores"].tolist() == [*clockwise(game.scores, seat), 0]


def test_seats_are_relative_to_the_observer() -> None:
    game = play(position("players: 4\nrounds: 1\nscores: 1 2 3 4\nfirst: 2"), "take:0")
    assert game.observe(0)["scores"].tolist() == [1, 2, 3, 4, 0]
    assert game.observe(3)["scores"].tolist() == [4, 1, 2, 3, 0]
    assert [game.observe(seat)["progress"][5] for seat in range(4)] == [2, 1, 0, 3]
    assert game.observe(0)["hand_sizes"].tolist() == [1, 0, 0, 0]
    assert game.observe(1)["hand_sizes"].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("seat", [-1, 3, 6, 1.5, "0", None, True])
def test_a_seat_that_nobody_plays_sees_nothing(seat: Any) -> None:
    with pytest.raises(ValueError, match="seat must be"):
        Game(3, seed=1).observe(seat)
