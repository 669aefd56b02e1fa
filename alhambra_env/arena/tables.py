"""Standings as tables: for the terminal (rich) and for documents (Markdown)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from .ladder import Rung
from .standings import Measured, Standings

Cells = list[list[str]]
"""Rows of text; the first row is the heading."""

NEVER_MET: Final = "-"
"""The cell of the cross table for two players that never met, and for a player and itself."""

LADDER_TEXT_COLUMNS: Final = 2
"""The first columns of `ladder_table` that are text."""


def percent(share: Measured) -> str:
    """Return a share with its interval: `41.2% (38.0 to 44.5)`."""
    if math.isnan(share.low):
        return f"{_percent(share.mean)}%"
    return f"{_percent(share.mean)}% ({_percent(share.low)} to {_percent(share.high)})"


def number(value: Measured, digits: int = 1, signed: bool = False) -> str:
    """Return a number with half of its interval: `184.5 ± 2.0`."""
    mean = format(value.mean, f"{'+' if signed else ''}.{digits}f")
    if math.isnan(value.low):
        return mean
    return f"{mean} ± {(value.high - value.low) / 2:.{digits}f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def main_table(standings: Standings, speeds: Mapping[str, float] | None = None) -> Cells:
    """Return the standings, with decisions per second by player if they are given."""
    heading = ["player", "win share", "points", "margin", "rank", "rating", "games"]
    cells = [heading + ["decisions/s"] * bool(speeds)]
    for row in standings.rows:
        line = [
            row.name,
            percent(row.win_share),
            number(row.score),
            number(row.margin, signed=True),
            number(row.rank, 2),
            f"{row.rating.mu:.1f}",
            f"{row.games:,}",
        ]
        cells.append(line + ([f"{speeds[row.name]:,.0f}"] if speeds else []))
    return cells


def cross_table(standings: Standings) -> Cells:
    """Return the share of games in which the row's player finishes ahead of the column's."""
    names = [row.name for row in standings.rows]
    cells = [["ahead of", *names]]
    for name in names:
        against = (standings.ahead[name].get(other) for other in names)
        cells.append([name, *(f"{_percent(a.mean)}%" if a else NEVER_MET for a in against)])
    return cells


def ladder_table(rungs: Iterable[Rung]) -> Cells:
    """Return the rungs of a ladder, a row for each."""
    cells = [["bot", "against copies of", "players", "win share", "parity", "margin", "deals"]]
    for rung in rungs:
        cells.append(
            [
                rung.player,
                rung.other,
                str(rung.num_players),
                percent(rung.win_share),
                f"{_percent(1 / rung.num_players)}%",
                number(rung.margin, signed=True),
                f"{rung.deals:,}",
            ]
        )
    return cells


def caption(standings: Standings) -> str:
    """Return one line that says how a match was played."""
    return (
        f"{standings.num_players} players, {standings.edition} edition, {standings.deals:,} deals, "
        f"{standings.games:,} games; win share {_percent(1 / standings.num_players)}% is parity"
    )


# --- forms ------------------------------------------------------------------------------------


def as_markdown(cells: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Return a Markdown table; columns after the first `text_columns` are numbers."""
    heading, *rows = cells
    rule = ["---"] * text_columns + ["---:"] * (len(heading) - text_columns)
    lines = ([cell.replace("|", r"\|") for cell in line] for line in (heading, rule, *rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_rich(cells: Sequence[Sequence[str]], text_columns: int = 1, title: str = "") -> Table:
    """Return a table for the terminal; columns after the first `text_columns` are numbers."""
    heading, *rows = cells
    table = Table(
        title=title or None, title_justify="left", title_style="", box=SIMPLE_HEAD, pad_edge=False
    )
    # Rich reads plain strings as markup, and a player may be called "[red]x".
    for column, name in enumerate(heading):
        justify: Literal["left", "right"] = "left" if column < text_columns else "right"
        table.add_column(Text(name), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def markdown(standings: Standings) -> str:
    """Return the standings and the cross table in Markdown."""
    return (
        f"{caption(standings)}. In brackets and after ±: 95% intervals over deals.\n\n"
        f"{as_markdown(main_table(standings))}\n"
        "Share of games in which the player of the row finishes ahead of the player of the column, "
        "ties half:\n\n"
        f"{as_markdown(cross_table(standings))}"
    )


def rich_tables(standings: Standings, speeds: Mapping[str, float] | None = None) -> list[Table]:
    """Return the standings and the cross table for the terminal."""
    return [
        as_rich(main_table(standings, speeds), title=caption(standings)),
        as_rich(cross_table(standings), title="Row ahead of column"),
    ]
