"""Data sets of recorded games, and changes to their files."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

PLAYERS: Final = ["builder", "saver", "random"]
META: Final = "meta.json"


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a data set."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def change_meta(folder: Path, **changes: Any) -> None:
    meta = json.loads((folder / META).read_text())
    (folder / META).write_text(json.dumps(meta | changes))


def renew_digest(folder: Path, name: str) -> None:
    """Do what an attacker does who changed a file."""
    meta = json.loads((folder / META).read_text())
    data = (folder / name).read_bytes()
    for shard in meta["shards"]:
        if name in shard["files"]:
            digest = hashlib.sha256(data).hexdigest()
            shard["files"][name] = {"bytes": len(data), "sha256": digest}
    (folder / META).write_text(json.dumps(meta))
