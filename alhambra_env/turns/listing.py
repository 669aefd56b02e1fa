"""The choices of a game's next turn, for Python code."""

from typing import Any, NamedTuple

import numpy as np

from ..bots.best_turns import MOST_STEPS
from ..bots.layouts import Scope
from ..bots.weights import LOOKAHEAD_WEIGHTS
from ..errors import IllegalAction
from ..game import Game
from ..options import DEFAULT_HANDS, Hands, hands_name
from ..validation import shown
from .choices import N_CHOICES
from .describe import describe_choices_of
from .feature_groups import N_FEATURES, N_TABLE_FEATURES
from .table_features import write_table_of

WITH_REMOVALS = False
"""Do choices remove tiles? Turns with it are no better, and take twice as long to find."""


WIDTH = 16
"""How many cities are kept for each set of laid tiles (`Scope.width`)."""


class TurnChoices(NamedTuple):
    """The choices of the seat to play, best first by the judgement of `lookahead`."""

    actions: tuple[tuple[int, ...], ...]
    """The actions of each choice."""
    values: np.ndarray
    """`float64 [choice]`: the margin that `lookahead` expects at the end of each."""
    features: np.ndarray
    """`float32 [16, feature]`: rows without a choice are zeros."""
    mask: np.ndarray
    """`int8 [16]`: 1 for each choice."""

    def actions_of(self, choice: Any) -> tuple[int, ...]:
        """Return the actions of a choice; raise `IllegalAction` if there is no such choice."""
        is_choice = isinstance(choice, int | np.integer) and not isinstance(choice, bool)
        if not is_choice or not 0 <= choice < len(self.actions):
            raise IllegalAction(f"{shown(choice)} {no_choice(len(self.actions))}")
        return self.actions[choice]


def no_choice(count: int) -> str:
    """Return the rest of a message about a choice that is not one of so many."""
    return f"is not a choice: there are {count}, counted from 0"


def scope_of(hands: Hands) -> Scope:
    """Return what a search looks at that knows, or does not know, the other hands (E4)."""
    return Scope(LOOKAHEAD_WEIGHTS, hands_name(hands) == "open", WITH_REMOVALS, WIDTH)


def find_choices(game: Game, hands: Hands = DEFAULT_HANDS) -> TurnChoices:
    """Return the choices of the seat to play: none if the game is over.

    They depend only on what the seat may know; `hands` says if that includes the other hands (E4).
    """
    lengths = np.zeros(N_CHOICES, np.int8)
    actions = np.zeros((N_CHOICES, MOST_STEPS), np.int16)
    values = np.zeros(N_CHOICES)
    features = np.zeros((N_CHOICES, N_FEATURES), np.float32)
    count = 0
    if not game.over:
        scope = scope_of(hands)
        out = lengths, actions, values, features
        count = int(describe_choices_of(game.states, 0, game.masks, scope, *out))
    return TurnChoices(
        tuple(tuple(actions[i, : lengths[i]].tolist()) for i in range(count)),
        values[:count],
        features,
        (lengths > 0).astype(np.int8),
    )


def table_features(game: Game, seat: int, hands: Hands = DEFAULT_HANDS) -> np.ndarray:
    """Return the features of the table for a seat, on turn or not: `float32 [feature]`."""
    out = np.zeros(N_TABLE_FEATURES, np.float32)
    write_table_of(game.states, 0, seat, hands_name(hands) == "open", out)
    return out
