"""Copies a checkpoint to share: `python -m training.share checkpoints/NAME FOLDER`.

The copy has no training state, which is most of the bytes.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from alhambra_env.agents.checkpoint import find_folder
from alhambra_env.arena.ladder import write_ladder

from .checkpoint import (
    EVALUATION,
    build_network,
    load_checkpoint,
    read_evaluation,
    save_checkpoint,
)
from .checkpoint_folder import hold
from .commands import run_command
from .plot import draw_progress


def share_checkpoint(folder: Path, target: Path, overwrite: bool = False) -> None:
    """Write a copy of a checkpoint that can play but not be resumed.

    Raises:
        ValueError: there is a checkpoint in `target` already, and `overwrite` is false.
    """
    if target.resolve() == folder.resolve():
        raise ValueError(f"the copy cannot be written to {folder} itself")
    start = load_checkpoint(folder, only_to_play=True)
    rungs = read_evaluation(folder)
    if find_folder(target) and not overwrite:
        raise ValueError(f"there is a checkpoint in {target} already; --overwrite replaces it")
    network = build_network(start)
    with hold(target):
        save_checkpoint(
            target, start.config, network, start.steps, start.curve, {}, is_new_agent=True
        )
        if rungs:
            write_ladder(rungs, target / EVALUATION)
        draw_progress(target)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and copy."""
    parser = argparse.ArgumentParser(
        prog="python -m training.share",
        description="Copy a checkpoint without the files that are only needed to resume training.",
    )
    parser.add_argument("folder", type=Path, help="a checkpoint, such as checkpoints/mine")
    parser.add_argument("target", type=Path, help="folder for the copy")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing checkpoint")
    given = parser.parse_args(arguments)
    return run_command(lambda: share_checkpoint(given.folder, given.target, given.overwrite))


if __name__ == "__main__":
    sys.exit(main())
