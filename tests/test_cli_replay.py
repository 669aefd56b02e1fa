"""The command `alhambra replay`, and the records that `alhambra watch --save` writes for it."""

import json
import re
import subprocess
import time
import webbrowser
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from alhambra_env import Game, extras
from alhambra_env.cli.app import app
from alhambra_env.pages import write_video
from alhambra_env.record import read_record, record_of, save_record
from tests.positions import play_randomly
from tests.test_replay_page import data_in

NAMES: Final = ["random", "os:getcwd", "me"]


def run(*words: object, code: int = 0) -> str:
    """Run the command and return all that it prints, as one line."""
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == code, result.output + str(result.exception)
    return result.output.replace("\n", " ")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return the file of a game of 12 random actions, with names."""
    path = tmp_path / "game.json"
    save_record(play_randomly(Game(3, seed=4), steps=12), path, NAMES)
    return path


# --- watching -------------------------------------------------------------------------------------


def test_watch_saves_the_game_with_the_names_of_its_players(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    words = ["watch", "first=saver", "random", "--seed", "7", "--delay", "0"]
    text = run(*words, "--save", path)
    assert f"The record is in {path}; alhambra replay shows it" in text
    game, players = read_record(path)
    assert players == ["first", "random"]
    assert game.over
    assert all(f"{score} points" in text for score in game.scores)
    assert run(*words) == text.partition("The record is in")[0]


def test_watch_checks_where_it_saves_before_it_plays(tmp_path: Path) -> None:
    text = run("watch", "saver", "random", "--save", tmp_path / "no" / "game.json", code=2)
    assert "there is no folder" in text
    assert "Seat 0" not in text


def test_watch_saves_what_was_played_when_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    def stop_after_five(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", stop_after_five)
    path = tmp_path / "game.json"
    text = run("watch", "saver", "random", "--save", path, code=130)
    assert f"The record is in {path}" in text
    game, players = read_record(path)
    assert len(game.history) == 5
    assert players == ["saver", "random"]


# --- pages ----------------------------------------------------------------------------------------


def test_a_page_is_written_beside_the_record(record: Path) -> None:
    text = run("replay", record, "--chances", "1")
    page = record.with_suffix(".html")
    assert f"{page}: {page.stat().st_size:,} bytes" in text
    data = data_in(page.read_text(encoding="utf-8"))
    assert data["names"] == NAMES
    assert len(data["moves"]) == 12
    assert data["chances"]


def test_names_and_chances_can_be_chosen(record: Path, tmp_path: Path) -> None:
    out = tmp_path / "other.html"
    run("replay", record, "-o", out, "--names", "a, b,c", "--chances", "0")
    data = data_in(out.read_text(encoding="utf-8"))
    assert data["names"] == ["a", "b", "c"]
    assert data["chances"] == []
    assert "must be 0 to 10000" in run("replay", record, "--chances", "-1", code=2)
    assert "3 players have 3 names, not 2" in run("replay", record, "--names", "a,b", code=2)


def test_an_advisor_is_asked_at_all_decisions_unless_nothing_is_explained(record: Path) -> None:
    page = record.with_suffix(".html")
    quick = ["--chances", "0"]
    run("replay", record, *quick, "--advisor", "planner")
    thoughts = data_in(page.read_text(encoding="utf-8"))["thoughts"]
    assert {table["who"] for table in thoughts["tables"]} == {"planner"}
    assert sum(number is not None for number in thoughts["tableAt"]) > 6
    run("replay", record, *quick, "--advisor", "planner", "--no-explain")
    assert data_in(page.read_text(encoding="utf-8"))["thoughts"]["tables"] == []
    assert "unknown player 'plannner'; did you mean 'planner'?" in run(
        "replay", record, "--advisor", "plannner", code=2
    )
    assert "was trained for 2 players" in run("replay", record, "--advisor", "ppo_2p", code=2)


def test_the_page_opens_in_the_browser_if_wanted(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_one(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", open_one)
    run("replay", record, "--chances", "0")
    assert opened == []
    run("replay", record, "--chances", "0", "--open")
    assert opened == [record.with_suffix(".html").as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    assert "no browser was found" in run("replay", record, "--chances", "0", "--open", code=2)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (None, "No such file"),
        ("", "is not a game record"),
        ("{}", "is not a game record"),
        ("\x00\x01", "is not a game record"),
        (json.dumps({"format": "chess"}), "is not a game record"),
        (json.dumps(record_of(Game(3, seed=1)) | {"players": ["a"]}), "3 names, not 1"),
        (json.dumps(record_of(Game(3, seed=1)) | {"actions": ["sell:1"]}), "action 0"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(
    text: str | None, hint: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert hint in run("replay", path, code=2)
    assert not path.with_suffix(".html").exists()


def test_what_cannot_be_written_is_refused_before_the_record_is_read(tmp_path: Path) -> None:
    record = tmp_path / "missing.json"
    for out, hint in [
        ("game.txt", "unknown ending of the file to write '.txt'; there are: .html, .gif, .mp4"),
        ("game", "unknown ending of the file to write ''"),
        ("no/game.html", "there is no folder"),
    ]:
        assert hint in run("replay", record, "-o", tmp_path / out, code=2)


def test_a_page_has_no_observer(record: Path) -> None:
    assert "--observer is for videos" in run("replay", record, "--observer", "0", code=2)


# --- videos ---------------------------------------------------------------------------------------


def test_a_gif_has_a_frame_for_each_position(record: Path, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    from PIL import Image, ImageSequence

    out = tmp_path / "game.gif"
    run("replay", record, "-o", out, "--fps", "4", "--width", "321")
    with Image.open(out) as gif:
        assert gif.info["loop"] == 0
        shown = [frame.info["duration"] for frame in ImageSequence.Iterator(gif)]
        assert shown == [250] * 12 + [3250]  # milliseconds
        assert gif.size[0] == 320


def test_a_video_plays_the_whole_game(record: Path, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    out = tmp_path / "game.mp4"
    run("replay", record, "-o", out, "--fps", "4", "--width", "320", "--theme", "dark")
    count, seconds = ffmpeg.count_frames_and_secs(str(out))
    assert count == 13 + 3 * 4  # the last one for three more seconds
    assert seconds == pytest.approx(count / 4, abs=0.3)
    command = [ffmpeg.get_ffmpeg_exe(), "-i", str(out)]
    about = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    size = re.search(r"Video: h264.* yuv420p.* 320x(\d+)", about)
    assert size is not None
    assert int(size[1]) % 2 == 0


def test_an_observer_sees_less(record: Path, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    for seat in (None, 0, 1):
        write_video(read_record(record), tmp_path / f"{seat}.gif", observer=seat, width=320)
    videos = [(tmp_path / f"{seat}.gif").read_bytes() for seat in (None, 0, 1)]
    assert len(set(videos)) == 3


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--fps", "0"], "fps must be a number from 0.1 to 60"),
        (["--width", "10"], "width must be 240 to 3840"),
        (["--observer", "3"], "observer must be 0 to 2"),
        (["--theme", "page"], "unknown theme 'page'"),
    ],
)
def test_settings_of_videos_are_checked(record: Path, words: list[str], hint: str) -> None:
    out = record.with_suffix(".gif")
    assert hint in run("replay", record, "-o", out, *words, code=2)
    assert sorted(path.name for path in record.parent.iterdir()) == ["game.json"]


def test_a_missing_extra_is_named(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "resvg_py" else object())
    text = run("replay", record, "-o", record.with_suffix(".mp4"), code=2)
    assert 'resvg_py is not installed; it needs: pip install "alhambra-env[render]"' in text
