"""Train an agent.

python -m training.train configs/quickstart.yaml
python -m training.train configs/ppo_3p.yaml name=mine ppo.steps=5_000_000
python -m training.train configs/turns.yaml name=mine
python -m training.train --resume checkpoints/mine
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from alhambra_env.agents.checkpoint import DamagedCheckpoint, find_checkpoint

from .action_run import ActionRun
from .checkpoint import Checkpoint, load_checkpoint
from .checkpoint_folder import check_target, hold
from .commands import run_training
from .config import Config, RunConfig, TurnConfig
from .config_file import load_config, make_config
from .progress import Display
from .run import Run, folder_of
from .turns.run import TurnRun


def train(
    config: RunConfig,
    start: Checkpoint | None = None,
    is_shown: bool = True,
    overwrite: bool = False,
) -> Run:
    """Train an agent, from new weights or from a checkpoint.

    Args:
        config: the settings; the checkpoint is written to `checkpoints/NAME`.
        start: the checkpoint to resume from; None starts with new weights.
        is_shown: whether to show the progress.
        overwrite: replace an existing checkpoint of that name.

    Raises:
        ValueError: there is another checkpoint of that name, or `start` does not fit the settings.
        SaveFailed: a checkpoint could not be written. The previous one is unchanged.
    """
    with hold(folder_of(config)):
        check_free(config, start, overwrite)
        return _train(config, start, is_shown)


def _train(config: RunConfig, start: Checkpoint | None, is_shown: bool) -> Run:
    run = make_run(config)
    with closing(run), Display(config, is_shown) as display:
        if start is None:
            run.prepare(display)
            run.begin()
            run.evaluate()
            display.learnt(run.note())
            run.save()
        else:
            for change in run.load(start):
                display.say(change)
            if start.folder.resolve() != run.folder.resolve():
                run.save()  # under its new name, before any training
            if run.steps >= config.ppo.steps:
                display.say(
                    f"Training is complete at {run.steps:,} decisions. Raise ppo.steps to train "
                    "longer, or use --overwrite to start over"
                )
        while run.steps < config.ppo.steps:
            run.learn()
            run.refresh_opponents()
            if run.is_due(config.evaluation.every):
                run.evaluate()
            display.learnt(run.note())
            if run.is_due(config.save_every):
                run.save()
    return run


def make_run(config: RunConfig) -> Run:
    """Return a run with new weights, of the kind that the settings are for."""
    if isinstance(config, TurnConfig):
        return TurnRun(config)
    assert isinstance(config, Config)
    return ActionRun(config)


def check_free(config: RunConfig, start: Checkpoint | None, overwrite: bool) -> None:
    """Raise `ValueError` if a run would replace a checkpoint that it does not resume from."""
    folder = folder_of(config)
    check_target(folder)
    try:
        there = find_checkpoint(folder)
    except DamagedCheckpoint:
        return
    if overwrite or (start is not None and start.folder.resolve() == there.resolve()):
        return
    raise ValueError(
        f"there is a checkpoint in {there} already: resume it (--resume {folder}), choose "
        "another name (name=...), or replace it (--overwrite)"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and train."""
    parser = _make_parser()
    given = parser.parse_intermixed_args(arguments)
    overrides: list[str] = given.overrides
    if given.config and "=" in given.config:
        overrides, given.config = [given.config, *overrides], None
    if not given.config and given.resume is None:
        parser.error("give a config file, or --resume with a checkpoint")

    def work() -> str:
        start = load_checkpoint(given.resume) if given.resume is not None else None
        if given.config:
            config = load_config(given.config, overrides)
        else:
            assert start is not None
            config = make_config(start.config.model_dump(), overrides)
        if given.keep_going:
            start = _find_start(config)
        run = train(config, start, overwrite=given.overwrite)
        return f"The agent is in {run.folder}"

    return run_training(work, to_continue="--resume FOLDER")


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.train",
        description="Train an agent. The checkpoint is written to checkpoints/NAME.",
        epilog="example: python -m training.train configs/ppo_3p.yaml name=mine seed=1",
    )
    parser.add_argument("config", nargs="?", help="a config file, such as configs/ppo_3p.yaml")
    parser.add_argument(
        "overrides", nargs="*", metavar="key=value", help="overrides, such as ppo.steps=1_000_000"
    )
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument("--resume", metavar="FOLDER", help="continue from this checkpoint")
    existing.add_argument(
        "--continue",
        dest="keep_going",
        action="store_true",
        help="continue from checkpoints/NAME if it exists, otherwise start",
    )
    existing.add_argument(
        "--overwrite",
        action="store_true",
        help="replace checkpoints/NAME; without this, an existing one is an error",
    )
    return parser


def _find_start(config: RunConfig) -> Checkpoint | None:
    """Return the existing checkpoint of a run, or None."""
    folder: Path = folder_of(config)
    try:
        find_checkpoint(folder)
    except DamagedCheckpoint:
        return None
    return load_checkpoint(folder)


if __name__ == "__main__":
    sys.exit(main())
