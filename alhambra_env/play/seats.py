"""Who plays on which seat: one person, and players as in the arena."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..agents.shipped import AGENT_NAMES, trained_for
from ..arena.entrants import Entrant, check_player_counts, enter
from ..bots import BOT_NAMES
from ..engine.material import MAX_PLAYERS, MIN_PLAYERS
from ..players import Player
from ..validation import printable_name, shortened, shown

HUMAN: Final = "human"
"""The person at the page, where players are named."""

DEFAULT: Final = (HUMAN, "turns", "lookahead")
NAME_OF_HUMAN: Final = "Human"
_LONGEST_NAME: Final = 60


class Seats(NamedTuple):
    """The players of a game, by seat. Make it with `read_seats`."""

    specs: tuple[str, ...]
    """As they were named."""
    names: tuple[str, ...]
    """As a record has them."""
    shown: tuple[str, ...]
    """As the page shows them: no two are the same."""
    human: int
    """The seat of the person."""
    entrants: dict[int, Entrant]
    """The other seats."""

    def players(self) -> dict[int, Player]:
        """Return a new player for each other seat; none shares anything with another."""
        return {seat: entrant.copies(2)[-1] for seat, entrant in self.entrants.items()}


def read_seats(specs: Sequence[str]) -> Seats:
    """Return the seats of a game.

    Args:
        specs: for each seat `human`, or a player as `arena` takes it. One seat is `human`; each may
            start with a name: `"Ada=human"`, `"fast=rollout:playouts=20"`.

    Raises:
        ValueError: there is no such player, or not one person, or too few or too many seats.
    """
    if not MIN_PLAYERS <= len(specs) <= MAX_PLAYERS:
        raise ValueError(
            f"a game has {MIN_PLAYERS} to {MAX_PLAYERS} players, {HUMAN} included, not {len(specs)}"
        )
    humans = [seat for seat, spec in enumerate(specs) if is_human(spec)]
    if len(humans) != 1:
        raise ValueError(
            f"one player is {HUMAN!r}, as in alhambra play human turns; here are {len(humans)}"
        )
    human = humans[0]
    entrants = {seat: enter(spec) for seat, spec in enumerate(specs) if seat != human}
    check_player_counts(entrants.values(), len(specs))
    names = [
        entrants[seat].name if seat in entrants else _name_of_human(spec)
        for seat, spec in enumerate(specs)
    ]
    names = [shortened(name, _LONGEST_NAME) for name in names]
    return Seats(tuple(specs), tuple(names), tuple(_distinct(names)), human, entrants)


def is_human(spec: str) -> bool:
    """Does this name the person: `human`, or `NAME=human`?"""
    return spec == HUMAN or spec.endswith(f"={HUMAN}")


def _name_of_human(spec: str) -> str:
    if spec == HUMAN:
        return NAME_OF_HUMAN
    return printable_name(spec.removesuffix(f"={HUMAN}"), "the name of a player")


def _distinct(names: Sequence[str]) -> list[str]:
    """Number names that occur more than once."""
    return [
        f"{name} {names[: seat + 1].count(name)}" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    ]


class Offer(NamedTuple):
    """A player that a new game can have."""

    spec: str
    num_players: int | None
    """The only number of players that it can play with; None for all."""


def offered(specs: Sequence[str]) -> list[Offer]:
    """Return whom the page offers: bots, shipped agents, and those named on the command line.

    The page can name no others: an import path, for example, would run code.
    """
    named = [spec for spec in specs if not is_human(spec)]
    known = dict.fromkeys((*BOT_NAMES, *AGENT_NAMES, *named))
    return [Offer(spec, _only_for(spec)) for spec in known]


def _only_for(spec: str) -> int | None:
    if spec in AGENT_NAMES:
        return trained_for(spec)
    if spec in BOT_NAMES:
        return None
    only: int | None = getattr(enter(spec).player, "num_players", None)
    return only


def check_offered(specs: Sequence[str], offers: Sequence[Offer]) -> None:
    """Raise `ValueError` if the page asks for a player that it was not offered."""
    known = {offer.spec for offer in offers}
    for spec in specs:
        if not is_human(spec) and spec not in known:
            raise ValueError(f"{shown(spec)} is not one of the players that this page offers")
