"""Standings as a picture: win shares with their intervals, and the cross table in colours."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from ..extras import extras_explained
from .outputs import check_output
from .standings import Standings
from .tables import caption

INK: Final = "#2b2b2b"
FAINT: Final = "#8a8a8a"
EMPTY: Final = "#f1f1f1"
BAR: Final = "#2f7f79"
COLOURS: Final = "BrBG"
"""Brown for behind, white for level, green for ahead; safe for colour-blind readers."""
_DPI: Final = 150


def draw(standings: Standings, path: str | Path) -> None:
    """Write the picture of a match as a PNG file.

    Raises:
        ValueError: the file cannot be written; its folder must exist.
    """
    check_output(path)
    # Matplotlib takes a second to import, and only pictures need it. pyplot would look for a
    # screen, so the figure is made without it.
    with extras_explained():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

    rows = len(standings.rows)
    side = max(2.6, 0.62 * rows + 1.0)
    figure = Figure(figsize=(5.6 + side + 1.6, side + 1.0), layout="constrained")
    FigureCanvasAgg(figure)
    bars, cross = figure.subplots(1, 2, width_ratios=[5.2, side + 1.2])
    figure.suptitle(caption(standings).split(";")[0], color=INK, fontsize=11)
    _draw_bars(bars, standings)
    _draw_cross(cross, standings)
    figure.savefig(path, format="png", dpi=_DPI, facecolor="white")


def _draw_bars(axes: Any, standings: Standings) -> None:
    """Draw a bar for each player, the best on top, and a line at parity."""
    names = [row.name for row in standings.rows]
    shares = (
        np.array([row.win_share for row in standings.rows]) * 100
    )  # [player, (mean, low, high)]
    places = np.arange(len(names))
    axes.barh(places, shares[:, 0], height=0.62, color=BAR)
    if not np.isnan(shares).any():
        errors = np.abs(shares[:, 1:] - shares[:, :1]).T
        axes.errorbar(shares[:, 0], places, xerr=errors, fmt="none", ecolor=INK, capsize=3, lw=1.2)
    for place, (mean, _, high) in zip(places, shares, strict=True):
        end = max(mean, 0 if np.isnan(high) else high)
        axes.annotate(
            f"{mean:.1f}%",
            (end, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=9,
            bbox={"color": "white", "pad": 1, "lw": 0},
        )
    parity = 100 / standings.num_players
    axes.axvline(parity, color=FAINT, lw=1, ls="--", zorder=0)
    axes.set_yticks(places, names, parse_math=False)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, max(100.0 if shares[:, 0].max() > 70 else 0.0, shares[:, 0].max() + 15))
    axes.set_xlabel(f"win share in %, with 95% interval (dashed: parity, {parity:.1f}%)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False, colors=INK)


def _draw_cross(axes: Any, standings: Standings) -> None:
    """Draw a square for each pair of players: how often the row is ahead of the column."""
    names = [row.name for row in standings.rows]
    shares = np.full((len(names), len(names)), np.nan)
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            if other in standings.ahead[name]:
                shares[i, j] = 100 * standings.ahead[name][other].mean
    # Numbers are hard to read on the darkest colours, so leave out both ends.
    axes.imshow(shares, cmap=COLOURS, vmin=-12, vmax=112)
    axes.set_facecolor(EMPTY)
    for (i, j), share in np.ndenumerate(shares):
        if not np.isnan(share):
            colour = "white" if abs(share - 50) > 33 else INK
            axes.text(j, i, f"{share:.0f}", ha="center", va="center", color=colour, fontsize=10)
    places = np.arange(len(names))
    axes.set_xticks(
        places, names, rotation=35, ha="right", rotation_mode="anchor", parse_math=False
    )
    axes.set_yticks(places, names, parse_math=False)
    axes.set_xlabel("the row finishes ahead of the column, in % of games")
    axes.set_xticks(places[1:] - 0.5, minor=True)
    axes.set_yticks(places[1:] - 0.5, minor=True)
    axes.grid(which="minor", color="white", lw=2)
    axes.tick_params(which="both", length=0, colors=INK)
    axes.spines[:].set_visible(False)
