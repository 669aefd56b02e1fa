"""Arranges the panels of a position in one landscape figure.

2, 3 players:  table | aid     4, 6:  table | seat | seat     5:  table | seat | seat | seat
               seat | seat            aid   | seat | seat         aid          | seat | seat
"""

from typing import Final, NamedTuple

from .position import Panel, Position
from .prizes import AID_WIDTH, draw_aid_panel
from .seat import draw_seat
from .table import DIRK_SIZE, TABLE_SIZE, WIDE_SIZE, draw_dirk, draw_table

GAP: Final = 16

_SEATS: Final = {
    2: (2, 608, 500),
    3: (3, 400, 480),
    4: (2, 440, 452),
    5: (3, 400, 448),
    6: (3, 400, 470),
}
"""By number of players: how many panels are side by side, and their size."""

_MOST_BELOW: Final = 3  # players whose panels lie below the table, and not beside it


class Arranged(NamedTuple):
    """The panels of a figure."""

    size: tuple[int, int]
    placed: dict[str, tuple[Panel, tuple[int, int]]]
    """Each panel, and where its corner is."""


def arrange(position: Position) -> Arranged:
    """Return the panels of a figure. Its size depends on the number of players only."""
    players = position.snapshot["num_players"]
    across, seat_width, seat_height = _SEATS[players]
    rows = -(-players // across)
    free = -players % across  # places in the last row, where the aid lies
    if players <= _MOST_BELOW:
        placed = _place_above(position)
        left, top = GAP, GAP + WIDE_SIZE[1] + GAP
    else:
        placed = _place_beside(position, seat_height, is_odd=free > 0)
        left, top = GAP + TABLE_SIZE[0] + GAP, GAP
    for seat in range(players):
        row, column = divmod(seat, across)
        column += free * (row == rows - 1)
        corner = left + column * (seat_width + GAP), top + row * (seat_height + GAP)
        placed[f"seat-{seat}"] = draw_seat(position, seat, (seat_width, seat_height)), corner
    size = left + across * (seat_width + GAP), top + rows * (seat_height + GAP)
    return Arranged(size, placed)


def _place_above(position: Position) -> dict[str, tuple[Panel, tuple[int, int]]]:
    """Return the table and the aid side by side; Dirk is below the aid."""
    width, height = WIDE_SIZE
    x = GAP + width + GAP
    dirk = DIRK_SIZE[1] + GAP if position.snapshot["dirk"] else 0
    placed = {
        "table": (draw_table(position, WIDE_SIZE), (GAP, GAP)),
        "aid": (draw_aid_panel(position, (width, height - dirk)), (x, GAP)),
    }
    if dirk:
        panel = draw_dirk(position, position.standing.players[-1], width)
        placed["dirk"] = panel, (x, GAP + height - DIRK_SIZE[1])
    return placed


def _place_beside(
    position: Position, height: int, is_odd: bool
) -> dict[str, tuple[Panel, tuple[int, int]]]:
    """Return the table and the aid at the left of two rows of this height."""
    if is_odd:
        table = draw_table(position, (TABLE_SIZE[0], height))
        aid = draw_aid_panel(position, (2 * TABLE_SIZE[0] + GAP, height))
    else:
        table = draw_table(position)
        aid = draw_aid_panel(position, (AID_WIDTH, 2 * height - TABLE_SIZE[1]))
    return {"table": (table, (GAP, GAP)), "aid": (aid, (GAP, GAP + table.height + GAP))}
