"""Train an agent.

python -m training.train configs/quickstart.yaml
python -m training.train configs/ppo_3p.yaml name=mine ppo.steps=5_000_000
python -m training.train --resume checkpoints/mine
"""

import argparse
import sys
from collections.abc import Sequence

from .checkpoint import Checkpoint, load_checkpoint
from .config import Config, load_config, make_config
from .imitation import imitate
from .progress import Display
from .run import Run


def train(config: Config, start: Checkpoint | None = None, is_shown: bool = True) -> Run:
    """Train as the settings say, from the beginning or from a checkpoint."""
    run = Run(config)
    with Display(config, is_shown) as display:
        if start is None:
            imitate(run.network, config, display.imitated)
            run.take_snapshot()
            run.begin()
            run.evaluate()
            display.learnt(run.note())
            run.save()
        else:
            run.load(start)
        while run.steps < config.ppo.steps:
            run.learn()
            if run.is_due(config.pool.every):
                run.take_snapshot()
            if run.is_due(config.evaluation.every):
                run.evaluate()
            display.learnt(run.note())
            if run.is_due(config.save_every):
                run.save()
    return run


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m training.train", description="Train an agent.")
    parser.add_argument("config", nargs="?", help="a file of settings, such as configs/ppo_3p.yaml")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings in its place")
    parser.add_argument("--resume", metavar="FOLDER", help="go on from this checkpoint")
    given = parser.parse_args(arguments)
    overrides: list[str] = given.overrides
    if given.config and "=" in given.config:
        overrides, given.config = [given.config, *overrides], None
    try:
        start = load_checkpoint(given.resume) if given.resume else None
        if given.config:
            config = load_config(given.config, overrides)
        elif start:
            config = make_config(start.config.model_dump(), overrides)
        else:
            parser.error("give a file of settings, or a checkpoint to resume")
        run = train(config, start)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. To go on from the last checkpoint: --resume FOLDER", file=sys.stderr)
        return 130
    print(f"The agent is in {run.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
