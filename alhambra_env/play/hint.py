"""Hints: what an adviser would do for the person at the page, and why."""

from typing import Any, Final, NamedTuple

from ..errors import IllegalAction
from ..explanation import UNITS, Candidate
from ..game import Game
from ..players import Player, as_player, ask, explain
from ..validation import shortened
from .choices import keys_of

SHOWN: Final = 3
"""How many ways to play a hint tells."""


class Hint(NamedTuple):
    """What an adviser says of a position."""

    adviser: str
    options: list[dict[str, Any]]
    """Best first: the keys of the first action, and a sentence for each action of the turn."""
    meaning: str
    """What the values mean."""


def advise(adviser: str, game: Game, seed: int) -> Hint:
    """Return what an adviser would do for the seat to play, the best first.

    It sees a copy in which all that the seat cannot know has been drawn again, so that no adviser
    can tell more than the seat may know.

    Args:
        adviser: a player as `as_player` takes it.
        game: not over.
        seed: for the copy, and for the adviser's own random numbers.
    """
    seen = game.resample(game.to_play, seed)
    player = as_player(adviser)
    player.begin(seed)
    found = (explain(player, seen) or [_choice_of(player, seen)])[:SHOWN]
    snapshot = seen.snapshot()
    options = [
        {
            "action": each.actions[0],
            "keys": list(keys_of(seen, snapshot, each.actions[0])),
            "sentences": list(each.describe(seen)),
            "value": each.value_text,
            "probability": each.probability_text,
        }
        for each in found
    ]
    unit = found[0].unit
    meaning = UNITS[unit].meaning if unit else ""
    return Hint(shortened(str(player.name)), options, meaning)


def _choice_of(player: Player, game: Game) -> Candidate:
    """Return what a player plays that does not explain it."""
    action = ask(player, game)
    if action not in game.legal_actions():
        raise IllegalAction(f"the adviser {shortened(str(player.name))} chose an illegal action")
    return Candidate((int(action),))
