"""A trained agent as a player: `ppo:checkpoints/NAME`, or a shipped one by its name."""

import os
from collections.abc import Mapping
from typing import Final

import numpy as np

from ..bots.kinds import read_playouts
from ..bots.rollout import PRIOR_PLAYOUTS, best_of_given
from ..engine.rng import seed_words
from ..game import Game
from ..observation.layout import Layout
from ..validation import one_of, shown
from .checkpoint import Agent, read_agent
from .policy import AgentPolicy
from .shipped import AGENT_NAMES, shipped_agent, wrong_player_count

PREFIX: Final = "ppo"
SAMPLE: Final = "sample"
SEARCH: Final = "search"
CANDIDATES: Final = 6
"""How many of the most likely actions a search tries."""

_PRIOR_SLOPE: Final = 0.02  # expected gain in win rate of an action that is e times as likely


class TrainedPlayer:
    """Plays the most likely action of a trained policy, samples one, or searches.

    It is an `alhambra_env.players.Player`. `load_player` makes one from a checkpoint.
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
        if game.num_players != self.num_players:
            raise ValueError(wrong_player_count(self.name, self.num_players, game.num_players))
        seen = self._policy.layout.observe(game.states, 0, game.to_play)
        if self._search:
            return self._look_further(game, seen, self._search)
        return int(self._policy.choose(seen[None], game.masks, self._rng)[0])

    def _look_further(self, game: Game, seen: np.ndarray, playouts: int) -> int:
        """Search over the most likely actions by playouts, with the policy as the prior."""
        actions, chances = self._policy.log_probabilities(seen, game.masks[0])
        order = np.argsort(-chances, kind="stable")[:CANDIDATES]
        tried = actions[order]
        prior = PRIOR_PLAYOUTS * _PRIOR_SLOPE * (chances[order] - chances[order[0]])
        knows_hands = self._policy.layout.hands == "open"
        totals = prior.astype(np.float64)
        return int(best_of_given(game.states, 0, tried, totals, knows_hands, playouts, self._words))

    def __repr__(self) -> str:
        return f"TrainedPlayer({self.name!r})"


def load_player(text: str) -> TrainedPlayer:
    """Return the player of a checkpoint: `"checkpoints/NAME"`.

    Options follow after a comma: `",sample"` samples actions from the policy, `",search=240"`
    searches with 240 playouts per decision.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
        ValueError: the name is empty, or there is no such option.
    """
    folder, comma, option = _split(text)
    if not folder.strip():
        raise ValueError(
            f"{shown(f'{PREFIX}:{text}')} does not name a checkpoint: "
            f"write {PREFIX}:checkpoints/NAME"
        )
    return _make_player(read_agent(folder), f"{PREFIX}:{text}", option if comma else None)


def load_shipped(text: str) -> TrainedPlayer:
    """Return a shipped agent by name: `"ppo_3p"`, `"ppo_3p:sample"`, `"ppo_3p:search=240"`.

    Raises:
        ValueError: there is no such agent or option; the message lists what there is.
    """
    name, colon, option = text.partition(":")
    one_of(name, AGENT_NAMES, "agent")
    return _make_player(read_agent(shipped_agent(name)), text, option if colon else None)


def _make_player(agent: Agent, name: str, option: str | None) -> TrainedPlayer:
    is_sampling, search = False, None
    if option is not None:
        key, sign, value = option.partition("=")
        is_sampling = one_of(key, (SAMPLE, SEARCH), "option of a trained player") == SAMPLE
        if is_sampling and sign:
            raise ValueError(f"the option {SAMPLE!r} takes no value, not {shown(value)}")
        if not is_sampling:
            search = read_playouts(value, SEARCH)
    layout = agent.layout
    return TrainedPlayer(layout, agent.weights, agent.num_players, name, is_sampling, search)


def _split(text: str) -> tuple[str, str, str]:
    """Return folder, comma and option; a folder that exists may have commas in its name."""
    for parts in ((text, "", ""), text.rpartition(",")):
        if os.path.isdir(parts[0]):  # noqa: PTH112  # Path.is_dir raises for names too long
            return parts
    return text.partition(",")
