"""Changing the files of a checkpoint, for its tests."""

import hashlib
import json
from pathlib import Path
from typing import Any

from alhambra_env.agents.checkpoint import META
from training.checkpoint import EVALUATION, PICTURE, build_network, load_checkpoint, save_checkpoint


def change_meta(folder: Path, **changes: Any) -> None:
    meta = json.loads((folder / META).read_text())
    (folder / META).write_text(json.dumps(meta | changes))


def replace_file(folder: Path, name: str, data: bytes) -> None:
    """Replace a file's content, and its digest to match."""
    (folder / name).write_bytes(data)
    digests = json.loads((folder / META).read_text())["digests"]
    change_meta(folder, digests=digests | {name: hashlib.sha256(data).hexdigest()})


def save_again(folder: Path, steps: int, **settings: Any) -> None:
    start = load_checkpoint(folder)
    save_checkpoint(
        folder, start.config, build_network(start), steps, start.curve, start.resume, **settings
    )


def write_notes(folder: Path) -> dict[str, str]:
    """Add files that do not belong to a checkpoint to its folder; return them."""
    (folder / "notes").mkdir()
    notes = {"notes/day 1.txt": "promising", EVALUATION: "{}", PICTURE: "a picture"}
    for name, text in notes.items():
        (folder / name).write_text(text)
    return notes


def read_notes(folder: Path, notes: dict[str, str]) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in notes if (folder / name).exists()}
