"""A game at the page: who plays it, its log, what may be undone, and its record."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ..game import Game
from ..players import Player, as_player, ask
from ..record import record_of, save_record
from .seats import Seats
from .story import Entry, tell

SUBSTITUTE: Final = "builder"
"""The bot that plays on for a player who raised an error."""


class Refused(Exception):
    """Something that cannot be done now. Nothing has changed."""


class Failure(NamedTuple):
    """A player who raised an error."""

    seat: int
    kind: str
    """The type of the error. Its text is only for the terminal: it could tell a hand."""


@dataclass
class Seated:
    """A player of one game."""

    player: Player
    has_begun: bool = False

    def choose(self, game: Game) -> int:
        """Return an action, which is legal; `game` is a copy that may be changed."""
        if not self.has_begun:
            words = np.random.SeedSequence(game.seed, spawn_key=(game.to_play,)).generate_state(1)
            self.player.begin(int(words[0]))
            self.has_begun = True
        action = ask(self.player, game.clone())
        game.step(action)
        return game.history[-1]


class _Step(NamedTuple):
    """What undo goes back to."""

    game: Game
    entries: int
    last: tuple[int, int] | None


class Table:
    """One game between a person and other players."""

    def __init__(self, seats: Seats, edition: str, seed: int | None) -> None:
        """Start the game.

        Raises:
            ValueError: for an edition or a seed that is not allowed.
        """
        self.seats = seats
        self.game = Game(len(seats.specs), edition, seed)
        self.names = list(seats.shown)
        self.log: list[Entry] = []
        self.last: tuple[int, int] | None = None
        """Who played the last action, and the action."""
        self.failure: Failure | None = None
        self._recorded_names = list(seats.names)
        self._seated = {seat: Seated(player) for seat, player in seats.players().items()}
        self._steps: list[_Step] = []

    @property
    def is_persons_turn(self) -> bool:
        """Is it the person's turn?"""
        return not self.game.over and self.game.to_play == self.seats.human

    @property
    def is_others_turn(self) -> bool:
        """Is it the turn of another player, who can play?"""
        return not self.game.over and not self.is_persons_turn and self.failure is None

    @property
    def next_player(self) -> Seated:
        """The other player whose turn it is."""
        return self._seated[self.game.to_play]

    def play(self, action: int) -> None:
        """Play an action of the seat to play. Raises `IllegalAction`."""
        before, seat = self.game.clone(), self.game.to_play
        self.game.step(action)
        entries = len(self.log)
        self.log += tell(action, before, self.game, self.names)
        if seat == self.seats.human and _can_return(before, self.game):
            self._steps.append(_Step(before, entries, self.last))
        else:
            self._steps.clear()
        self.last = (seat, action)

    @property
    def can_undo(self) -> bool:
        """Is there an action to undo?"""
        return bool(self._steps)

    def undo(self) -> None:
        """Take back the person's last action, unless something hidden has been seen since."""
        if not self._steps:
            raise Refused("nothing can be undone: a card or a tile has been drawn since")
        step = self._steps.pop()
        self.game, self.last = step.game, step.last
        del self.log[step.entries :]

    def substitute(self) -> None:
        """Let a bot play on for the player who raised an error."""
        if self.failure is None:
            raise Refused("no player has to be replaced")
        seat = self.failure.seat
        self._seated[seat] = Seated(as_player(SUBSTITUTE))
        for names in (self.names, self._recorded_names):
            names[seat] = f"{names[seat]} ({SUBSTITUTE})"
        self.log.append(Entry(seat, f"From here on {SUBSTITUTE} plays"))
        self.failure = None

    def record(self) -> dict[str, Any]:
        """Return the record of a finished game. Before, it would tell the seed."""
        if not self.game.over:
            raise Refused("there is a record when the game is over")
        return record_of(self.game, self._recorded_names)

    def save(self, folder: Path) -> Path:
        """Save the record of the game as it is; return where. Raises `OSError`."""
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"alhambra-{datetime.now():%Y%m%d-%H%M%S}"
        names = (f"{stem}{f'-{copy}' * (copy > 1)}.json" for copy in range(1, 10_000))
        path = next(folder / name for name in names if not (folder / name).exists())
        save_record(self.game, path, self._recorded_names)
        return path


def _can_return(before: Game, after: Game) -> bool:
    """Was nothing drawn and is the same seat to play? Both change only when a turn ends."""
    is_same_turn = before.state.turn == after.state.turn and before.to_play == after.to_play
    return is_same_turn and not after.over
