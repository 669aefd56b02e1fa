"""A trained agent that chooses whole turns, as a player."""

from collections.abc import Mapping

import numpy as np

from ..engine.rng import seed_words
from ..explanation import Candidate, check_explainable
from ..game import Game
from ..options import DEFAULT_HANDS, Hands
from ..turns.listing import TurnChoices, find_choices
from ..turns.player import TurnPlayer
from .inference import sample_logits
from .turn_inference import turn_logits, value_of
from .turn_network import turn_weights
from .turn_search import Budget, TriedTurn, TurnSearch


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

    def explain(self, game: Game) -> list[Candidate]:
        """Return the turns that it weighs for the seat to play, the most likely one first.

        The values are what `lookahead` expects. With a search, the turns that it tries come first,
        as it ranks them, and the values are the means of its samples. In the middle of a turn, the
        rest of the player's plan comes first, and it does not search. The random state stays as it
        is.

        A player that samples may choose another turn than the first, and so may one that searches
        for some seconds.

        Raises:
            ValueError: the game is over.
        """
        check_explainable(game)
        choices = find_choices(game, self._hands)
        logits = turn_logits(choices.features, len(choices.actions), self._weights)
        chances = np.exp(logits - np.logaddexp.reduce(logits)).tolist()
        plan = self.plan_for(game)
        if self._search is not None and len(choices.actions) > 1 and not plan:
            ranked = self._search.rank(game, choices, logits, self._words.copy())
            return _tried_first(ranked, choices, chances)
        found = [
            Candidate(choices.actions[i], float(choices.values[i]), "margin", chances[i])
            for i in np.argsort(-logits, kind="stable").tolist()
        ]
        if not plan:
            return found
        planned = [each for each in found if each.actions == plan] or [Candidate(plan)]
        return planned + [each for each in found if each.actions != plan]

    def value(self, game: Game) -> float:
        """Return what the position is worth to the seat to play, in units of the reward."""
        choices = find_choices(game, self._hands)
        count = len(choices.actions)
        logits = turn_logits(choices.features, count, self._weights)
        return float(value_of(choices.features, count, logits, self._weights))

    def __repr__(self) -> str:
        return f"TurnAgentPlayer({self.name!r})"


def _tried_first(
    ranked: list[TriedTurn], choices: TurnChoices, chances: list[float]
) -> list[Candidate]:
    """Return the turns that a search has tried, and then the others, the most likely one first."""
    tried = {each.choice for each in ranked}
    others = sorted(set(range(len(chances))) - tried, key=lambda i: (-chances[i], i))
    return [
        Candidate(choices.actions[i], value, "reward", chances[i], samples)
        for i, value, samples in ranked
    ] + [Candidate(choices.actions[i], probability=chances[i]) for i in others]
