"""A checkpoint as a player: `ppo:checkpoints/NAME`, wherever players are named."""

import os
from typing import Final

import numpy as np

from alhambra_env.bots.kinds import read_playouts
from alhambra_env.bots.rollout import PRIOR_PLAYOUTS, best_of_given
from alhambra_env.engine.rng import seed_words
from alhambra_env.game import Game
from alhambra_env.players import check_player_count
from alhambra_env.validation import one_of, shown
from training.checkpoint import build_network, load_checkpoint
from training.frozen import FrozenPolicy
from training.networks import ChoiceNetwork

PREFIX: Final = "ppo"
SAMPLE: Final = "sample"
SEARCH: Final = "search"
CANDIDATES: Final = 6
"""How many of the likeliest actions a search tries."""

_PRIOR_SLOPE: Final = 0.02  # what an action that is e times as likely is expected to win more often


class TrainedPlayer:
    """Plays the likeliest action of a trained network, draws one by their chances, or searches.

    It is a `alhambra_env.players.Player`. `load_player` makes one from a checkpoint.
    """

    def __init__(
        self,
        network: ChoiceNetwork,
        num_players: int,
        name: str,
        is_sampling: bool = False,
        search: int | None = None,
    ) -> None:
        """Take a copy of a network's weights.

        Args:
            network: whose weights.
            num_players: how many play in the games that it was trained for.
            name: how it is called in tables and files.
            is_sampling: draw actions by their chances, instead of playing the likeliest.
            search: with how many playouts to look at the likeliest actions, as the bot `rollout`
                does with those that the planner likes best; None does not search.

        Raises:
            ValueError: for a number of playouts that the bots do not allow either.
        """
        self._policy = FrozenPolicy(network, deterministic=not is_sampling)
        self.num_players = num_players
        """How many play in the games that it was trained for; it plays no others."""
        self._search = None if search is None else read_playouts(search, SEARCH)
        self.name = name
        """How it is called in tables and files."""
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Begin a game; with the same seed and positions it makes the same choices."""
        self._rng = np.random.default_rng(seed)
        self._words = seed_words(seed)

    def choose(self, game: Game) -> int:
        """Return its action for the seat to play.

        Raises:
            ValueError: the game is over, or is not for as many players as it was trained for.
        """
        if game.over:
            raise ValueError("the game is over: there is nothing to choose")
        check_player_count(self, game.num_players)
        seen = self._policy.layout.observe(game.states, 0, game.to_play)
        if self._search:
            return self._look_further(game, seen, self._search)
        return int(self._policy.choose(seen[None], game.masks, self._rng)[0])

    def _look_further(self, game: Game, seen: np.ndarray, playouts: int) -> int:
        """Play the likeliest actions out, with the policy's judgement as the prior."""
        actions, chances = self._policy.judge(seen, game.masks[0])
        order = np.argsort(-chances, kind="stable")[:CANDIDATES]
        tried = actions[order]
        prior = PRIOR_PLAYOUTS * _PRIOR_SLOPE * (chances[order] - chances[order[0]])
        is_open = self._policy.layout.hands == "open"
        totals = prior.astype(np.float64)
        return int(best_of_given(game.states, 0, tried, totals, is_open, playouts, self._words))

    def __repr__(self) -> str:
        return f"TrainedPlayer({self.name!r})"


def load_player(text: str) -> TrainedPlayer:
    """Return the player of `"checkpoints/NAME"`.

    It may be followed by `",sample"`, to draw actions by their chances, or by `",search=240"`, to
    search with so many playouts.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
        ValueError: no checkpoint is named, or for an option that does not exist.
    """
    folder, comma, option = _split(text)
    if not folder.strip():
        raise ValueError(
            f"{shown(f'{PREFIX}:{text}')} names no checkpoint: write {PREFIX}:checkpoints/NAME"
        )
    is_sampling, search = False, None
    if comma:
        key, sign, value = option.partition("=")
        is_sampling = one_of(key, (SAMPLE, SEARCH), "option of a trained player") == SAMPLE
        if is_sampling and sign:
            raise ValueError(f"the option {SAMPLE!r} has no value, so not {shown(value)} either")
        if not is_sampling:
            search = read_playouts(value, SEARCH)
    checkpoint = load_checkpoint(folder, only_to_play=True)
    return TrainedPlayer(
        build_network(checkpoint),
        checkpoint.config.game.num_players,
        f"{PREFIX}:{text}",
        is_sampling,
        search,
    )


def _split(text: str) -> tuple[str, str, str]:
    """Return folder, comma and option; a folder that exists may have commas in its name."""
    for parts in ((text, "", ""), text.rpartition(",")):
        if os.path.isdir(parts[0]):  # noqa: PTH112  # the other one raises for names too long
            return parts
    return text.partition(",")
