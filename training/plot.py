"""Draws the learning curve of a checkpoint: `python -m training.plot checkpoints/NAME`."""

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from alhambra_env.agents.checkpoint import explained
from alhambra_env.arena.ladder import Rung
from alhambra_env.files import write_whole
from alhambra_env.validation import shortened

from .checkpoint import PICTURE, Curve, load_checkpoint, read_evaluation
from .commands import run_command

_WINS: Final = "wins against "
_MOST_BARS: Final = 40
_LONGEST_LABEL: Final = 40

_ROOM_FOR_LABEL: Final = 0.55
"""The share of games won from which a bar has room for its label."""


def draw_progress(folder: Path) -> Path:
    """Draw the learning curve of a checkpoint and, if there is one, its evaluation.

    Returns the path of the picture.
    """
    import matplotlib.pyplot as plt  # slow to import, and only needed here

    plt.switch_backend("Agg")
    checkpoint = load_checkpoint(folder, only_to_play=True)
    counts = checkpoint.config.player_counts
    rungs = read_evaluation(folder)[:_MOST_BARS]
    has_evaluation = bool(rungs)
    figure, axes = plt.subplots(
        1, 1 + has_evaluation, figsize=(5.5 * (1 + has_evaluation), 4), squeeze=False
    )
    with explained(folder):
        _draw_curve(axes[0, 0], checkpoint.curve, counts)
    if has_evaluation:
        _draw_evaluation(axes[0, 1], rungs, counts)
    sizes = " and ".join(map(str, counts)) if len(counts) < 3 else f"{counts[0]} to {counts[-1]}"
    figure.suptitle(f"{_plain(folder.name)}: share of games won, {sizes} players")
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, dpi=120)
    plt.close(figure)
    path = folder / PICTURE
    write_whole(path, picture.getvalue())
    return path


def _plain(text: str) -> str:
    """Return a text for a label: shortened, and without math mode."""
    return shortened(text, _LONGEST_LABEL).replace("$", r"\$")


def _draw_curve(axis: Any, curve: Curve, counts: Sequence[int]) -> None:
    from matplotlib.ticker import EngFormatter

    names = {key: None for row in curve for key in row if key.startswith(_WINS)}
    for name in names:
        evaluated = [row for row in curve if row.get(name) not in (None, "")]
        steps = [float(row["steps"]) for row in evaluated]
        wins, lowest, highest = (
            [min(max(float(row[f"{which}{name}"]), 0), 1) for row in evaluated]
            for which in ("", "lowest ", "highest ")
        )
        line = axis.plot(steps, wins, marker="o", label=_plain(name.removeprefix(_WINS)))[0]
        axis.fill_between(steps, lowest, highest, color=line.get_color(), alpha=0.2, linewidth=0)
    for number, count in enumerate(counts):
        axis.axhline(1 / count, color="grey", linestyle=":", label=None if number else "even")
    axis.set(xlabel="decisions of the learner", ylim=(0, 1.02), title="while learning")
    axis.xaxis.set_major_formatter(EngFormatter(sep=""))
    axis.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.17),
        ncol=4 if len(counts) == 1 else 2,
        frameon=False,
    )


def _draw_evaluation(axis: Any, rungs: Sequence[Rung], counts: Sequence[int]) -> None:
    for place, rung in enumerate(rungs):
        mean, low, high = (min(max(share, 0), 1) for share in rung.win_share)
        axis.barh(place, mean, xerr=[[mean - low], [high - mean]], capsize=4, color="tab:blue")
        others = _plain(rung.other)
        if len(counts) > 1:
            others += f", {rung.num_players} players"
        # In a short bar, a label would run over its end.
        start, color = (0.02, "white") if low > _ROOM_FOR_LABEL else (high + 0.03, "black")
        axis.text(start, place, f"{others}: {mean:.0%}", va="center", color=color)
        even = 1 / rung.num_players
        axis.plot([even, even], [place - 0.5, place + 0.5], color="grey", linestyle=":")
    axis.set(xlim=(0, 1.02), yticks=[], xlabel="95% intervals over deals", title="in the arena")
    axis.invert_yaxis()


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(
        prog="python -m training.plot", description="Draw a learning curve as a PNG."
    )
    parser.add_argument("folder", type=Path, help="a checkpoint, such as checkpoints/quickstart")
    given = parser.parse_args(arguments)
    return run_command(lambda: print(draw_progress(given.folder)))


if __name__ == "__main__":
    sys.exit(main())
