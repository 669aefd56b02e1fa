"""The drawings of a game, stored as changes from one position to the next.

Most panels stay as they are when a seat plays, and most look the same to everybody. So every
drawing is kept once; a panel is a list of changes, with another one for each seat that sees it
otherwise.
"""

from collections.abc import Sequence
from typing import Any, Final

from ..game import Game
from ..render.svg import Panel, panels
from .progress import Progress
from .story import Change, changes

_SEAT_SIZES: Final = {2: (340, 545)}
_SEAT_SIZE: Final = (340, 400)
"""Smaller than the table, so that text is as large when seats are narrower; two have more room."""


def film(positions: Sequence[Game], names: Sequence[str], progress: Progress) -> dict[str, Any]:
    """Return the drawings of all positions, as everybody sees them together and each seat alone."""
    shots = []
    for ply, position in enumerate(positions):
        progress("Drawing positions", ply, len(positions))
        shots.append(_shoot(position, names))
    first = shots[0][None]
    numbers: dict[tuple[str, str], int] = {}

    def track(name: str, observer: int | None) -> list[Change]:
        drawings = [(shot[observer][name].body, shot[observer][name].title) for shot in shots]
        return changes([numbers.setdefault(each, len(numbers)) for each in drawings])

    everything = {name: track(name, None) for name in first}
    views = []
    for seat in range(positions[0].num_players):
        tracks = {name: track(name, seat) for name in first}
        views.append({name: each for name, each in tracks.items() if each != everything[name]})
    return {
        "panels": [[name, panel.width, panel.height] for name, panel in first.items()],
        "everything": everything,
        "views": views,
        "drawings": list(numbers),
    }


def _shoot(position: Game, names: Sequence[str]) -> dict[int | None, dict[str, Panel]]:
    """Return the panels of a position for everything (None) and for each seat."""
    snapshot, last = position.snapshot(), position.last_action
    size = _SEAT_SIZES.get(position.num_players, _SEAT_SIZE)
    return {
        observer: panels(snapshot, observer, names=names, last=last, seat_size=size)
        for observer in (None, *range(position.num_players))
    }
