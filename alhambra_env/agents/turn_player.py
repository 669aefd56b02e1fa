"""A trained agent that chooses whole turns, as a player."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..actions import name as action_name
from ..engine.rng import seed_words
from ..game import Game
from ..options import DEFAULT_HANDS, Hands
from ..turns.listing import TurnChoices, find_choices
from ..turns.player import TurnPlayer
from .inference import sample_logits
from .turn_inference import turn_logits, value_of
from .turn_network import turn_weights
from .turn_search import Budget, TurnSearch


class ExplainedTurn(NamedTuple):
    """A turn that an agent could choose."""

    actions: tuple[str, ...]
    """The names of its actions."""
    probability: float
    """How likely the agent is to choose it when it samples."""
    judgement: float
    """The margin that `lookahead` expects after it."""

    def __str__(self) -> str:
        return f"{self.probability:6.1%}  {self.judgement:+6.1f}  {' '.join(self.actions)}"


class TurnAgentPlayer(TurnPlayer):
    """Plays the most likely turn of a trained policy, or samples one."""

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        scale: float,
        name: str,
        hands: Hands = DEFAULT_HANDS,
        is_sampling: bool = False,
        search: Budget | None = None,
        outcome: float = 1.0,
        margin: float = 0.0,
    ) -> None:
        """Copy a network's weights.

        Args:
            weights: of the network, by name (`turn_network.expected_turn_shapes`).
            scale: what a point of lookahead's value adds to a logit.
            name: shown in tables and files.
            hands: whether it knows the other hands (E4), as in training.
            is_sampling: sample turns from the policy instead of playing the most likely one.
            search: how long it searches for the best of its likely turns; None does not search.
            outcome: weight of the reward `outcome` in what the critic was trained with.
            margin: the same for the reward `margin`.
        """
        super().__init__(name, hands)
        self._weights = turn_weights(weights, scale)
        self._is_sampling = is_sampling
        self._search = search and TurnSearch(self._weights, hands, outcome, margin, search)
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Start an episode. The same seed and positions give the same actions."""
        super().begin(seed)
        self._words = seed_words(seed)

    def choose_turn(self, game: Game, choices: TurnChoices) -> int:
        """Return the most likely choice, a sample, or the best one that a search finds."""
        logits = turn_logits(choices.features, len(choices.actions), self._weights)
        if self._search:
            return self._search.choose(game, choices, logits, self._words)
        return int(sample_logits(logits, self._words) if self._is_sampling else logits.argmax())

    def explain(self, game: Game) -> list[ExplainedTurn]:
        """Return the turns that it weighs for the seat to play, the most likely one first.

        Raises:
            ValueError: the game is over.
        """
        if game.over:
            raise ValueError("the game is over: there is nothing to explain")
        choices = find_choices(game, self._hands)
        logits = turn_logits(choices.features, len(choices.actions), self._weights)
        chances = np.exp(logits - np.logaddexp.reduce(logits))
        return [
            ExplainedTurn(
                tuple(action_name(action) for action in choices.actions[choice]),
                float(chances[choice]),
                float(choices.values[choice]),
            )
            for choice in np.argsort(-chances, kind="stable").tolist()
        ]

    def value(self, game: Game) -> float:
        """Return what the position is worth to the seat to play, in units of the reward."""
        choices = find_choices(game, self._hands)
        count = len(choices.actions)
        logits = turn_logits(choices.features, count, self._weights)
        return float(value_of(choices.features, count, logits, self._weights))

    def __repr__(self) -> str:
        return f"TurnAgentPlayer({self.name!r})"
