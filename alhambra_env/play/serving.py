"""Runs the server of the page on 127.0.0.1 until Ctrl-C."""

import errno
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Final

import uvicorn

from ..validation import whole_number
from .server import make_app
from .session import Session

HOST: Final = "127.0.0.1"
_TRIED: Final = 50
"""How many ports are tried."""


def find_port(port: int) -> socket.socket:
    """Return a socket on a port, or on the next one that is free.

    Raises:
        ValueError: there is no such port.
        OSError: none of the next ports is free.
    """
    first = whole_number(port, "port", 1, 65535)
    for number in range(first, min(first + _TRIED, 65536)):
        listener = socket.socket()
        # Without it, a port is taken for some minutes after a server has ended; on Windows it
        # would allow two servers on one port.
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, number))
            listener.listen()
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
        else:
            return listener
    raise OSError(f"none of the ports {first} to {first + _TRIED - 1} is free")


class _Server(uvicorn.Server):
    """A server that ends at once: requests that wait for news are answered first."""

    def __init__(self, config: uvicorn.Config, session: Session) -> None:
        super().__init__(config)
        self._session = session

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the waiting requests, then the server."""
        self._session.close()
        await super().shutdown(sockets)


def make_server(session: Session, listener: socket.socket) -> uvicorn.Server:
    """Return the server of a session, to be run on a socket."""
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        make_app(session, port),
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        ws="none",
    )
    return _Server(config, session)


def serve(
    session: Session,
    port: int,
    *,
    is_opening: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the page until Ctrl-C.

    Args:
        session: the game.
        port: of 127.0.0.1; if it is occupied, the next free one is taken.
        is_opening: open the page in a browser.
        say: called with what the person should know.
    """
    listener = find_port(port)
    taken = listener.getsockname()[1]
    address = f"http://{HOST}:{taken}/"
    if taken != port:
        say(f"Port {port} is occupied.")
    say(f"Play at {address} - Ctrl-C ends it.")
    if is_opening:
        # A browser of the terminal would block. The page can wait: the socket listens already.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        make_server(session, listener).run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        session.close()
        listener.close()
