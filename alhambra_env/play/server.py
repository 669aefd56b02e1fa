"""The page as a web application: its files, its state, and what it may ask for.

Only the page itself may use it. Requests name the host that the server listens on, which stops
DNS rebinding; those of a page carry a token that only this page was given, and changes come from
its own origin, as JSON, with the version of the position that they are meant for.
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..record import FORMAT
from ..render.symbols import definitions
from ..render.theme import FONTS, style_sheet
from ..validation import as_list, read_whole_number, shown, whole_number
from .session import Session, Stale
from .table import Refused
from .view import view_of

TOKEN_HEADER: Final = "x-alhambra-token"
LARGEST_BODY: Final = 20_000
"""Bytes of a request."""

LONGEST_WAIT: Final = 25.0
"""Seconds that a request for news waits for them."""

_ASSETS: Final = Path(__file__).parent / "assets"
_LARGEST_SEED: Final = 2**64 - 1
_TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
}
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class _Bad(Exception):
    """A request that this server does not answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Handler = Callable[[Request], Awaitable[Response]]


def make_app(session: Session, port: int) -> ASGIApp:
    """Return the application for a session, to be served on a port of 127.0.0.1."""
    return _Guard(_Pages(session).app(), port)


class _Guard:
    """Refuses requests for other hosts and from other origins, and adds headers to all answers."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        names = ("127.0.0.1", "localhost")
        self._hosts = {f"{name}:{port}" for name in names} | set(names if port == 80 else ())
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(key.encode(), value.encode()) for key, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer: ASGIApp = self._app
        if refusal := self._refuse(Request(scope)):
            answer = PlainTextResponse(refusal, 403)
        await answer(scope, receive, send_with_headers)

    def _refuse(self, request: Request) -> str:
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "this server answers for 127.0.0.1 and localhost only"
        origin = request.headers.get("origin")
        is_change = request.method not in ("GET", "HEAD")
        if (origin is not None or is_change) and origin not in self._origins:
            return "this server answers its own page only"
        return ""


class _Pages:
    """The routes of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._token = secrets.token_urlsafe(32)

    def app(self) -> Starlette:
        """Return the application without the guard."""
        routes = [
            Route("/", self._index),
            Route("/record", self._answered(self._record)),
            Route("/drawing.css", self._drawing),
            Route("/assets/{name}", self._answered(self._asset)),
            Route("/state", self._answered(self._state)),
            *(
                Route(f"/{name}", self._answered(self._change(change)), methods=["POST"])
                for name, change in self._changes().items()
            ),
        ]
        return Starlette(routes=routes)

    def _answered(self, handler: Handler) -> Handler:
        """Turn the errors of a handler into answers."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except _Bad as error:
                return JSONResponse({"error": str(error)}, error.status)
            except Refused as error:
                return JSONResponse({"error": str(error), "stale": isinstance(error, Stale)}, 409)
            except ClientDisconnect:
                return Response(status_code=400)

        return answer

    # --- files ------------------------------------------------------------------------------------

    async def _index(self, request: Request) -> Response:
        """Return the page, with its token and what all drawings refer to."""
        page = (_ASSETS / "index.html").read_text(encoding="utf-8")
        _, defs = definitions("page").split("</style>")
        page = page.replace("{{token}}", self._token).replace("{{definitions}}", defs)
        return Response(page, media_type="text/html")

    async def _drawing(self, request: Request) -> Response:
        return Response(style_sheet("page"), media_type="text/css")

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        for folder in (_ASSETS, FONTS):
            path = folder / name
            if path.name == name and path.suffix in _TYPES and path.is_file():
                return Response(path.read_bytes(), media_type=_TYPES[path.suffix])
        raise _Bad(404, "there is no such file")

    async def _record(self, request: Request) -> Response:
        record = await run_in_threadpool(self._session.record)
        assert record["format"] == FORMAT
        return JSONResponse(
            record, headers={"content-disposition": 'attachment; filename="alhambra.json"'}
        )

    # --- the state --------------------------------------------------------------------------------

    async def _state(self, request: Request) -> Response:
        """Return the state; with `?after=VERSION`, wait until there is a newer one."""
        self._check_token(request)
        after = _read(read_whole_number, request.query_params.get("after", "0"), "after", 0, 2**31)
        await self._wait_for_news(after)
        return await self._view()

    async def _view(self) -> Response:
        if self._session.is_closed:
            raise _Bad(503, "the server has been stopped")
        return JSONResponse(await run_in_threadpool(view_of, self._session))

    async def _wait_for_news(self, version: int) -> None:
        loop, news = asyncio.get_running_loop(), asyncio.Event()
        stop = self._session.listen(lambda: loop.call_soon_threadsafe(news.set))
        try:
            if self._session.version == version and not self._session.is_closed:
                async with asyncio.timeout(LONGEST_WAIT):
                    await news.wait()
        except TimeoutError:
            pass
        finally:
            stop()

    def _check_token(self, request: Request) -> None:
        given = request.headers.get(TOKEN_HEADER, "")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            raise _Bad(403, "this page is from an earlier start of the server: load it again")

    # --- changes ----------------------------------------------------------------------------------

    def _changes(self) -> Mapping[str, Callable[[int, dict[str, Any]], None]]:
        """Return what can be changed, by the name of its route."""
        session = self._session
        return {
            "act": lambda version, body: session.act(version, _whole(body, "action")),
            "undo": lambda version, body: session.undo(version),
            "hint": lambda version, body: session.ask_hint(version),
            "skip": lambda version, body: session.skip(version),
            "pause": lambda version, body: session.set_pause(version, body.get("seconds")),
            "substitute": lambda version, body: session.substitute(version),
            "save": lambda version, body: session.save(version),
            "new": self._new_game,
        }

    def _new_game(self, version: int, body: dict[str, Any]) -> None:
        players = [_text(each, "a player") for each in as_list(body.get("players"), "players")]
        seed = _text(body.get("seed", ""), "seed").strip()
        number = read_whole_number(seed, "seed", 0, _LARGEST_SEED) if seed else None
        edition = _text(body.get("edition"), "edition")
        self._session.new_game(version, players, edition, number)

    def _change(self, change: Callable[[int, dict[str, Any]], None]) -> Handler:
        async def answer(request: Request) -> Response:
            self._check_token(request)
            body = await _read_body(request)
            try:
                await run_in_threadpool(change, _whole(body, "version"), body)
            except ValueError as error:
                raise _Bad(400, str(error)) from None
            return await self._view()

        return answer


async def _read_body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise _Bad(415, "requests must be JSON")
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > LARGEST_BODY:
            raise _Bad(413, f"a request has {LARGEST_BODY} bytes at most")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise _Bad(400, "this is not JSON") from None
    if not isinstance(body, dict):
        raise _Bad(400, "a request must be a JSON object")
    return body


def _read(read: Callable[..., int], *arguments: Any) -> int:
    try:
        return read(*arguments)
    except ValueError as error:
        raise _Bad(400, str(error)) from None


def _whole(body: dict[str, Any], key: str) -> int:
    return whole_number(body.get(key), key, 0, 2**31 - 1)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError(f"{what} must be text, not {shown(value)}")
    return value
