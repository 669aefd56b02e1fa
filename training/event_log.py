"""The TensorBoard log.

If the disk is full, TensorBoard's own writer thread fails and ends the run. This writer prints one
warning and training continues.
"""

import os
import sys
import time
from pathlib import Path
from typing import IO, Any

import numpy as np
from stable_baselines3.common.logger import KVWriter
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter


class EventLog(KVWriter):
    """Writes scalars to a TensorBoard event file."""

    def __init__(self, folder: Path) -> None:
        """Create a file in a folder; the folder is created if it is missing."""
        self._folder = folder
        self._file: IO[bytes] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            name = f"events.out.tfevents.{int(time.time())}.{os.getpid()}.{time.time_ns() % 10**9}"
            self._file = (folder / name).open("wb")
            self._write(Event(wall_time=time.time(), file_version="brain.Event:2"))
        except OSError as error:
            self._give_up(error)

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Write all values that are numbers."""
        values = [
            Summary.Value(tag=key, simple_value=float(value))
            for key, value in key_values.items()
            if isinstance(value, int | float | np.number)
            and "tensorboard" not in (key_excluded.get(key) or ())
        ]
        try:
            self._write(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))
        except OSError as error:
            self._give_up(error)

    def _write(self, event: Any) -> None:
        if self._file is not None:
            RecordWriter(self._file).write(event.SerializeToString())
            self._file.flush()

    def _give_up(self, error: OSError) -> None:
        self.close()
        print(
            f"warning: the log in {self._folder} cannot be written ({error.strerror or error}); "
            "training continues without it",
            file=sys.stderr,
        )

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            file.close()
        except OSError:  # the rest does not fit on the disk; the warning was printed before
            return
