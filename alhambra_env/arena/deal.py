"""Plays one deal: the same bag, deck and scoring cards for every seating of every line-up."""

import math
import time
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from ..bots import Bot
from ..game import Game
from ..loops.bot_games import play_bots
from ..players import Player, ask, blame
from .entrants import Entrant
from .results import DealResult, GameResult, Match
from .seating import LineUp, circular_orders, rotations

FIRST_BURST: Final = 4
"""Decisions of the first compiled call; the number doubles until a call takes `BURST_SECONDS`."""
BURST_SECONDS: Final = 0.1
"""About how long one compiled call may take, because Ctrl-C waits for its end."""


def deal_seed(seed: int, deal: int) -> int:
    """Return the seed of a deal's games, from the seed of the match and the number of the deal."""
    return _derive_seed(seed, deal)


def player_seed(seed: int, deal: int, rotation: int, seat: int) -> int:
    """Return the seed of the player on a seat, for one game."""
    return _derive_seed(seed, deal, rotation, seat)


def _derive_seed(seed: int, *key: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0])


class Dealer:
    """Plays the deals of a match, in any order."""

    def __init__(self, match: Match, entrants: Sequence[Entrant]) -> None:
        """Make as many copies of each player as meet in one game."""
        self._match = match
        self._orders = [circular_orders(line_up) for line_up in match.line_ups]
        needed = [max(line_up.count(i) for line_up in match.line_ups) for i in range(len(entrants))]
        self._copies = [
            entrant.copies(count) for entrant, count in zip(entrants, needed, strict=True)
        ]
        self._names = match.names
        players = [player for players in self._copies for player in players]
        if any(type(player) is Bot for player in players):
            warm_up(players)

    def play(self, deal: int) -> DealResult:
        """Play one deal.

        Raises:
            IllegalAction: a player chose one; the message says who, where and what.
        """
        seed = deal_seed(self._match.seed, deal)
        games = [
            self._play_game(seed, deal, rotation, seats)
            for orders in self._orders
            for rotation, seats in enumerate(rotations(orders[deal % len(orders)]))
        ]
        return DealResult(deal, seed, tuple(games))

    def _play_game(self, seed: int, deal: int, rotation: int, seats: LineUp) -> GameResult:
        match = self._match
        game = Game(match.num_players, match.edition, seed, match.rules.max_turns)
        players = [self._copies[player][seats[:i].count(player)] for i, player in enumerate(seats)]
        names = [self._names[player] for player in seats]
        where = f"in deal {deal}, rotation {rotation}"
        seeds = [player_seed(match.seed, deal, rotation, seat) for seat in range(len(seats))]
        decisions = play_game(game, players, seeds, names, where)
        return GameResult(seats, tuple(game.scores), tuple(decisions))


def play_game(
    game: Game, players: Sequence[Player], seeds: Sequence[int], names: Sequence[str], where: str
) -> list[int]:
    """Play a game to its end; all lists are by seat. Returns how many decisions each seat made.

    Args:
        game: a new game; the actions are added to its history.
        players: they share no mutable state.
        seeds: for the random numbers of each player.
        names: what an error calls the players.
        where: how an error says which game it was, such as `"in game 7"`.

    Raises:
        IllegalAction: a player chose one; the message says who, where and what.
    """
    for seat, player in enumerate(players):
        try:
            player.begin(seeds[seat])
        except Exception as error:
            blame(error, f"{names[seat]} on seat {seat} {where}")
            raise
    # Not a subclass of Bot, which may override `choose`
    bots = [player for player in players if type(player) is Bot]
    if len(bots) == len(players):
        return play_compiled(game, bots)
    return _play_python(game, players, names, where)


def play_compiled(game: Game, bots: Sequence[Bot], seconds: float = math.inf) -> list[int]:
    """Play a game between bots to its end, or for about `seconds`; `begin` was called before.

    Returns how many decisions each seat made.
    """
    decisions = np.zeros(len(bots), np.int64)
    arrays = _arrays_of(bots)
    actions = np.zeros(FIRST_BURST, np.int64)
    begin = last = time.perf_counter()
    while not game.over:
        played = play_bots(game.states, game.masks, arrays, actions, decisions)
        game.history += actions[:played].tolist()
        now = time.perf_counter()
        if now - begin > seconds:
            break
        if now - last < BURST_SECONDS:
            actions = np.zeros(2 * actions.size, np.int64)
        last = now
    for bot, rng in zip(bots, arrays[2], strict=True):
        bot.rng[:] = rng  # as if the bot had chosen from Python
    made: list[int] = decisions.tolist()
    return made


def warm_up(players: Iterable[Player] = ()) -> None:
    """Compile the loop that plays bots, and the bots among the players.

    So no measured time includes that, and no worker does it again.
    """
    for player in players:
        if type(player) is Bot:
            player.compile()
    game = Game(2, seed=0)
    arrays = _arrays_of([Bot("random"), Bot("random")])
    play_bots(game.states, game.masks, arrays, np.zeros(0, np.int64), np.zeros(2, np.int64))


def _arrays_of(bots: Sequence[Bot]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bots' numbers, settings and random words, by seat."""
    return (
        np.array([bot.number for bot in bots]),
        np.array([bot.row for bot in bots]),
        np.array([bot.rng for bot in bots]),
    )


def _play_python(
    game: Game, players: Sequence[Player], names: Sequence[str], where: str
) -> list[int]:
    """Play a game to its end by asking each player from Python; like `play_compiled`."""
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
