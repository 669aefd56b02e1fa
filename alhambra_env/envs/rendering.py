"""What `render` shows, for all environments: the whole table, with the hands of all players."""

from typing import Any, Final

import numpy as np

from ..game import Game
from ..options import RenderMode
from ..render.frames import draw_frame
from .window import WINDOW

RENDER_FPS: Final = 2
"""Frames a second: enough time to see what each action changes."""


def render_game(game: Game, mode: RenderMode | None) -> Any:
    """Return the table in a render mode, or show it.

    `"ansi"` is text, `"svg"` a file of SVG, and `"rgb_array"` pixels, `uint8 [height, width, 3]`,
    of the same size throughout a game. `"human"` shows them in a window; without the extra `window`
    or without a screen, it prints the text.

    Raises:
        MissingExtra: for `"rgb_array"`, if the extra `render` is not installed.
    """
    if mode == "ansi":
        return str(game)
    if mode == "svg":
        return game.svg()
    if mode == "rgb_array":
        return _draw(game)
    if mode == "human" and not WINDOW.show(lambda: _draw(game), RENDER_FPS):
        print(game)
    return None


def _draw(game: Game) -> np.ndarray:
    return draw_frame(game.snapshot(), last=game.last_action)


def close_rendering(mode: RenderMode | None) -> None:
    """Close the window, if the mode has one."""
    if mode == "human":
        WINDOW.close()
