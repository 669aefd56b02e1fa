"""A checkpoint as a player: `ppo:checkpoints/NAME`, wherever players are named."""

from pathlib import Path
from typing import Final

import numpy as np

from alhambra_env.game import Game
from alhambra_env.settings import one_of

from .checkpoint import build_network, load_checkpoint
from .frozen import FrozenPolicy

PREFIX: Final = "ppo"
SAMPLE: Final = "sample"


class PolicyPlayer:
    """Plays the likeliest action of a trained network, or draws one by their chances.

    It is a `alhambra_env.players.Player`.
    """

    def __init__(self, folder: str | Path, is_sampling: bool = False) -> None:
        """Read a checkpoint.

        Raises:
            DamagedCheckpoint: there is none, it is damaged, or it is for another version.
        """
        checkpoint = load_checkpoint(folder)
        self._policy = FrozenPolicy(build_network(checkpoint), deterministic=not is_sampling)
        self._num_players = checkpoint.config.game.num_players
        self.name = f"{PREFIX}:{folder}" + (f",{SAMPLE}" if is_sampling else "")
        """How it is called in tables and files."""
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Begin a game; with the same seed and positions it makes the same choices."""
        self._rng = np.random.default_rng(seed)

    def choose(self, game: Game) -> int:
        """Return its action for the seat to play.

        Raises:
            ValueError: the game is over, or is not for as many players as it was trained for.
        """
        if game.over:
            raise ValueError("the game is over: there is nothing to choose")
        if game.num_players != self._num_players:
            raise ValueError(
                f"{self.name} was trained for {self._num_players} players, "
                f"not for {game.num_players}"
            )
        layout = self._policy.network.layout
        seen = layout.observe(game.states, 0, game.to_play)
        mask = game.action_mask()
        return int(self._policy.choose(seen[None], mask[None], self._rng)[0])

    def __repr__(self) -> str:
        return f"PolicyPlayer({self.name!r})"


def load_player(text: str) -> PolicyPlayer:
    """Return the player of `"checkpoints/NAME"`, or of `"checkpoints/NAME,sample"`."""
    folder, _, option = text.partition(",")
    if option:
        one_of(option, (SAMPLE,), "option of a trained player")
    return PolicyPlayer(folder, is_sampling=bool(option))
