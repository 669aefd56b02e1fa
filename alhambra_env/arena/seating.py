"""Who sits where: which players meet, in which order around the table, and on which seats.

| word | example | |
|---|---|---|
| line-up | A, B, C | the players that meet in a game |
| circular order | A B C, A C B | who sits behind whom, wherever the first seat is |
| rotation | A B C, B C A, C A B | who sits on which seat |
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, combinations_with_replacement, permutations

from ..options import GameRules
from ..validation import whole_number

LineUp = tuple[int, ...]
"""The players of a game by number, one for each seat."""


def all_line_ups(players: int, seats: int) -> tuple[LineUp, ...]:
    """Return every choice of players for the seats.

    With more players than seats, these are all combinations of different players. With fewer, some
    players take several seats, in every way in which each has at least one.
    """
    if players >= seats:
        return tuple(combinations(range(players), seats))
    choices = combinations_with_replacement(range(players), seats)
    return tuple(choice for choice in choices if len(set(choice)) == players)


def duel_line_up(seats: int) -> LineUp:
    """Return the line-up of one first player, and copies of the second on all other seats."""
    return (0, *(1 for _ in range(seats - 1)))


def renumbered_line_ups(
    given: Iterable[Sequence[int]], numbers: Sequence[int], rules: GameRules
) -> tuple[LineUp, ...]:
    """Return line-ups with other numbers for the players: `numbers[i]` in place of i.

    Raises:
        ValueError: a line-up has the wrong number of seats, or a player is in no line-up.
    """
    line_ups = []
    for each in given:
        players = [whole_number(player, "a player", 0, len(numbers) - 1) for player in each]
        if len(players) != rules.num_players:
            raise ValueError(f"a line-up has {rules.num_players} players, not {len(players)}")
        line_ups.append(tuple(numbers[player] for player in players))
    if {player for line_up in line_ups for player in line_up} != set(numbers):
        raise ValueError("each player must be in a line-up")
    return tuple(line_ups)


def circular_orders(line_up: LineUp) -> tuple[LineUp, ...]:
    """Return the different orders around the table; orders that differ by a rotation count once.

    It matters whom a player sits behind, so a match goes through these orders deal by deal.
    """
    first, *others = line_up
    orders = {min(rotations((first, *order))) for order in permutations(others)}
    return tuple(sorted(orders))


def rotations(order: Sequence[int]) -> list[LineUp]:
    """Return the seatings of a circular order: each player once on every seat."""
    return [(*order[shift:], *order[:shift]) for shift in range(len(order))]
