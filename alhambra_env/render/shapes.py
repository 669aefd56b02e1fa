"""Elements of a drawing as strings of SVG, and how long text is."""

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Final

CELL: Final = 60
"""Side of a tile in its own units."""

CARD: Final = (40, 56)
"""Width and height of a card in its own units."""

_WIDE: Final = frozenset("mwMWÆŒ@%—…")
_NARROW: Final = frozenset("iljtfrI.,:;'|!()[]1 -")


def number(value: float) -> str:
    """Return a coordinate, to a hundredth at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def moved(x: float, y: float, scale: float = 1.0) -> str:
    """Return the attribute that moves a group and scales it."""
    scaled = f"scale({scale:.4g})" if scale != 1 else ""
    return f'transform="translate({number(x)} {number(y)}){scaled}"'


def at(x: float, y: float, content: str, scale: float = 1.0) -> str:
    """Return a group that is moved and scaled."""
    return f"<g {moved(x, y, scale)}>{content}</g>"


def _placed(x: float, y: float) -> str:
    """Return the attributes of a place; zeros are the default of SVG."""
    across = f' x="{number(x)}"' if x else ""
    return f'{across} y="{number(y)}"' if y else across


def rect(x: float, y: float, width: float, height: float, kind: str, radius: float = 0) -> str:
    """Return a rectangle of a class."""
    rounded = f' rx="{number(radius)}"' if radius else ""
    return (
        f'<rect class="{kind}"{_placed(x, y)} '
        f'width="{number(width)}" height="{number(height)}"{rounded}/>'
    )


def circle(x: float, y: float, radius: float, kind: str) -> str:
    """Return a circle of a class."""
    return f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'


def text(x: float, y: float, words: object, kind: str = "") -> str:
    """Return text whose baseline starts (class `e`: ends, class `c`: has its middle) here."""
    named = f' class="{kind}"' if kind else ""
    return f"<text{named}{_placed(x, y)}>{escape(str(words))}</text>"


def use(name: str, x: float = 0, y: float = 0, kind: str = "") -> str:
    """Return a copy of a definition."""
    named = f' class="{kind}"' if kind else ""
    return f'<use href="#{name}"{named}{_placed(x, y)}/>'


def titled(title: str, content: Iterable[str] | str, data: str = "") -> str:
    """Return a group with an accessible name and attributes, such as `data-slot="2"`."""
    space = " " if data else ""
    return f"<g{space}{data}><title>{escape(title)}</title>{''.join(content)}</g>"


def counted(n: int, what: str) -> str:
    """Return a number of things, as in `1 tile` and `2 tiles`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def length_of(words: str, size: float = 13) -> float:
    """Return about how long text is: rather too long, as fonts differ."""
    return size * sum(0.92 if c in _WIDE else 0.36 if c in _NARROW else 0.63 for c in words)


@cache
def shortened(words: str, room: float, size: float = 13) -> str:
    """Return text, with an ellipsis in place of its end if it is longer than the room."""
    if length_of(words, size) <= room:
        return words
    while words and length_of(words + "…", size) > room:
        words = words[:-1]
    return words.rstrip() + "…"
