"""The page that replays a game: what it contains, before any browser opens it."""

import base64
import json
import re
import zlib
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import pytest

from alhambra_env import Game, actions, players
from alhambra_env.agents import loading
from alhambra_env.explanation import Candidate
from alhambra_env.pages import replay_page
from alhambra_env.pages.thoughts import MOST_SHOWN, explainers_of
from alhambra_env.record import Record
from tests.replays import HOSTILE, Thinker, played, positions

NAMES: Final = ["ann", "bob", "ann", HOSTILE]


def data_in(page: str) -> dict[str, Any]:
    """Return the data of a page."""
    found = re.search(
        r'<script type="application/octet-stream" id="data">([\w+/=]*)</script>', page
    )
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


@pytest.fixture(scope="module")
def game() -> Game:
    return played(4)


@pytest.fixture(scope="module")
def page(game: Game) -> str:
    return replay_page(game, NAMES, explainers=[Thinker()] * 4, chances=2)


@pytest.fixture(scope="module")
def data(page: str) -> dict[str, Any]:
    return data_in(page)


def value_at(track: list[list[Any]], ply: int) -> Any:
    return [value for start, value in track if start <= ply][-1]


# --- one file -------------------------------------------------------------------------------------


def test_a_whole_game_of_four_is_below_a_megabyte(page: str) -> None:
    assert len(page.encode()) < 1_000_000


def test_the_page_refers_to_nothing_outside(page: str) -> None:
    without_names = page.replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in without_names
    assert "https:" not in without_names
    assert not re.search(r"@import|url\((?!data:)|<link[^>]+href=\"(?!data:)|src=\"", without_names)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert not re.search(r"script-src[^;]*unsafe|connect-src", policy[1])


def test_names_are_text_and_nothing_else(page: str, data: dict[str, Any]) -> None:
    assert "<img" not in page
    assert 'onerror="' not in page
    assert data["names"] == NAMES
    assert data["titles"] == ["ann (seat 0)", "bob", "ann (seat 2)", HOSTILE]
    assert not any("<img" in body for body, _ in data["drawings"])


# --- what it says ---------------------------------------------------------------------------------


def test_moves_and_scores_are_those_of_the_game(game: Game, data: dict[str, Any]) -> None:
    steps = positions(game)
    assert len(data["moves"]) == len(game.history) == len(steps) - 1
    for ply, (move, before) in enumerate(zip(data["moves"], steps, strict=False)):
        assert move["seat"] == before.to_play
        assert move["text"] == actions.describe(game.history[ply], before)
    assert [value_at(data["scores"], ply) for ply in range(len(steps))] == [
        step.scores for step in steps
    ]


def test_all_three_scorings_are_there_with_what_they_gave(game: Game, data: dict[str, Any]) -> None:
    assert [scoring["rounds"] for scoring in data["scorings"]] == ["1", "2", "3"]
    totals = [sum(points) for points in zip(*(s["gained"] for s in data["scorings"]), strict=True)]
    assert totals == game.scores
    assert data["scorings"][-1]["ply"] == len(game.history)


def test_chances_add_up_and_end_in_the_result(game: Game, data: dict[str, Any]) -> None:
    assert all(sum(values) == pytest.approx(1, abs=0.01) for _, values in data["chances"])
    share = 1 / len(game.winners)
    last = data["chances"][-1][1]
    assert last == [pytest.approx(share * (s in game.winners), abs=0.001) for s in range(4)]
    assert data_in(replay_page(game, explainers=[]))["chances"] == []


def test_a_view_differs_from_everything_in_seats_only(data: dict[str, Any]) -> None:
    for seat, view in enumerate(data["views"]):
        assert {f"seat-{other}" for other in range(4) if other != seat} <= set(view)
        assert set(view) <= {f"seat-{other}" for other in range(4)}


def test_no_view_has_a_card_of_another_hand(game: Game, data: dict[str, Any]) -> None:
    hands_seen = 0
    for seat, view in enumerate(data["views"]):
        for other in set(range(4)) - {seat}:
            for ply in range(len(game.history) + 1):
                body, _ = data["drawings"][value_at(view[f"seat-{other}"], ply)]
                assert "#a-m" not in body  # the face of a card
                body, _ = data["drawings"][value_at(data["everything"][f"seat-{other}"], ply)]
                hands_seen += "#a-m" in body
    assert hands_seen


# --- what players weighed -------------------------------------------------------------------------


def test_the_move_that_was_played_is_marked_once_in_every_table(
    game: Game, data: dict[str, Any]
) -> None:
    steps = positions(game)
    tables, table_at = data["thoughts"]["tables"], data["thoughts"]["tableAt"]
    assert len(table_at) == len(steps)
    for ply, number in enumerate(table_at):
        has_choice = ply > 0 and len(steps[ply - 1].legal_actions()) > 1
        assert (number is not None) == has_choice
        if number is None:
            continue
        table = tables[number]
        assert len(table["rows"]) <= MOST_SHOWN
        [row] = [row for row in table["rows"] if row[-1]]
        rank = sorted(steps[ply - 1].legal_actions(), reverse=True).index(game.history[ply - 1])
        assert row[0] == rank + 1
        assert row[1] == data["moves"][ply - 1]["text"].partition(":")[0]
        assert row[2] == pytest.approx(1 / table["weighed"], abs=1e-4)
        assert row[3] == f"+{game.history[ply - 1]:.1f}"
        assert (table["who"], table["unit"]) == ("thinker", "points")


class Prophet(Thinker):
    """A player that knows the next actions of the game."""

    def __init__(self, game: Game, length: int) -> None:
        self.history, self.length, self.asked = game.history, length, 0

    def explain(self, game: Game) -> Sequence[Candidate] | None:
        self.asked += 1
        ply = len(game.history)
        return [Candidate(tuple(self.history[ply : ply + self.length]), probability=1.0)]


def test_a_turn_that_was_played_as_explained_is_one_table() -> None:
    game = Game(3, seed=0)
    while len(game.history) < 2 or len(set(turns_of(game))) == len(game.history):
        game.step(game.legal_actions()[-1])
    prophet = Prophet(game, 2)
    thoughts = data_in(replay_page(game, explainers=[prophet] * 3))["thoughts"]
    assert prophet.asked == len(thoughts["tables"]) < len(game.history)
    assert thoughts["tableAt"][1:3] == [0, 0]


def turns_of(game: Game) -> list[int]:
    return [int(position.state.turn) for position in positions(game)[:-1]]


def test_nobody_is_asked_unless_known(game: Game) -> None:
    assert data_in(replay_page(game, NAMES))["thoughts"]["tables"] == []
    assert (
        data_in(replay_page(Record(game, ["planner"] * 4), explainers=[]))["thoughts"]["tables"]
        == []
    )
    with pytest.raises(ValueError, match="explainers must be one for each of 4 seats, not 3"):
        replay_page(game, explainers=[None] * 3)


def test_the_bots_of_a_record_are_asked() -> None:
    record = Record(played(2), ["planner", "me"])
    data = data_in(replay_page(record))
    assert data["names"] == ["planner", "me"]
    assert {table["who"] for table in data["thoughts"]["tables"]} == {"planner"}


def test_names_of_a_record_import_and_open_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str, package: str | None = None) -> NoReturn:
        raise AssertionError(name)

    monkeypatch.setattr(players, "import_module", fail)
    monkeypatch.setattr(loading, "read_agent", fail)
    names = ["os:getcwd", "tests.replays:Thinker", "ppo:checkpoints/quickstart"]
    assert explainers_of([*names, "openspiel_ismcts"], 4) == [None] * 4
    assert explainers_of(["", "nobody", "\u2588", "ppo:"], 4) == [None] * 4


def test_settings_in_names_of_a_record_are_left_out() -> None:
    found = explainers_of(["rollout:playouts=1000000", "turns:search=9999s", "ppo_3p", "x"], 4)
    assert [player and player.name for player in found] == ["rollout", "turns", None, None]


# --- other games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [0, 1, 40])
def test_a_game_that_is_not_over_has_a_page(steps: int) -> None:
    game = Game(5, seed=1)
    for _ in range(steps):
        game.step(game.legal_actions()[0])
    page = replay_page(game, chances=1)
    data = data_in(page)
    assert len(data["moves"]) == steps
    assert not data["over"]
    assert "The game is not over" in page


def test_a_truncated_game_says_so() -> None:
    game = Game(2, seed=1, max_turns=6)
    while not game.over:
        game.step(game.legal_actions()[0])
    page = replay_page(game)
    assert "when the limit of 6 turns was reached" in page
    assert [scoring["rounds"] for scoring in data_in(page)["scorings"]] == ["3"]


def test_a_loaded_game_cannot_be_replayed() -> None:
    with pytest.raises(ValueError, match="only a game played from its start can be replayed"):
        replay_page(Game.from_bytes(Game(3, seed=0).to_bytes()))


def test_progress_is_told(game: Game) -> None:
    told: list[str] = []
    replay_page(
        played(2),
        explainers=[Thinker()] * 2,
        chances=1,
        progress=lambda what, *_: told.append(what),
    )
    assert list(dict.fromkeys(told)) == [
        "Playing positions on",
        "Asking players",
        "Drawing positions",
    ]
