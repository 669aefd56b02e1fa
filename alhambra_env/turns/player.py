"""Players that choose whole turns: they keep their plan until it is played."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ..game import Game
from ..options import DEFAULT_HANDS, Hands, hands_name
from .format import TurnFormat
from .listing import TurnChoices, find_choices, table_features

TurnFunction = Callable[[Any, np.ndarray], int]
"""A function from an observation of a turn environment and its mask to a choice."""


class TurnPlayer(ABC):
    """Plays the actions of the turn that it chose, and chooses again if the game went elsewhere.

    It is an `alhambra_env.players.Player`.
    """

    def __init__(self, name: str, hands: Hands = DEFAULT_HANDS) -> None:
        """Choose its name in tables and files, and whether it knows the other hands (E4)."""
        self.name = name
        self._hands = hands_name(hands)
        self._plan: list[int] = []
        self._expected = b""

    def begin(self, seed: int) -> None:
        """Start an episode: forget the plan. All randomness must come from this seed."""
        self._plan = []

    def choose(self, game: Game) -> int:
        """Return its action for the seat to play.

        Raises:
            ValueError: the game is over, or the choice is not one of those there are.
        """
        if game.over:
            raise ValueError("the game is over: there is nothing to choose")
        if not self.plan_for(game):
            choices = find_choices(game, self._hands)
            self._plan = list(choices.actions[self._choose_checked(game, choices)])
        action = self._plan.pop(0)
        if self._plan:
            ahead = game.clone()
            ahead.step(action)
            self._expected = ahead.to_bytes()
        return action

    def plan_for(self, game: Game) -> tuple[int, ...]:
        """Return the rest of its plan; empty if there is none, or if the game went elsewhere."""
        if not self._plan or game.to_bytes() != self._expected:
            return ()
        return tuple(self._plan)

    def _choose_checked(self, game: Game, choices: TurnChoices) -> int:
        if len(choices.actions) == 1:
            return 0
        choice = int(self.choose_turn(game, choices))
        if not 0 <= choice < len(choices.actions):
            raise ValueError(f"{self.name} chose {choice}, but there are {len(choices.actions)}")
        return choice

    @abstractmethod
    def choose_turn(self, game: Game, choices: TurnChoices) -> int:
        """Return the number of a choice; there are at least two."""


class TurnFunctionPlayer(TurnPlayer):
    """A function `(observation, mask) -> choice` as a player."""

    def __init__(
        self, function: TurnFunction, shape: TurnFormat, hands: Hands = DEFAULT_HANDS
    ) -> None:
        """Take a function, and the format of its observations."""
        super().__init__(str(getattr(function, "__name__", type(function).__name__)), hands)
        self._function = function
        self._format = shape

    def choose_turn(self, game: Game, choices: TurnChoices) -> int:
        """Call the function."""
        table = table_features(game, game.to_play, self._hands)
        return self._function(
            self._format.show(choices.features, table, choices.mask), choices.mask
        )
