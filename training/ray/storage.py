"""The checkpoints of a run with Ray: one folder for each saved iteration.

A checkpoint is written beside its place and then renamed, so a folder with a number is complete. It
has what RLlib saves, and the learning curve. RLlib unpickles it: resume only from folders that you
trust. The agent that `training.ray.train` exports has plain files instead.
"""

import json
import re
import shutil
from pathlib import Path
from pickle import PickleError
from typing import Any, Final

from alhambra_env.files import write_synced

from ..checkpoint import Row, SaveFailed
from .algorithm import LeaguePPO
from .config import RayConfig

_NUMBER: Final = re.compile(r"\d{6,}")
_NEW: Final = ".new"
_DRIVER: Final = "driver.json"
"""What the driver knows besides the algorithm: curve and time."""


class Storage:
    """The folder of a run's checkpoints."""

    def __init__(self, config: RayConfig) -> None:
        """Take the folder from the settings; nothing is written yet."""
        self.folder = Path(config.cluster.storage).absolute() / config.name
        self._keep = config.cluster.keep

    def newest(self) -> Path | None:
        """Return the newest complete checkpoint, or None."""
        found = self._all()
        return found[-1] if found else None

    def save(self, algorithm: LeaguePPO, curve: list[Row], seconds: float) -> Path:
        """Write a checkpoint of the present iteration, and remove the oldest ones.

        Raises:
            SaveFailed: there is no space or no permission. The previous checkpoints are unchanged.
        """
        target = self.folder / f"{algorithm.iteration:06d}"
        new = self.folder / _NEW
        try:
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
            algorithm.save_to_path(str(new))
            driver = {"curve": curve, "seconds": seconds}
            write_synced(new / _DRIVER, json.dumps(driver).encode())
            shutil.rmtree(target, ignore_errors=True)
            new.rename(target)
        except OSError as error:
            reason = error.strerror or error
            raise SaveFailed(
                error.errno, f"the checkpoint {target} could not be saved: {reason}"
            ) from error
        for old in self._all()[: -self._keep]:
            shutil.rmtree(old, ignore_errors=True)
        return target

    def load(self, algorithm: LeaguePPO, checkpoint: Path) -> tuple[list[Row], float]:
        """Continue from a checkpoint; return the learning curve and the seconds so far.

        Raises:
            ValueError: the checkpoint is damaged or does not fit the settings.
        """
        try:
            driver: dict[str, Any] = json.loads((checkpoint / _DRIVER).read_bytes())
            algorithm.restore_from_path(str(checkpoint))
            return list(driver["curve"]), float(driver["seconds"])
        except (OSError, ValueError, LookupError, RuntimeError, EOFError, PickleError) as error:
            raise ValueError(f"the checkpoint {checkpoint} cannot be resumed: {error}") from error

    def clear(self) -> None:
        """Remove all checkpoints of this run; other files in its folder are kept."""
        for checkpoint in self._all():
            shutil.rmtree(checkpoint, ignore_errors=True)

    def _all(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        names = [path for path in self.folder.iterdir() if _NUMBER.fullmatch(path.name)]
        return sorted(
            (path for path in names if (path / _DRIVER).is_file()), key=lambda path: int(path.name)
        )
