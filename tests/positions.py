"""Positions for the rule tests: written as text, played by the names of actions."""

import random
from itertools import permutations

from alhambra_env import Game, actions
from alhambra_env.engine.material import COLOURS, N_CURRENCIES, N_VALUES, SIDES, TILES
from alhambra_env.notation import from_text

NEXT = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}


def position(*blocks: str) -> Game:
    """Return the game at the position that these lines describe."""
    return from_text("\n".join(blocks))


def play(game: Game, *names: str) -> Game:
    """Play the actions of these names, and return the game."""
    for name in names:
        game.step(actions.parse(name))
    return game


def play_randomly(game: Game, steps: int = 10**9, seed: int = 0) -> Game:
    """Play this many random actions, or to the end of the game; return the game."""
    chooser = random.Random(seed)
    for _ in range(steps):
        if game.over:
            break
        game.step(chooser.choice(game.legal_actions()))
    return game


def take_turns(game: Game, turns: int) -> list[int]:
    """Let everybody take the first money card; return whose turns these were."""
    seats = []
    for _ in range(turns):
        seats.append(game.to_play)
        play(game, "take:0")
    return seats


def legal(game: Game, kind: str = "") -> set[str]:
    """Return the names of the legal actions, of all kinds or of one."""
    names = map(actions.name, game.legal_actions())
    return {name for name in names if name.split(":")[0] == kind or not kind}


def money(words: str) -> list[list[int]]:
    """Return cards, written as in `b3 b3 g9`, the way a snapshot counts hands and discards."""
    counts = [[0] * N_VALUES for _ in range(N_CURRENCIES)]
    letters = [colour[0] for colour in COLOURS]
    for word in words.split():
        counts[letters.index(word[0])][int(word[1]) - 1] += 1
    return counts


def values_of(hand: list[list[int]]) -> list[int]:
    """Return the values of the cards that a snapshot counts."""
    return [value + 1 for row in hand for value in range(N_VALUES) for _ in range(row[value])]


# --- cities -----------------------------------------------------------------------------------


def around(*tiles: int) -> str:
    """Return, as text, a city with these tiles, up to four, each on a side of the fountain."""
    for sides in permutations(SIDES, len(tiles)):
        pairs = list(zip(tiles, sides, strict=True))
        if not any(OPPOSITE[side] in TILES[tile].walls for tile, side in pairs):
            return " ".join(f"{tile}@{NEXT[side][0]},{NEXT[side][1]}" for tile, side in pairs)
    raise ValueError(f"{tiles} do not fit around the fountain")


# --- scoring ----------------------------------------------------------------------------------


def score(scoring: int, *cities: str, more: str = "") -> Game:
    """Return a game with these cities in which only round 1, 2 or 3 was scored, just now.

    Seat 0 ended its turn by moving tile 0, which therefore lies in no city, to its reserve.
    """
    lines = [f"players: {len(cities)}", "phase: put", "picked: 0", "display: - b1 b1 b2", more]
    lines += [f"city {seat}: {city}" for seat, city in enumerate(cities)]
    if scoring == 3:
        lines += ["rounds: 2", "market: - - - -", "bag:", "reserve 0: rest"]
    else:
        lines += [f"rounds: {scoring - 1}", f"deck: s{scoring} y9 y9", "discards: rest"]
    return play(position(*lines), "store")


def prizes(scoring: int, *cities: str, more: str = "") -> list[int]:
    """Return what each seat with these cities gets in a round for its buildings alone."""
    game = score(scoring, *cities, more=more)
    return [points - int(game.state.walls[seat]) for seat, points in enumerate(game.scores)]
