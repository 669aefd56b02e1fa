"""The server of the page: whom it answers, what it refuses, and what it never says."""

import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

pytest.importorskip("starlette", reason="needs the extra `play`")
pytest.importorskip("uvicorn", reason="needs the extra `play`")

from alhambra_env.play.server import LARGEST_BODY
from alhambra_env.play.serving import find_port
from alhambra_env.record import replay
from tests.play_tables import PATIENCE, SEED, Served, secrets_in, served, settle


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Speaks to a server as the page does, unless it is told otherwise."""

    def __init__(self, table: Served) -> None:
        self.table = table
        self.messages: list[bytes] = []
        match = re.search(rb'name="token" content="([\w-]+)"', self.get("/").body)
        assert match
        self.token = match[1].decode()

    def request(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str | None]
    ) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.table.port, timeout=PATIENCE)
        connection.request(
            method, path, body, {name: value for name, value in named.items() if value is not None}
        )
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        self.messages.append(data)
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, data)

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.request("GET", path, None, headers)

    def state(self, after: int = 0) -> Any:
        return self.get(f"/state?after={after}", X_Alhambra_Token=self.token).json

    def post(self, path: str, body: Any, **headers: str | None) -> Answer:
        usual: dict[str, str | None] = {
            "Origin": self.table.address,
            "Content_Type": "application/json",
            "X_Alhambra_Token": self.token,
        }
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", path, data, usual | headers)


@pytest.fixture(scope="module")
def table() -> Iterator[Served]:
    """A table that no test changes."""
    with served("human", "saver") as table:
        settle(table.session)
        yield table


@pytest.fixture
def client(table: Served) -> Iterator[Client]:
    """A client of it; afterwards the game is as it was."""
    before = (table.session.version, table.session.table.game.to_bytes())
    yield Client(table)
    assert (table.session.version, table.session.table.game.to_bytes()) == before


def move(client: Client) -> dict[str, Any]:
    view = client.state()
    return {"version": view["version"], "action": view["choices"][0]["action"]}


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Alhambra_Token": None},
        {"X_Alhambra_Token": ""},
        {"X_Alhambra_Token": "a" * 43},
        {"X_Alhambra_Token": "\u00e9"},
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "https://example.org"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "example.org"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
    ],
)
def test_forged_and_foreign_requests_are_refused(
    client: Client, headers: dict[str, str | None]
) -> None:
    assert client.post("/act", move(client), **headers).status == 403


def test_a_foreign_page_reads_nothing(client: Client) -> None:
    for path in ("/", "/state", "/record", "/assets/play.js"):
        assert client.get(path, Host=f"evil.example:{client.table.port}").status == 403
        assert client.get(path, Origin="https://evil.example").status == 403
    assert client.get("/state").status == 403
    assert client.get("/state", X_Alhambra_Token="guess").status == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None]
)
def test_only_json_is_read(client: Client, kind: str | None) -> None:
    assert client.post("/act", move(client), Content_Type=kind).status == 415


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b"[]", b"1", b"[" * 10_000, b'{"version": 1' + b"0" * 5000 + b"}"],
)
def test_malformed_requests_are_refused(client: Client, body: bytes) -> None:
    assert client.post("/act", body).status == 400


@pytest.mark.parametrize(
    "change",
    [
        {"version": None},
        {"version": "1"},
        {"version": True},
        {"version": 1.0},
        {"version": -1},
        {"version": 2**31},
        {"action": None},
        {"action": "take:0"},
        {"action": -1},
        {"action": 2**40},
    ],
)
def test_wrong_values_are_refused(client: Client, change: dict[str, Any]) -> None:
    answer = client.post("/act", move(client) | change)
    assert answer.status == 400
    assert answer.json["error"]


def test_a_large_request_is_refused(client: Client) -> None:
    body = move(client) | {"more": "x" * LARGEST_BODY}
    assert client.post("/act", body).status == 413


def test_a_stale_request_is_refused_and_says_so(client: Client) -> None:
    body = move(client)
    for version in (body["version"] - 1, body["version"] + 1):
        answer = client.post("/act", body | {"version": version})
        assert answer.status == 409
        assert answer.json["stale"]


def test_illegal_actions_and_early_records_are_refused(client: Client) -> None:
    body = move(client)
    for action in (1944, 1954, 1955, 100_000):
        answer = client.post("/act", body | {"action": action})
        assert answer.status == 409
        assert not answer.json["stale"]
    assert client.get("/record").status == 409
    assert client.get("/record").json == {
        "error": "there is a record when the game is over",
        "stale": False,
    }


def test_a_new_game_with_wrong_settings_is_refused(client: Client) -> None:
    good = {"players": ["human", "saver"], "edition": "german", "seed": ""}
    for change in (
        {"players": "human"},
        {"players": None},
        {"players": [1, 2]},
        {"players": ["human", "os:system"]},
        {"players": ["human"] * 7},
        {"edition": "spanish"},
        {"edition": "italian"},
        {"edition": 3},
        {"seed": "-1"},
        {"seed": "1" * 25},
        {"seed": 7},
        {"seed": "\n"},
    ):
        answer = client.post("/new", move(client) | good | change)
        assert answer.status == 400, change


def test_a_change_needs_a_post(client: Client) -> None:
    for name in ("act", "undo", "hint", "skip", "pause", "substitute", "save", "new"):
        assert client.get(f"/{name}", X_Alhambra_Token=client.token).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../server.py",
        "/assets/..%2fserver.py",
        "/assets/%2e%2e%2fserver.py",
        "/etc/passwd",
        "/assets/LICENSE",
        "/assets/nothing.js",
        "/assets/",
    ],
)
def test_only_the_files_of_the_page_are_served(client: Client, path: str) -> None:
    assert client.get(path).status == 404


def test_every_answer_restricts_what_the_page_may_load(client: Client) -> None:
    for path in (
        "/",
        "/state",
        "/assets/play.js",
        "/assets/Roboto-Bold.ttf",
        "/drawing.css",
        "/no",
    ):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


def test_the_page_loads_nothing_from_elsewhere(client: Client) -> None:
    page = client.get("/").body.decode()
    linked = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert len(linked) >= 4
    for path in linked:
        assert client.get(path).status == 200
        assert "//" not in path
    assert "<style" not in page
    assert " style=" not in page


def test_a_waiting_page_hears_of_a_change() -> None:
    with served("human", "saver") as table:
        settle(table.session)
        client = Client(table)
        view = client.state()
        heard: list[Any] = []
        waiting = threading.Thread(target=lambda: heard.append(client.state(view["version"])))
        waiting.start()
        time.sleep(0.1)
        assert not heard
        action = view["choices"][0]["action"]
        assert (
            Client(table).post("/act", {"version": view["version"], "action": action}).status == 200
        )
        waiting.join(PATIENCE)
        assert heard[0]["version"] > view["version"]


def test_no_message_of_a_whole_game_tells_a_secret() -> None:
    rng = random.Random(4)
    with served("human", "saver", "builder") as table:
        client, secrets, hinted = Client(table), set(), 0
        view = client.state()
        while view["state"] != "over":
            if view["state"] == "theirs":
                view = client.state(view["version"])
                continue
            with table.session.lock:
                secrets |= set(secrets_in(table.session))
            body = {"version": view["version"], "action": 1944}
            assert client.post("/act", body).status == 409
            if hinted < 3:
                hinted += 1
                view = client.post("/hint", body).json
                while view["hint"] is None or view["hint"]["options"] is None:
                    view = client.state(view["version"])
            action = rng.choice(view["choices"])["action"]
            view = client.post("/act", {"version": view["version"], "action": action}).json
        told = b"\n".join(client.messages[:-1]).decode()
        assert str(SEED) in secrets
        assert not [secret for secret in secrets if secret in told]
        record = client.get("/record").json
    assert view["result"]["seed"] == str(SEED)
    assert replay(record).scores == table.session.table.game.scores


def test_an_occupied_port_is_left_alone() -> None:
    with find_port(8400) as first, find_port(first.getsockname()[1]) as second:
        assert second.getsockname()[1] > first.getsockname()[1]
        assert second.getsockname()[0] == "127.0.0.1"
    for port in (0, 65536, -1):
        with pytest.raises(ValueError, match="port must be 1 to 65535"):
            find_port(port)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_ends_it_with_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = occupied.getsockname()[1]
        words = ["play", "human", "saver", "--no-open", "--port", str(port)]
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "alhambra_env.cli", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout
        lines = [process.stdout.readline(), process.stdout.readline()]
        assert lines[0] == f"Port {port} is occupied.\n"
        address = re.fullmatch(r"Play at http://127.0.0.1:(\d+)/ - Ctrl-C ends it.\n", lines[1])
        assert address
        taken = int(address[1])
        assert taken > port
        connection = http.client.HTTPConnection("127.0.0.1", taken, timeout=PATIENCE)
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert (answer.status, len(answer.read()) > 1000) == (200, True)
        connection.close()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert out.strip() == "Stopped."
    assert err.strip() == ""
    assert process.returncode == 0
