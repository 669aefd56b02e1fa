"""A game at the page: who plays, what may be undone, and the thread in which the others play."""

import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ..errors import IllegalAction, one_line
from ..game import Game
from ..options import DEFAULT_EDITION
from ..players import Player, as_player, ask, check_player_count
from ..record import record_of, save_record
from ..validation import real_number, shortened
from .hint import Hint, advise
from .seats import Offer, Seats, check_offered, offered, read_seats
from .story import Entry, tell

DEFAULT_HINT: Final = "lookahead"
DEFAULT_PAUSE: Final = 0.8
LONGEST_PAUSE: Final = 10.0
SUBSTITUTE: Final = "builder"
"""The bot that plays on for a player who raised an error."""


class Refused(Exception):
    """A request of the page that cannot be done now. Nothing has changed."""

    is_stale = False


class Stale(Refused):
    """The request was made for another position than the one on the table."""

    is_stale = True


class Failure(NamedTuple):
    """A player who raised an error."""

    seat: int
    kind: str
    """The type of the error. Its text is only for the terminal: it could tell a hand."""


@dataclass
class _Seated:
    """A player of one game."""

    player: Player
    has_begun: bool = False


class _Step(NamedTuple):
    """What undo goes back to."""

    game: Game
    entries: int
    last: tuple[int, int] | None


class Session:
    """One game after another, each between a person and other players.

    All methods can be called from any thread. `version` rises with every change; a method that
    takes a version raises `Stale` if the table has changed since.
    """

    def __init__(
        self,
        players: Sequence[str],
        edition: str = DEFAULT_EDITION,
        seed: int | None = None,
        *,
        hint: str = DEFAULT_HINT,
        pause: float = DEFAULT_PAUSE,
        folder: Path | None = None,
    ) -> None:
        """Start the first game.

        Args:
            players: see `seats.read_seats`.
            edition: the rulebook.
            seed: of the first game; None draws one.
            hint: the player who gives hints.
            pause: seconds from one action of the others to the next.
            folder: where finished games are saved, if anywhere.

        Raises:
            ValueError: for a setting that is not allowed; the message says what is.
        """
        check_player_count(as_player(hint), len(players))
        self._adviser = hint
        self.offers: list[Offer] = offered(players)
        self.pause = real_number(pause, "pause", 0, LONGEST_PAUSE)
        self.version = 0
        self._folder = folder
        self._changed = threading.Condition()
        self._listeners: list[Callable[[], object]] = []
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._is_closed = False
        self._start(*_set_up(players, edition, seed))
        threading.Thread(target=self._work, name="alhambra players", daemon=True).start()

    # --- a game begins and ends -------------------------------------------------------------------

    def _start(self, seats: Seats, game: Game, players: dict[int, Player]) -> None:
        with self._changed:
            self.seats = seats
            self.names = list(seats.shown)
            self._recorded_names = list(seats.names)
            self.game = game
            self.log: list[Entry] = []
            self.last: tuple[int, int] | None = None
            self.failure: Failure | None = None
            self.notice = ""
            self.saved: Path | None = None
            self.hint: Hint | None = None
            self._hint_asked = 0
            self._steps: list[_Step] = []
            self._seated = {seat: _Seated(player) for seat, player in players.items()}
            self.hint_by = _fitting_adviser(self._adviser, game.num_players)
            self._is_skipping = False
            self.first_version = self.version + 1
            self._note_change()
            self._let_others_play()

    def new_game(
        self, version: int, players: Sequence[str], edition: str, seed: int | None
    ) -> None:
        """Start another game, between players that the page was offered."""
        self._check_version(version)
        check_offered(players, self.offers)
        table = _set_up(players, edition, seed)
        with self._changed:
            self._check_version(version)
            self._start(*table)

    def close(self) -> None:
        """Stop the thread, and wake all who wait for a change."""
        with self._changed:
            self._is_closed = True
            self._jobs.put(None)
            self._note_change()

    @property
    def is_closed(self) -> bool:
        """Has it been closed?"""
        return self._is_closed

    # --- what the person does ---------------------------------------------------------------------

    def act(self, version: int, action: int) -> None:
        """Play an action of the person.

        Raises:
            Refused: the table has changed, it is not the person's turn, or the action is illegal.
        """
        with self._changed:
            self._check_turn(version)
            try:
                self._play(action)
            except IllegalAction:
                raise Refused("this move is not legal here") from None

    def undo(self, version: int) -> None:
        """Take back the person's last action, unless something hidden has been seen since."""
        with self._changed:
            self._check_version(version)
            if not self._steps:
                raise Refused("nothing can be undone: a card or a tile has been drawn since")
            step = self._steps.pop()
            self.game, self.last = step.game, step.last
            del self.log[step.entries :]
            self._forget_hint()
            self._note_change()

    @property
    def can_undo(self) -> bool:
        """Is there an action to undo?"""
        return bool(self._steps)

    def ask_hint(self, version: int) -> None:
        """Have the adviser think about the position; the hint is there later."""
        with self._changed:
            self._check_turn(version)
            if self.is_hinting:
                return
            asked = self._hint_asked = self.version
            game = self.game.clone()
            self._note_change()
            self._jobs.put(lambda: self._find_hint(asked, game))

    @property
    def is_hinting(self) -> bool:
        """Is the adviser thinking?"""
        return self._hint_asked > 0

    def _forget_hint(self) -> None:
        self.hint, self._hint_asked = None, 0

    def skip(self, version: int) -> None:
        """Let the others play without pauses until it is the person's turn."""
        with self._changed:
            self._check_game(version)
            self._is_skipping = True
            self._changed.notify_all()

    def set_pause(self, version: int, seconds: Any) -> None:
        """Choose how long the others pause after each action."""
        wanted = real_number(seconds, "pause", 0, LONGEST_PAUSE)
        with self._changed:
            self._check_game(version)
            self.pause = wanted
            self._note_change()

    def substitute(self, version: int) -> None:
        """Let a bot play on for the player who raised an error."""
        with self._changed:
            self._check_version(version)
            if self.failure is None:
                raise Refused("no player has to be replaced")
            seat = self.failure.seat
            self._seated[seat] = _Seated(as_player(SUBSTITUTE))
            for names in (self.names, self._recorded_names):
                names[seat] = f"{names[seat]} ({SUBSTITUTE})"
            self.log.append(Entry(seat, f"From here on {SUBSTITUTE} plays"))
            self.failure = None
            self._note_change()
            self._let_others_play()

    # --- the record -------------------------------------------------------------------------------

    def save(self, version: int) -> None:
        """Save the game as it is; the notice says where."""
        with self._changed:
            self._check_version(version)
            self._save(self._folder or Path())
            self._note_change()

    def record(self) -> dict[str, Any]:
        """Return the record of a finished game. Before, it would tell the seed."""
        with self._changed:
            if not self.game.over:
                raise Refused("there is a record when the game is over")
            return record_of(self.game, self._recorded_names)

    def _save(self, folder: Path) -> None:
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        path = folder / f"alhambra-{stamp}-{self.first_version}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            save_record(self.game, path, self._recorded_names)
        except OSError as error:
            self.notice = "The game could not be saved; the terminal says why."
            _tell_terminal(f"the game could not be saved: {one_line(error)}")
        else:
            self.saved = path
            self.notice = f"The game is saved as {path.name}."
            _tell_terminal(f"the game is saved as {path}")

    # --- changes ----------------------------------------------------------------------------------

    def listen(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function after every change; returns a function that ends this."""
        with self._changed:
            self._listeners.append(listener)
        return lambda: self._stop_listening(listener)

    def _stop_listening(self, listener: Callable[[], object]) -> None:
        with self._changed:
            self._listeners.remove(listener)

    @property
    def lock(self) -> threading.Condition:
        """Held by whoever reads several fields."""
        return self._changed

    def _note_change(self) -> None:
        self.version += 1
        self._changed.notify_all()
        for listener in self._listeners:
            listener()

    def _check_game(self, version: int) -> None:
        if not self.first_version <= version <= self.version:
            raise Stale("another game has been started")

    def _check_version(self, version: int) -> None:
        if version != self.version:
            raise Stale("the table has changed in the meantime")

    def _check_turn(self, version: int) -> None:
        self._check_version(version)
        if self.game.over:
            raise Refused("the game is over")
        if self.game.to_play != self.seats.human:
            raise Refused("it is not your turn")

    def _play(self, action: int) -> None:
        """Play an action of whoever is to play, and let the others go on."""
        before, seat = self.game.clone(), self.game.to_play
        self.game.step(action)
        entries = len(self.log)
        self.log += tell(action, before, self.game, self.names)
        if seat == self.seats.human and _can_return(before, self.game):
            self._steps.append(_Step(before, entries, self.last))
        else:
            self._steps.clear()
        self.last = (seat, action)
        self._forget_hint()
        if self.game.over and self._folder is not None:
            self._save(self._folder)
        self._note_change()
        if seat == self.seats.human:
            self._let_others_play()

    # --- the others -------------------------------------------------------------------------------

    def _let_others_play(self) -> None:
        self._is_skipping = False
        begun = self.first_version
        if not self.game.over and self.game.to_play != self.seats.human:
            self._jobs.put(lambda: self._play_others(begun))

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _play_others(self, begun: int) -> None:
        """Play until it is the person's turn; `begun` says which game it is about."""
        shown = time.monotonic()
        while True:
            with self._changed:
                seat = self.game.to_play
                if not self._is_others_turn(begun):
                    return
                game, seated = self.game.clone(), self._seated[seat]
            try:
                action = _ask(seated, seat, game)
            except Exception as error:
                self._note_failure(begun, seat, error)
                return
            with self._changed:
                self._wait(begun, shown)
                if not self._is_others_turn(begun):
                    return
                self._play(action)
                shown = time.monotonic()

    def _is_others_turn(self, begun: int) -> bool:
        is_same = begun == self.first_version and not self._is_closed and self.failure is None
        return is_same and not self.game.over and self.game.to_play != self.seats.human

    def _wait(self, begun: int, shown: float) -> None:
        """Wait until the last action has been shown long enough."""
        while (left := shown + self.pause - time.monotonic()) > 0:
            if self._is_skipping or not self._is_others_turn(begun):
                return
            self._changed.wait(left)

    def _note_failure(self, begun: int, seat: int, error: Exception) -> None:
        with self._changed:
            if not self._is_others_turn(begun):
                return
            self.failure = Failure(seat, type(error).__name__)
            _tell_terminal(f"{self.names[seat]} on seat {seat} raised an error; the game is kept")
            traceback.print_exception(error, file=sys.stderr)
            self._note_change()

    def _find_hint(self, asked: int, game: Game) -> None:
        try:
            hint = advise(self.hint_by, game, seed=asked)
        except Exception as error:
            traceback.print_exception(error, file=sys.stderr)
            hint = Hint(shortened(self.hint_by), [], f"raised an error ({type(error).__name__})")
        with self._changed:
            if self._hint_asked == asked:
                self.hint, self._hint_asked = hint, 0
                self._note_change()


def _set_up(
    specs: Sequence[str], edition: str, seed: int | None
) -> tuple[Seats, Game, dict[int, Player]]:
    seats = read_seats(specs)
    return seats, Game(len(seats.specs), edition, seed), seats.players()


def _fitting_adviser(spec: str, num_players: int) -> str:
    """Return the adviser, or the default one if that is for another number of players."""
    try:
        check_player_count(as_player(spec), num_players)
    except ValueError:
        return DEFAULT_HINT
    return spec


def _ask(seated: _Seated, seat: int, game: Game) -> int:
    """Return the action of a player, which is legal."""
    if not seated.has_begun:
        words = np.random.SeedSequence(game.seed, spawn_key=(seat,)).generate_state(1)
        seated.player.begin(int(words[0]))
        seated.has_begun = True
    action = ask(seated.player, game.clone())
    game.step(action)
    return game.history[-1]


def _can_return(before: Game, after: Game) -> bool:
    """Was nothing drawn and is the same seat to play? Both change only when a turn ends."""
    is_same_turn = before.state.turn == after.state.turn and before.to_play == after.to_play
    return is_same_turn and not after.over


def _tell_terminal(message: str) -> None:
    print(f"alhambra: {message}", file=sys.stderr, flush=True)
