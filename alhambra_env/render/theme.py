"""The colours of the drawing, in one table, and the style sheets made of it.

All elements have classes and no colours of their own, so one drawing serves every theme: `light`
and `dark` write the colours out, as programs that convert SVG need it; `page` makes them custom
properties of CSS, which a web page may set. The colours of building types derive from the palette
of Okabe and Ito, which colour-blind people can tell apart.
"""

from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from ..engine.material import N_BUILDINGS, N_CURRENCIES

Theme = Literal["light", "dark", "page"]
"""`light` or `dark`, or `page`: light or dark as the reader's system or the web page says."""

THEMES: Final[tuple[Theme, ...]] = get_args(Theme)

FONT: Final = "Roboto"
"""The font of text, which comes with the package; where it is missing, a similar one is used."""

FONTS: Final = Path(__file__).parent / "fonts"
FONT_STYLES: Final = {"normal": "Regular", "bold": "Bold"}
"""The files of the font, by weight: `FONT-STYLE.ttf`, and `.woff2` for pages."""

_FAMILIES: Final = (
    f"{FONT},system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif"
)


class Colour(NamedTuple):
    """A colour in both themes."""

    light: str
    dark: str


COLOURS: Final = {
    "back": Colour("#f3f0e8", "#14161a"),
    "panel": Colour("#ffffff", "#1e2127"),
    "line": Colour("#e0dacd", "#3a3f49"),
    "ground": Colour("#f4f1ea", "#292d35"),
    "ink": Colour("#22262d", "#ece8df"),
    "soft": Colour("#696d75", "#a3a8b1"),
    "turn": Colour("#0b6e69", "#4fc1b8"),
    "onturn": Colour("#ffffff", "#10201f"),
    "wall": Colour("#2a2420", "#f6eedc"),
    "longest": Colour("#ffc61a", "#e0620d"),
    "last": Colour("#d6246e", "#ff6fa5"),
    "legal": Colour("#1d63d8", "#7db1ff"),
    "hinted": Colour("#8a2be2", "#c79bff"),
    # building types, and what is drawn on them
    "b0": Colour("#0072b2", "#1077b5"),
    "b1": Colour("#c74e0b", "#c35212"),
    "b2": Colour("#eda81f", "#e0a02a"),
    "b3": Colour("#d8ceb8", "#c9c2b3"),
    "b4": Colour("#007f5f", "#0a8262"),
    "b5": Colour("#c97fad", "#c57fab"),
    "o0": Colour("#ffffff", "#ffffff"),
    "o1": Colour("#ffffff", "#ffffff"),
    "o2": Colour("#2b1f05", "#2b1f05"),
    "o3": Colour("#3a3429", "#2e2a21"),
    "o4": Colour("#ffffff", "#ffffff"),
    "o5": Colour("#2f1326", "#2f1326"),
    "stone": Colour("#cfd6da", "#78838c"),
    "onstone": Colour("#34525f", "#e6f1f5"),
    # currencies, and what is written on them
    "c0": Colour("#2a7ab9", "#4a97d3"),
    "c1": Colour("#19825a", "#39a97c"),
    "c2": Colour("#dd6f12", "#e8842e"),
    "c3": Colour("#e8c11c", "#ecc93a"),
    "k0": Colour("#ffffff", "#0d1c28"),
    "k1": Colour("#ffffff", "#0b1f17"),
    "k2": Colour("#201003", "#201003"),
    "k3": Colour("#2a2204", "#2a2204"),
    "card": Colour("#ffffff", "#333842"),
    "cardline": Colour("#b9b2a3", "#5a616d"),
}
"""What each colour is for is said by the rules below, which use it."""

_FILLS: Final = (
    *("back", "panel", "ground", "ink", "soft", "turn", "onturn", "stone", "onstone", "line"),
    *(f"{kind}{number}" for kind in "bo" for number in range(N_BUILDINGS)),
    *(f"{kind}{number}" for kind in "ck" for number in range(N_CURRENCIES)),
)
"""Colours that are also the name of a class that fills with them."""

_RULES: Final = (
    ("text", f"font-family:{_FAMILIES};font-size:13px;fill:ink"),
    (".s", "font-size:11px;fill:soft"),  # small, as labels
    (".m", "font-size:12px;fill:soft"),  # of a middle size, as facts
    (".h", "font-size:15px;font-weight:bold"),  # headings
    (".x", "font-size:24px;font-weight:bold"),  # scores
    (".q", "font-weight:bold"),
    (".p", "font-size:24px;font-weight:bold;text-anchor:middle"),  # prices of tiles
    (".v", "font-size:21px;font-weight:bold"),  # values of cards
    (".e", "text-anchor:end"),
    (".c", "text-anchor:middle"),
    *((f".{name}", f"fill:{name}") for name in _FILLS),
    (".box", "fill:panel;stroke:line;stroke-width:1"),
    (".on", "fill:none;stroke:turn;stroke-width:2.5"),
    (".t", "stroke:ground;stroke-width:1"),  # the seam between tiles
    (".w", "fill:none;stroke:wall;stroke-width:6"),
    (".l", "fill:none;stroke:wall;stroke-width:11;stroke-linejoin:round;stroke-linecap:round"),
    (".g", "fill:none;stroke:longest;stroke-width:4.5;stroke-linejoin:round"),
    (".card", "fill:card;stroke:cardline;stroke-width:1"),
    (".rule", "fill:none;stroke:line;stroke-width:1"),
    (".gap", "fill:none;stroke:soft;stroke-width:1.2;stroke-dasharray:4 4"),
    (".last", "fill:none;stroke:last;stroke-width:4"),
    (".inside", "fill:none;stroke:panel;stroke-width:2"),  # so that `last` shows without colours
    (".legal", "fill:none;stroke:legal;stroke-width:3;stroke-dasharray:7 4"),
    (".hinted", "fill:none;stroke:hinted;stroke-width:4;stroke-dasharray:2 4"),
    (".selected", "fill:none;stroke:legal;stroke-width:5"),
    (".site", "fill:panel;fill-opacity:.75"),
)


@cache
def style_sheet(theme: Theme) -> str:
    """Return the rules of CSS for elements within `class="alhambra-THEME"`."""
    if theme not in THEMES:
        raise ValueError(f"no theme is called {theme!r}; there are {', '.join(THEMES)}")
    root = f".alhambra-{theme}"
    rules = [f"{root} {name}{{{_with_colours(body, theme)}}}" for name, body in _RULES]
    return "".join(rules if theme != "page" else [_properties(root), *rules])


@cache
def font_faces() -> str:
    """Return the font as rules of CSS, so that a page looks the same on every machine."""
    rules = []
    for weight, style in FONT_STYLES.items():
        data = b64encode((FONTS / f"{FONT}-{style}.woff2").read_bytes()).decode()
        source = f"url(data:font/woff2;base64,{data}) format('woff2')"
        rules.append(f"@font-face{{font-family:{FONT};font-weight:{weight};src:{source}}}")
    return "".join(rules)


@cache
def attributes_of(element: str, names: str, theme: Theme) -> str:
    """Return what the classes of an element set, as attributes: for programs without CSS."""
    applied = {element, *(f".{name}" for name in names.split())}
    pairs: dict[str, str] = {}
    for name, body in _RULES:
        if name in applied:
            written = _with_colours(body.replace(_FAMILIES, FONT), theme)
            pairs |= dict(each.split(":") for each in written.split(";"))
    return " ".join(f'{name}="{value}"' for name, value in pairs.items())


def _with_colours(body: str, theme: Theme) -> str:
    declarations = []
    for declaration in body.split(";"):
        key, value = declaration.split(":")
        if value in COLOURS:
            colour = COLOURS[value]
            written = {"light": colour.light, "dark": colour.dark, "page": f"var(--al-{value})"}
            value = written[theme]
        declarations.append(f"{key}:{value}")
    return ";".join(declarations)


def _properties(root: str) -> str:
    """Return the custom properties: light, unless the system or `data-theme` says dark."""
    light = "".join(f"--al-{name}:{colour.light};" for name, colour in COLOURS.items())
    dark = "".join(f"--al-{name}:{colour.dark};" for name, colour in COLOURS.items())
    return (
        f":root{{{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f":root[data-theme=dark]{{{dark}}}"
    )
