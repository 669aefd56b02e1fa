"""The log for TensorBoard."""

import errno
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from training.event_log import EventLog


def test_tensorboard_reads_what_was_written(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "runs")
    for step in (5, 10):
        log.write(
            {"loss": np.float32(step / 2), "games": 3, "name": "x", "off": 1},
            {"off": ("tensorboard",)},
            step,
        )
    log.close()
    read = EventAccumulator(str(tmp_path / "runs")).Reload()
    assert read.Tags()["scalars"] == ["loss", "games"]
    assert [(event.step, event.value) for event in read.Scalars("loss")] == [(5, 2.5), (10, 5.0)]


class FullFile:
    """A file on a disk that is full."""

    def write(self, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_ends_the_log_and_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = EventLog(tmp_path)
    file: Any = log._file
    file.close()
    log._file = cast(IO[bytes], FullFile())
    for step in range(3):
        log.write({"loss": 1.0}, {}, step)
    log.close()
    says = capsys.readouterr().err
    assert says == (
        f"warning: the log in {tmp_path} cannot be written (No space left on device); "
        "training continues without it\n"
    )


def test_a_log_that_cannot_begin_is_said_and_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be")
    log = EventLog(tmp_path / "runs" / "mine")
    log.write({"loss": 1.0}, {}, 0)
    log.close()
    assert capsys.readouterr().err.count("cannot be written") == 1
