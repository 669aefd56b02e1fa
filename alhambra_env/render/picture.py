"""Pictures of a drawing: PNG, arrays of pixels, and PDF; needs the extra `render`.

The font comes with the package, so a picture is the same on every machine.
"""

import re
from io import BytesIO
from pathlib import Path
from typing import Final, cast

import numpy as np

from ..extras import extras_explained
from .theme import FONT, Theme, attributes_of

_FONTS: Final = Path(__file__).parent / "fonts"
_FONT_FILES: Final = {
    weight: str(_FONTS / f"{FONT}-{style}.ttf")
    for weight, style in {"normal": "Regular", "bold": "Bold"}.items()
}
_BEYOND_FONT: Final = re.compile("[^\0-\u017f\u0384-\u03ce\u0400-\u045f\u2010-\u2027]")
"""Characters that the font lacks: names of players may have them."""

_THEME: Final = re.compile(r'class="alhambra-(\w+)"')
_STYLE: Final = re.compile("<style>.*?</style>", re.DOTALL)
_ELEMENT: Final = re.compile(r"<(\w+)([^<>]*)>")
_CLASS: Final = re.compile(r' class="([^"]*)"')


def as_png(svg: str, width: int | None = None) -> bytes:
    """Return a drawing as PNG, in its own width or in this one.

    Raises:
        MissingExtra: resvg is not installed.
    """
    with extras_explained():
        from resvg_py import svg_to_bytes
    png: bytes = svg_to_bytes(
        svg_string=svg,
        width=width,
        font_files=list(_FONT_FILES.values()),
        # The fonts of the system are searched for only if they are needed, which takes a while.
        skip_system_fonts=not _BEYOND_FONT.search(svg),
        font_family=FONT,
        sans_serif_family=FONT,
    )
    return png


def as_array(svg: str) -> np.ndarray:
    """Return a drawing as `uint8 [height, width, 3]`.

    Raises:
        MissingExtra: resvg or Pillow is not installed.
    """
    with extras_explained():
        from PIL import Image

    with Image.open(BytesIO(as_png(svg))) as png:
        return np.asarray(png.convert("RGB"))


def as_pdf(svg: str) -> bytes:
    """Return a drawing as a PDF of vectors and text.

    Raises:
        MissingExtra: svglib or ReportLab is not installed.
    """
    with extras_explained():
        from reportlab.graphics import renderPDF
        from svglib import fonts, svglib

    for weight, path in _FONT_FILES.items():
        fonts.register_font(FONT, path, weight=weight)
    pdf: bytes = renderPDF.drawToString(svglib.svg2rlg(BytesIO(_without_classes(svg).encode())))
    return pdf


def _without_classes(svg: str) -> str:
    """Return a drawing whose elements have attributes in place of classes.

    svglib does not apply a style sheet to what is copied from definitions.
    """
    theme = cast(Theme, _THEME.findall(svg)[0])

    def with_attributes(found: re.Match[str]) -> str:
        element, others = found.groups()
        names = _CLASS.search(others)
        written = attributes_of(element, names[1] if names else "", theme)
        return f"<{element} {written}{_CLASS.sub('', others)}>" if written else found[0]

    return _ELEMENT.sub(with_attributes, _STYLE.sub("", svg))
