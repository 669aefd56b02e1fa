"""A trained agent that chooses single actions, as a player."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from ..bots.candidates import try_actions
from ..bots.kinds import read_playouts
from ..bots.rollout import PRIOR_PLAYOUTS, best_of_given
from ..engine.rng import seed_words
from ..explanation import Candidate, check_explainable
from ..game import Game
from ..observation.layout import Layout
from .policy import AgentPolicy
from .shipped import wrong_player_count

SEARCH: Final = "search"
CANDIDATES: Final = 6
"""How many of the most likely actions a search tries."""

_PRIOR_SLOPE: Final = 0.02  # expected gain in win rate of an action that is e times as likely


class TrainedPlayer:
    """Plays the most likely action of a trained policy, samples one, or searches.

    It is an `alhambra_env.players.Player`. `loading.load_player` makes one from a checkpoint.
    """

    def __init__(
        self,
        layout: Layout,
        weights: Mapping[str, np.ndarray],
        num_players: int,
        name: str,
        is_sampling: bool = False,
        search: int | None = None,
    ) -> None:
        """Copy a network's weights.

        Args:
            layout: the layout of the network's observations.
            weights: of the network, by name.
            num_players: the number of players it was trained for.
            name: shown in tables and files.
            is_sampling: sample actions from the policy instead of playing the most likely one.
            search: playouts per decision, spent on the most likely actions as in the bot `rollout`;
                None does not search.

        Raises:
            ValueError: for a number of playouts that `rollout` does not allow.
        """
        self._policy = AgentPolicy(layout, weights, deterministic=not is_sampling)
        self.num_players = num_players
        """The number of players it was trained for; it cannot play with another number."""
        self._search = None if search is None else read_playouts(search, SEARCH)
        self.name = name
        """Its name in tables and files."""
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Start an episode. The same seed and positions give the same actions."""
        self._rng = np.random.default_rng(seed)
        self._words = seed_words(seed)

    def choose(self, game: Game) -> int:
        """Return its action for the seat to play.

        Raises:
            ValueError: the game is over, or has another number of players than it was trained for.
        """
        if game.over:
            raise ValueError("the game is over: there is nothing to choose")
        seen = self._observe(game)
        if self._search:
            tried, totals = self._prior(game, seen)
            return int(best_of_given(game.states, 0, tried, totals, *self._playouts, self._words))
        return int(self._policy.choose(seen[None], game.masks, self._rng)[0])

    def explain(self, game: Game) -> list[Candidate]:
        """Return the legal actions with their probabilities, the most likely one first.

        With a search, the actions that it tries come first, as it ranks them, with the results of
        their playouts. The random state stays as it is.

        Raises:
            ValueError: as `choose`.
        """
        check_explainable(game)
        seen = self._observe(game)
        actions, scores = self._policy.logits(seen, game.masks[0])
        chances = np.exp(scores - np.logaddexp.reduce(scores)).tolist()
        order = np.argsort(-scores, kind="stable")
        likely = [Candidate((int(actions[i]),), probability=chances[i]) for i in order]
        if not self._search:
            return likely
        tried = try_actions(game, *self._prior(game, seen), *self._playouts, self._words)
        probability = {each.actions: each.probability for each in likely}
        found = [each._replace(probability=probability.pop(each.actions)) for each in tried]
        return found + [each for each in likely if each.actions in probability]

    def _observe(self, game: Game) -> np.ndarray:
        if game.num_players != self.num_players:
            raise ValueError(wrong_player_count(self.name, self.num_players, game.num_players))
        return self._policy.layout.observe(game.states, 0, game.to_play)

    def _prior(self, game: Game, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the most likely actions, and the totals with which a search starts."""
        actions, chances = self._policy.log_probabilities(seen, game.masks[0])
        order = np.argsort(-chances, kind="stable")[:CANDIDATES]
        prior = PRIOR_PLAYOUTS * _PRIOR_SLOPE * (chances[order] - chances[order[0]])
        return actions[order], prior.astype(np.float64)

    @property
    def _playouts(self) -> tuple[bool, int]:
        """Whether a search knows the other hands, and its number of playouts."""
        return self._policy.layout.hands == "open", self._search or 0

    def __repr__(self) -> str:
        return f"TrainedPlayer({self.name!r})"
