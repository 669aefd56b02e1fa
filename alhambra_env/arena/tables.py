"""Standings as tables: for the terminal (rich) and for documents (Markdown)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from .ladder import Rung
from .standings import Measured, Standings

Cells = list[list[str]]
"""Rows of text, the first of them the heading."""

NOTHING: Final = "–"  # noqa: RUF001  # a dash, not a hyphen, as in printed tables


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


def main_table(table: Standings, speeds: Mapping[str, float] | None = None) -> Cells:
    """Return the rows of a match; with decisions a second by player, if they are given."""
    heading = ["player", "win share", "points", "margin", "rank", "rating", "games"]
    cells = [heading + ["decisions/s"] * bool(speeds)]
    for row in table.rows:
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


def cross_table(table: Standings) -> Cells:
    """Return in what share of games the player of the row finishes ahead of that of the column."""
    names = [row.name for row in table.rows]
    cells = [["ahead of", *names]]
    for name in names:
        against = (table.ahead[name].get(other) for other in names)
        cells.append([name, *(f"{_percent(a.mean)}%" if a else NOTHING for a in against)])
    return cells


def ladder_table(rungs: Iterable[Rung]) -> Cells:
    """Return the rungs of a ladder."""
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


def caption(table: Standings) -> str:
    """Return one line about a match."""
    return (
        f"{table.num_players} players, {table.edition} edition, {table.deals:,} deals, "
        f"{table.games:,} games; win share {_percent(1 / table.num_players)}% is parity"
    )


# --- forms ------------------------------------------------------------------------------------


def as_markdown(cells: Sequence[Sequence[str]], words: int = 1) -> str:
    """Return a Markdown table; the first columns, `words` of them, are text, the others numbers."""
    heading, *rows = cells
    rule = ["---"] * words + ["---:"] * (len(heading) - words)
    lines = ([cell.replace("|", r"\|") for cell in line] for line in (heading, rule, *rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_rich(cells: Sequence[Sequence[str]], words: int = 1, title: str = "") -> Table:
    """Return a table for the terminal."""
    heading, *rows = cells
    table = Table(
        title=title or None, title_justify="left", title_style="", box=SIMPLE_HEAD, pad_edge=False
    )
    # Plain strings would be read as markup: players may be called "[red]x".
    for column, name in enumerate(heading):
        table.add_column(Text(name), justify="left" if column < words else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def markdown(table: Standings) -> str:
    """Return standings and cross table in Markdown."""
    return (
        f"{caption(table)}. In brackets and after ±: 95% intervals over deals.\n\n"
        f"{as_markdown(main_table(table))}\n"
        "Share of games in which the player of the row finishes ahead of the player of the column, "
        "ties half:\n\n"
        f"{as_markdown(cross_table(table))}"
    )


def rich_tables(table: Standings, speeds: Mapping[str, float] | None = None) -> list[Table]:
    """Return standings and cross table for the terminal."""
    return [
        as_rich(main_table(table, speeds), title=caption(table)),
        as_rich(cross_table(table), title="Row ahead of column"),
    ]
