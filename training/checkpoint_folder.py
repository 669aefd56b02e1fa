"""The folder of a checkpoint: replaced as a whole or not at all, by one writer at a time.

A new checkpoint is written beside the folder and then renamed, so that the last good one stays
until the new one is complete. Two folders and a file beside it belong to that; no run can have
their names, because they begin with a dot.
"""

import json
import os
import shutil
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from alhambra_env.agents.checkpoint import FORMATS, LARGEST_META, META, beside, read_file
from alhambra_env.files import write_synced


def check_target(folder: Path) -> None:
    """Raise `ValueError` if a checkpoint written there would stand among somebody's other files."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file, where the folder of a checkpoint should be")
    if folder.is_dir() and any(folder.iterdir()) and not _is_checkpoint(folder):
        raise ValueError(f"{folder} is no checkpoint, and is not empty: choose another folder")


def _is_checkpoint(folder: Path) -> bool:
    """Does a folder hold a checkpoint of any version?"""
    try:
        meta = json.loads(read_file(folder / META, LARGEST_META))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(meta, dict) and str(meta.get("format")).startswith(FORMATS)


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Be the only one that writes a checkpoint to a folder.

    Raises:
        ValueError: another process does.
    """
    real = folder.resolve()
    real.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(beside(real, "lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ValueError(
            f"another process is writing to {folder}: wait, or choose another name"
        ) from None
    try:
        yield
    finally:
        lock.release()


def replace_files(folder: Path, files: dict[str, bytes], replaced: Collection[str]) -> None:
    """Put files in the place of those of a folder; it keeps what is not among `replaced`."""
    folder = folder.resolve()
    new, old = beside(folder, "new"), beside(folder, "old")
    if (old / META).is_file() and not (folder / META).is_file():
        if folder.exists():
            folder.rmdir()  # `check_target` has seen that it is empty
        old.rename(folder)  # a save was cut short between its two renames
    try:
        _remove(new)
        new.mkdir(parents=True)
        for name, data in files.items():
            write_synced(new / name, data)
        for kept in folder.iterdir() if folder.exists() else ():
            if kept.name not in replaced:
                _carry_over(kept, new / kept.name)
        _remove(old)
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except BaseException:
        _remove(new)  # half of a checkpoint fills the disk for nothing
        raise
    _remove(old)


def _remove(folder: Path) -> None:
    """Remove a folder with all that is in it, also what may not be written to."""
    for path in folder.rglob("*") if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            path.chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def _carry_over(path: Path, target: Path) -> None:
    """Give a file or folder a second name, or a copy where the file system knows no second names.

    It is not moved: until the renames are done, the old folder must be complete.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, target, symlinks=True, copy_function=_link)
    else:
        _link(path, target)


def _link(path: str | Path, target: str | Path) -> None:
    try:
        os.link(path, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(path, target, follow_symlinks=False)
