"""Changing the files of a checkpoint, for its tests."""

import hashlib
import json
from pathlib import Path
from typing import Any

from training.checkpoint import EVALUATION, PICTURE, build_network, load_checkpoint, save_checkpoint
from training.checkpoint_folder import META


def change_meta(folder: Path, **changes: Any) -> None:
    meta = json.loads((folder / META).read_text())
    (folder / META).write_text(json.dumps(meta | changes))


def replace_file(folder: Path, name: str, data: bytes) -> None:
    """Put other content into a file, with the digest that it then needs."""
    (folder / name).write_bytes(data)
    digests = json.loads((folder / META).read_text())["digests"]
    change_meta(folder, digests=digests | {name: hashlib.sha256(data).hexdigest()})


def save_again(folder: Path, steps: int, **settings: Any) -> None:
    start = load_checkpoint(folder)
    save_checkpoint(
        folder, start.config, build_network(start), steps, start.curve, start.resume, **settings
    )


def write_notes(folder: Path) -> dict[str, str]:
    """Leave files in a checkpoint that are no part of it; return them."""
    (folder / "notes").mkdir()
    notes = {"notes/day 1.txt": "promising", EVALUATION: "{}", PICTURE: "a picture"}
    for name, text in notes.items():
        (folder / name).write_text(text)
    return notes


def read_notes(folder: Path, notes: dict[str, str]) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in notes if (folder / name).exists()}
