"""The command `alhambra draw`."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from alhambra_env import Game
from alhambra_env.cli.app import app
from alhambra_env.notation import to_text
from alhambra_env.record import load_record, save_record
from tests.drawings import late, tree
from tests.positions import play_randomly


def draw(*words: object, code: int = 0, stdin: str | None = None) -> str:
    """Run the command and return all that it prints."""
    result = CliRunner().invoke(app, ["draw", *map(str, words)], input=stdin)
    assert result.exit_code == code, result.output + str(result.exception)
    return result.output


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return the file of a game of 60 random actions."""
    path = tmp_path / "game.json"
    save_record(play_randomly(Game(3, seed=4), steps=60), path)
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Return a file with a position."""
    path = tmp_path / "position.txt"
    path.write_text(to_text(late(4)), encoding="utf-8")
    return path


def test_a_position_is_drawn(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "figure.svg"
    assert f"{out.name}: " in draw(text, "-o", out).replace("\n", "")
    assert out.read_text(encoding="utf-8") == late(4).svg()


def test_a_position_is_read_from_standard_input(text: Path, tmp_path: Path) -> None:
    draw("-", "-o", tmp_path / "a.svg", stdin=text.read_text(encoding="utf-8"))
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == late(4).svg()


def test_a_record_is_drawn_at_its_end_or_after_some_actions(record: Path, tmp_path: Path) -> None:
    game = load_record(record)
    draw(record, "-o", tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == game.svg()
    draw(f"{record}:7", "-o", tmp_path / "b.svg")
    earlier = Game(3, seed=4)
    for action in game.history[:7]:
        earlier.step(action)
    assert (tmp_path / "b.svg").read_text(encoding="utf-8") == earlier.svg()
    draw(f"{record}:0", "-o", tmp_path / "c.svg")
    assert (tmp_path / "c.svg").read_text(encoding="utf-8") == Game(3, seed=4).svg()


def test_the_options_choose_what_is_drawn_and_how(record: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    options = ["--observer", 1, "--names", "Ada, Ben,Cleo", "--theme", "dark", "--width", 900]
    draw(record, "-o", out, *options)
    game = load_record(record)
    expected = game.svg(1, names=["Ada", "Ben", "Cleo"], theme="dark", width=900)
    assert out.read_text(encoding="utf-8") == expected


def test_the_names_are_those_of_the_record(tmp_path: Path) -> None:
    game = Game(3, seed=4)
    save_record(game, tmp_path / "named.json", ["Ada", "Ben", "Cleo"])
    draw(tmp_path / "named.json", "-o", tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawn == game.svg(names=["Ada", "Ben", "Cleo"])


def test_a_city_is_drawn_alone(record: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    draw(record, "-o", out, "--city", 2, "--width", 300)
    root = tree(out.read_text(encoding="utf-8"))
    city = load_record(record).snapshot()["cities"][2]
    assert len(root.findall(".//g[@data-cell]")) == len(city)
    assert root.attrib["width"] == "300"


def test_png_and_pdf_are_written(text: Path, tmp_path: Path) -> None:
    for package in ("resvg_py", "svglib"):
        pytest.importorskip(package, reason="needs the extra `render`")
    draw(text, "-o", tmp_path / "a.png", "--width", 500)
    data = (tmp_path / "a.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") == 500
    draw(text, "-o", tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def refuse(*words: object, stdin: str | None = None) -> str:
    """Run the command and return the one line that it prints as an error."""
    line = draw(*words, code=2, stdin=stdin)
    assert line.startswith("alhambra: ")
    assert line.count("\n") == 1
    return line


def test_bad_input_is_refused_with_one_line(record: Path, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    binary, foreign = tmp_path / "binary", tmp_path / "foreign.json"
    binary.write_bytes(bytes(range(256)))
    foreign.write_text('{"a": 1}', encoding="utf-8")
    broken = tmp_path / "broken.json"
    broken.write_text(record.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    assert "nowhere.txt" in refuse(tmp_path / "nowhere.txt", "-o", out)
    assert "it is not text" in refuse(binary, "-o", out)
    assert "not a game record" in refuse(foreign, "-o", out)
    assert "broken.json is not a game record" in refuse(broken, "-o", out)
    assert "has 60 actions, so no ply 61" in refuse(f"{record}:61", "-o", out)
    assert "only a record can have a PLY" in refuse(f"{text}:3", "-o", out)
    assert "PLY must be a whole number" in refuse(f"{record}:x", "-o", out)
    assert "there is no folder" in refuse(record, "-o", out.parent / "nowhere" / "a.svg")
    assert "standard input is empty" in refuse("-", "-o", out, stdin=" \n")
    assert "rubbish" in refuse("-", "-o", out, stdin="rubbish\n")
    assert ".svg, .png, .pdf" in refuse(text, "-o", tmp_path / "a.gif")
    assert "light, dark" in refuse(text, "-o", out, "--theme", "page")
    assert "0 to 3" in refuse(text, "-o", out, "--observer", 4)
    assert "city" in refuse(text, "-o", out, "--city", 4)
    assert "width" in refuse(text, "-o", out, "--width", 0)
    assert "4 players have 4 names, not 1" in refuse(text, "-o", out, "--names", "Ada")
    assert not out.exists()


def test_without_the_extra_it_is_named(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert "alhambra-env[render]" in refuse(text, "-o", tmp_path / "a.png")
