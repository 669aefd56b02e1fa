"""Evaluates a checkpoint against bots: `python -m training.evaluate checkpoints/NAME`.

The agent plays each deal once from every seat, against copies of a bot. The table is printed and
written to the checkpoint as `evaluation.json`; `progress.png` shows it with the learning curve.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from alhambra_env.agents.checkpoint import RESUME
from alhambra_env.agents.loading import PREFIX
from alhambra_env.arena.ladder import climb, write_ladder
from alhambra_env.arena.outputs import check_output
from alhambra_env.arena.tables import as_rich, ladder_table
from alhambra_env.options import DEFAULT_NUM_PLAYERS

from .checkpoint import EVALUATION, PICTURE, load_checkpoint
from .commands import run_command
from .plot import draw_progress

DEALS: Final = 100
_WORDS: Final = 2  # columns of the table that are text

_NEXT: Final = """\
Next:
  {folder}/{picture}: the learning curve
  {tools}alhambra watch {player} {others}     a game, action by action
  {tools}alhambra evaluate {player} planner lookahead --players {players} --deals 200
{resume}  docs/training.md: the settings"""

_RESUME: Final = """\
  {tools}python -m training.train --resume {folder} ppo.steps={steps}     continues training
"""


def evaluate_checkpoint(
    folder: Path,
    bots: Sequence[str] | None,
    deals: int,
    seed: int,
    workers: int | None,
    progress: bool,
) -> None:
    """Evaluate a checkpoint against bots; print and save the table, and print what to do next.

    Without `bots`, they are those of the evaluation during training.
    """
    checkpoint = load_checkpoint(folder, only_to_play=True)
    bots = bots or checkpoint.config.evaluation.opponents
    for file in (EVALUATION, PICTURE):
        check_output(folder / file)
    counts = checkpoint.config.player_counts
    players = DEFAULT_NUM_PLAYERS if DEFAULT_NUM_PLAYERS in counts else counts[0]
    # `enter` would end the name at these characters.
    name = folder.resolve().name.replace(":", "-").replace("=", "-")
    player = f"{name}={PREFIX}:{folder}"
    rungs = list(
        climb(
            [(player, bot) for bot in bots],
            counts,
            deals,
            deals,
            seed,
            workers=workers,
            progress=progress,
        )
    )
    Console().print(as_rich(ladder_table(rungs), _WORDS))
    write_ladder(rungs, folder / EVALUATION)
    draw_progress(folder)
    steps, tools = 2 * checkpoint.steps, _tools()
    can_resume = (folder / RESUME).exists()
    print(
        _NEXT.format(
            folder=folder,
            picture=PICTURE,
            player=f"{PREFIX}:{folder}",
            others=" ".join(["planner"] * (players - 1)),
            players=players,
            tools=tools,
            resume=_RESUME.format(tools=tools, folder=folder, steps=steps) if can_resume else "",
        )
    )


def _tools() -> str:
    """Return the path to put before a command, empty if its folder is in PATH."""
    here = Path(sys.executable).parent
    if str(here) in os.environ.get("PATH", "").split(os.pathsep):
        return ""
    return f"{here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here}/"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and evaluate."""
    parser = argparse.ArgumentParser(
        prog="python -m training.evaluate",
        description="Evaluate a trained agent against copies of bots.",
        epilog="example: python -m training.evaluate checkpoints/quickstart --bots planner",
    )
    parser.add_argument("folder", type=Path, help="a checkpoint, such as checkpoints/quickstart")
    parser.add_argument(
        "--bots", nargs="+", help="opponents, such as planner; default: those during training"
    )
    parser.add_argument(
        "--deals", type=int, default=DEALS, help="number of deals, each played from every seat"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--workers", type=int, default=None, help="number of processes; default: one for each core"
    )
    given = parser.parse_args(arguments)
    return run_command(
        lambda: evaluate_checkpoint(
            given.folder, given.bots, given.deals, given.seed, given.workers, sys.stderr.isatty()
        )
    )


if __name__ == "__main__":
    sys.exit(main())
