"""Pictures of training: `python -m training.plot checkpoints/NAME`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from alhambra_env.arena.ladder import read_ladder

from .checkpoint import EVALUATION, PICTURE, Curve, load_checkpoint
from .commands import run_command

_WINS: Final = "wins against "


def draw_progress(folder: Path) -> Path:
    """Draw the learning curve of a checkpoint and, if there is one, its evaluation.

    Returns the path of the picture.
    """
    import matplotlib.pyplot as plt  # slow to import, and only needed here

    plt.switch_backend("Agg")
    checkpoint = load_checkpoint(folder)
    even = 1 / checkpoint.config.game.num_players
    has_evaluation = (folder / EVALUATION).exists()
    figure, axes = plt.subplots(
        1, 1 + has_evaluation, figsize=(5.5 * (1 + has_evaluation), 4), squeeze=False
    )
    _draw_curve(axes[0, 0], checkpoint.curve, even)
    if has_evaluation:
        _draw_evaluation(axes[0, 1], folder / EVALUATION, even)
    figure.suptitle(
        f"{folder.name}: share of games won, {checkpoint.config.game.num_players} players"
    )
    figure.tight_layout()
    path = folder / PICTURE
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


def _draw_curve(axis: Any, curve: Curve, even: float) -> None:
    from matplotlib.ticker import EngFormatter

    names = {key: None for row in curve for key in row if key.startswith(_WINS)}
    for name in names:
        evaluated = [row for row in curve if row.get(name) not in (None, "")]
        steps = [float(row["steps"]) for row in evaluated]
        wins, lowest, highest = (
            [float(row[f"{which}{name}"]) for row in evaluated]
            for which in ("", "lowest ", "highest ")
        )
        line = axis.plot(steps, wins, marker="o", label=name.removeprefix(_WINS))[0]
        axis.fill_between(steps, lowest, highest, color=line.get_color(), alpha=0.2, linewidth=0)
    axis.axhline(even, color="grey", linestyle=":", label="even")
    axis.set(xlabel="decisions of the learner", ylim=(0, 1.02), title="while learning")
    axis.xaxis.set_major_formatter(EngFormatter(sep=""))
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=4, frameon=False)


def _draw_evaluation(axis: Any, path: Path, even: float) -> None:
    for place, rung in enumerate(read_ladder(path)):
        mean, low, high = rung.win_share
        axis.barh(place, mean, xerr=[[mean - low], [high - mean]], capsize=4, color="tab:blue")
        axis.text(0.02, place, f"{rung.other}: {mean:.0%}", va="center", color="white")
    axis.axvline(even, color="grey", linestyle=":")
    axis.set(xlim=(0, 1.02), yticks=[], xlabel="95% intervals over deals", title="in the arena")
    axis.invert_yaxis()


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(
        prog="python -m training.plot", description="Draw how a checkpoint learnt, as a PNG."
    )
    parser.add_argument("folder", type=Path, help="a checkpoint, such as checkpoints/quickstart")
    given = parser.parse_args(arguments)
    return run_command(lambda: print(draw_progress(given.folder)))


if __name__ == "__main__":
    sys.exit(main())
