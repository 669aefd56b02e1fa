"""Games and their replays, for tests of the pages."""

from collections.abc import Sequence

from alhambra_env import Game
from alhambra_env.bots import make
from alhambra_env.explanation import Candidate

HOSTILE = "</script><img src=x onerror=\"document.title='hacked'\">&amp;{{data}}"
"""A name that would run code if it were not escaped."""


def played(num_players: int, bot: str = "planner", seed: int = 3) -> Game:
    """Return a finished game of copies of a bot."""
    game = Game(num_players, seed=seed)
    player = make(bot)
    while not game.over:
        game.step(player.choose(game))
    return game


def positions(game: Game) -> list[Game]:
    """Return the positions of a game, replayed one by one."""
    found = [Game(game.num_players, game.edition, game.seed)]
    for action in game.history:
        found.append(found[-1].clone())
        found[-1].step(action)
    return found


class Thinker:
    """A player that weighs all legal actions: the higher its number, the better."""

    name = "thinker"

    def begin(self, seed: int) -> None:
        """Do nothing."""

    def choose(self, game: Game) -> int:
        """Play the best."""
        return max(game.legal_actions())

    def explain(self, game: Game) -> Sequence[Candidate] | None:
        """Return the legal actions."""
        legal = sorted(game.legal_actions(), reverse=True)
        return [Candidate((each,), float(each), "points", 1 / len(legal)) for each in legal]
