"""Entrants: the players of a match, each with its own name."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..bots import Bot
from ..players import Player, as_player, check_player_count, copy_of
from ..validation import printable_name, shown


class Entrant(NamedTuple):
    """A player of a match: its name there, and how to make copies of it."""

    name: str
    given: Any
    """What `as_player` made it from. A string can be sent to other processes."""
    player: Player

    @property
    def spec(self) -> str | None:
        """The string that it was made from, or None if it was made from something else."""
        return self.given if isinstance(self.given, str) else None

    def copies(self, count: int) -> list[Player]:
        """Return `count` players that can play in one game and share no mutable state.

        Raises:
            ValueError: it is an object that cannot be copied.
        """
        players = [self.player]
        for _ in range(count - 1):
            twin = as_player(self.given)
            players.append(copy_of(twin) if twin is self.player else twin)
        return players


def enter(given: Any) -> Entrant:
    """Return an entrant from anything that `as_player` takes.

    A string may start with a name: `"fast=rollout:playouts=20"`.

    Raises:
        ValueError: there is no such player, its name cannot be printed or is too long, or one side
            of the equals sign is empty.
    """
    name = ""
    # The equals sign of a setting comes after a colon: "rollout:playouts=20".
    if isinstance(given, str) and "=" in given.partition(":")[0]:
        text = given
        name, _, given = text.partition("=")
        if not name.strip() or not name.isprintable() or not given:
            raise ValueError(
                f"{shown(text)} does not name a player: write name=player, such as fast=builder"
            )
    player = as_player(given)
    name = printable_name(name or player.name, "the name of a player")
    return Entrant(name, given, player)


def enter_all(given: Iterable[Any]) -> list[Entrant]:
    """Return the entrants of a match from a list of what `as_player` takes."""
    if isinstance(given, str):
        raise ValueError(f"players must be a list, not the string {shown(given)}")
    return [enter(each) for each in given]


def check_player_counts(entrants: Iterable[Entrant], num_players: int) -> None:
    """Raise `ValueError` if an entrant was trained for another number of players."""
    for entrant in entrants:
        check_player_count(entrant.player, num_players)


def sorted_by_name(entrants: list[Entrant]) -> tuple[Entrant, ...]:
    """Return the entrants in order of their names, so that the order given does not matter.

    Raises:
        ValueError: there are fewer than two, or two have the same name.
    """
    names = [entrant.name for entrant in entrants]
    if len(names) < 2:
        raise ValueError(f"a match needs two players or more, not {len(names)}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"two players are called {name!r}: name each player once, or give one another name "
                f'("other={name}")'
            )
    return tuple(sorted(entrants, key=lambda entrant: entrant.name))


def describe(entrant: Entrant) -> dict[str, Any]:
    """Return what the first line of a results file says about an entrant."""
    player = entrant.player
    row = player.row.tolist() if isinstance(player, Bot) else None
    return {"name": entrant.name, "spec": entrant.spec, "settings": row}
