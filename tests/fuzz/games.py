"""Games to attack with, and playing on with what was accepted."""

import random
from functools import cache

import numpy as np

from alhambra_env import Game
from alhambra_env.engine.check import check, explain
from alhambra_env.engine.editions import EDITIONS, EditionName
from alhambra_env.engine.material import MAX_PLAYERS
from alhambra_env.observation.layout import Layout
from alhambra_env.options import Hands
from tests.fuzz.attack import Broken
from tests.positions import play_randomly


def some_game(rng: random.Random) -> Game:
    """Return a game of any edition and player count, at any moment."""
    edition = rng.choice(EDITIONS)
    players = rng.randint(edition.min_players, MAX_PLAYERS)
    return _game(edition.book, players, rng.randrange(4), rng.choice((0, 5, 30, 90, 200, 10_000)))


@cache
def _game(edition: EditionName, players: int, seed: int, steps: int) -> Game:
    return play_randomly(Game(players, edition, seed), steps, seed)


@cache
def _layout(players: int, hands: Hands) -> tuple[Layout, np.ndarray]:
    layout = Layout(players, hands)
    return layout, layout.high()


def play_on(game: Game, rng: random.Random, steps: int = 12) -> None:
    """Play some actions of a game that was accepted, and look at everything after each."""
    for _ in range(steps):
        if broken := check(game.state):
            raise Broken(f"an accepted game is broken: {explain(broken)}")
        for hands in ("secret", "open"):
            layout, high = _layout(game.num_players, hands)
            seen = layout.observe(game.states, 0, rng.randrange(game.num_players))
            if (seen > high).any():
                raise Broken("an observation is outside its space")
        game.snapshot()
        if game.over:
            return
        legal = game.legal_actions()
        if not legal:
            raise Broken("a running game has no legal action")
        game.step(rng.choice(legal))
