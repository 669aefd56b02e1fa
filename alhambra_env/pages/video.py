"""The replay of a game as a video: GIF or MP4; needs the extra `render`."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ..extras import extras_explained
from ..game import Game
from ..record import Record, check_names
from ..render.frames import FRAME_WIDTH, draw_frame
from ..render.theme import COLOURS, Theme
from ..validation import one_of, real_number, whole_number
from .progress import Progress, untold
from .story import positions_of

VIDEO_ENDINGS: Final = (".gif", ".mp4")
DEFAULT_FPS: Final = 2.0
"""Actions a second: enough time to see what each one changes."""

_MOST_FPS: Final = 60
_WIDTHS: Final = (240, 3840)
_LAST_SECONDS: Final = 3
"""How long the last position is shown."""


def write_video(
    source: Game | Record,
    path: str | Path,
    players: Sequence[str] | None = None,
    *,
    observer: int | None = None,
    fps: float = DEFAULT_FPS,
    width: int = FRAME_WIDTH,
    theme: Theme = "light",
    progress: Progress = untold,
) -> None:
    """Write the replay of a game as a video, one frame for each action.

    Args:
        source: a game that was played from its start, or `record.read_record`.
        path: of the file, which ends in `.gif` or `.mp4`; an existing one is replaced.
        players: the names by seat; without, those of the record, or `Seat 0`, ...
        observer: show only what this seat may know; without, all hands.
        fps: frames, which are actions, a second.
        width: in pixels; one more than an even number is left out.
        theme: `"light"` or `"dark"`.
        progress: is told how far it has come.

    Raises:
        MissingExtra: the extra `render` is not installed.
        ValueError: a setting is not allowed, or the game was not played from its start.
    """
    target = Path(path)
    is_gif = one_of(target.suffix.lower(), VIDEO_ENDINGS, "ending of a video") == ".gif"
    one_of(theme, ("light", "dark"), "theme of a video")
    real_number(fps, "fps", 0.1, _MOST_FPS)
    whole_number(width, "width", *_WIDTHS)
    game, recorded = source if isinstance(source, Record) else (source, None)
    if observer is not None:
        whole_number(observer, "observer", 0, game.num_players - 1)
    names = recorded if players is None else check_names(players, game.num_players)
    positions = positions_of(game)

    def shoot(position: Game) -> np.ndarray:
        return draw_frame(
            position.snapshot(),
            observer,
            names=names,
            last=position.last_action,
            theme=theme,
            width=width // 2 * 2,
        )

    def shoot_all() -> Iterator[np.ndarray]:
        for number, position in enumerate(positions[:-1]):
            progress("Drawing frames", number, len(positions))
            yield shoot(position)
        last = shoot(positions[-1])
        for _ in range(1 + round(_LAST_SECONDS * fps)):
            yield last

    part = target.with_name(f".{target.stem}.{os.getpid()}.part{target.suffix}")
    try:
        if is_gif:
            _write_gif(part, shoot_all(), fps, _with_colours(shoot(positions[-1]), theme))
        else:
            _write_mp4(part, shoot_all(), fps)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _with_colours(frame: np.ndarray, theme: Theme) -> np.ndarray:
    """Return a frame with a stripe for each colour of the theme, also those that it lacks."""
    names = [getattr(colour, theme) for colour in COLOURS.values()]
    rows = np.array([list(bytes.fromhex(name[1:])) for name in names], np.uint8)
    stripes = np.broadcast_to(rows[:, None], (len(rows), frame.shape[1], 3))
    return np.concatenate([frame, stripes])


def _write_gif(path: Path, frames: Iterator[np.ndarray], fps: float, colourful: np.ndarray) -> None:
    """Write frames with the colours of one of them: so only what changes is stored."""
    with extras_explained():
        from PIL import Image

    colours = Image.fromarray(colourful).quantize(dither=Image.Dither.NONE)
    images = (
        Image.fromarray(frame).quantize(palette=colours, dither=Image.Dither.NONE)
        for frame in frames
    )
    next(images).save(
        path, format="GIF", save_all=True, append_images=images, duration=round(1000 / fps), loop=0
    )


def _write_mp4(path: Path, frames: Iterator[np.ndarray], fps: float) -> None:
    with extras_explained():
        from imageio_ffmpeg import write_frames

    first = next(frames)
    height, width, _ = first.shape
    # The macro block size is that of the pixel format yuv420p, which all players know.
    writer = write_frames(
        str(path), (width, height), fps=fps, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    try:
        writer.send(first.tobytes())
        for frame in frames:
            writer.send(frame.tobytes())
    finally:
        writer.close()
