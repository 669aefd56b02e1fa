"""The chances to win of every seat in a position, by playing it on many times.

For charts of a game: they are what a spectator expects who sees all hands, but neither deck nor
bag. A player at the table knows less; what it thinks is in `players.explain`.
"""

from typing import Final, NamedTuple

import numpy as np

from .bots import Bot, make
from .engine.action_ranges import N_ACTIONS
from .engine.rewards import win_shares
from .engine.rng import seed_words
from .engine.state import new_states
from .game import Game
from .loops.playouts import play_on
from .validation import whole_number

DEFAULT_PLAYOUTS: Final = 64
DEFAULT_BOT: Final = "planner"
_MOST_PLAYOUTS: Final = 1_000_000


class Forecast(NamedTuple):
    """How a game is expected to end; both lists are by seat."""

    win_chances: list[float]
    """The chance to win, 0 to 1. They add up to 1, because shared wins are divided."""
    scores: list[float]
    """The mean of the points at the end."""


def forecast(
    game: Game,
    playouts: int = DEFAULT_PLAYOUTS,
    seed: int = 0,
    bot: Bot | str = DEFAULT_BOT,
) -> Forecast:
    """Play a position on to the end many times; after the end of a game, return its result.

    Each time, the order of deck and bag is redrawn, and copies of a bot play all seats. The game is
    not changed. The same seed gives the same result.

    Args:
        game: in the position in question.
        playouts: how many times; a chance of 50% is then known to about `0.5 / sqrt(playouts)`.
        seed: of all random numbers.
        bot: who plays.

    Raises:
        ValueError: for a bot, a seed or a number of playouts that is not allowed.
    """
    playouts = whole_number(playouts, "playouts", 1, _MOST_PLAYOUTS)
    words = seed_words(whole_number(seed, "seed", 0))
    player = bot if isinstance(bot, Bot) else make(bot)
    if game.over:
        scores = np.array([game.scores])
    else:
        scores = np.zeros((playouts, game.num_players), np.int64)
        mask = np.zeros(N_ACTIONS, np.int8)
        play_on(game.states, new_states(1), mask, player.number, player.row, words, scores)
    return Forecast(win_shares(scores).mean(axis=0).tolist(), scores.mean(axis=0).tolist())


def win_chances(
    game: Game,
    playouts: int = DEFAULT_PLAYOUTS,
    seed: int = 0,
    bot: Bot | str = DEFAULT_BOT,
) -> list[float]:
    """Return the chance to win of each seat, 0 to 1 (`forecast`)."""
    return forecast(game, playouts, seed, bot).win_chances
