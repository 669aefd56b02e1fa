"""The session of a page: game after game, in which the others play and hint in threads."""

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ..errors import IllegalAction, one_line
from ..game import Game
from ..options import DEFAULT_EDITION
from ..players import as_player, check_player_count
from ..validation import real_number, shortened
from .hint import Hint, advise
from .seats import check_offered, offered, read_seats
from .table import Failure, Refused, Table

DEFAULT_HINT: Final = "lookahead"
DEFAULT_PAUSE: Final = 0.8
LONGEST_PAUSE: Final = 10.0


class Stale(Refused):
    """A request that was made for another position than the one on the table."""


class Session:
    """One game after another, each between a person and other players.

    All methods can be called from any thread. `version` rises with every change. A method that
    takes a version raises `Stale` if the table has changed since, and `Refused` if what it does
    cannot be done now.
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
        self.offers = offered(players)
        self.pause = real_number(pause, "pause", 0, LONGEST_PAUSE)
        self.version = 0
        self.lock = threading.Condition()
        """Hold it to read several fields; it is notified of every change."""
        self._folder = folder
        self._listeners: list[Callable[[], object]] = []
        self.is_closed = False
        with self.lock:
            self._sit_down(Table(read_seats(players), edition, seed))

    def _sit_down(self, table: Table) -> None:
        self.table = table
        self.notice = ""
        self.hint: Hint | None = None
        self.hint_by = _fitting_adviser(self._adviser, table.game.num_players)
        self._hint_asked = 0
        self.first_version = self.version + 1
        self._note_change()
        self._let_others_play()

    def new_game(
        self, version: int, players: Sequence[str], edition: str, seed: int | None
    ) -> None:
        """Start another game, between players that the page was offered."""
        check_offered(players, self.offers)
        table = Table(read_seats(players), edition, seed)
        with self._at(version):
            self._sit_down(table)

    def close(self) -> None:
        """Stop the players, and wake all who wait for a change."""
        with self.lock:
            self.is_closed = True
            self._note_change()

    # --- what the person does ---------------------------------------------------------------------

    def act(self, version: int, action: int) -> None:
        """Play an action of the person."""
        with self._at(version):
            self._check_turn()
            try:
                self._play(action)
            except IllegalAction:
                raise Refused("this move is not legal here") from None
            self._let_others_play()

    def undo(self, version: int) -> None:
        """Take back the person's last action, unless something hidden has been seen since."""
        with self._at(version):
            self.table.undo()
            self._forget_hint()
            self._note_change()

    def ask_hint(self, version: int) -> None:
        """Have the adviser think about the position; the hint is there later."""
        with self._at(version):
            self._check_turn()
            if self.is_hinting:
                return
            asked = self._hint_asked = self.version
            adviser, game = self.hint_by, self.table.game.clone()
            self._note_change()
            _start(self._find_hint, asked, adviser, game)

    @property
    def is_hinting(self) -> bool:
        """Is the adviser thinking?"""
        return self._hint_asked > 0

    def skip(self, version: int) -> None:
        """Let the others play without pauses until it is the person's turn."""
        with self.lock:
            self._check_game(version)
            self._is_skipping = True
            self.lock.notify_all()

    def set_pause(self, version: int, seconds: Any) -> None:
        """Choose how long the others pause after each action."""
        wanted = real_number(seconds, "pause", 0, LONGEST_PAUSE)
        with self.lock:
            self._check_game(version)
            self.pause = wanted
            self._note_change()

    def substitute(self, version: int) -> None:
        """Let a bot play on for the player who raised an error."""
        with self._at(version):
            self.table.substitute()
            self._note_change()
            self._let_others_play()

    def save(self, version: int) -> None:
        """Save the game as it is; the notice says where."""
        with self._at(version):
            self._save(self._folder or Path())
            self._note_change()

    def record(self) -> dict[str, Any]:
        """Return the record of a finished game."""
        with self.lock:
            return self.table.record()

    # --- changes ----------------------------------------------------------------------------------

    def listen(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function after every change; returns a function that ends this."""
        with self.lock:
            self._listeners.append(listener)
        return lambda: self._stop_listening(listener)

    def _stop_listening(self, listener: Callable[[], object]) -> None:
        with self.lock:
            self._listeners.remove(listener)

    def _note_change(self) -> None:
        self.version += 1
        self.lock.notify_all()
        for listener in self._listeners:
            listener()

    @contextmanager
    def _at(self, version: int) -> Iterator[None]:
        """Hold the lock, if the table is still as it was in a version."""
        with self.lock:
            if version != self.version:
                raise Stale("the table has changed in the meantime")
            yield

    def _check_game(self, version: int) -> None:
        if not self.first_version <= version <= self.version:
            raise Stale("another game has been started")

    def _check_turn(self) -> None:
        if not self.table.is_persons_turn:
            raise Refused("the game is over" if self.table.game.over else "it is not your turn")

    def _play(self, action: int) -> None:
        self.table.play(action)
        self._forget_hint()
        if self.table.game.over and self._folder is not None:
            self._save(self._folder)
        self._note_change()

    def _forget_hint(self) -> None:
        self.hint, self._hint_asked = None, 0

    def _save(self, folder: Path) -> None:
        try:
            path = self.table.save(folder)
        except OSError as error:
            self.notice = "The game could not be saved; the terminal says why."
            _tell_terminal(f"the game could not be saved: {one_line(error)}")
        else:
            self.notice = f"The game is saved as {path.name}."
            _tell_terminal(f"the game is saved as {path}")

    # --- in other threads: one for the players of a table, one for a hint -------------------------

    def _let_others_play(self) -> None:
        self._is_skipping = False
        table = self.table
        if table.is_others_turn:
            _start(self._play_others, table)

    def _play_others(self, table: Table) -> None:
        """Play until it is the person's turn, or there is another table."""
        shown = time.monotonic()
        while True:
            with self.lock:
                if not self._is_others_turn(table):
                    return
                game, player = table.game.clone(), table.next_player
            try:
                action = player.choose(game)
            except Exception as error:
                self._note_failure(table, error)
                return
            with self.lock:
                self._wait(table, shown)
                if not self._is_others_turn(table):
                    return
                self._play(action)
                shown = time.monotonic()

    def _is_others_turn(self, table: Table) -> bool:
        return table is self.table and not self.is_closed and table.is_others_turn

    def _wait(self, table: Table, shown: float) -> None:
        """Wait until the last action has been shown long enough."""
        while (left := shown + self.pause - time.monotonic()) > 0:
            if self._is_skipping or not self._is_others_turn(table):
                return
            self.lock.wait(left)

    def _note_failure(self, table: Table, error: Exception) -> None:
        with self.lock:
            if not self._is_others_turn(table):
                return
            seat = table.game.to_play
            table.failure = Failure(seat, type(error).__name__)
            _tell_terminal(f"{table.names[seat]} on seat {seat} raised an error; the game is kept")
            traceback.print_exception(error, file=sys.stderr)
            self._note_change()

    def _find_hint(self, asked: int, adviser: str, game: Game) -> None:
        try:
            hint = advise(adviser, game, seed=asked)
        except Exception as error:
            traceback.print_exception(error, file=sys.stderr)
            hint = Hint(shortened(adviser), [], f"raised an error ({type(error).__name__})")
        with self.lock:
            if self._hint_asked == asked:
                self.hint, self._hint_asked = hint, 0
                self._note_change()


def _fitting_adviser(spec: str, num_players: int) -> str:
    """Return the adviser, or the default one if that is for another number of players."""
    try:
        check_player_count(as_player(spec), num_players)
    except ValueError:
        return DEFAULT_HINT
    return spec


def _start(job: Callable[..., None], *arguments: Any) -> None:
    """Run a job in a thread of its own, so that one whose result nobody needs delays no other."""
    threading.Thread(target=job, args=arguments, name="alhambra players", daemon=True).start()


def _tell_terminal(message: str) -> None:
    print(f"alhambra: {message}", file=sys.stderr, flush=True)
