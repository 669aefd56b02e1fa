"""Text as a picture, for render modes that want pixels."""

from typing import Any, Final

import numpy as np

COLUMNS: Final = 104
LINES: Final = 112
_CHARACTER: Final = (6, 11)
"""Width and height of a character in pixels."""

_MARGIN: Final = 8
SHAPE: Final = (LINES * _CHARACTER[1] + 2 * _MARGIN, COLUMNS * _CHARACTER[0] + 2 * _MARGIN, 3)
"""Height, width and channels of a picture: even numbers, as video encoders want them."""


def text_as_picture(text: str) -> np.ndarray:
    """Return text, black on white, as `uint8` of shape `SHAPE`.

    What does not fit is cut off. Without Pillow, which the extra `arena` installs, it is blank.
    """
    font = _find_font()
    if font is None:
        return np.full(SHAPE, 255, np.uint8)
    from PIL import Image, ImageDraw

    picture = Image.new("L", (SHAPE[1], SHAPE[0]), 255)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(text.splitlines()[:LINES]):
        plain = line[:COLUMNS].replace("·", "|").encode("ascii", "replace").decode()
        draw.text((_MARGIN, _MARGIN + number * _CHARACTER[1]), plain, fill=0, font=font)
    return np.repeat(np.asarray(picture)[:, :, None], 3, axis=2)


def _find_font() -> Any:
    try:
        from PIL import ImageFont
    except ImportError:
        return None
    # A bitmap whose characters all have the same width; older versions have no other default.
    return getattr(ImageFont, "load_default_imagefont", ImageFont.load_default)()
