"""Makes a checkpoint small, to give it away: `python -m training.share checkpoints/NAME FOLDER`."""

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from .checkpoint import EVALUATION, build_network, load_checkpoint, save_checkpoint
from .commands import run_command
from .plot import draw_progress


def share_checkpoint(folder: Path, target: Path) -> None:
    """Write a copy of a checkpoint without what only its own training needs."""
    if target.resolve() == folder.resolve():
        raise ValueError(f"the copy must go elsewhere than to {folder} itself")
    checkpoint = load_checkpoint(folder)
    network = build_network(checkpoint)
    save_checkpoint(target, checkpoint.config, network, checkpoint.steps, checkpoint.curve, {})
    if (folder / EVALUATION).exists():
        shutil.copyfile(folder / EVALUATION, target / EVALUATION)
    draw_progress(target)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and copy."""
    parser = argparse.ArgumentParser(
        prog="python -m training.share",
        description="Copy a checkpoint without what is only needed to go on training it.",
    )
    parser.add_argument("folder", type=Path, help="a checkpoint, such as checkpoints/mine")
    parser.add_argument("target", type=Path, help="where the small copy goes")
    given = parser.parse_args(arguments)
    return run_command(lambda: share_checkpoint(given.folder, given.target))


if __name__ == "__main__":
    sys.exit(main())
