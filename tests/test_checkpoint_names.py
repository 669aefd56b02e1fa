"""Names of runs and folders that are taken, linked or held by another process."""

import shutil
from pathlib import Path

import pytest

from alhambra_env.agents.checkpoint import META, beside
from tests.checkpoint_files import write_notes
from tests.tiny_runs import names_in
from training.checkpoint import EVALUATION, load_checkpoint
from training.checkpoint_folder import hold
from training.share import main as share_main
from training.train import main

pytestmark = pytest.mark.usefixtures("in_a_folder")


@pytest.mark.parametrize("target", [".", "notes", "notes/.", "notes/../notes"])
def test_a_checkpoint_is_not_written_over_a_folder_of_other_files(
    trained: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("notes").mkdir()
    Path("notes/mine.txt").write_text("dear")
    assert share_main([str(trained), target]) == 2
    assert "is not a checkpoint and not empty" in capsys.readouterr().err
    assert Path("notes/mine.txt").read_text() == "dear"


def test_training_an_existing_name_is_refused(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("x.yaml").write_text("name: tiny\n")
    before = (copy / META).read_bytes()
    assert main(["x.yaml"]) == 2
    error = capsys.readouterr().err
    assert "there is a checkpoint in checkpoints/tiny already" in error
    assert "--resume checkpoints/tiny" in error
    assert "--overwrite" in error
    assert (copy / META).read_bytes() == before


def test_resuming_into_another_existing_name_is_refused(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(copy, "checkpoints/other")
    shutil.copytree(copy, "elsewhere/tiny")
    for arguments in (["checkpoints/tiny", "name=other"], ["elsewhere/tiny"]):
        assert main(["--resume", *arguments, "ppo.steps=512"]) == 2
        assert "already" in capsys.readouterr().err
    assert load_checkpoint("checkpoints/other").steps == 384
    assert main(["--resume", "checkpoints/tiny", "name=third", "ppo.steps=512"]) == 0
    assert load_checkpoint("checkpoints/third").steps == 512
    assert load_checkpoint("checkpoints/tiny").steps == 384


def test_an_existing_name_is_trained_from_scratch_with_overwrite(copy: Path) -> None:
    write_notes(copy)
    (copy / "all.yaml").write_bytes((copy / "config.yaml").read_bytes())
    assert main([str(copy / "all.yaml"), "ppo.steps=128", "--overwrite"]) == 0
    assert load_checkpoint(copy).steps == 128
    assert not (copy / EVALUATION).exists()
    assert (copy / "notes").exists()


def test_continue_starts_a_run_or_resumes_it(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = str(trained / "config.yaml")
    for steps in (128, 256):
        assert main([settings, "--continue", f"ppo.steps={steps}"]) == 0
        assert load_checkpoint("checkpoints/tiny").steps == steps
    with pytest.raises(SystemExit):
        main(["--continue"])
    assert "give a config file" in capsys.readouterr().err


@pytest.mark.parametrize("name", [".", "..", "...", "checkpoints/other"])
def test_a_name_that_is_no_folder_of_its_own_harms_no_other_checkpoint(
    copy: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(copy, "checkpoints/other")
    assert main([str(copy / "config.yaml"), f"name={name}"]) == 2
    assert "a run's name has" in capsys.readouterr().err
    assert names_in(Path("checkpoints")) == ["other", "tiny"]


def test_sharing_does_not_replace_a_checkpoint_unless_asked_to(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(copy, "checkpoints/other")
    (Path("checkpoints/other") / EVALUATION).write_text("of the other")
    assert share_main(["checkpoints/tiny", "checkpoints/other"]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert load_checkpoint("checkpoints/other").resume
    assert share_main(["checkpoints/tiny", "checkpoints/other", "--overwrite"]) == 0
    assert not load_checkpoint("checkpoints/other").resume
    assert not (Path("checkpoints/other") / EVALUATION).exists()


def test_a_meta_file_of_somebody_else_makes_no_checkpoint(trained: Path) -> None:
    Path("dataset").mkdir()
    (Path("dataset") / META).write_text('{"format": "mine"}')
    assert share_main([str(trained), "dataset", "--overwrite"]) == 2
    assert (Path("dataset") / META).read_text() == '{"format": "mine"}'


def test_hidden_folders_of_somebody_else_are_left_alone(trained: Path) -> None:
    for name in (".config.old", ".config.new"):
        Path(name).mkdir()
        (Path(name) / "dear.txt").write_text("dear")
    assert share_main([str(trained), "config"]) == 0
    assert (Path(".config.old") / "dear.txt").exists()
    assert (Path(".config.new") / "dear.txt").exists()


def test_two_runs_of_one_name_do_not_meet(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with hold(copy):
        assert main(["--resume", "checkpoints/tiny", "ppo.steps=512"]) == 2
    assert "another process is writing to checkpoints/tiny" in capsys.readouterr().err
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=512"]) == 0


def test_a_linked_checkpoint_is_found_after_a_save_that_was_cut_short(copy: Path) -> None:
    Path("disk").mkdir()
    copy.rename("disk/store")
    copy.symlink_to(Path("disk/store").resolve())
    assert load_checkpoint(copy).steps == 384
    rows = len(load_checkpoint(copy).curve)
    old = beside(Path("disk/store"), "old")
    Path("disk/store").rename(old)
    assert main([str(old / "config.yaml"), "--continue", "ppo.steps=512"]) == 0
    assert load_checkpoint(copy).steps == 512
    assert len(load_checkpoint(copy).curve) == rows + 1


def test_a_finished_run_is_there_under_its_new_name(copy: Path) -> None:
    assert main(["--resume", "checkpoints/tiny", "name=new"]) == 0
    assert load_checkpoint("checkpoints/new").steps == 384
