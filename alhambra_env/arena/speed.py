"""Measures how fast players decide. Times vary from run to run, so no results contain them."""

import time
from typing import Any, Final

from ..bots import Bot
from ..game import Game
from ..options import DEFAULT_EDITION, AnyEdition, GameRules
from ..players import ask, check_player_count
from ..validation import real_number
from .deal import play_compiled, warm_up
from .entrants import enter

SECONDS: Final = 0.5
_FEWEST_SECONDS: Final = 0.001
_MOST_SECONDS: Final = 86_400


def check_seconds(seconds: float) -> None:
    """Raise `ValueError` unless a measurement may take this long."""
    real_number(seconds, "seconds", _FEWEST_SECONDS, _MOST_SECONDS)


def decisions_per_second(
    player: Any,
    num_players: int = 3,
    edition: AnyEdition = DEFAULT_EDITION,
    seconds: float = SECONDS,
) -> float:
    """Return how many decisions a second a player makes in games against itself, on one core.

    This includes the rules, about a microsecond for each decision, but not the time to compile.

    Raises:
        ValueError: for a setting that is not allowed.
    """
    check_seconds(seconds)
    GameRules(num_players, edition)  # checks them
    entrant = enter(player)
    check_player_count(entrant.player, num_players)
    players = entrant.copies(num_players)
    bots = [each for each in players if type(each) is Bot]
    made, spent, seed = 0, 0.0, 0
    warm_up(players)
    players[0].begin(0)
    ask(players[0], Game(num_players, edition, seed=0))  # may compile something, too
    while spent < seconds:
        game = Game(num_players, edition, seed=seed)
        for seat, each in enumerate(players):
            each.begin(seed * num_players + seat)
        while not game.over and spent < seconds:
            begin = time.perf_counter()
            if len(bots) == len(players):
                count = sum(play_compiled(game, bots, seconds - spent))
            else:
                game.step(ask(players[game.to_play], game))
                count = 1
            spent += time.perf_counter() - begin
            made += count
        seed += 1
    return made / spent
