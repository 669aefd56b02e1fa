"""Positions of random games, and a plain Python model of what a seat observes there.

The model reads `Game.snapshot()`, the list of tiles and the building rules of `brute_force`. It
shares nothing with the compiled writers.
"""

import random
from collections import Counter
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from alhambra_env import Game, actions
from alhambra_env.engine.material import BUILDINGS, FOUNTAIN, TILES
from tests import brute_force

Picture = dict[str, Any]
Numbers = list[Any]

PHASES: Final = ["turn", "rebuild", "place", "put", "over"]
NUMBERS_OF_PLAYERS: Final = range(2, 7)
KINDS: Final = [actions.kind_of(action).name for action in range(actions.N_ACTIONS)]
OFFSET: Final = 64
"""Added to a gain of wall; 0 stands for a tile that fits nowhere."""


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
        case "awards":
            won: list[list[int]] = [[] for _ in range(players)]
            for winner, tile in picture["awards"]:
                won[(winner - seat) % players].append(tile)
            return [flags(tiles) for tiles in won]
        case "ending":
            return [int(picture["ending"])]
        case "turns":
            return [list(divmod(turns, 256)) for turns in (picture["turn"], 1000 - picture["turn"])]
        case "to_play":
            decides = None if picture["phase"] == "over" else (picture["to_play"] - seat) % players
            return [int(rel == decides) for rel in range(players)]
        case "exact_slot":
            return [int(slot == picture["exact_slot"]) for slot in range(4)]
        case "standing":
            return standing_of(picture, seat)
        case "offers":
            return [offer_row(picture, seat, slot) for slot in range(4)]
    raise AssertionError(f"nothing is expected of {name!r}")


DERIVED: Final = ["standing", "offers", "wall_gain"]
