"""Arranges the panels of a position in one landscape figure.

2 and 3 players:  table | aid        4 to 6 players:  table | seat | seat
                  seat | seat                         aid   | seat | seat
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
    5: (3, 400, 456),
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
    if players <= _MOST_BELOW:
        placed = _place_above(position)
        left, top = GAP, GAP + WIDE_SIZE[1] + GAP
    else:
        placed = _place_beside(position, rows * (seat_height + GAP) - GAP)
        left, top = GAP + TABLE_SIZE[0] + GAP, GAP
    for seat in range(players):
        row, column = divmod(seat, across)
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


def _place_beside(position: Position, height: int) -> dict[str, tuple[Panel, tuple[int, int]]]:
    """Return the table and the aid in a column of this height."""
    y = TABLE_SIZE[1] + GAP
    aid = draw_aid_panel(position, (AID_WIDTH, height - y))
    return {"table": (draw_table(position), (GAP, GAP)), "aid": (aid, (GAP, GAP + y))}
