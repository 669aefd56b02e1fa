"""Writing files: all of a file or nothing."""

import os
from pathlib import Path


def write_whole(path: str | Path, data: str | bytes) -> None:
    """Write a file beside its place and rename it, so that it is never half written.

    A link is replaced, not followed.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        write_synced(part, data.encode() if isinstance(data, str) else data)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_synced(path: Path, data: bytes) -> None:
    """Write a file, and wait until it is on the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
