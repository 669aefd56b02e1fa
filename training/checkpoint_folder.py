"""The folder of a checkpoint: replaced atomically, by one writer at a time.

A new checkpoint is written beside the folder and then renamed, so the previous one stays until the
new one is complete. This needs two more folders and a lock file beside it. Their names start with a
dot, which the name of a run cannot.
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
    """Raise `ValueError` if the folder contains files but no checkpoint."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file, not the folder of a checkpoint")
    if folder.is_dir() and any(folder.iterdir()) and not _is_checkpoint(folder):
        raise ValueError(f"{folder} is not a checkpoint and not empty: choose another folder")


def _is_checkpoint(folder: Path) -> bool:
    """Is there a checkpoint, of any version, in this folder?"""
    try:
        meta = json.loads(read_file(folder / META, LARGEST_META))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(meta, dict) and str(meta.get("format")).startswith(FORMATS)


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Lock the folder of a checkpoint for writing.

    Raises:
        ValueError: another process has locked it.
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
    """Replace the files of a folder that are named in `replaced`; all others are kept."""
    folder = folder.resolve()
    new, old = beside(folder, "new"), beside(folder, "old")
    if (old / META).is_file() and not (folder / META).is_file():
        if folder.exists():
            folder.rmdir()  # `check_target` made sure that it is empty
        old.rename(folder)  # the last save was interrupted between its two renames
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
        _remove(new)  # an incomplete checkpoint only takes space
        raise
    _remove(old)


def _remove(folder: Path) -> None:
    """Remove a folder with its content, write-protected folders included."""
    for path in folder.rglob("*") if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            path.chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def _carry_over(path: Path, target: Path) -> None:
    """Hard-link a file or folder to a new path, or copy it where hard links are not supported.

    It is not moved: the old folder must stay complete until the renames are done.
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
