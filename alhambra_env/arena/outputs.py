"""Checks that output files can be written, before hours of play and not after."""

import os
import tempfile
from pathlib import Path


def check_output(path: str | Path) -> None:
    """Raise `ValueError` unless this file can be written; its folder must exist."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"cannot write to {path}: it is a folder")
    _check_folder(path.parent, path)
    if path.exists() and not os.access(path, os.W_OK):
        raise ValueError(f"cannot write to {path}: it is protected")


def check_output_folder(folder: str | Path) -> None:
    """Raise `ValueError` unless files can be written to a folder, or it can be created.

    Its parent must exist.
    """
    folder = Path(folder)
    _check_folder(folder if folder.exists() else folder.parent, folder)


def _check_folder(folder: Path, path: Path) -> None:
    if not folder.exists():
        raise ValueError(f"cannot write to {path}: there is no folder {folder}")
    if not folder.is_dir():
        raise ValueError(f"cannot write to {path}: {folder} is not a folder")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"cannot write to {path}: no file can be made in {folder} ({error.strerror})"
        ) from None
