"""Writing files that are never left half written."""

import os
from pathlib import Path


def write_whole(path: str | Path, data: str | bytes) -> None:
    """Write a file under a temporary name and rename it, so that it is never half written.

    A symbolic link at `path` is replaced, not followed.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        write_synced(part, data.encode() if isinstance(data, str) else data)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until it is on disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
