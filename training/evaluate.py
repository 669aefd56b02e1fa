"""How a trained agent does against bots: `python -m training.evaluate checkpoints/NAME`.

The agent sits once at every seat of each deal, among copies of a bot. The table is printed, kept in
the checkpoint as `evaluation.json`, and drawn with the learning curve as `progress.png`.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from alhambra_env.agents.player import PREFIX
from alhambra_env.arena.ladder import climb, write_ladder
from alhambra_env.arena.outputs import check_output
from alhambra_env.arena.tables import as_rich, ladder_table

from .checkpoint import EVALUATION, PICTURE, load_checkpoint
from .commands import run_command
from .plot import draw_progress

BOTS: Final = ("random", "builder", "planner")
DEALS: Final = 100
_WORDS: Final = 2  # columns of the table that are text

_NEXT: Final = """\
What to look at next:
  {folder}/{picture}: how it learnt
  {tools}alhambra watch {player} {others}     a game, action by action
  {tools}alhambra evaluate {player} planner lookahead --players {players} --deals 200
  {tools}python -m training.train --resume {folder} ppo.steps={steps}     to go on learning
  docs/training.md: what can be set"""


def evaluate_checkpoint(
    folder: Path, bots: Sequence[str], deals: int, seed: int, workers: int | None, progress: bool
) -> None:
    """Play, print and keep the table of a checkpoint against bots; say what to look at next."""
    checkpoint = load_checkpoint(folder, only_to_play=True)
    for file in (EVALUATION, PICTURE):
        check_output(folder / file)
    players = checkpoint.config.game.num_players
    # These signs would end the name.
    name = folder.resolve().name.replace(":", "-").replace("=", "-")
    player = f"{name}={PREFIX}:{folder}"
    rungs = list(
        climb(
            [(player, bot) for bot in bots],
            (players,),
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
    print(
        _NEXT.format(
            folder=folder,
            picture=PICTURE,
            player=f"{PREFIX}:{folder}",
            others=" ".join(["planner"] * (players - 1)),
            players=players,
            steps=2 * checkpoint.steps,
            tools=_tools(),
        )
    )


def _tools() -> str:
    """Return what to write before a command for it to be found."""
    here = Path(sys.executable).parent
    if str(here) in os.environ.get("PATH", "").split(os.pathsep):
        return ""
    return f"{here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here}/"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and evaluate."""
    parser = argparse.ArgumentParser(
        prog="python -m training.evaluate",
        description="Let a trained agent meet copies of each of some bots.",
        epilog="example: python -m training.evaluate checkpoints/quickstart --bots planner",
    )
    parser.add_argument("folder", type=Path, help="a checkpoint, such as checkpoints/quickstart")
    parser.add_argument("--bots", nargs="+", default=list(BOTS), help="whom it meets")
    parser.add_argument("--deals", type=int, default=DEALS, help="each is played from every seat")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=None, help="processes; default: all cores")
    given = parser.parse_args(arguments)
    return run_command(
        lambda: evaluate_checkpoint(
            given.folder, given.bots, given.deals, given.seed, given.workers, sys.stderr.isatty()
        )
    )


if __name__ == "__main__":
    sys.exit(main())
