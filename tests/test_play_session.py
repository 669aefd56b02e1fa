"""A game at the page, without the page: what it is sent, and what it may ask for."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from alhambra_env import Game, actions
from alhambra_env.engine.editions import EDITION_NAMES
from alhambra_env.play.choices import choices_of
from alhambra_env.play.seats import read_seats
from alhambra_env.play.session import Session, Stale
from alhambra_env.play.table import Refused, Table
from alhambra_env.play.view import view_of
from alhambra_env.record import load_record, replay
from alhambra_env.render.svg import panels
from tests.play_tables import (
    SECRET_TEXT,
    SEED,
    Noting,
    Slow,
    play_on,
    secrets_in,
    session_of,
    settle,
)

HERE = "tests.play_tables"


def text_of(view: dict[str, Any]) -> str:
    return json.dumps(view)


@pytest.mark.parametrize("players", [("human", "saver"), ("saver", "human", "builder", "random")])
def test_a_whole_game_is_told_scored_and_saved(players: tuple[str, ...], tmp_path: Path) -> None:
    with session_of(*players, folder=tmp_path) as session:
        view = play_on(session, random.Random(3))
        game = session.table.game
        record = session.record()
    assert view["state"] == "over"
    told = [entry["text"] for entry in view["log"]]
    assert sum(bool(re.match(r"Round 3 (is|are) scored", text)) for text in told) == 1
    assert sum(entry["name"] is not None for entry in view["log"]) == len(game.history)
    assert view["result"]["seed"] == str(SEED)
    assert [each["score"] for each in view["result"]["scores"]] == sorted(game.scores)[::-1]
    (saved,) = tmp_path.iterdir()
    assert load_record(saved).to_bytes() == game.to_bytes() == replay(record).to_bytes()
    assert record["players"] == session.table.names


def test_the_points_of_a_round_are_told_by_type_and_wall() -> None:
    with session_of("human", "builder", "saver") as session:
        view = play_on(session, random.Random(1))
        scores = session.table.game.scores
    rounds = [e["details"] for e in view["log"] if re.match(r"Round \d is scored", e["text"])]
    assert len(rounds) == 3
    totals = [0, 0, 0]
    for lines in rounds:
        for seat, line in enumerate(lines):
            match = re.fullmatch(r"\w+ \+(\d+)(?: \((.*)\))?", line)
            assert match
            parts = [int(part.split()[-1]) for part in (match[2] or "0").split(", ")]
            assert sum(parts) == int(match[1])
            totals[seat] += int(match[1])
    assert totals == scores


@pytest.mark.parametrize("players", [("human", "saver"), ("builder", "human", "saver")])
def test_what_the_page_is_sent_depends_only_on_what_the_person_knows(
    players: tuple[str, ...],
) -> None:
    rng = random.Random(5)
    with session_of(*players) as session:
        view, seen = settle(session), 0
        while view["state"] == "yours":
            written = text_of(view)
            for secret in secrets_in(session):
                assert secret not in written
            if seen % 5 == 0:
                with session.lock:
                    real = session.table.game
                    session.table.game = real.resample(session.table.seats.human, seed=seen)
                    assert session.table.game.to_bytes() != real.to_bytes()
                    assert text_of(view_of(session)) == written
                    session.table.game = real
            session.act(view["version"], rng.choice(view["choices"])["action"])
            view, seen = settle(session), seen + 1
    assert seen > 20


@pytest.mark.parametrize(("count", "edition"), [(2, "german"), (3, "italian"), (4, "polish")])
def test_every_legal_action_can_be_clicked_and_no_two_are_the_same_clicks(
    count: int, edition: str
) -> None:
    rng = random.Random(count)
    kinds: set[str] = set()
    for seed in range(3):
        game = Game(count, edition, seed)
        while not game.over:
            check_clicks(game)
            legal = game.legal_actions()
            by_kind = {
                actions.kind_of(action).name: action for action in rng.sample(legal, len(legal))
            }
            kinds |= by_kind.keys()
            # Each kind is as likely, so that overpaying, removing and passing occur.
            game.step(rng.choice([*by_kind.values()]))
    assert {"take", "buy", "pick", "remove", "put", "store", "overpay"} <= kinds


def check_clicks(game: Game) -> None:
    choices = choices_of(game)
    assert sorted(choice.action for choice in choices) == game.legal_actions()
    keys = [tuple(sorted(choice.keys)) for choice in choices]
    assert len(set(keys)) == len(keys)
    drawn = panels(
        game.snapshot(),
        game.to_play,
        marks={key: "legal" for (key,) in keys_of_cells(keys)},
    )
    body = "".join(drawn[name].body for name in ("table", f"seat-{game.to_play}"))
    for choice in choices:
        for key in () if choice.is_button else choice.keys:
            name, _, value = key.partition(":")
            assert f'data-{name}="{value}"' in body, key


def keys_of_cells(keys: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [key for key in keys if key[0].startswith("cell:")]


def test_payments_are_listed_exact_ones_first_with_what_they_leave() -> None:
    for seed in range(20):
        choices = [c for c in choices_of(Game(3, seed=seed)) if c.keys[0].startswith("slot:")]
        for slot in {choice.keys[0] for choice in choices}:
            notes = [choice.note for choice in choices if choice.keys[0] == slot]
            over = [0 if note.startswith("exact") else int(note.split()[0]) for note in notes]
            assert over == sorted(over)
            assert all("keeps" in note for note in notes)
            assert all(("another action" in n) == (not o) for n, o in zip(notes, over, strict=True))


# --- undo -----------------------------------------------------------------------------------------


def act_of_kind(session: Session, view: dict[str, Any], start: str) -> dict[str, Any]:
    names = {actions.name(choice["action"]): choice["action"] for choice in view["choices"]}
    action = next(action for name, action in names.items() if name.startswith(start))
    session.act(view["version"], action)
    return settle(session)


def with_a_purchase() -> tuple[int, str]:
    """Return a seed whose first player can buy at once, but not exactly; and the purchase."""
    for seed in range(1000):
        game = Game(2, seed=seed)
        for choice in choices_of(game):
            if choice.keys[0].startswith("slot:") and game.to_play == 0:
                return seed, actions.name(choice.action)
    raise AssertionError


def test_undo_goes_back_to_the_start_of_the_turn_but_not_over_a_draw() -> None:
    seed, purchase = with_a_purchase()
    with session_of("human", "saver", seed=seed) as session:
        start = settle(session)
        bought = act_of_kind(session, start, purchase)
        assert bought["can_undo"]
        session.undo(bought["version"])
        back = settle(session)
        assert not back["can_undo"]
        assert [back[key] for key in ("panels", "choices", "log")] == [
            start[key] for key in ("panels", "choices", "log")
        ]
        taken = act_of_kind(session, back, "take")  # cards are drawn, and the other one plays
        assert not taken["can_undo"]
        with pytest.raises(Refused, match="nothing can be undone"):
            session.undo(taken["version"])


def test_placing_tiles_won_at_the_end_is_undone_until_another_player_places_some() -> None:  # R26
    rng = random.Random(0)
    undone = ended = 0
    for seed in range(40):
        table = Table(read_seats(["human", "saver", "saver"]), "german", seed)
        while not table.game.over:
            is_last = bool(table.game.state.ending) and table.is_persons_turn
            before, log = table.game.to_bytes(), list(table.log)
            table.play(rng.choice(table.game.legal_actions()))
            if is_last and table.is_persons_turn:
                undone += 1
                table.undo()
                assert (table.game.to_bytes(), table.log) == (before, log)
                table.play(rng.choice(table.game.legal_actions()))
            elif is_last:
                ended += 1
                assert not table.can_undo
    assert undone > 3
    assert ended > 3


# --- requests that are refused --------------------------------------------------------------------


def test_a_request_for_another_position_changes_nothing() -> None:
    with session_of("human", "saver") as session:
        view = settle(session)
        action = view["choices"][0]["action"]
        before = session.table.game.to_bytes()
        for version in (view["version"] - 1, view["version"] + 1, 0):
            for ask in (
                lambda v: session.act(v, action),
                session.undo,
                session.ask_hint,
                session.save,
                session.substitute,
                lambda v: session.new_game(v, ["human", "saver"], "german", 1),
            ):
                with pytest.raises(Stale):
                    ask(version)
        with pytest.raises(Refused, match="not legal"):
            session.act(view["version"], 1944)
        assert session.table.game.to_bytes() == before
        assert session.version == view["version"]


def test_nothing_can_be_played_while_another_one_thinks_but_a_new_game_can_be_started() -> None:
    Slow.may_go_on.clear()
    with session_of(f"{HERE}:Slow", "human", seed=seed_with_first(0)) as session:
        view = view_of(session)
        assert view["state"] == "theirs"
        assert view["prompt"] == "slow is thinking"
        assert view["choices"] == []
        with pytest.raises(Refused, match="not your turn"):
            session.act(view["version"], 0)
        session.new_game(view["version"], ["human", "saver"], "polish", seed_with_first(0))
        Slow.may_go_on.set()
        view = settle(session)
        assert (view["state"], view["edition"], view["log"]) == ("yours", "polish", [])


def seed_with_first(seat: int) -> int:
    return next(seed for seed in range(100) if Game(2, seed=seed).to_play == seat)


def test_the_page_can_only_name_players_that_it_was_offered() -> None:
    with session_of("human", "fast=rollout:playouts=2") as session:
        view = settle(session)
        offered = {each["spec"] for each in view["offers"]["players"]}
        assert {"builder", "turns", "fast=rollout:playouts=2"} <= offered
        for path in ("os:system", f"{HERE}:Raising", "rollout:playouts=100000"):
            with pytest.raises(ValueError, match="not one of the players that this page offers"):
                session.new_game(view["version"], ["human", path], "german", None)
        session.new_game(view["version"], ["turns", "human", "builder"], "german", None)
        assert session.table.game.num_players == 3


@pytest.mark.parametrize(
    ("players", "says"),
    [
        (["human"], "2 to 6 players"),
        (["human"] * 2, r"one player is 'human'.*here are 2"),
        (["saver", "random"], r"one player is 'human'.*here are 0"),
        (["human", "savr"], "did you mean 'saver'"),
        (["human", "ppo_3p"], "trained for 3 players, not for 2"),
    ],
)
def test_seats_that_cannot_be_are_refused(players: list[str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_seats(players)


def test_seats_have_distinct_names() -> None:
    seats = read_seats(["saver", "Ada=human", "saver"])
    assert seats.shown == ("saver 1", "Ada", "saver 2")
    assert seats.names == ("saver", "Ada", "saver")  # by which a replay knows who they are


def test_there_is_no_record_before_the_end() -> None:
    with session_of("human", "saver") as session, pytest.raises(Refused, match="game is over"):
        session.record()


# --- players that fail ----------------------------------------------------------------------------


@pytest.mark.parametrize("player", ["Raising", "Cheating"])
def test_a_player_that_raises_is_named_and_a_bot_can_play_on(
    player: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with session_of("human", f"{HERE}:{player}", folder=tmp_path) as session:
        view = settle(session)
        if view["state"] == "yours":
            view = play_on(session, random.Random(0), 30)
        assert view["state"] == "failed"
        assert f"{player.lower()} raised an error" in view["prompt"]
        assert SECRET_TEXT not in text_of(view)
        assert f"{player.lower()} on seat 1 raised an error" in capfd.readouterr().err
        session.save(view["version"])
        (saved,) = tmp_path.iterdir()
        assert load_record(saved).to_bytes() == session.table.game.to_bytes()
        session.substitute(session.version)
        view = play_on(session, random.Random(0))
        assert view["state"] == "over"
        assert session.table.names[1] == f"{player.lower()} (builder)"


def test_a_folder_that_cannot_be_written_loses_no_game(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with session_of("human", "saver", folder=tmp_path / "file") as session:
        view = play_on(session, random.Random(0))
        assert "could not be saved" in view["notice"]
        assert replay(session.record()).over
    assert "could not be saved" in capfd.readouterr().err


# --- hints ----------------------------------------------------------------------------------------


def test_a_player_who_thinks_does_not_delay_a_new_game() -> None:
    Slow.may_go_on.clear()
    with session_of(f"{HERE}:Slow", "human", seed=seed_with_first(0)) as session:
        assert session.table.is_others_turn
        session.new_game(session.version, ["human", "saver"], "german", 5)
        view = settle(session)
        assert view["state"] == "yours"
        Slow.may_go_on.set()  # what it chooses now is for a game that is not played any more
        session.act(view["version"], view["choices"][0]["action"])
        assert settle(session)["state"] == "yours"
        assert session.table.names == ["Human", "saver"]


def test_a_hint_says_the_best_turns_and_what_they_are_worth() -> None:
    with session_of("human", "saver") as session:
        view = settle(session)
        session.ask_hint(view["version"])
        view = settle(session)
        options = view["hint"]["options"]
        assert 1 <= len(options) <= 3
        assert options[0]["action"] in [choice["action"] for choice in view["choices"]]
        assert options[0]["sentences"][0]
        assert options[0]["value"].endswith("margin")
        session.act(view["version"], options[0]["action"])
        assert settle(session)["hint"] is None


def test_an_adviser_sees_only_what_the_person_knows() -> None:
    Noting.shown.clear()
    with session_of("human", "saver", "saver", hint=f"{HERE}:Noting") as session:
        view = settle(session)
        session.ask_hint(view["version"])
        assert settle(session)["hint"]["adviser"] == "noting"
        real = session.table.game.snapshot()
    seen = Noting.shown[0].snapshot()
    assert seen["deck"] != real["deck"]
    assert seen["bag"] != real["bag"]
    assert seen["hands"][1:] != real["hands"][1:]
    assert seen["hands"][0] == real["hands"][0]
    assert Noting.shown[0].seed is None


def test_an_adviser_that_raises_disturbs_nothing() -> None:
    with session_of("human", "saver", hint=f"{HERE}:Raising") as session:
        view = settle(session)
        session.ask_hint(view["version"])
        after = settle(session)
        assert "raised an error" in after["hint"]["meaning"]
        assert SECRET_TEXT not in text_of(after)
        assert after["choices"] == view["choices"]


def test_an_adviser_for_another_number_of_players_is_refused_and_later_replaced() -> None:
    with pytest.raises(ValueError, match="trained for 3 players, not for 2"):
        Session(["human", "saver"], hint="ppo_3p")
    with session_of("human", "saver", "saver", hint="ppo_3p") as session:
        view = settle(session)
        assert view["hint_by"] == "ppo_3p"
        session.new_game(view["version"], ["human", "saver"], "german", 1)
        assert settle(session)["hint_by"] == "lookahead"


# --- pauses ---------------------------------------------------------------------------------------


def test_others_pause_after_each_action_until_they_are_told_to_go_on() -> None:
    seed = next(seed for seed in range(100) if Game(3, seed=seed).to_play == 1)
    with session_of("human", "saver", "saver", seed=seed, pause=10) as session:
        with session.lock:
            assert view_of(session)["state"] == "theirs"
        session.skip(session.version)
        assert settle(session)["state"] == "yours"
        session.set_pause(session.version, 0)
        with pytest.raises(ValueError, match="pause must be a number from 0 to 10"):
            session.set_pause(session.version, 11)


@pytest.mark.parametrize("edition", EDITION_NAMES)
def test_all_editions_can_be_played(edition: str) -> None:
    with session_of("human", "saver", "random", edition=edition) as session:
        assert play_on(session, random.Random(2))["state"] == "over"
