"""Checkpoints: what they hold, that none is lost, and that nothing in one does harm."""

import errno
import json
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as write_tensors

from tests.tiny_runs import assert_same, names_in, runs_in, tiny, train_in
from training import checkpoint as checkpoints
from training import checkpoint_folder
from training.checkpoint import (
    CURVE,
    EVALUATION,
    PICTURE,
    RESUME,
    RESUME_ARRAYS,
    WEIGHTS,
    DamagedCheckpoint,
    SaveFailed,
    build_network,
    load_checkpoint,
    save_checkpoint,
)
from training.checkpoint_folder import META, beside, hold
from training.networks import NO_CHOICE
from training.plot import main as plot_main
from training.pool import weights_of
from training.run import Run
from training.share import main as share_main
from training.train import main, train

GONE = "opponents in running games are no longer there"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path) -> Iterator[None]:
    with runs_in(tmp_path):
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_in(tmp_path_factory.mktemp("trained"))


@pytest.fixture
def copy(trained: Path) -> Path:
    """A checkpoint to be harmed, where a run of its name has it."""
    return Path(shutil.copytree(trained, "checkpoints/tiny"))


def change_meta(folder: Path, **changes: Any) -> None:
    meta = json.loads((folder / META).read_text())
    (folder / META).write_text(json.dumps(meta | changes))


def replace_file(folder: Path, name: str, data: bytes) -> None:
    """Put other content into a file, with the digest that it then needs."""
    (folder / name).write_bytes(data)
    digests = json.loads((folder / META).read_text())["digests"]
    change_meta(folder, digests=digests | {name: checkpoints._digest(data)})


def save_again(folder: Path, steps: int, **settings: Any) -> None:
    start = load_checkpoint(folder)
    save_checkpoint(
        folder, start.config, build_network(start), steps, start.curve, start.resume, **settings
    )


# --- what it holds --------------------------------------------------------------------------------


def test_a_checkpoint_holds_the_network_and_says_what_it_is(trained: Path) -> None:
    loaded = load_checkpoint(trained)
    assert loaded.config == tiny()
    assert_same(weights_of(build_network(loaded)), loaded.weights)
    meta = json.loads((trained / META).read_text())
    assert meta["encoding_version"] == 0
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


def write_notes(folder: Path) -> dict[str, str]:
    """Leave files in a checkpoint that are no part of it; return them."""
    (folder / "notes").mkdir()
    notes = {"notes/day 1.txt": "promising", EVALUATION: "{}", PICTURE: "a picture"}
    for name, text in notes.items():
        (folder / name).write_text(text)
    return notes


def read_notes(folder: Path, notes: dict[str, str]) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in notes if (folder / name).exists()}


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


@pytest.mark.parametrize("stage", ["write", "link", "second rename"])
def test_a_save_that_fails_leaves_the_last_checkpoint(
    copy: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = write_notes(copy)
    calls = []

    def no_space(*args: Any) -> Any:
        calls.append(args)
        if len(calls) == 3 or stage != "write":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(*args)

    write = checkpoint_folder._write
    rename = Path.rename

    def no_rename(path: Path, target: Path) -> Path:
        if path.name.endswith("-new"):
            no_space()
        return rename(path, target)

    with monkeypatch.context() as patch:
        if stage == "write":
            patch.setattr(checkpoint_folder, "_write", no_space)
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
    def no_space(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint_folder, "_write", no_space)
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=640"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: the checkpoint ")
    assert "No space left on device. What was saved before is as it was" in error
    assert error.count("\n") == 1
    assert load_checkpoint(copy).steps == 384


@pytest.mark.parametrize("target", [".", "notes", "notes/.", "notes/../notes"])
def test_a_checkpoint_is_not_written_over_a_folder_of_other_files(
    trained: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("notes").mkdir()
    Path("notes/mine.txt").write_text("dear")
    assert share_main([str(trained), target]) == 2
    assert "is no checkpoint, and is not empty" in capsys.readouterr().err
    assert Path("notes/mine.txt").read_text() == "dear"


# --- names that are taken -------------------------------------------------------------------------


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


def test_an_existing_name_is_trained_anew_with_overwrite(copy: Path) -> None:
    write_notes(copy)
    (copy / "all.yaml").write_bytes((copy / "config.yaml").read_bytes())
    assert main([str(copy / "all.yaml"), "ppo.steps=128", "--overwrite"]) == 0
    assert load_checkpoint(copy).steps == 128
    assert not (copy / EVALUATION).exists()
    assert (copy / "notes").exists()


def test_continue_begins_a_run_or_goes_on_with_it(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = str(trained / "config.yaml")
    for steps in (128, 256):
        assert main([settings, "--continue", f"ppo.steps={steps}"]) == 0
        assert load_checkpoint("checkpoints/tiny").steps == steps
    with pytest.raises(SystemExit):
        main(["--continue"])
    assert "give a file of settings" in capsys.readouterr().err


@pytest.mark.parametrize("name", [".", "..", "...", "checkpoints/other"])
def test_a_name_that_is_no_folder_of_its_own_harms_no_other_checkpoint(
    copy: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(copy, "checkpoints/other")
    assert main([str(copy / "config.yaml"), f"name={name}"]) == 2
    assert "a run's name has" in capsys.readouterr().err
    assert names_in(Path("checkpoints")) == ["other", "tiny"]


# --- resuming with other settings -----------------------------------------------------------------


def resume(folder: Path, *overrides: str) -> tuple[Run, list[str]]:
    run = Run(tiny("ppo.steps=512", *overrides))
    run.close()
    return run, run.load(load_checkpoint(folder))


def test_nothing_is_drawn_again_with_the_same_settings(copy: Path) -> None:
    run, said = resume(copy)
    saved = load_checkpoint(copy).resume["env"]
    assert said == []
    assert (run.env.learners.occupants == saved["occupants"]).all()
    assert run.env.save()["rng"] == saved["rng"]


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
    env = run.env
    assert env.learners.occupants.max() < len(env._bots)
    assert env.learners.occupants.min() >= -1 - len(env._policies)
    assert ((env.learners.occupants == -1).sum(axis=1) == 1).all()
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=640", override]) == 0
    assert GONE in capsys.readouterr().out
    assert load_checkpoint(copy).steps == 640


def test_a_bot_keeps_its_seats_when_others_join_before_it(copy: Path) -> None:
    before = load_checkpoint(copy).resume["env"]
    place = before["bots"].index("planner")
    run, said = resume(copy, "opponents={random: 1, builder: 1, planner: 1, pool: 1}")
    assert said == []
    now = [bot.name for bot in run.env._bots].index("planner")
    assert place != now
    assert ((run.env.learners.occupants == now) == (before["occupants"] == place)).all()


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("ppo.num_envs=16", "ppo.num_envs cannot change while a run goes on: it was 8, not 16"),
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


# --- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "says"),
    [("encoding_version", "encoded in version 99"), ("input_version", "input in version 99")],
)
def test_a_checkpoint_of_another_version_is_refused(copy: Path, key: str, says: str) -> None:
    change_meta(copy, **{key: 99})
    with pytest.raises(DamagedCheckpoint, match=says):
        load_checkpoint(copy)


@pytest.mark.parametrize("name", [WEIGHTS, "config.yaml", RESUME, RESUME_ARRAYS, CURVE])
def test_a_damaged_file_is_named(copy: Path, name: str) -> None:
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(DamagedCheckpoint, match=f"{name} is damaged"):
        load_checkpoint(copy)
    (copy / name).unlink()
    with pytest.raises(DamagedCheckpoint, match="damaged"):
        load_checkpoint(copy)


@pytest.mark.parametrize("name", [META, WEIGHTS, RESUME, CURVE])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "large"])
def test_what_is_no_file_of_a_checkpoint_is_not_read(copy: Path, name: str, kind: str) -> None:
    path = copy / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)  # reading it would wait for ever
    elif kind == "device":
        path.symlink_to("/dev/zero")  # has no end
    elif kind == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)  # takes no space on the disk
    with pytest.raises(DamagedCheckpoint, match=r"it is no file|has more than|has no meta"):
        load_checkpoint(copy)


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"format": "alhambra checkpoint 0"}',
        b'{"format": "alhambra checkpoint 1"}',
        DEEP,
        b"\xff",
        b"null",
    ],
    ids=lambda data: str(data[:30]),
)
def test_damaged_meta_data_is_refused(copy: Path, data: bytes) -> None:
    (copy / META).write_bytes(data)
    with pytest.raises(DamagedCheckpoint):
        load_checkpoint(copy)


@pytest.mark.parametrize(
    "steps", ["Infinity", "-1", "NaN", "1e999", "true", '"3"', "null", "1" + "0" * 5000]
)
def test_steps_that_are_no_count_are_refused(copy: Path, steps: str) -> None:
    meta = json.loads((copy / META).read_text())
    text = json.dumps(meta | {"steps": "STEPS"}).replace('"STEPS"', steps)
    (copy / META).write_text(text)
    with pytest.raises(DamagedCheckpoint) as caught:
        load_checkpoint(copy)
    assert len(str(caught.value)) < 500 + len(str(copy))


@pytest.mark.parametrize("name", ["/dev/zero", "../tiny/notes", "notes", "weights.npz", ""])
def test_only_the_files_of_a_checkpoint_are_read(copy: Path, name: str) -> None:
    digests = json.loads((copy / META).read_text())["digests"]
    change_meta(copy, digests=digests | {name: "0" * 64})
    with pytest.raises(DamagedCheckpoint, match="a checkpoint has the files"):
        load_checkpoint(copy)


def weights_with(value: float) -> Callable[[dict[str, np.ndarray]], bytes]:
    def change(weights: dict[str, np.ndarray]) -> bytes:
        array = weights["ask.weight"].copy()
        array[0, 0] = value
        return write_tensors(weights | {"ask.weight": array})

    return change


def weights_as(dtype: str) -> Callable[[dict[str, np.ndarray]], bytes]:
    return lambda weights: write_tensors({key: w.astype(dtype) for key, w in weights.items()})


def header(text: bytes, length: int | None = None) -> Callable[[dict[str, np.ndarray]], bytes]:
    return lambda _: struct.pack("<Q", len(text) if length is None else length) + text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (weights_with(np.nan), "'ask.weight' are not all numbers of up to 10000"),
        (weights_with(np.inf), "'ask.weight' are not all numbers"),
        (weights_with(-np.inf), "'ask.weight' are not all numbers"),
        (weights_with(1e30), "'ask.weight' are not all numbers"),
        (weights_as("float64"), "float64, not float32|more than"),
        (weights_as("float16"), "float16, not float32"),
        (weights_as("int32"), "int32, not float32"),
        (lambda weights: write_tensors({}), "do not fit the settings"),
        (lambda weights: write_tensors(weights | {"x": np.zeros(3)}), "do not fit the settings"),
        (lambda weights: b"", "damaged"),
        (lambda weights: b"PK\x03\x04" + bytes(100), "damaged"),
        (header(b"{}", 1 << 42), "damaged"),
        (header(DEEP), "damaged"),
        (
            header(b'{"ask.weight":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4]}}'),
            "damaged",
        ),
        (header(b'{"x":{"dtype":"BF16","shape":[0],"data_offsets":[0,0]}}'), "damaged|do not fit"),
    ],
)
def test_weights_that_are_none_are_refused(
    copy: Path, change: Callable[[dict[str, np.ndarray]], bytes], says: str
) -> None:
    replace_file(copy, WEIGHTS, change(load_checkpoint(copy).weights))
    with pytest.raises(DamagedCheckpoint, match=says):
        load_checkpoint(copy)


def test_a_network_too_wide_for_any_memory_is_refused(copy: Path) -> None:
    settings = (copy / "config.yaml").read_text()
    wide = settings.replace("table_width: 16", "table_width: 10000000")
    assert wide != settings
    replace_file(copy, "config.yaml", wide.encode())
    with pytest.raises(DamagedCheckpoint, match=r"table_width: .* less than or equal to 4096"):
        load_checkpoint(copy)


@pytest.mark.parametrize(
    "text",
    [
        "steps\nInfinity\n",
        "steps\nnan\n",
        "steps\nx\n",
        "a,b\n1\n",
        "a,a\n1,1\n",
        ",".join("ab" * 999),
    ],
)
def test_a_curve_without_numbers_is_refused(copy: Path, text: str) -> None:
    replace_file(copy, CURVE, text.encode())
    with pytest.raises(DamagedCheckpoint, match=r"curve|float"):
        load_checkpoint(copy)


def misplaced_torch_state() -> np.ndarray:
    """Return a state from which PyTorch reads beyond its words."""
    state = torch.get_rng_state().numpy().copy()
    state[8:12] = np.frombuffer(struct.pack("=i", 624), np.uint8)
    state[16:24] = np.frombuffer(struct.pack("=Q", 624), np.uint8)
    return state


def change_resume(folder: Path, path: str, value: Any) -> None:
    """Change something in what a run needs to go on: a plain value, or an array."""
    tree = json.loads((folder / RESUME).read_text())
    *keys, last = [int(key) if key.isdecimal() else key for key in path.split("/")]
    inner = tree
    for key in keys:
        inner = inner[key]
    if isinstance(value, np.ndarray):
        arrays = read_tensors((folder / RESUME_ARRAYS).read_bytes())
        arrays[inner[last]["array"]] = value
        replace_file(folder, RESUME_ARRAYS, write_tensors(arrays))
        return
    inner[last] = value
    replace_file(folder, RESUME, json.dumps(tree).encode())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seconds", "long"),
        ("seconds", -1),
        ("seconds", None),
        ("optimizer", {}),
        ("optimizer/0/exp_avg", np.zeros(3, np.float32)),
        ("optimizer/0/step", np.array(np.nan, np.float32)),
        ("pool", None),
        ("pool/chosen", [99]),
        ("pool/chosen", [-1]),
        ("pool/snapshots", [1]),
        ("pool/snapshots", [{}]),
        ("pool/snapshots/0/ask.weight", np.full((8, 16), np.nan, np.float32)),
        ("pool/rng", {}),
        ("pool/rng/state", {"state": 0, "inc": 0}),  # draws for ever
        ("env/rng/state", {"state": 1, "inc": 2**64}),
        ("pool/rng/state/state", -1),
        ("pool/rng/bit_generator", "MT19937"),
        ("env", []),
        ("env/bots", []),
        ("env/bots", 3),
        ("env/occupants", np.full((8, 3), 2**40)),
        ("env/occupants", np.full((8, 3), -(2**62))),
        ("env/occupants", np.zeros((8, 3), np.int64)),
        ("env/occupants", np.zeros((8, 4), np.int64)),
        ("env/seats", np.full(8, 3)),
        ("env/seats", np.full(8, -1)),
        ("env/words", np.zeros((8, 4), np.uint32)),
        ("env/earned", np.full(8, np.nan)),
        ("env/batch/states", np.zeros((8, 3456), np.uint8)),
        ("env/batch/entropy", -1),
        ("env/batch/entropy", "x"),
        ("env/rng/state", {"state": 2**200, "inc": 1}),
        ("episode_starts", np.zeros(7, np.bool_)),
        ("episode_starts", None),
        ("numpy/state/pos", 100_000),
        ("numpy/state/pos", -5),
        ("numpy/state/key", np.zeros(3, np.uint32)),
        ("numpy", []),
        ("torch", np.zeros(10, np.uint8)),
        ("torch", np.full(5056, 255, np.uint8)),
        ("torch", [1, 2]),
        ("torch", misplaced_torch_state()),
        ("more", [{"array": "0"}] * 3),
        ("more", {"array": "z" * 1_000_000}),
    ],
)
def test_a_run_does_not_go_on_from_what_is_damaged(
    copy: Path, path: str, value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    change_resume(copy, path, value)
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=512"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: the checkpoint ")
    assert error.count("\n") == 1
    assert len(error) < 1000


def test_a_folder_without_a_checkpoint_is_refused() -> None:
    for name in ("nowhere", "a\0b", "x" * 5000, "/", ".", ""):
        with pytest.raises(DamagedCheckpoint):
            load_checkpoint(name)


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


# --- what a review found --------------------------------------------------------------------------


def test_a_link_in_a_checkpoint_is_not_written_through(copy: Path) -> None:
    Path("dear.txt").write_text("dear")
    (copy / PICTURE).symlink_to(Path("dear.txt").resolve())
    assert plot_main([str(copy)]) == 0
    assert Path("dear.txt").read_text() == "dear"
    assert (copy / PICTURE).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["pipe", "device", "secret", "large", "deep"])
def test_an_evaluation_that_is_none_is_refused(
    copy: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copy / EVALUATION
    Path("secret.txt").write_text("SECRET")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind in ("device", "secret"):
        path.symlink_to("/dev/zero" if kind == "device" else Path("secret.txt").resolve())
    else:
        path.write_bytes(DEEP if kind == "deep" else b'{"format": "' + b"W" * 3_000_000)
    for command in (lambda: plot_main([str(copy)]), lambda: share_main([str(copy), "shared"])):
        assert command() == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not Path("shared").exists()


@pytest.mark.parametrize("name", ["$\\frac{$", "x" * 150, "<b>"])
def test_odd_names_in_a_curve_are_drawn(copy: Path, name: str) -> None:
    columns = [f"{which}wins against {name}" for which in ("", "lowest ", "highest ")]
    text = f"steps,{','.join(columns)}\n10,0.5,0.4,0.6\n"
    replace_file(copy, CURVE, text.encode())
    assert plot_main([str(copy)]) == 0


def test_a_curve_without_its_intervals_is_refused(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replace_file(copy, CURVE, b"steps,wins against random\n10,0.5\n")
    assert plot_main([str(copy)]) == 2
    assert "lowest wins against random" in capsys.readouterr().err


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


def test_an_empty_folder_does_not_cost_the_checkpoint_beside_it(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = load_checkpoint(copy)
    copy.rename(beside(copy, "old"))
    copy.mkdir()

    def no_space(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint_folder, "_write", no_space)
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


def test_an_array_is_used_once(copy: Path) -> None:
    tree = json.loads((copy / RESUME).read_text())
    tree["more"] = [tree["episode_starts"]] * 1000
    replace_file(copy, RESUME, json.dumps(tree).encode())
    with pytest.raises(DamagedCheckpoint, match="no '"):
        load_checkpoint(copy)
    load_checkpoint(copy, only_to_play=True)


def test_scores_lower_than_those_of_illegal_actions_choose_legal_ones(copy: Path) -> None:
    weights = load_checkpoint(copy).weights
    weights["score.1.bias"] = np.full_like(weights["score.1.bias"], 9999)
    weights["score.1.weight"] = np.full_like(weights["score.1.weight"], 9999)
    weights["read_choice.bias"] = np.full_like(weights["read_choice.bias"], 9999)
    weights["score.3.weight"] = np.full_like(weights["score.3.weight"], -9999)
    assert NO_CHOICE > -(9999.0**3)
    replace_file(copy, WEIGHTS, write_tensors(weights))
    # It may then find that it cannot learn with these, but it finds legal actions.
    assert main(["--resume", "checkpoints/tiny", "ppo.steps=512"]) in (0, 2)


def test_a_finished_run_is_there_under_its_new_name(copy: Path) -> None:
    assert main(["--resume", "checkpoints/tiny", "name=new"]) == 0
    assert load_checkpoint("checkpoints/new").steps == 384
