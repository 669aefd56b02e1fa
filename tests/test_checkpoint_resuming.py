"""Resuming a run, with the same settings and with others."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save as write_tensors

from alhambra_env.agents.checkpoint import WEIGHTS, DamagedCheckpoint
from alhambra_env.loops.learners import FIRST_EXTERNAL, LEARNER
from tests.checkpoint_files import replace_file
from tests.tiny_runs import tiny
from training.action_run import ActionRun
from training.checkpoint import build_network, load_checkpoint
from training.networks import NO_CHOICE
from training.train import main, train

pytestmark = pytest.mark.usefixtures("in_a_folder")

GONE = "opponents in running games are not in the settings"


def resume(folder: Path, *overrides: str) -> tuple[ActionRun, list[str]]:
    run = ActionRun(tiny("ppo.steps=512", *overrides))
    run.close()
    return run, run.load(load_checkpoint(folder))


def test_nothing_is_drawn_again_with_the_same_settings(copy: Path) -> None:
    run, said = resume(copy)
    saved = load_checkpoint(copy).resume["env"]
    assert said == []
    now = run.env.save()
    assert (now["occupants"] == saved["occupants"]).all()
    assert now["rng"] == saved["rng"]


@pytest.mark.parametrize(
    "override",
    ["opponents={random: 1}", "opponents={builder: 1, pool: 1}", "pool.active=1", "pool.size=1"],
)
def test_opponents_that_no_longer_exist_are_drawn_again_and_it_is_said(
    copy: Path, override: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run, said = resume(copy, override)
    assert len(said) == 1
    assert GONE in said[0]
    now = run.env.save()
    occupants = now["occupants"]
    assert occupants.max() < len(now["bots"])
    policies = 0 if override == "opponents={random: 1}" else len(run.pool.players())
    assert occupants.min() > FIRST_EXTERNAL - policies
    assert ((occupants == LEARNER).sum(axis=1) == 1).all()
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=640", override]) == 0
    assert GONE in capsys.readouterr().out
    assert load_checkpoint(copy).steps == 640


def test_a_bot_keeps_its_seats_when_others_join_before_it(copy: Path) -> None:
    before = load_checkpoint(copy).resume["env"]
    place = before["bots"].index("planner")
    run, said = resume(copy, "opponents={random: 1, builder: 1, planner: 1, pool: 1}")
    assert said == []
    after = run.env.save()
    now = after["bots"].index("planner")
    assert place != now
    assert (before["occupants"] == place).any()
    assert ((after["occupants"] == now) == (before["occupants"] == place)).all()


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("ppo.num_envs=16", "ppo.num_envs cannot change in a resumed run: it was 8, not 16"),
        ("network.choice_width=9", "network.choice_width cannot change"),
        ("game.num_players=4", "game.num_players cannot change"),
        ("game.max_turns=50", "game.max_turns cannot change"),
    ],
)
def test_settings_that_cannot_change_are_named_before_anything_is_played(
    copy: Path, override: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--resume", "checkpoints/tiny", override]) == 2
    assert says in capsys.readouterr().err


def test_fewer_snapshots_are_kept_if_the_settings_say_so(copy: Path) -> None:
    run, _ = resume(copy, "pool.size=2")
    assert len(run.pool.save()["snapshots"]) == 2
    for _ in range(3):
        run.take_snapshot()
    assert len(run.pool.save()["snapshots"]) == 2


def test_a_run_whose_weights_explode_ends_with_a_hint(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def diverge(model: Any) -> None:
        with torch.no_grad():
            next(model.policy.parameters()).fill_(torch.nan)

    monkeypatch.setattr("sb3_contrib.MaskablePPO.train", diverge)
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=512"]) == 2
    assert "have grown beyond 10000 after 512 decisions" in capsys.readouterr().err
    assert load_checkpoint(copy).steps == 384


def test_weights_of_other_settings_are_refused(trained: Path) -> None:
    with pytest.raises(DamagedCheckpoint, match="do not fit"):
        build_network(load_checkpoint(trained), tiny("network.choice_width=9"))
    with pytest.raises(ValueError, match=r"network\.choice_width cannot change"):
        train(tiny("network.choice_width=9"), load_checkpoint(trained), is_shown=False)


def test_scores_lower_than_those_of_illegal_actions_choose_legal_ones(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = load_checkpoint(copy).weights
    weights["score.1.bias"] = np.full_like(weights["score.1.bias"], 9999)
    weights["score.1.weight"] = np.full_like(weights["score.1.weight"], 9999)
    weights["read_choice.bias"] = np.full_like(weights["read_choice.bias"], 9999)
    weights["score.3.weight"] = np.full_like(weights["score.3.weight"], -9999)
    assert NO_CHOICE > -(9999.0**3)
    replace_file(copy, WEIGHTS, write_tensors(weights))
    ended = main(["--resume", "checkpoints/tiny", "ppo.steps=512"])
    # Learning may push such weights over their bound, but an illegal action is another error.
    assert ended == 0 or "have grown beyond 10000" in capsys.readouterr().err
