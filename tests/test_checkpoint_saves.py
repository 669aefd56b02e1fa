"""What a checkpoint holds, and that a failed save keeps the last one."""

import errno
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from alhambra_env import files
from alhambra_env.agents.checkpoint import META, beside
from tests.checkpoint_files import read_notes, save_again, write_notes
from tests.tiny_runs import assert_same, names_in, tiny
from training import checkpoint_folder
from training.checkpoint import SaveFailed, build_network, load_checkpoint, save_checkpoint
from training.networks import weights_of
from training.train import main

pytestmark = pytest.mark.usefixtures("in_a_folder")

# --- what it holds --------------------------------------------------------------------------------


def test_a_checkpoint_holds_the_network_and_says_what_it_is(trained: Path) -> None:
    loaded = load_checkpoint(trained)
    assert loaded.config == tiny()
    assert_same(weights_of(build_network(loaded)), loaded.weights)
    meta = json.loads((trained / META).read_text())
    assert (meta["encoding_version"], meta["observation_version"]) == (1, 1)
    assert (meta["num_players"], meta["hands"], meta["steps"]) == (3, "secret", 384)
    assert "offers" in meta["pieces"]


def test_what_was_saved_is_read_again(copy: Path) -> None:
    before = load_checkpoint(copy)
    save_again(copy, 999)
    after = load_checkpoint(copy)
    assert after.steps == 999
    assert_same(after.weights, before.weights)
    assert str(after.resume) == str(before.resume)
    assert after.curve == before.curve


# --- saving ---------------------------------------------------------------------------------------


def test_files_that_are_no_part_of_a_checkpoint_are_kept(copy: Path) -> None:
    notes = write_notes(copy)
    save_again(copy, 999)
    assert load_checkpoint(copy).steps == 999
    assert read_notes(copy, notes) == notes


def test_resuming_keeps_notes_and_evaluation(copy: Path) -> None:
    notes = write_notes(copy)
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=512"]) == 0
    assert load_checkpoint(copy).steps == 512
    assert read_notes(copy, notes) == notes


def test_a_new_agent_does_not_keep_what_was_measured_of_the_old_one(copy: Path) -> None:
    notes = write_notes(copy)
    save_again(copy, 0, is_new_agent=True)
    assert read_notes(copy, notes) == {"notes/day 1.txt": "promising"}


def no_space(*_: Any) -> None:
    """Fail like a write to a full disk."""
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("stage", ["write", "link", "second rename"])
def test_a_save_that_fails_leaves_the_last_checkpoint(
    copy: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = write_notes(copy)
    calls = []
    write = files.write_synced
    rename = Path.rename

    def no_third_write(*args: Any) -> Any:
        calls.append(args)
        return no_space() if len(calls) == 3 else write(*args)

    def no_rename(path: Path, target: Path) -> Path:
        if path.name.endswith("-new"):
            no_space()
        return rename(path, target)

    with monkeypatch.context() as patch:
        if stage == "write":
            patch.setattr(checkpoint_folder, "write_synced", no_third_write)
        elif stage == "link":
            patch.setattr(checkpoint_folder, "_link", no_space)
        else:
            patch.setattr(Path, "rename", no_rename)
        with pytest.raises(SaveFailed, match=r"tiny could not be saved: No space left"):
            save_again(copy, 999)
    assert load_checkpoint(copy).steps == 384
    save_again(Path(load_checkpoint(copy).folder), 384)  # whichever of the two it is
    save_checkpoint(copy, tiny(), build_network(load_checkpoint(copy)), 1000, [], {})
    assert load_checkpoint(copy).steps == 1000
    assert read_notes(copy, notes) == notes
    assert names_in(copy.parent) == ["tiny"]


def test_a_save_interrupted_between_its_two_renames_is_found(copy: Path) -> None:
    copy.rename(beside(copy, "old"))
    assert load_checkpoint(copy).steps == 384
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=512"]) == 0
    assert names_in(copy.parent) == ["tiny"]
    assert load_checkpoint(copy).steps == 512


def test_runs_whose_names_end_in_old_and_new_are_left_alone(copy: Path) -> None:
    for name in ("tiny.old", "tiny.new"):
        shutil.copytree(copy, copy.with_name(name))
    save_again(copy, 999)
    assert load_checkpoint(copy.with_name("tiny.old")).steps == 384
    assert load_checkpoint(copy.with_name("tiny.new")).steps == 384


def test_a_full_disk_ends_a_run_with_one_line_and_the_old_checkpoint(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checkpoint_folder, "write_synced", no_space)
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=640"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: the checkpoint ")
    assert "No space left on device. The last checkpoint is unchanged" in error
    assert error.count("\n") == 1
    assert load_checkpoint(copy).steps == 384


def test_an_empty_folder_does_not_cost_the_checkpoint_beside_it(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = load_checkpoint(copy)
    copy.rename(beside(copy, "old"))
    copy.mkdir()

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint_folder, "write_synced", no_space)
        with pytest.raises(SaveFailed):
            save_checkpoint(copy, start.config, build_network(start), 999, [], {})
    assert load_checkpoint(copy).steps == 384


def test_a_folder_that_cannot_be_written_to_is_carried_over_again_and_again(copy: Path) -> None:
    (copy / "notes").mkdir()
    (copy / "notes" / "a.txt").write_text("dear")
    (copy / "notes").chmod(0o555)
    for steps in (1, 2, 3):
        save_again(copy, steps)
    assert load_checkpoint(copy).steps == 3
    assert (copy / "notes" / "a.txt").read_text() == "dear"
    assert names_in(copy.parent) == ["tiny"]
