"""The command `alhambra dataset`."""

import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `data`")
pytest.importorskip("minari", reason="needs Minari, of the extra `data`")

import minari

from alhambra_env.cli.app import app
from alhambra_env.datasets import open_dataset
from alhambra_env.datasets import recording as recording_module
from tests.data_sets import PLAYERS, contents


def run(*words: str, code: int = 0) -> str:
    """Run the command and return all that it prints."""
    result = CliRunner().invoke(app, ["dataset", *words])
    assert result.exit_code == code, result.output + str(result.exception)
    return result.output


def test_it_records_what_the_function_does(recorded: Path, tmp_path: Path) -> None:
    options = ["--games", "7", "--seed", "5", "--shard-games", "3", "--observations"]
    text = run(*PLAYERS, *options, "-o", str(tmp_path / "a"))
    assert text.startswith("7 games, ")
    assert f"bytes a decision) in {tmp_path / 'a'}" in text
    assert contents(tmp_path / "a") == contents(recorded)


@pytest.mark.parametrize(
    "words",
    [
        ["--players", *PLAYERS, "--games", "2"],
        ["--games", "2", "--players", *PLAYERS],
        [f"--players={PLAYERS[0]}", "--players", *PLAYERS[1:], "--games", "2"],
    ],
)
def test_players_may_follow_an_option(words: list[str], tmp_path: Path) -> None:
    run(*words, "--out", str(tmp_path / "a"))
    assert open_dataset(tmp_path / "a").settings.names == tuple(PLAYERS)


def test_seats_can_stay(tmp_path: Path) -> None:
    run(*PLAYERS, "--games", "2", "--no-rotate", "-o", str(tmp_path))
    assert {game.players for game in open_dataset(tmp_path).games()} == {tuple(PLAYERS)}


def test_minari_gets_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("h5py", reason="needs h5py, of the extra `data`")
    (tmp_path / "minari").mkdir()
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    words = [*PLAYERS, "--games", "2", "-o", str(tmp_path / "a"), "--minari", "test/x-v0"]
    assert "Minari data set test/x-v0" in run(*words)
    assert minari.load_dataset("test/x-v0").total_episodes == 6
    assert "there is a Minari data set test/x-v0 already" in run(*words, code=2)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["builder", "savr"], "did you mean 'saver'?"),
        (["builder"], "num_players must be 2 to 6, not 1"),
        ([], "num_players must be 2 to 6, not 0"),
        (["builder", "saver", "--games", "0"], "games must be 1 to"),
        (["builder", "saver", "--edition", "x"], "there are: german"),
        (["builder", "saver", "--edition", "italian"], "does not describe a game for 2 players"),
        (["builder", "saver", "--workers", "0"], "workers must be 1 to"),
        (["builder", "saver", "--seed", "-1"], "seed must be 0 or more"),
        (["builder", "saver", "--shard-games", "0"], "shard_games must be 1 to"),
        (["builder", "ppo_3p"], "trained for 3 players, not for 2"),
        (["builder", "nowhere:Player"], "No module named 'nowhere'"),
        (["x=builder", "x=saver"], "two different players are called 'x'"),
        (["builder", "saver", "--minari", "no version"], "is not an id of Minari"),
    ],
)
def test_bad_input_is_one_line_and_code_2(words: list[str], says: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["dataset", *words, "-o", str(tmp_path / "a")])
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.startswith("alhambra: ")
    assert result.stderr.count("\n") == 1
    assert not result.stdout
    assert not (tmp_path / "a").exists()


def test_a_folder_that_cannot_be_used_is_one_line_and_code_2(
    recorded: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes").touch()
    for folder, says in (
        (recorded, "has a data set with other settings"),
        (tmp_path, "is not a data set and not empty"),
        (tmp_path / "notes", "is not a folder"),
        (tmp_path / "a" / "b", "there is no folder"),
    ):
        text = run("builder", "saver", "-o", str(folder), code=2)
        assert says in text
        assert text.count("\n") == 1


@pytest.mark.parametrize("package", ["pyarrow", "minari", "h5py"])
def test_a_missing_package_is_named(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    text = run(*PLAYERS, "-o", str(tmp_path / "a"), code=2)
    assert f'{package} is not installed; it needs: pip install "alhambra-env[data]"' in text


def test_ctrl_c_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play = recording_module._Table.play

    def stop(self: Any, number: int) -> Any:
        if number == 5:
            raise KeyboardInterrupt
        return play(self, number)

    words = [*PLAYERS, "--games", "6", "--shard-games", "2", "-o", str(tmp_path)]
    with monkeypatch.context() as patch:
        patch.setattr(recording_module._Table, "play", stop)
        text = run(*words, code=130)
    assert f"4 of 6 games are kept in {tmp_path}" in text
    assert "Run the same command again to resume" in text
    run(*words)
    assert len(open_dataset(tmp_path)) == 6
