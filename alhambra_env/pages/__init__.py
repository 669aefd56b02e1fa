"""Replays of games: web pages, each a single file that loads nothing, and videos.

from alhambra_env.pages import replay_page, write_video

html = replay_page(read_record("game.json"))
write_video(read_record("game.json"), "game.mp4")
"""

from .replay import DEFAULT_CHANCES, replay_page
from .video import DEFAULT_FPS, VIDEO_ENDINGS, write_video

__all__ = ["DEFAULT_CHANCES", "DEFAULT_FPS", "VIDEO_ENDINGS", "replay_page", "write_video"]
