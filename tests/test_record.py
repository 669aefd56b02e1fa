"""Game records in files, and games as bytes: the same again, or refused with the reason."""

import copy
import json
import random
import re
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from alhambra_env import DamagedRecord, Game, actions, files
from alhambra_env.actions import ENCODING_VERSION
from alhambra_env.engine.editions import EditionName
from alhambra_env.record import (
    FORMAT,
    load_record,
    read_record,
    record_of,
    replay,
    save_record,
)
from tests.examples import SETTINGS, examples

thoroughly: Final = examples(400, HealthCheck.function_scoped_fixture)


def play_randomly(game: Game, steps: int = 10**6, seed: int = 0) -> Game:
    chooser = random.Random(seed)
    while not game.over and steps:
        game.step(chooser.choice(game.legal_actions()))
        steps -= 1
    return game


FINISHED: Final = play_randomly(Game(num_players=2, seed=7))
RUNNING: Final = play_randomly(Game(num_players=3, edition="polish", seed=8), steps=70)


# --- the same again ---------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "num_players"), SETTINGS)
def test_a_saved_game_replays_to_the_same_bytes(
    edition: EditionName, num_players: int, tmp_path: Path
) -> None:
    game = play_randomly(Game(num_players, edition, seed=num_players), seed=1)
    save_record(game, tmp_path / "game.json")
    again = load_record(tmp_path / "game.json")
    assert again.to_bytes() == game.to_bytes()
    assert again.history == game.history
    assert again.seed == game.seed
    assert record_of(again) == record_of(game)


@pytest.mark.parametrize("steps", [0, 1, 70])
def test_a_game_that_is_not_over_can_be_saved_and_goes_on(steps: int, tmp_path: Path) -> None:
    game = play_randomly(Game(num_players=4, seed=9), steps)
    save_record(game, tmp_path / "game.json")
    again = load_record(tmp_path / "game.json")
    assert play_randomly(again, seed=5).to_bytes() == play_randomly(game, seed=5).to_bytes()
    assert again.history == game.history


def test_a_truncated_game_replays_to_the_same_bytes(tmp_path: Path) -> None:
    game = play_randomly(Game(seed=10, max_turns=12))
    assert game.truncated
    save_record(game, str(tmp_path / "game.json"))
    again = load_record(str(tmp_path / "game.json"))
    assert again.to_bytes() == game.to_bytes()
    assert again.truncated


@pytest.mark.parametrize("seed", [0, 2**32, 2**64 - 1, 2**200])
def test_a_record_keeps_any_seed(seed: int) -> None:
    game = play_randomly(Game(seed=seed), steps=20)
    assert replay(json.loads(json.dumps(record_of(game)))).to_bytes() == game.to_bytes()


def test_a_game_without_a_given_seed_can_be_saved() -> None:
    game = play_randomly(Game(), steps=20)
    assert replay(record_of(game)).to_bytes() == game.to_bytes()


def test_a_clone_can_be_saved() -> None:
    twin = play_randomly(RUNNING.clone(), steps=20)
    assert replay(record_of(twin)).to_bytes() == twin.to_bytes()


def test_a_record_is_written_as_documented() -> None:
    record = record_of(FINISHED)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        *("format", "encoding_version", "edition", "num_players", "max_turns", "seed"),
        *("actions", "result"),
    ]
    assert record["format"] == FORMAT == "alhambra game record"
    assert record["encoding_version"] == ENCODING_VERSION
    assert record["actions"] == [actions.name(action) for action in FINISHED.history]
    assert list(record["result"]) == ["over", "truncated", "scores", "winners", "record_sha256"]
    assert record["result"]["over"] is True
    assert record["result"]["scores"] == FINISHED.scores
    assert record["result"]["winners"] == FINISHED.winners


# --- the names of the players -----------------------------------------------------------------

NAMES: Final = ["turns:search=0.2s", "</script><img src=x onerror=alert(1)>", "Ωμέγα"]


def test_a_record_keeps_the_names_of_the_players(tmp_path: Path) -> None:
    save_record(RUNNING, tmp_path / "game.json", NAMES)
    record = read_record(tmp_path / "game.json")
    assert record.players == NAMES
    assert record.game.to_bytes() == RUNNING.to_bytes()
    assert load_record(tmp_path / "game.json").history == RUNNING.history


def test_a_record_without_names_is_read_as_before(tmp_path: Path) -> None:
    save_record(RUNNING, tmp_path / "game.json")
    assert "players" not in json.loads((tmp_path / "game.json").read_text(encoding="utf-8"))
    record = read_record(tmp_path / "game.json")
    assert record.players is None
    assert record.game.history == RUNNING.history


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        (["a", "b"], "3 players have 3 names, not 2"),
        (["a", "b", "c", "d"], "3 players have 3 names, not 4"),
        ("abc", "names|list"),
        (["a", "b", ""], "the name of seat 2 must be 1 to 200 printable characters"),
        (["a", "b\n", "c"], "the name of seat 1 must be 1 to 200 printable characters"),
        (["a", "b", "c" * 201], "the name of seat 2 must be 1 to 200 printable characters"),
        (["a", "\u202eb", "c"], "the name of seat 1 must be 1 to 200 printable characters"),
        ([None, "b", "c"], "the name of seat 0 must be 1 to 200 printable characters"),
        (3, "must be a list, not 3"),
    ],
)
def test_names_that_are_not_allowed_are_refused(names: Any, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        record_of(RUNNING, names)
    with pytest.raises(DamagedRecord, match=hint):
        replay(record_of(RUNNING) | {"players": names})


# --- what has no record -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "game",
    [Game.from_bytes(RUNNING.to_bytes()), RUNNING.resample(0, seed=1)],
    ids=["loaded", "resampled"],
)
def test_a_game_that_did_not_begin_here_has_no_record(game: Game, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="from its start"):
        record_of(game)
    with pytest.raises(ValueError, match="from its start"):
        save_record(game, tmp_path / "game.json")
    assert list(tmp_path.iterdir()) == []


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "not a game record"),
        ("hello", "not a game record"),
        ("[]", "format"),
        ("3", "format"),
        ("null", "format"),
        ('"alhambra game record"', "format"),
        ("{}", "format"),
        ('{"format": "chess"}', "format"),
        ('{"format": ["alhambra game record"]}', "format"),
    ],
)
def test_a_file_that_is_no_record_is_refused(text: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DamagedRecord, match=hint):
        load_record(path)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x80abc", b"\x00"])
def test_a_file_that_is_no_text_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(data)
    with pytest.raises(DamagedRecord, match=re.escape(str(path))):
        load_record(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"game\.json"):
        load_record(tmp_path / "game.json")


@thoroughly
@given(st.floats(0, 1, exclude_max=True))
def test_a_cut_file_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "game.json"
    save_record(RUNNING, path)
    text = path.read_text(encoding="utf-8").rstrip()
    path.write_text(text[: int(share * len(text))], encoding="utf-8")
    with pytest.raises(DamagedRecord, match="not a game record"):
        load_record(path)


@pytest.mark.parametrize("version", [ENCODING_VERSION + 1, -1, None, "0", 0.5])
def test_another_encoding_version_is_refused(version: object) -> None:
    record = record_of(RUNNING) | {"encoding_version": version}
    with pytest.raises(DamagedRecord, match=f"version {version!r}; this package reads"):
        replay(record)


@pytest.mark.parametrize(
    "key", ["encoding_version", "edition", "num_players", "max_turns", "seed", "actions", "result"]
)
def test_a_missing_key_is_named(key: str) -> None:
    record = record_of(RUNNING)
    del record[key]
    with pytest.raises(DamagedRecord, match=key.replace("_", ".")):
        replay(record)


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"edition": "french"}, "unknown edition 'french'; there are: german"),
        ({"edition": 3}, "unknown edition 3; there are: german"),
        ({"edition": ["german"]}, "unknown edition"),
        ({"edition": "italian", "num_players": 2}, "italian edition"),
        ({"num_players": 7}, "num_players must be 2 to 6, not 7"),
        ({"num_players": "3"}, "num_players must be a whole number, 2 to 6, not '3'"),
        ({"num_players": None}, "num_players must be a whole number, 2 to 6"),
        ({"max_turns": 0}, "max_turns must be 1"),
        ({"max_turns": 2.5}, "max_turns must be a whole number, 1 to 2147483647, not 2.5"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"seed": "7"}, "seed must be a whole number, 0 or more, not '7'"),
        ({"seed": None}, "seed"),
    ],
)
def test_settings_that_are_not_allowed_are_refused(change: dict[str, Any], hint: str) -> None:
    with pytest.raises(DamagedRecord) as caught:
        replay(record_of(RUNNING) | change)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sell:1", "no action is called 'sell:1'"),
        ("take", "not an action such as 'take:0'"),
        ("store", "store .* is not legal"),
        ("buy:0:2+5+5", "is not legal"),
        (4, ""),
        (None, ""),
        (["take:0"], ""),
    ],
)
def test_an_action_that_cannot_be_played_is_named(name: object, hint: str) -> None:
    record = record_of(RUNNING)
    assert record["actions"][30].partition(":")[0] in ("take", "buy")  # of a turn
    record["actions"][30] = name
    with pytest.raises(DamagedRecord, match=f"action 30 of the record: .*{hint}"):
        replay(record)


def test_an_action_after_the_end_is_refused() -> None:
    record = record_of(FINISHED)
    record["actions"].append("take:0")
    with pytest.raises(DamagedRecord, match="over"):
        replay(record)


@pytest.mark.parametrize("value", [None, 5, "take:0", {"take:0": 1}])
def test_actions_that_are_no_list_are_refused(value: object) -> None:
    with pytest.raises(DamagedRecord):
        replay(record_of(RUNNING) | {"actions": value})


@pytest.mark.parametrize("value", [None, 5, "won", [1, 2]])
def test_a_result_of_another_shape_is_refused(value: object) -> None:
    with pytest.raises(DamagedRecord):
        replay(record_of(RUNNING) | {"result": value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("over", False),
        ("truncated", True),
        ("scores", [0, 0]),
        ("scores", [FINISHED.scores[0], FINISHED.scores[1] + 1]),
        ("scores", None),
        ("winners", [0, 1]),
        ("winners", []),
        ("record_sha256", "0" * 64),
        ("record_sha256", ""),
    ],
)
def test_an_altered_result_is_refused(key: str, value: object) -> None:
    record = copy.deepcopy(record_of(FINISHED))
    assert record["result"][key] != value
    record["result"][key] = value
    with pytest.raises(DamagedRecord, match=f"does not end as recorded: {key}"):
        replay(record)
    del record["result"][key]
    with pytest.raises(DamagedRecord, match=key):
        replay(record)


@pytest.mark.parametrize("seed", range(20, 30))
def test_an_altered_seed_is_refused(seed: int) -> None:
    for game in (FINISHED, RUNNING, Game(seed=1)):
        with pytest.raises(DamagedRecord, match=r"action|does not end as recorded"):
            replay(record_of(game) | {"seed": seed})


@pytest.mark.parametrize(
    "change", [{"edition": "german"}, {"num_players": 4}, {"max_turns": 999}, {"max_turns": 5}]
)
def test_another_setting_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(DamagedRecord, match=r"action|does not end as recorded"):
        replay(record_of(RUNNING) | change)


@thoroughly
@given(st.integers(0, len(FINISHED.history) - 1))
def test_a_lost_action_is_refused(lost: int) -> None:
    record = record_of(FINISHED)
    del record["actions"][lost]
    with pytest.raises(DamagedRecord, match=r"action|does not end as recorded"):
        replay(record)


# --- writing: all or nothing ------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["write", "replace"])
def test_a_failed_save_leaves_the_old_file_as_it_was(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.json"
    save_record(RUNNING, path)
    before = path.read_bytes()

    def fail_halfway(part: Path, data: bytes) -> None:
        part.write_bytes(data[:10])
        raise OSError("the disk is full")

    def fail(part: Path, target: Path) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        if broken == "write":
            patch.setattr(files, "write_synced", fail_halfway)
        else:
            patch.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="disk is full"):
            save_record(FINISHED, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    assert load_record(path).to_bytes() == RUNNING.to_bytes()


def test_a_save_replaces_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text("something else", encoding="utf-8")
    save_record(FINISHED, path)
    assert load_record(path).to_bytes() == FINISHED.to_bytes()
    assert list(tmp_path.iterdir()) == [path]


def test_a_save_into_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        save_record(FINISHED, tmp_path / "nowhere" / "game.json")
    assert list(tmp_path.iterdir()) == []


# --- bytes ------------------------------------------------------------------------------------

DATA: Final = RUNNING.to_bytes()


def test_bytes_make_the_same_game() -> None:
    for game in (FINISHED, RUNNING, Game(6, "italian", seed=3)):
        again = Game.from_bytes(game.to_bytes())
        assert again.to_bytes() == game.to_bytes()
        assert again.legal_actions() == game.legal_actions()
        assert again.snapshot() == game.snapshot()


def test_a_game_made_from_bytes_can_be_played_on() -> None:
    again = Game.from_bytes(DATA)
    assert again.history == []
    assert play_randomly(again, seed=4).to_bytes() == (
        play_randomly(RUNNING.clone(), seed=4).to_bytes()
    )
    assert RUNNING.to_bytes() == DATA


@thoroughly
@given(st.integers(0, len(DATA) - 1))
def test_cut_bytes_are_refused(size: int) -> None:
    with pytest.raises(DamagedRecord):
        Game.from_bytes(DATA[:size])


@pytest.mark.parametrize("size", range(12))
def test_too_few_bytes_are_refused(size: int) -> None:
    with pytest.raises(DamagedRecord):
        Game.from_bytes(DATA[:size])


@pytest.mark.parametrize("more", [b"\0", b"x", DATA])
def test_too_many_bytes_are_refused(more: bytes) -> None:
    with pytest.raises(DamagedRecord, match=f"a game has {len(DATA)} bytes"):
        Game.from_bytes(DATA + more)


@thoroughly
@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_a_byte_altered_anywhere_is_noticed(place: int, change: int) -> None:
    altered = bytearray(DATA)
    altered[place] ^= change
    with pytest.raises(DamagedRecord):
        Game.from_bytes(bytes(altered))


@pytest.mark.parametrize("data", [b"", b"hello", b"\0" * len(DATA), b"ALHX" + DATA[4:]])
def test_bytes_that_do_not_begin_like_a_game_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedRecord, match="are not a game"):
        Game.from_bytes(data)


@pytest.mark.parametrize("version", [ENCODING_VERSION + 1, 255])
def test_bytes_of_another_version_are_refused(version: int) -> None:
    with pytest.raises(DamagedRecord, match=f"version {version}.* reads version"):
        Game.from_bytes(DATA[:4] + bytes([version]) + DATA[5:])


def test_a_damaged_record_is_a_value_error() -> None:
    assert issubclass(DamagedRecord, ValueError)
