"""What `render` shows, for all environments."""

from typing import Any

import numpy as np

from ..game import Game
from ..options import RenderMode
from ..render.bitmap import text_as_picture


def render_game(game: Game, mode: RenderMode | None) -> Any:
    """Return the table as text (`"ansi"`) or as a picture (`"rgb_array"`), or print it."""
    if mode == "ansi":
        return str(game)
    if mode == "rgb_array":
        return render_picture(game)
    if mode == "human":
        print(game)
    return None


def render_picture(game: Game) -> np.ndarray:
    """Return the table as a picture: `uint8 [height, width, 3]`, always of the same size."""
    return text_as_picture(str(game))
