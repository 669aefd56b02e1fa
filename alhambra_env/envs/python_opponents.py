"""Opponents of many games: bots, which compiled code plays, and those that Python has to ask."""

from collections.abc import Callable, Sequence

import numpy as np

from ..bots import BOT_NAMES, Bot, make
from ..game import Game
from ..loops.learners import FIRST_EXTERNAL, LEARNER
from ..players import Player, Policy, blame, copy_of
from .opponents import RESET_AFTER, begin_opponent


class PythonOpponents:
    """Separates bots from Python opponents, and keeps a copy of the latter for every game."""

    def __init__(self, others: Sequence[Policy | Player], num_games: int) -> None:
        """Take the opponents, clockwise from the learner."""
        # Not a subclass, which may override `choose`.
        bots = {place: other for place, other in enumerate(others) if type(other) is Bot}
        # Compiled code needs at least one row.
        self.bots: list[Bot] = list(bots.values()) or [make(BOT_NAMES[0])]
        rows = {place: row for row, place in enumerate(bots)}
        places = range(len(others))
        self.occupants = np.array(
            [*(rows.get(place, FIRST_EXTERNAL - place) for place in places), LEARNER], np.int64
        )
        """Clockwise from the seat after the learner's, which is the last."""
        self._of_games: list[dict[int, Policy | Player]] = [
            {
                place: copy_of(other) if isinstance(other, Player) else other
                for place, other in enumerate(others)
                if place not in bots
            }
            for _ in range(num_games)
        ]
        """By their place after the learner."""

    def begin(self, number: int, learner: int, rng: np.random.Generator) -> None:
        """Start an episode of the opponents of a game, whose learner has this seat."""
        for place, opponent in self._of_games[number].items():
            if isinstance(opponent, Player):
                seat = (learner + 1 + place) % len(self.occupants)
                drawn = int(rng.integers(2**63))
                begin_opponent(opponent, drawn, f"seat {seat} of game {number}")

    def ask(
        self,
        number: int,
        states: np.ndarray,
        occupants: np.ndarray,
        ask: Callable[[Policy | Player, Game], int],
    ) -> int:
        """Return the action of the opponent to play in a game; `ask` asks it."""
        game = Game.from_state(states[number : number + 1])
        seat = game.to_play
        opponent = self._of_games[number][FIRST_EXTERNAL - int(occupants[number, seat])]
        try:
            # Steps a copy, to check that the action is legal.
            game.step(ask(opponent, game))
        except Exception as error:
            blame(error, f"the opponent on seat {seat} of game {number}", RESET_AFTER)
            raise
        return game.history[-1]  # a plain int; an object with __index__ could change its value
