"""Playing one deal: the same bag, deck and scoring cards for every seating of every line-up."""

import math
import time
from collections.abc import Sequence
from typing import Final

import numpy as np

from ..bots import Bot
from ..game import Game
from ..loops.bot_games import play_bots
from ..players import Player, ask, blame
from .line_ups import LineUp, circles, rotations
from .results import DealResult, GameResult, Match
from .roster import Contestant

AT_ONCE: Final = 4
"""Compiled decisions before the first look at the keyboard; then twice as many, and so on."""
ATTENTION: Final = 0.1
"""Seconds after which they are not made more: Ctrl-C waits for about as long."""


def deal_seed(seed: int, deal: int) -> int:
    """Return the seed of a deal's games, from the match's and the deal's number alone."""
    return _draw(seed, deal)


def player_seed(seed: int, deal: int, rotation: int, seat: int) -> int:
    """Return what the player on a seat begins with."""
    return _draw(seed, deal, rotation, seat)


def _draw(seed: int, *key: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0])


class Dealer:
    """Plays the deals of a match, in any order."""

    def __init__(self, match: Match, roster: Sequence[Contestant]) -> None:
        """Make as many copies of each player as ever sit at one table."""
        self._match = match
        self._circles = [circles(line_up) for line_up in match.line_ups]
        needed = [max(line_up.count(i) for line_up in match.line_ups) for i in range(len(roster))]
        self._copies = [
            contestant.copies(count) for contestant, count in zip(roster, needed, strict=True)
        ]
        self._names = match.names
        if any(type(player) is Bot for players in self._copies for player in players):
            warm_up()

    def play(self, deal: int) -> DealResult:
        """Play one deal.

        Raises:
            IllegalAction: a player chose one; the message says who, where and what.
        """
        seed = deal_seed(self._match.seed, deal)
        games = [
            self._play_game(seed, deal, rotation, seats)
            for orders in self._circles
            for rotation, seats in enumerate(rotations(orders[deal % len(orders)]))
        ]
        return DealResult(deal, seed, tuple(games))

    def _play_game(self, seed: int, deal: int, rotation: int, seats: LineUp) -> GameResult:
        match = self._match
        game = Game(match.num_players, match.edition, seed, match.rules.max_turns)
        players = [self._copies[player][seats[:i].count(player)] for i, player in enumerate(seats)]
        names = [self._names[player] for player in seats]
        where = f"in deal {deal}, rotation {rotation}"
        for seat, player in enumerate(players):
            try:
                player.begin(player_seed(match.seed, deal, rotation, seat))
            except Exception as error:
                blame(error, f"{names[seat]} on seat {seat} {where}")
                raise
        # A subclass may choose otherwise.
        bots = [player for player in players if type(player) is Bot]
        if len(bots) == len(players):
            decisions = play_compiled(game, bots)
        else:
            decisions = _play_python(game, players, names, where)
        return GameResult(seats, tuple(game.scores), tuple(decisions))


def play_compiled(game: Game, bots: Sequence[Bot], seconds: float = math.inf) -> list[int]:
    """Play a game between bots that have begun, to its end or for about so many seconds.

    Returns how many decisions each seat made. The game's history is not kept.
    """
    decisions = np.zeros(len(bots), np.int64)
    arrays = _arrays_of(bots)
    at_once = AT_ONCE
    begin = last = time.perf_counter()
    while not play_bots(game.states, game.masks, arrays, at_once, decisions):
        now = time.perf_counter()
        if now - begin > seconds:
            break
        if now - last < ATTENTION:
            at_once *= 2
        last = now
    for bot, rng in zip(bots, arrays[2], strict=True):
        bot.rng[:] = rng  # as if it had chosen by itself
    made: list[int] = decisions.tolist()
    return made


def warm_up() -> None:
    """Compile what plays bots, before anybody looks at the clock."""
    game = Game(2, seed=0)
    arrays = _arrays_of([Bot("random"), Bot("random")])
    play_bots(game.states, game.masks, arrays, 0, np.zeros(2, np.int64))


def _arrays_of(bots: Sequence[Bot]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return numbers, settings and random words by seat."""
    return (
        np.array([bot.number for bot in bots]),
        np.array([bot.row for bot in bots]),
        np.array([bot.rng for bot in bots]),
    )


def _play_python(
    game: Game, players: Sequence[Player], names: Sequence[str], where: str
) -> list[int]:
    decisions = [0] * len(players)
    while not game.over:
        seat = game.to_play
        try:
            game.step(ask(players[seat], game))
        except Exception as error:
            blame(error, f"{names[seat]} on seat {seat} {where}")
            raise
        decisions[seat] += 1
    return decisions
