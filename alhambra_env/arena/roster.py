"""The players of a match: each has a name of its own, and can be made again elsewhere."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..bots import Bot
from ..players import Player, as_player, check_player_count, copy_of
from ..validation import printable_name, shown


class Contestant(NamedTuple):
    """A player of a match."""

    name: str
    given: Any
    """What `as_player` made it from. A string can be sent to other processes."""
    player: Player

    @property
    def spec(self) -> str | None:
        """The string that it was made from, if it was."""
        return self.given if isinstance(self.given, str) else None

    def copies(self, count: int) -> list[Player]:
        """Return players that can sit at one table without sharing anything that changes.

        Raises:
            ValueError: it is an object that cannot be copied.
        """
        players = [self.player]
        for _ in range(count - 1):
            twin = as_player(self.given)
            players.append(copy_of(twin) if twin is self.player else twin)
        return players


def enter(given: Any) -> Contestant:
    """Return the player of a match from what `as_player` takes.

    A string may begin with a name: `"fast=rollout:playouts=20"`.

    Raises:
        ValueError: there is no such player, its name cannot be printed or is too long, or nothing
            is on one side of the sign.
    """
    name = ""
    # The sign of a setting stands after a colon: "rollout:playouts=20".
    if isinstance(given, str) and "=" in given.partition(":")[0]:
        text = given
        name, _, given = text.partition("=")
        if not name.strip() or not name.isprintable() or not given:
            raise ValueError(
                f"{shown(text)} names no player: write name=player, such as fast=builder"
            )
    player = as_player(given)
    name = printable_name(name or player.name, "the name of a player")
    return Contestant(name, given, player)


def check_counts(roster: Iterable[Contestant], num_players: int) -> None:
    """Raise `ValueError` if a player was trained for another number of players."""
    for contestant in roster:
        check_player_count(contestant.player, num_players)


def enter_all(given: Iterable[Any]) -> list[Contestant]:
    """Return the players of a match from what `as_player` takes."""
    if isinstance(given, str):
        raise ValueError(f"players must be a list, not the string {shown(given)}")
    return [enter(each) for each in given]


def by_name(roster: list[Contestant]) -> tuple[Contestant, ...]:
    """Return the players in order of their names, so that the order they are given in is all one.

    Raises:
        ValueError: there are fewer than two, or two of the same name.
    """
    names = [contestant.name for contestant in roster]
    if len(names) < 2:
        raise ValueError(f"a match needs two players or more, not {len(names)}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"two players are called {name!r}: name each player once, or give one another name "
                f'("other={name}")'
            )
    return tuple(sorted(roster, key=lambda contestant: contestant.name))


def describe(contestant: Contestant) -> dict[str, Any]:
    """Return what is written about a player at the head of a file of results."""
    player = contestant.player
    row = player.row.tolist() if isinstance(player, Bot) else None
    return {"name": contestant.name, "spec": contestant.spec, "settings": row}
