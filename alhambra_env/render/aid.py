"""The player's aid as text: what there is to win, and who would win it if the next round came now.

It shows what everybody at the table knows. Which tiles are in the bag is known, because all others
have been seen; which of them comes next is not.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from ..engine.material import (
    BUILDINGS,
    N_BUILDINGS,
    N_ROUNDS,
    PRIZES,
    TILE_BUILDING,
    TILES,
)
from ..engine.scoring import majority_points

_PLACES: Final = ("1st", "2nd", "3rd")
_NOTHING: Final = "."
_INDENT: Final = "  "
_ABOUT_WALLS: Final = "1 point for each part of the longest outer wall, in every round"

# How wide columns are. With six players a line has fewer than 80 characters.
_NAME: Final = max(map(len, BUILDINGS))
_MATERIAL: Final = (6, 7)  # tiles and prices
_FIRST_PRIZE: Final = 9  # of a round, in the general aid; so rounds stand apart
_OTHER_PRIZES: Final = 5
_PRIZE: Final = 3  # of the next round, in the standing
_SUPPLY: Final = (7, 4)  # market and bag
_POINTS: Final = 5
_PLAYER: Final = 3 + _POINTS


# --- for every game ---------------------------------------------------------------------------


def aid_headings() -> list[str]:
    """Return the heading of each column of `aid_rows`."""
    prizes = (
        f"round {scoring + 1}, {_PLACES[place]}"
        for scoring in range(N_ROUNDS)
        for place in _paid_places(scoring)
    )
    return ["building", "tiles", "price", *prizes]


def aid_rows() -> list[list[str]]:
    """Return for each building type: how many tiles, their prices, and the prizes (R1, R22)."""
    rows = []
    for building, name in enumerate(BUILDINGS):
        prices = [tile.price for tile in TILES if tile.building == name]
        prizes = (PRIZES[i, place, building] for i in range(N_ROUNDS) for place in _paid_places(i))
        rows.append([name, f"{len(prices)}", f"{min(prices)}-{max(prices)}", *map(str, prizes)])
    return rows


def draw_aid() -> str:
    """Return what lies in front of every player: tiles, prices, prizes by round, and the wall."""
    places, widths, rounds = [], [], []
    for scoring in range(N_ROUNDS):
        paid = _paid_places(scoring)
        places += [_PLACES[place] for place in paid]
        widths += [_OTHER_PRIZES if place else _FIRST_PRIZE for place in paid]
        rounds.append(sum(widths[-len(paid) :]))
    titles = [f"round {scoring + 1}" for scoring in range(N_ROUNDS)]
    lines = [
        "Player's aid",
        _line(["", "", "", *titles], [*_MATERIAL, *rounds]),
        _line(["", "tiles", "price", *places], [*_MATERIAL, *widths]),
        *(_line(row, [*_MATERIAL, *widths]) for row in aid_rows()),
        _line(["wall", _ABOUT_WALLS], [len(_ABOUT_WALLS) + 1]),
    ]
    return "\n".join(lines)


def _paid_places(scoring: int) -> range:
    """Return the places, counted from 0, that bring points in a round."""
    return range(np.count_nonzero(PRIZES[scoring].any(axis=1)))


# --- for a position ---------------------------------------------------------------------------


def draw_standing(snapshot: dict[str, Any], walls: list[int]) -> str:
    """Return how many tiles of each type everybody has, and what they would score for them now.

    The points are those of the next round; once the game is over, those of the last.

    Args:
        snapshot: what `Game.snapshot()` returns.
        walls: length of the longest outer wall of each seat.
    """
    now = standing(snapshot, walls)
    players, scoring = now.players, now.scoring
    rows = [["", "prizes", "market", "bag", *(player.name for player in players)]]
    for building, name in enumerate(BUILDINGS):
        prizes = now.prizes[building]
        rows.append([name, "".join(f"{prize:>{_PRIZE}}" for prize in prizes)])
        rows[-1] += [str(tiles[building] or _NOTHING) for tiles in (now.market, now.bag)]
        rows[-1] += map(_cell, (player.tiles[building] for player in players), now.points[building])
    blank = [""] * 3
    rows += [
        ["wall", *blank, *(_cell(player.wall, player.wall) for player in players)],
        ["together", *blank, *(f"+{total}" for total in now.totals)],
        ["score", *blank, *(str(player.score) for player in players)],
    ]
    number = scoring + 1
    title = (
        f"How round {number} was scored" if now.is_over else f"If round {number} were scored now"
    )
    prizes_width = max(_PRIZE * len(_paid_places(scoring)), len("prizes")) + 1
    widths = [prizes_width, *_SUPPLY, *[_PLAYER] * len(players)]
    return "\n".join([title, *(_line(row, widths) for row in rows)])


class Ranked(NamedTuple):
    """A player, or Dirk, in the standing."""

    name: str
    tiles: list[int]
    """How many of each type."""
    wall: int
    score: int


class Standing(NamedTuple):
    """What everybody has, and what it would score in the next round, or did in the last one."""

    is_over: bool
    scoring: int
    """The round, counted from 0."""
    players: list[Ranked]
    prizes: list[list[int]]
    """The points for each place, of each building type."""
    points: list[list[int]]
    """What each building type brings each player."""
    totals: list[int]
    """What the round brings each player, with the wall."""
    market: list[int]
    """How many tiles of each type are in the market."""
    bag: list[int]
    """How many tiles of each type are in the bag."""


def standing(snapshot: dict[str, Any], walls: list[int]) -> Standing:
    """Return the standing of a position.

    Args:
        snapshot: what `Game.snapshot()` returns.
        walls: length of the longest outer wall of each seat.
    """
    is_over = snapshot["phase"] == "over"
    scoring = N_ROUNDS - 1 if is_over else int(snapshot["rounds_scored"])
    players = _players(snapshot, walls)
    points = _points(np.array([player.tiles for player in players]), scoring)
    paid = len(_paid_places(scoring))
    return Standing(
        is_over,
        scoring,
        players,
        PRIZES[scoring, :paid].T.tolist(),
        points.tolist(),
        [sum(of_types) + p.wall for of_types, p in zip(points.T.tolist(), players, strict=True)],
        _count_types(snapshot["market"]),
        _count_types(snapshot["bag"]),
    )


def _players(snapshot: dict[str, Any], walls: list[int]) -> list[Ranked]:
    """Return all that are ranked: the seats, and Dirk (R29)."""
    players = []
    for seat, city in enumerate(snapshot["cities"]):
        is_next = seat == snapshot["to_play"] and snapshot["phase"] != "over"
        tiles = _count_types(tile for tile, _, _ in city)
        name = f"{'*' if is_next else ''}Seat {seat}"
        players.append(Ranked(name, tiles, walls[seat], snapshot["scores"][seat]))
    if dirk := snapshot["dirk"]:
        players.append(Ranked("Dirk", _count_types(dirk["tiles"]), 0, dirk["score"]))
    return players


def _count_types(tiles: Iterable[int | None]) -> list[int]:
    """Return how many of these tiles are of each type."""
    types = [int(TILE_BUILDING[tile]) for tile in tiles if tile is not None]
    return [types.count(building) for building in range(N_BUILDINGS)]


def _points(tiles: np.ndarray, scoring: int) -> np.ndarray:
    """Return the points for each type (first axis) of each player, from their tiles."""
    points = np.zeros(tiles.T.shape, np.int64)
    for building, player in np.ndindex(points.shape):
        points[building, player] = majority_points(tiles[:, building], player, scoring, building)
    return points


def _cell(tiles: int, points: int) -> str:
    """Return what a player has of something, and the points that it brings."""
    return f"{tiles or _NOTHING}{f'+{points}' if points else '':>{_POINTS}}"


def _line(cells: list[str], widths: Iterable[int]) -> str:
    """Return a line of a table: the name of the row, and columns aligned to the right."""
    name, *rest = cells
    columns = (f"{cell:>{width}}" for cell, width in zip(rest, widths, strict=True))
    return f"{_INDENT}{name:<{_NAME}}{''.join(columns)}".rstrip()
