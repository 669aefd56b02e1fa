"""The window of the render mode `human`: one for the process, opened when it is first needed.

It shows frames of the drawing with pygame. It is no part of an environment, so that environments
with a window can still be copied and pickled.
"""

import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

_NO_SCREEN: Final = ("offscreen",)
"""What SDL calls the driver that it falls back on without a screen."""

_TITLE: Final = "Alhambra"


class _Window:
    """A window of pygame, and whether there can be one."""

    def __init__(self) -> None:
        self._surface: Any = None
        self._is_unavailable = find_spec("pygame") is None or find_spec("resvg_py") is None
        self._is_dismissed = False
        self._shown = 0.0

    def show(self, draw: Callable[[], np.ndarray], fps: float) -> bool:
        """Show a frame, at most so many a second. Returns whether there can be a window.

        A window that the person has closed stays closed until `close` is called.
        """
        if self._is_unavailable:
            return False
        if self._is_dismissed:
            return True
        frame = draw()
        size = (frame.shape[1], frame.shape[0])
        if not self._open(size):
            return False
        import pygame

        time.sleep(max(0.0, self._shown + 1 / fps - time.monotonic()))
        pygame.surfarray.blit_array(self._surface, frame.swapaxes(0, 1))
        pygame.display.flip()
        self._shown = time.monotonic()
        if pygame.event.get(pygame.QUIT):
            self.close()
            self._is_dismissed = True
        return True

    def _open(self, size: tuple[int, int]) -> bool:
        """Open the window in a size, if it is not open; return whether there is a screen for it."""
        if self._surface is not None and self._surface.get_size() == size:
            return True
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame

        try:
            pygame.display.init()
            if pygame.display.get_driver() not in _NO_SCREEN:
                self._surface = pygame.display.set_mode(size)
                pygame.display.set_caption(_TITLE)
                return True
        except pygame.error:
            pass
        self._surface = None
        self._is_unavailable = True
        pygame.display.quit()
        return False

    def close(self) -> None:
        """Close the window, if it is open; the next frame opens another one."""
        self._is_dismissed = False
        if self._surface is not None:
            import pygame

            self._surface = None
            pygame.display.quit()


WINDOW: Final = _Window()
"""The window of this process."""
