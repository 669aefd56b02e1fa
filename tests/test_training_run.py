"""Training runs, and playing with their checkpoints."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch")

import torch

from alhambra_env import Game
from alhambra_env.agents.checkpoint import Agent, read_agent
from alhambra_env.agents.loading import load_player
from alhambra_env.agents.player import TrainedPlayer
from alhambra_env.arena import duel, standings
from alhambra_env.arena.ladder import read_ladder
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.players import Player, as_player
from tests.tiny_runs import QUICK_OPPONENTS, TINY, assert_same, tiny
from tests.vector_games import batch_of
from training.checkpoint import EVALUATION, PICTURE, Row, load_checkpoint
from training.config import TurnConfig
from training.config_file import load_config, make_config
from training.evaluate import main as evaluation_main
from training.networks import weights_of
from training.plot import main as plot_main
from training.run import LONGEST_CURVE, Run, thinned
from training.share import main as share_main
from training.train import main, train

pytestmark = pytest.mark.usefixtures("in_a_folder")

CONFIGS = sorted(Path("configs").resolve().glob("*.yaml"))


# --- runs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_trains(path: Path) -> None:
    # An untrained policy may never buy, and then games against lookahead are long.
    quick = ["ppo.steps=256", "game.max_turns=60"]
    if isinstance(load_config(path), TurnConfig):
        quick += ["ppo.num_envs=16", "ppo.rollout=8", "ppo.batch_size=64", "evaluation.deals=2"]
    else:
        quick = [*TINY, *quick, "imitation.teacher=builder"]
    config = load_config(path, quick)
    run = train(config, is_shown=False)
    assert run.steps == 256
    assert all(torch.isfinite(weights).all() for weights in run.network.parameters())
    assert load_checkpoint(run.folder).steps == 256


def test_the_same_seed_gives_the_same_weights(trained: Path) -> None:
    again = train(tiny(), is_shown=False)
    assert_same(weights_of(again.network), load_checkpoint(trained).weights)
    other = train(tiny("seed=1", "name=other"), is_shown=False)
    assert (
        weights_of(other.network)["ask.weight"] != weights_of(again.network)["ask.weight"]
    ).any()


@pytest.mark.parametrize("steps", [128, 256])
def test_a_run_that_was_interrupted_goes_on_exactly(
    trained: Path, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stop(Exception):
        pass

    def stop(run: Run) -> None:
        if run.steps == steps:
            raise Stop
        learn(run)

    learn = Run.learn
    monkeypatch.setattr(Run, "learn", stop)
    with pytest.raises(Stop):
        train(tiny(), is_shown=False)
    monkeypatch.setattr(Run, "learn", learn)
    start = load_checkpoint("checkpoints/tiny")
    assert start.steps == steps
    # Other draws must not change the resumed run.
    np.random.random(5)
    torch.rand(5)
    resumed = train(tiny(), start, is_shown=False)
    whole = load_checkpoint(trained)
    assert_same(weights_of(resumed.network), whole.weights)
    now = load_checkpoint("checkpoints/tiny")
    assert now.steps == whole.steps
    assert len(now.curve) == len(whole.curve)
    assert_same(now.resume["pool"]["snapshots"][-1], whole.resume["pool"]["snapshots"][-1])


def test_the_command_line_trains_and_resumes(capsys: pytest.CaptureFixture[str]) -> None:
    config = Path("tiny.yaml")
    config.write_text("name: mine\n")
    assert main([str(config), *TINY, *QUICK_OPPONENTS, "name=mine", "ppo.steps=128"]) == 0
    assert "checkpoints/mine" in capsys.readouterr().out
    assert main(["--resume", "checkpoints/mine", "ppo.steps=256"]) == 0
    shown = capsys.readouterr().out
    assert load_checkpoint("checkpoints/mine").steps == 256
    with Path("checkpoints/mine/curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in rows] == [0, 128, 256]
    for name in ("random", "planner"):
        wins = f"wins against {name}"
        lowest, share, highest = (
            float(rows[-1][f"{which}{wins}"]) for which in ("lowest ", "", "highest ")
        )
        assert 0 <= lowest <= share <= highest <= 1
        assert f"{share:.1%} against {name}" in shown
    assert list(Path("runs/mine").glob("events*"))


@pytest.mark.parametrize(
    "arguments",
    [["missing.yaml"], ["--resume", "missing"], ["x.yaml", "ppo.step=3"]],
)
def test_the_command_line_explains_errors(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("x.yaml").write_text("seed: 1\n")
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_imitation_learns_from_the_teacher(capsys: pytest.CaptureFixture[str]) -> None:
    overrides = ("imitation.decisions=60_000", "imitation.chunk=8192", "imitation.batch_size=128")
    widths = ("network.table_width=64", "network.choice_width=32", "evaluation.deals=40")
    run = train(tiny(*overrides, *widths, "ppo.steps=0"), is_shown=False)
    assert run.curve[-1]["wins against random"] > 0.6


# --- the trained player ---------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["", ",sample", ",search=2"])
def test_a_checkpoint_plays_whole_games_legally(trained: Path, option: str) -> None:
    player = load_player(f"{trained}{option}")
    assert isinstance(player, Player)
    assert player.name == f"ppo:{trained}{option}"
    results = []
    for _ in range(2):
        game = Game(num_players=3, seed=4)
        player.begin(9)
        while not game.over:
            game.step(player.choose(game))  # `step` refuses what is not legal
        results.append(game.to_bytes())
    assert results[0] == results[1]
    with pytest.raises(ValueError, match="over"):
        player.choose(game)


def test_a_checkpoint_is_an_opponent_in_the_vector_environment(trained: Path) -> None:
    env = VectorSingleEnv(num_envs=3, opponents=[f"ppo:{trained}", "random"])
    _, infos = env.reset(seed=1)
    for _ in range(30):
        infos = env.step(infos["action_mask"].argmax(axis=1))[-1]
    assert (batch_of(env).states["turn"] > 3).all()


def test_a_trained_player_names_the_games_it_can_play(trained: Path) -> None:
    with pytest.raises(ValueError, match="trained for 3 players, not for 4"):
        load_player(str(trained)).choose(Game(num_players=4, seed=1))
    with pytest.raises(ValueError, match="did you mean 'sample'"):
        load_player(f"{trained},sampel")
    for much in ("much", "", "0", "1000001", "9" * 20, "9" * 5000, "\u0663"):
        with pytest.raises(ValueError, match=r"^search must be .*1 to 1000000, not"):
            load_player(f"{trained},search={much}")
    agent = read_agent(trained)
    assert isinstance(agent, Agent)
    with pytest.raises(ValueError, match="search must be 1 to 1000000, not 0"):
        TrainedPlayer(agent.layout, agent.weights, 3, "mine", search=0)
    with pytest.raises(ValueError, match="unknown option of a trained player ''"):
        load_player(f"{trained},")
    for nothing in ("", " ", ",sample"):
        with pytest.raises(
            ValueError, match="does not name a checkpoint: write ppo:checkpoints/NAME"
        ):
            load_player(nothing)
    with pytest.raises(ValueError, match="'sample' takes no value"):
        load_player(f"{trained},sample=3")


def test_a_checkpoint_is_a_player_by_name(trained: Path) -> None:
    player = as_player(f"ppo:{trained}")
    assert isinstance(player, TrainedPlayer)
    table = standings(duel(f"tiny=ppo:{trained}", "random", 3, 1, workers=1))
    assert table.row("tiny").games == 3


def test_a_checkpoint_is_evaluated_and_drawn(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(trained, tmp_path / "tiny")
    arguments = [str(folder), "--bots", "random", "uniform", "--deals", "2", "--workers", "1"]
    assert evaluation_main(arguments) == 0
    shown = capsys.readouterr().out
    assert "uniform" in shown
    assert f"alhambra watch ppo:{folder} planner planner" in shown
    assert [rung.other for rung in read_ladder(folder / EVALUATION)] == ["random", "uniform"]
    assert (folder / PICTURE).read_bytes().startswith(b"\x89PNG")
    assert plot_main([str(folder)]) == 0
    load_checkpoint(folder)  # is none the worse for it


@pytest.mark.parametrize("command", [evaluation_main, plot_main])
def test_what_is_no_checkpoint_cannot_be_evaluated_or_drawn(
    command: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(["nothing"]) == 2
    assert "nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--deals", "0"], "deals must be 1 to 1000000000, not 0"),
        (["--deals", "9" * 20], "deals must be 1 to 1000000000, not 9999"),
        (["--seed", "-1"], "seed must be 0 or more, not -1"),
        (["--workers", "0"], "workers must be 1 to 1024, not 0"),
        (["--bots", "random", "nobody"], "unknown player 'nobody'"),
        (
            ["--bots", "random", "tests.test_players_by_name:ForFour"],
            "trained for 4 players, not for 3",
        ),
    ],
)
def test_an_evaluation_is_checked_before_it_begins(
    trained: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluation_main([str(trained), *words]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("error: ")
    assert says in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out


def test_an_evaluation_that_could_not_be_kept_does_not_begin(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(trained, tmp_path / "tiny")
    (folder / EVALUATION).mkdir()
    assert evaluation_main([str(folder), "--deals", "1000000000"]) == 2
    assert f"cannot write to {folder / EVALUATION}: it is a folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a=b", "a:b"])
def test_a_checkpoint_may_have_any_name(
    trained: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(trained, tmp_path / name)
    monkeypatch.chdir(folder)
    assert evaluation_main([".", "--bots", "random", "--deals", "2", "--workers", "1"]) == 0
    assert read_ladder(Path(EVALUATION))[0].player == "a-b"


def test_a_copy_that_cannot_be_written_is_one_line(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for target in ("file", "file/within"):
        assert share_main([str(trained), str(tmp_path / target)]) == 2
        shown = capsys.readouterr().err
        assert str(tmp_path / "file") in shown
        assert shown.count("\n") == 1
        assert "Errno" not in shown


def test_an_agent_learns_from_nothing() -> None:
    config = make_config(
        {},
        [
            "threads=1",
            "name=nothing",
            "imitation.decisions=0",
            "opponents={random: 1}",
            "evaluation.opponents=[random]",
            "evaluation.deals=40",
            "evaluation.every=30_000",
            "ppo.steps=30_000",
            "ppo.num_envs=64",
            "ppo.rollout=32",
            "ppo.batch_size=256",
        ],
    )
    run = train(config, is_shown=False)
    wins = [row["wins against random"] for row in run.curve if "wins against random" in row]
    assert wins[-1] > 0.6  # an even share is a third


def test_a_long_curve_is_thinned_and_keeps_its_evaluations() -> None:
    curve: list[Row] = []
    evaluated = {"wins against random": 1}
    for steps in range(2 * LONGEST_CURVE):
        row: Row = {"steps": steps, "wins": 0.5}
        curve.append(row | evaluated if steps % 1000 == 0 else row)
        curve = thinned(curve)
    assert LONGEST_CURVE // 2 <= len(curve) <= LONGEST_CURVE
    assert sum("wins against random" in row for row in curve) == 20
    assert [row["steps"] for row in curve] == sorted(row["steps"] for row in curve)
    assert len(thinned([evaluated] * (LONGEST_CURVE + 2))) < LONGEST_CURVE


def test_a_small_copy_plays_but_does_not_go_on(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "small"
    assert share_main([str(trained), str(target)]) == 0
    assert {path.name for path in target.iterdir()} >= {"meta.json", "weights.safetensors", PICTURE}
    assert not list(target.glob("resume.*"))
    game = Game(num_players=3, seed=1)
    assert load_player(str(target)).choose(game) == load_player(str(trained)).choose(game)
    assert main(["--resume", str(target)]) == 2
    assert "can play but not be resumed" in capsys.readouterr().err
    assert share_main([str(trained), str(trained)]) == 2
