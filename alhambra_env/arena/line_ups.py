"""Who sits at a table: which players meet, in which order around it, and on which seats."""

from collections.abc import Iterable, Sequence
from itertools import combinations, combinations_with_replacement, permutations

from ..options import GameRules
from ..validation import whole_number

LineUp = tuple[int, ...]
"""Numbers of players, one for each seat."""


def all_line_ups(players: int, seats: int) -> tuple[LineUp, ...]:
    """Return every choice of players for a table.

    With more players than seats these are all combinations of different ones; with fewer, some
    players sit there several times, in every way in which each has a seat.
    """
    if players >= seats:
        return tuple(combinations(range(players), seats))
    choices = combinations_with_replacement(range(players), seats)
    return tuple(choice for choice in choices if len(set(choice)) == players)


def duel_line_up(seats: int) -> LineUp:
    """Return the first player and as many copies of the second as there are seats left."""
    return (0, *(1 for _ in range(seats - 1)))


def read_line_ups(
    given: Iterable[Sequence[int]], places: Sequence[int], rules: GameRules
) -> tuple[LineUp, ...]:
    """Return line-ups of players in another order: the player given as i is `places[i]` there.

    Raises:
        ValueError: a line-up has another number of seats, or a player sits nowhere.
    """
    line_ups = []
    for each in given:
        players = [whole_number(player, "a player", 0, len(places) - 1) for player in each]
        if len(players) != rules.num_players:
            raise ValueError(f"a line-up has {rules.num_players} players, not {len(players)}")
        line_ups.append(tuple(places[player] for player in players))
    if {player for line_up in line_ups for player in line_up} != set(places):
        raise ValueError("each player must be in a line-up")
    return tuple(line_ups)


def circles(line_up: LineUp) -> tuple[LineUp, ...]:
    """Return the different orders around the table; those that a rotation makes equal count once.

    It matters whom one sits behind, so a match goes through them, a deal with each in turn.
    """
    first, *others = line_up
    orders = {min(rotations((first, *order))) for order in permutations(others)}
    return tuple(sorted(orders))


def rotations(circle: Sequence[int]) -> list[LineUp]:
    """Return the seatings of a circle: everybody once on every seat."""
    return [(*circle[shift:], *circle[:shift]) for shift in range(len(circle))]
