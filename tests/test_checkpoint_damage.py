"""Damaged and hostile files in a checkpoint are refused and do no harm."""

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as write_tensors

from alhambra_env.agents.checkpoint import (
    CURVE,
    META,
    RESUME,
    RESUME_ARRAYS,
    WEIGHTS,
    DamagedCheckpoint,
)
from tests.checkpoint_files import change_meta, replace_file
from training.checkpoint import EVALUATION, PICTURE, load_checkpoint
from training.plot import main as plot_main
from training.share import main as share_main
from training.train import main

pytestmark = pytest.mark.usefixtures("in_a_folder")


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
    with pytest.raises(
        DamagedCheckpoint, match=r"it is not a regular file|has more than|has no meta"
    ):
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
    """Return a generator state that makes PyTorch read out of bounds."""
    state = torch.get_rng_state().numpy().copy()
    state[8:12] = np.frombuffer(struct.pack("=i", 624), np.uint8)
    state[16:24] = np.frombuffer(struct.pack("=Q", 624), np.uint8)
    return state


def change_resume(folder: Path, path: str, value: Any) -> None:
    """Change a plain value or an array in what a run resumes from."""
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
    for command, words in ((plot_main, [str(copy)]), (share_main, [str(copy), "shared"])):
        assert command(words) == 2
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


def test_an_array_is_used_once(copy: Path) -> None:
    tree = json.loads((copy / RESUME).read_text())
    tree["more"] = [tree["episode_starts"]] * 1000
    replace_file(copy, RESUME, json.dumps(tree).encode())
    with pytest.raises(DamagedCheckpoint, match="no '"):
        load_checkpoint(copy)
    load_checkpoint(copy, only_to_play=True)
