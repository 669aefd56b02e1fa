"""Where things are in a drawing: nothing overlaps, nothing sticks out, nothing is cut off."""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import pytest

import alhambra_env.render
from alhambra_env import Game
from alhambra_env.render.arrangement import GAP, arrange
from alhambra_env.render.position import Panel, read_position
from alhambra_env.render.svg import draw_city, panels
from alhambra_env.render.theme import COLOURS
from tests.drawings import PLAYERS, fragment, late, moments, tree
from tests.positions import position

for_all_players = pytest.mark.parametrize("num_players", PLAYERS)
FONTS = Path(alhambra_env.render.__file__).parent / "fonts"
SIZES = {"s": 11, "m": 12, "h": 15, "x": 24, "v": 21, "p": 24}
NAMES = ["a name that is much too long for its place", "WWWWWWWWWWWWWWWWWWWWWWWW", *"abcd"]


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box", slack: float = 0.0) -> bool:
        return (
            self.left < other.right - slack
            and other.left < self.right - slack
            and self.top < other.bottom - slack
            and other.top < self.bottom - slack
        )

    def is_within(self, other: "Box", slack: float = 0.5) -> bool:
        return (
            self.left >= other.left - slack
            and self.top >= other.top - slack
            and self.right <= other.right + slack
            and self.bottom <= other.bottom + slack
        )


def placed(
    element: Element, x: float = 0, y: float = 0, scale: float = 1
) -> Iterator[tuple[Element, float, float, float]]:
    """Yield all elements with their origin and scale."""
    move = re.match(
        r"translate\(([-.\d]+) ([-.\d]+)\)(?:scale\(([-.\d]+)\))?", element.get("transform", "")
    )
    if move:
        x, y = x + scale * float(move[1]), y + scale * float(move[2])
        scale *= float(move[3] or 1)
    yield element, x, y, scale
    for child in element:
        yield from placed(child, x, y, scale)


def boxes(body: str) -> list[tuple[Element, Box]]:
    """Return the rectangles, circles, tiles and cards of a panel."""
    found = []
    for element, x, y, scale in placed(fragment(body)):
        left, top = (float(element.get(name, 0)) for name in "xy")
        if element.tag == "rect":
            width, height = (float(element.attrib[name]) for name in ("width", "height"))
        elif element.tag == "use" and re.match("#a-[tm]", element.attrib["href"]):
            width, height = (60, 60) if "-t" in element.attrib["href"] else (40, 56)
        else:
            continue
        box = Box(left, top, left + width, top + height)
        found.append(
            (element, Box(*(o + scale * v for o, v in zip((x, y, x, y), box, strict=True))))
        )
    return found


def words(body: str) -> list[tuple[str, Box]]:
    """Return the texts of a panel with the room that they take, measured with the font."""
    from PIL import ImageFont

    found = []
    for element, x, y, scale in placed(fragment(body)):
        text = "".join(element.itertext())
        if element.tag != "text" or not text:
            continue
        kinds = element.get("class", "").split()
        size = next((SIZES[kind] for kind in kinds if kind in SIZES), 13)
        style = "Bold" if {"h", "x", "q", "v"} & {*kinds} else "Regular"
        font = ImageFont.truetype(str(FONTS / f"Roboto-{style}.ttf"), 100)
        width = font.getlength(text) * size / 100
        left = float(element.get("x", 0)) - width * (0.5 if "c" in kinds else "e" in kinds)
        top = float(element.get("y", 0)) - 0.72 * size
        box = Box(left, top, left + width, top + 0.72 * size)
        found.append((text, Box(*(o + scale * v for o, v in zip((x, y, x, y), box, strict=True)))))
    return found


def drawn(game: Game, **settings: Any) -> dict[str, Panel]:
    """Return the panels of a figure and those of a page."""
    names = NAMES[: game.num_players]
    inside = arrange(read_position(game.snapshot(), None, names, "secret", None, None)).placed
    alone = panels(game.snapshot(), names=names, **settings)
    return {f"figure {name}": panel for name, (panel, _) in inside.items()} | alone


# --- panels -----------------------------------------------------------------------------------


@for_all_players
def test_the_panels_of_a_figure_lie_apart_and_fill_it(num_players: int) -> None:
    snapshot = Game(num_players, seed=1).snapshot()
    size, panels_at = arrange(read_position(snapshot, None, None, "secret", None, None))
    rooms = [Box(x, y, x + panel.width, y + panel.height) for panel, (x, y) in panels_at.values()]
    grown = [Box(r.left, r.top, r.right + GAP, r.bottom + GAP) for r in rooms]
    assert not any(one.meets(other) for one, other in combinations(grown, 2))
    assert max(room.right for room in rooms) == size[0] - GAP
    assert max(room.bottom for room in rooms) == size[1] - GAP
    assert size[0] > size[1]
    seats = {(p.width, p.height) for name, (p, _) in panels_at.items() if name[:4] == "seat"}
    assert len(seats) == 1


@for_all_players
def test_sizes_stay_the_same_throughout_a_game(num_players: int) -> None:
    sizes = set()
    for game in moments(num_players, every=30):
        arranged = arrange(read_position(game.snapshot(), None, None, "secret", None, None))
        alone = panels(game.snapshot())
        sizes.add(
            (
                arranged.size,
                *((panel.width, panel.height) for panel, _ in arranged.placed.values()),
                *((panel.width, panel.height) for panel in alone.values()),
            )
        )
    assert len(sizes) == 1


# --- inside a panel ---------------------------------------------------------------------------


@for_all_players
def test_everything_lies_within_its_panel(num_players: int) -> None:
    for game in moments(num_players, every=20):
        for name, panel in drawn(game).items():
            room = Box(0, 0, panel.width, panel.height)
            for element, box in boxes(panel.body):
                assert box.is_within(room), (name, element.attrib)


@for_all_players
def test_no_text_is_cut_off_or_lies_on_another(num_players: int) -> None:
    pytest.importorskip("PIL", reason="needs Pillow, of the extra `render`")
    for game in moments(num_players, every=40):
        for name, panel in drawn(game).items():
            room = Box(4, 4, panel.width - 4, panel.height - 4)
            texts = words(panel.body)
            for text, box in texts:
                assert box.is_within(room), (name, text)
            for (one, here), (other, there) in combinations(texts, 2):
                assert not here.meets(there, 0.3), (name, one, other)


@for_all_players
def test_no_two_tiles_overlap(num_players: int) -> None:
    for game in moments(num_players, every=20):
        for panel in drawn(game).values():
            tiles = [box for element, box in boxes(panel.body) if "#a-t" in element.get("href", "")]
            assert not any(one.meets(other, 0.1) for one, other in combinations(tiles, 2))


def test_a_city_as_wide_as_can_be_fits_its_panel() -> None:
    opened = [6, 13, 21, 22, 30, 31, 40, 41, 51, 52]  # tiles without walls
    line = " ".join(f"{tile}@0,{dx + 1}" for dx, tile in enumerate(opened[:8]))
    line += " " + " ".join(f"{tile}@{dy},0" for dy, tile in ((1, 51), (2, 52)))
    game = position("players: 2", f"city 0: {line}")
    for panel in panels(game.snapshot(), seat_size=(300, 300)).values():
        room = Box(0, 0, panel.width, panel.height)
        assert all(box.is_within(room) for _, box in boxes(panel.body))


def test_all_tiles_in_one_reserve_fit_beside_the_city() -> None:
    game = position("players: 2", "market: 0 1 2 3", "reserve 1: rest", "bag: 4", "dirk:")
    body = panels(game.snapshot())["seat-1"].body
    tiles = [box for element, box in boxes(body) if "#a-t" in element.get("href", "")]
    assert len(tiles) == len(game.snapshot()["reserves"][1]) + 1  # the fountain
    assert not any(one.meets(other) for one, other in combinations(tiles, 2))
    assert all(box.is_within(Box(0, 0, 400, 470)) for box in tiles)


def test_the_values_of_a_hand_of_all_cards_can_be_read() -> None:
    pytest.importorskip("PIL", reason="needs Pillow, of the extra `render`")
    game = position("players: 3", "hand 1: rest", "deck: b1 b2", "display: b1 b1 b2 b2")
    values = [(text, box) for text, box in words(panels(game.snapshot())["seat-1"].body)
              if re.fullmatch(r"\d|x\d", text) and box.top > 400]  # fmt: skip
    assert len(values) > 36
    assert not any(a.meets(b) for (_, a), (_, b) in combinations(values, 2))


def test_a_city_alone_is_as_large_as_its_tiles() -> None:
    game = late(3)
    city = game.snapshot()["cities"][0]
    root = tree(draw_city(city))
    rows, columns = ({0, *(each[i] for each in city)} for i in (1, 2))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert width == pytest.approx(60 * (max(columns) - min(columns) + 1.6), abs=1)
    assert height == pytest.approx(60 * (max(rows) - min(rows) + 1.6), abs=1)


# --- colours ----------------------------------------------------------------------------------


def linear(colour: str) -> list[float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("above", "below", "least"),
    [
        *((f"o{i}", f"b{i}", 4.5) for i in range(6)),
        *((f"k{i}", f"c{i}", 4.5) for i in range(4)),
        *(("ink", below, 7) for below in ("panel", "card", "line")),
        *(("soft", below, 4.5) for below in ("panel", "ground")),
        *(("onturn", "turn", 4.5) for _ in range(1)),
        *((mark, "panel", 3) for mark in ("legal", "hinted", "last", "turn")),
        ("wall", "ground", 7),
    ],
)
def test_what_is_drawn_on_a_colour_stands_out(
    above: str, below: str, least: float, theme: int
) -> None:
    dark, light = sorted(luminance(COLOURS[name][theme]) for name in (above, below))
    assert (light + 0.05) / (dark + 0.05) >= least


# How protanopia, deuteranopia and tritanopia change linear colours (Machado and others, 2009).
EYES: dict[str, list[list[float]]] = {
    "all colours": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "no green": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "no blue": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def seen(colour: str, eyes: str) -> list[float]:
    """Return a colour in CIELAB as these eyes see it."""
    light = [min(1, max(0, sum(f * p for f, p in zip(row, linear(colour), strict=True))))
             for row in EYES[eyes]]  # fmt: skip
    weights = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = [sum(w * p for w, p in zip(row, light, strict=True)) / sum(row) for row in weights]
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("kind", "number"), [("b", 6), ("c", 4)])
@pytest.mark.parametrize("eyes", EYES)
def test_colour_blind_people_can_tell_the_colours_apart(
    eyes: str, kind: str, number: int, theme: int
) -> None:
    colours = [seen(COLOURS[f"{kind}{i}"][theme], eyes) for i in range(number)]
    for one, other in combinations(colours, 2):
        assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) > 10**2
