"""The opponents in turn environments: functions choose turns, too."""

from collections.abc import Sequence

from ...options import Hands
from ...players import Player, Policy
from ...turns.format import TurnFormat
from ...turns.player import TurnFunctionPlayer
from ..opponents import Opponent, choose_opponents


def choose_turn_opponents(
    opponents: Sequence[Opponent] | None, num_players: int, shape: TurnFormat, hands: Hands
) -> list[Policy | Player]:
    """Return the opponents, clockwise from the learner; see `choose_opponents`.

    A function gets observations of this format, and returns a choice.
    """
    return [
        opponent if isinstance(opponent, Player) else TurnFunctionPlayer(opponent, shape, hands)
        for opponent in choose_opponents(opponents, num_players)
    ]
