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
from typing import Final

from filelock import FileLock, Timeout

META: Final = "meta.json"
"""The file by which a checkpoint is known."""

FORMATS: Final = "alhambra checkpoint "
"""What its format begins with, in all versions."""

LARGEST_META: Final = 1 << 20


def beside(folder: Path, word: str) -> Path:
    """Return a path beside a folder that is used while it is replaced."""
    return folder.with_name(f".{folder.name}.alhambra-{word}")


def find_folder(folder: Path) -> Path | None:
    """Return where a checkpoint is: in its folder, or beside it after a save that was cut short."""
    # The folder may be a link; it is replaced where it really is.
    real = folder.resolve()
    candidates = (folder, beside(real, "old")) if real.name else (folder,)
    return next((path for path in candidates if (path / META).is_file()), None)


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


def read_file(path: Path, limit: int) -> bytes:
    """Return the content of a file of at most `limit` bytes, which may come from anybody.

    Raises:
        ValueError: it has more, or is no file: a pipe would be waited for, a device has no end.
        OSError: it cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path} is damaged: it is no file")
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{path} is damaged: it has more than {limit:,} bytes")
    return data


def write_file(path: Path, data: bytes) -> None:
    """Write a file, all of it or nothing. A link is replaced, not followed."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _write(part, data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


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
            _write(new / name, data)
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
