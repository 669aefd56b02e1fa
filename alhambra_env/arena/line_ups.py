"""Who sits at a table: which players meet, in which order around it, and on which seats."""

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, permutations

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


def duel_line_up(player: int, other: int, seats: int) -> LineUp:
    """Return one player and as many copies of the other as there are seats left."""
    return (player, *(other for _ in range(seats - 1)))


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
