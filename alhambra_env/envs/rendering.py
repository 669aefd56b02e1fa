"""What `render` shows, for all environments: the whole table, with the hands of all players."""

from typing import Any

from ..game import Game
from ..options import RenderMode
from ..render.frames import draw_frame


def render_game(game: Game, mode: RenderMode | None) -> Any:
    """Return the table in a render mode, or print it.

    `"ansi"` is text, `"svg"` a file of SVG, and `"rgb_array"` pixels, `uint8 [height, width, 3]`,
    of the same size throughout a game.

    Raises:
        MissingExtra: for `"rgb_array"`, if the extra `render` is not installed.
    """
    if mode == "ansi":
        return str(game)
    if mode == "svg":
        return game.svg()
    if mode == "rgb_array":
        return draw_frame(game.snapshot(), last=game.last_action)
    if mode == "human":
        print(game)
    return None
