"""Tables to play at: sessions, a server in a thread, and players that misbehave."""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from alhambra_env import Game
from alhambra_env.play.session import Session
from alhambra_env.play.view import view_of

SEED = 987_654_321_987_654_321
"""A seed that is found in no message by accident."""

PATIENCE = 240.0
"""Seconds; compiling a bot takes long on a busy machine."""

SECRET_TEXT = "the others hold denar 9"


class Raising:
    """A player that raises an error, whose text tells a secret."""

    name = "raising"

    def begin(self, seed: int) -> None:
        pass

    def choose(self, game: Game) -> int:
        raise ZeroDivisionError(SECRET_TEXT)


class Cheating(Raising):
    """A player that chooses an illegal action."""

    name = "cheating"

    def choose(self, game: Game) -> int:
        return next(action for action in range(2000) if action not in game.legal_actions())


class Slow(Raising):
    """A player that waits until a test lets it go on."""

    name = "slow"
    may_go_on = threading.Event()

    def choose(self, game: Game) -> int:
        assert self.may_go_on.wait(PATIENCE)
        return game.legal_actions()[0]


class Noting(Raising):
    """An adviser that notes what it was shown."""

    name = "noting"
    shown: ClassVar[list[Game]] = []

    def choose(self, game: Game) -> int:
        self.shown.append(game.clone())
        return game.legal_actions()[0]


@contextmanager
def session_of(*players: str, seed: int = SEED, **settings: Any) -> Iterator[Session]:
    """Sit down, without pauses."""
    session = Session(players, seed=seed, **({"pause": 0} | settings))
    try:
        yield session
    finally:
        session.close()


def settle(session: Session) -> dict[str, Any]:
    """Wait until the others have played; return what the page is sent."""
    with session.lock:
        done = session.lock.wait_for(
            lambda: view_of(session)["state"] != "theirs" and not session.is_hinting, PATIENCE
        )
        assert done, "the others do not play"
        return view_of(session)


def play_on(session: Session, rng: random.Random, actions: int = 10_000) -> dict[str, Any]:
    """Play random actions of the person; return the last view."""
    view = settle(session)
    for _ in range(actions):
        if view["state"] != "yours":
            break
        session.act(view["version"], rng.choice(view["choices"])["action"])
        view = settle(session)
    return view


def secrets_in(session: Session) -> list[str]:
    """Return what the person may not know, as it would be written."""
    snapshot = session.table.game.snapshot()
    hands = [h for seat, h in enumerate(snapshot["hands"]) if seat != session.table.seats.human]
    orders = [snapshot[key] for key in ("deck", "bag") if len(snapshot[key]) > 5]
    written = [json.dumps(each) for each in (*hands, *orders)]
    return [*written, *(text.replace(" ", "") for text in written), str(session.table.game.seed)]


class Served(NamedTuple):
    """A session and the address of its page."""

    session: Session
    address: str
    port: int


@contextmanager
def served(*players: str, **settings: Any) -> Iterator[Served]:
    """Serve a session in a thread."""
    from alhambra_env.play.serving import find_port, make_server  # needs the extra `play`

    with session_of(*players, **settings) as session, find_port(8300) as listener:
        server = make_server(session, listener)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        port = listener.getsockname()[1]
        try:
            yield Served(session, f"http://127.0.0.1:{port}", port)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()
