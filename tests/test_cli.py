"""The command `alhambra`."""

import builtins
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest
from typer.testing import CliRunner

from alhambra_env.arena import load
from alhambra_env.arena.deal import Dealer
from alhambra_env.arena.results import DealResult
from alhambra_env.bots import BOT_NAMES
from alhambra_env.cli import main
from alhambra_env.cli.app import app

COMMANDS = [
    *("evaluate", "duel", "ladder", "watch", "replay", "play", "draw"),
    *("bots", "bench", "dataset", "compile"),
]
QUICK = ["--deals", "3", "--workers", "1"]


def run(*words: str, code: int = 0) -> str:
    """Run the command and return all that it prints."""
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.output + str(result.exception)
    return result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_shows_an_example(command: str) -> None:
    assert f"Example: alhambra {command}" in run(command, "--help")


def test_the_help_of_evaluate_names_every_kind_of_player() -> None:
    text = run("evaluate", "--help")
    kinds = ["builder", "rollout:playouts=100", "ppo_3p", "ppo:checkpoints/NAME"]
    assert all(kind in text for kind in [*kinds, "package.module:Name"])


def test_the_help_lists_all_commands() -> None:
    text = run("--help")
    assert all(command in text for command in COMMANDS)


def test_evaluate_prints_tables_and_writes_files(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("match.jsonl", "match.png", "match.md")]
    names = ["--out", "--png", "--markdown"]
    options = [word for pair in zip(names, map(str, files), strict=True) for word in pair]
    text = run("evaluate", "saver", "random", "uniform", *QUICK, *options, "--no-speed")
    assert "3 players, german edition, 3 deals, 9 games" in text
    assert text.count("saver") == 3
    assert "decisions/s" not in text
    assert files[1].read_bytes().startswith(b"\x89PNG")
    assert "| saver |" in files[2].read_text(encoding="utf-8")
    before = files[0].read_bytes()
    assert run("evaluate", "uniform", "saver", "random", *QUICK, *options, "--no-speed") == text
    assert files[0].read_bytes() == before


def test_evaluate_measures_speed() -> None:
    assert "decisions/s" in run("evaluate", "random", "uniform", "-n", "2", *QUICK)


def test_several_numbers_of_players_go_to_several_files(tmp_path: Path) -> None:
    out = tmp_path / "match.jsonl"
    text = run("duel", "saver", "random", "-n", "2", "-n", "4", *QUICK, "--out", str(out))
    assert "2 players" in text
    assert "4 players" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["match-2.jsonl", "match-4.jsonl"]


def test_ladder_writes_json_and_markdown(tmp_path: Path) -> None:
    json, markdown = tmp_path / "ladder.json", tmp_path / "ladder.md"
    bots = ["random", "uniform"]
    run("ladder", *bots, "-n", "2", *QUICK, "--json", str(json), "--markdown", str(markdown))
    assert '"player": "uniform"' in json.read_text(encoding="utf-8")
    assert markdown.read_text(encoding="utf-8").startswith("| bot | against copies of | players |")


def test_watch_tells_every_action_and_the_result() -> None:
    text = run("watch", "saver", "random", "--seed", "7", "--delay", "0")
    assert "Seat 1 random: " in text
    assert "Round 3 is scored: " in text
    assert text.rstrip().count(" wins") == 1
    assert run("watch", "saver", "random", "--seed", "7", "--delay", "0") == text


def test_watch_waits_for_enter() -> None:
    words = ["watch", "saver", "saver", "--step", "--table"]
    result = CliRunner().invoke(app, words, input="\n" * 2000)
    assert result.exit_code == 0
    assert result.output.count("Enter: next action") > 20
    assert result.output.count("Market") > 20


def test_watch_shows_the_aid_at_the_start_and_after_each_round() -> None:
    words = ["watch", "saver", "random", "--seed", "7", "--delay", "0", "--aid"]
    text = run(*words)
    assert text.startswith("Player's aid\n")
    assert text.count("Player's aid") == 1
    titles = ("If round 2 were", "If round 3 were", "How round 3 was scored")
    assert [text.count(title) for title in titles] == [1, 1, 1]
    after_round_one = text[text.index("Round 1 is scored") :].splitlines()[1:3]
    assert after_round_one == ["", "If round 2 were scored now"]


def test_watch_shows_the_standing_with_every_table() -> None:
    text = run("watch", "saver", "random", "--seed", "7", "--delay", "0", "--aid", "--table")
    assert text.count("Player's aid") == 1
    assert text.count("were scored now") + text.count("was scored") == text.count("Market\n") > 20


def test_watch_shows_no_aid_unless_asked() -> None:
    text = run("watch", "saver", "random", "--seed", "7", "--delay", "0")
    assert "aid" not in text
    assert "scored now" not in text


def test_watch_shows_what_the_players_weigh_before_they_decide() -> None:
    words = ["watch", "lookahead", "saver", "planner", "--seed", "7", "--delay", "0"]
    text = run(*words, "--explain")
    lines = text.splitlines()
    shown = [i for i, line in enumerate(lines) if line.endswith(" weighs:")]
    assert len(shown) > 40
    assert not any("saver" in lines[i] for i in shown)
    for i in shown:
        end = next(j for j in range(i + 1, len(lines)) if lines[j].startswith("Seat"))
        table = [line.rstrip() for line in lines[i + 1 : end]]
        assert len(table) >= 2
        played = lines[end].split(": ", 1)[1]
        found = re.fullmatch(r" +([+-][0-9.]+ (?:margin|points))  (.*)", table[0])
        assert found
        value, best = found.groups()
        assert best.startswith(played)  # the best one, in the same words
        column = table[0].index(best)
        assert {line[:column].strip() for line in table} >= {value}
        assert all(line[column - 2 : column] == "  " != line[column] for line in table)  # aligned
    without = [line for line in lines if line.startswith("Seat") and not line.endswith("weighs:")]
    plain = run(*words).splitlines()
    assert without == [line for line in plain if line.startswith("Seat")]


def test_watch_does_not_repeat_a_turn_that_goes_on_as_shown() -> None:
    text = run("watch", "turns", "saver", "--seed", "7", "--delay", "0", "--explain")
    decisions = text.count("turns: ")
    assert 10 < text.count("turns weighs:") < 0.8 * decisions


def test_bots_lists_all_of_them() -> None:
    text = run("bots")
    assert all(name in text for name in BOT_NAMES)


def test_bench_measures_the_bots_that_are_named() -> None:
    text = run("bench", "uniform", "--seconds", "0.05", "--players", "2")
    assert "uniform" in text
    assert "saver" not in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["evaluate", "random", "savr"], "did you mean 'saver'? there are: random"),
        (["evaluate", "random"], "two players or more"),
        (["play", "human"], "2 to 6 players, human included, not 1"),
        (["play", "human", "savr"], "did you mean 'saver'?"),
        (["play", "human", "saver", "--pause", "11"], "pause must be a number from 0 to 10"),
        (["play", "human", "saver", "--port", "0"], "port must be 1 to 65535, not 0"),
        (["play", "human", "saver", "--hint", "ppo_3p"], "ppo_3p was trained for 3 players"),
        (["play", "human", "saver", "--edition", "italian"], "does not describe a game for 2"),
        (["evaluate", "random", "random"], "two players are called 'random'"),
        (["evaluate", "random", "saver", "-n", "7"], "num_players must be 2 to 6, not 7"),
        (["evaluate", "random", "saver", "--edition", "x"], "there are: german"),
        (["evaluate", "random", "saver", "--deals", "0"], "deals must be 1 to 1000000000"),
        (["evaluate", "random", "saver", "--deals", "9" * 20], "deals must be 1 to 1000000000"),
        (["evaluate", "random", "saver", "--workers", "0"], "workers must be 1 to 1024"),
        (["evaluate", "random", "saver", "-n", "2", "-n", "7"], "num_players must be 2 to 6"),
        (["evaluate", "random", "x="], "write name=player"),
        (["evaluate", "random", "..:x"], "not an import path"),
        (["evaluate", "random", "ppo:"], "write ppo:checkpoints/NAME"),
        (["evaluate", "random", "saver", "--out", "/"], "it is a folder"),
        (["evaluate", "random", "nowhere:Player"], "No module named 'nowhere'"),
        (["duel", "random", "random"], "two players are called"),
        (["ladder", "random"], "two bots or more"),
        (["watch", "random"], "num_players must be 2 to 6, not 1"),
        (["watch", "random", "random", "--delay", "-1"], "delay must be a number from 0"),
        (["watch", "random", "random", "--delay", "nan"], "delay must be a number from 0"),
        (["watch", "random", "random", "--delay", "inf"], "delay must be a number from 0"),
        (
            ["watch", "tests.test_players_by_name:ForThree", "random"],
            "trained for 3 players, not for 2",
        ),
        (["bench", "nobody"], "unknown player 'nobody'"),
        (["bench", "random", "nobody"], "unknown player 'nobody'"),
        (["bench", "random", "--seconds", "0"], "seconds must be a number from 0.001"),
        (["bench", "random", "--seconds", "nan"], "seconds must be a number from 0.001"),
        (["bench", "random", "--seconds", "inf"], "seconds must be a number from 0.001"),
        (
            ["bench", "tests.test_players_by_name:ForThree", "-n", "4"],
            "trained for 3 players, not for 4",
        ),
        (
            ["ladder", "random", "tests.test_players_by_name:ForThree"],
            "trained for 3 players, not for 2",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(words: list[str], says: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.startswith("alhambra: ")
    assert result.stderr.count("\n") == 1
    assert not result.stdout


MATCH = ["evaluate", "random", "saver", *QUICK, "--no-speed"]
LADDER = ["ladder", "random", "saver", "-n", "2", *QUICK]
OUTPUTS = [
    *((MATCH, option) for option in ("--out", "--png", "--markdown")),
    *((LADDER, option) for option in ("--json", "--markdown", "--folder")),
]


@pytest.mark.parametrize(("words", "option"), OUTPUTS)
def test_a_file_that_cannot_be_written_is_refused_before_play(
    words: list[str], option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_play(*_: Any) -> NoReturn:
        raise AssertionError("it began to play")

    monkeypatch.setattr(Dealer, "play", no_play)
    file = tmp_path / "file"
    file.touch()
    missing = tmp_path / "missing"
    bad = [
        (missing / "x", f"there is no folder {missing}"),
        (file / "x", f"{file} is not a folder"),
    ]
    if option != "--folder":
        bad.append((tmp_path, f"{tmp_path}: it is a folder"))
    for path, says in bad:
        assert says in run(*words, option, str(path), code=2)
    assert sorted(tmp_path.iterdir()) == [file]

    def protected(**_: Any) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", protected)
    says = f"no file can be made in {tmp_path} (Permission denied)"
    assert says in run(*words, option, str(tmp_path / "x"), code=2)


def test_the_files_of_rungs_lie_in_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "rungs"
    run("ladder", "../a/b=random", "saver", "-n", "2", *QUICK, "--folder", str(folder))
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == ["saver-..-a-b=random-2.jsonl"]
    assert list(folder.iterdir()) == list(tmp_path.rglob("*.jsonl"))


def test_an_extra_that_only_the_tables_need_is_asked_for_before_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for words in (MATCH, LADDER):
        assert run(*words, code=2).startswith("alhambra: matplotlib is not installed")


def test_an_error_within_a_player_is_shown_whole() -> None:
    result = CliRunner().invoke(app, ["evaluate", "random", "tests.test_arena:Broken"])
    assert isinstance(result.exception, ValueError)
    assert "broken on seat" in result.exception.__notes__[0]


def interrupt(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Let Ctrl-C be pressed during a deal."""
    play = Dealer.play

    def stop(self: Dealer, deal: int) -> DealResult:
        if deal == at:
            raise KeyboardInterrupt
        return play(self, deal)

    monkeypatch.setattr(Dealer, "play", stop)


def test_ctrl_c_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "match.jsonl"
    words = ["evaluate", "random", "saver", *QUICK, "--no-speed"]
    with monkeypatch.context() as patch:
        interrupt(patch, at=2)
        text = run(*words, "--out", str(out), code=130)
        assert f"2 of 3 deals are kept in {out}" in text
        assert "Run the same command again to resume" in text
        assert "nothing was kept" in run(*words, code=130)
        assert "--folder" in run("ladder", "random", "saver", *QUICK, code=130)
    run(*words, "--out", str(out))
    assert len(load(out).deals) == 3


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def without_typer(name: str, *rest: Any) -> Any:
        if name == "typer":
            raise ModuleNotFoundError("No module named 'typer'", name="typer")
        return real(name, *rest)

    for module in [name for name in sys.modules if name.startswith("alhambra_env.cli.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", without_typer)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert 'pip install "alhambra-env[arena]"' in capsys.readouterr().err


def test_a_missing_extra_is_named_when_only_a_command_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    result = CliRunner().invoke(app, ["evaluate", "random", "saver", *QUICK])
    assert result.exit_code == 2
    assert 'pip install "alhambra-env[arena]"' in result.stderr


@pytest.mark.parametrize("name", ["[/b]", "[red]x", "$x^$", "a|b"])
def test_a_name_is_printed_as_it_is(name: str, tmp_path: Path) -> None:
    files = ["--png", str(tmp_path / "a.png"), "--markdown", str(tmp_path / "a.md")]
    text = run("duel", f"{name}=builder", "random", "--players", "2", *QUICK, *files)
    assert name in text
    assert "| " + name.replace("|", r"\|") + " | " in (tmp_path / "a.md").read_text()
