"""Frames of videos: a position as an array of pixels, quickly.

From one frame to the next most panels stay as they are. So each panel becomes pixels on its own,
and the last ones are kept.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ..options import DEFAULT_HANDS
from .arrangement import arrange
from .marks import LastAction
from .picture import as_array
from .position import Panel, read_position
from .svg import draw_alone
from .theme import COLOURS, Theme

FRAME_WIDTH: Final = 960
"""Pixels; an even number, as video encoders want it."""

_KEPT: Final = 24  # panels, of three frames with 6 players


def draw_frame(
    snapshot: dict[str, Any],
    observer: int | None = None,
    *,
    names: Sequence[str] | None = None,
    last: LastAction | None = None,
    theme: Theme = "light",
    width: int = FRAME_WIDTH,
) -> np.ndarray:
    """Return a position as `uint8 [height, width, 3]`; the height is even.

    All frames of a game have the same size.

    Args:
        snapshot: what `Game.snapshot()` returns.
        observer: the seat that looks, or None to show all hands.
        names: of the players; without, they are `Seat 0`, ...
        last: the seat that played the last action, and the action; what it changed is marked.
        theme: `"light"` or `"dark"`.
        width: in pixels.

    Raises:
        MissingExtra: a package of the extra `render` is not installed.
    """
    arranged = arrange(read_position(snapshot, observer, names, DEFAULT_HANDS, last, None))
    scale = width / arranged.size[0]
    height = 2 * round(arranged.size[1] * scale / 2)
    frame = np.empty((height, width, 3), np.uint8)
    frame[:] = _pixel(theme)
    for panel, (x, y) in arranged.placed.values():
        left, top = round(x * scale), round(y * scale)
        pixels = _draw(panel, round(panel.width * scale), round(panel.height * scale), theme)
        frame[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
    return frame


def _pixel(theme: Theme) -> list[int]:
    colour = COLOURS["back"].dark if theme == "dark" else COLOURS["back"].light
    return [int(part, 16) for part in re.findall("[0-9a-f]{2}", colour)]


@lru_cache(_KEPT)
def _draw(panel: Panel, width: int, height: int, theme: Theme) -> np.ndarray:
    return as_array(draw_alone(panel, theme, (width, height)))
