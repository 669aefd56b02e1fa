"""A position drawn as SVG: what is in it."""

import re
from collections import Counter
from typing import Any

import pytest

from alhambra_env import Game, actions
from alhambra_env.engine.material import BUILDINGS, FOUNTAIN, N_TILES, SIDES, TILE_WALLS, TILES
from alhambra_env.render.outline import longest_wall, tiles_of
from alhambra_env.render.shapes import CELL
from alhambra_env.render.svg import (
    Marks,
    definitions,
    definitions_svg,
    draw_city,
    draw_position,
    panel_svg,
    panels,
)
from alhambra_env.render.symbols import tile_name
from alhambra_env.render.theme import THEMES, Theme
from tests.drawings import PLAYERS, fragment, late, moments, tile_of, tree
from tests.positions import NEXT, play, position

for_all_players = pytest.mark.parametrize("num_players", PLAYERS)


# --- the file ---------------------------------------------------------------------------------


@for_all_players
@pytest.mark.parametrize("theme", THEMES)
def test_a_figure_is_a_file_that_refers_only_to_itself(num_players: int, theme: Theme) -> None:
    root = tree(draw_position(late(num_players).snapshot(), theme=theme))
    ids = Counter(each.attrib["id"] for each in root.iter() if "id" in each.attrib)
    assert max(ids.values()) == 1
    used = {each.attrib["href"] for each in root.iter("use")}
    assert used <= {f"#{name}" for name in ids}
    assert root.find("title") is not None
    described = root.find("desc")
    assert described is not None
    assert "Seat 0" in str(described.text)


@for_all_players
def test_a_late_figure_is_small(num_players: int) -> None:
    assert len(draw_position(late(num_players).snapshot())) < 45_000


def test_a_panel_on_a_page_needs_only_the_definitions() -> None:
    drawn = panels(late(3).snapshot())
    ids = {each.attrib.get("id") for each in tree(definitions_svg()).iter()}
    for panel in drawn.values():
        root = tree(panel_svg(panel))
        assert root.attrib["viewBox"] == f"0 0 {panel.width} {panel.height}"
        assert root.attrib["aria-label"] == panel.title
        assert not any("id" in each.attrib for each in root.iter())
        assert {each.attrib["href"].removeprefix("#") for each in root.iter("use")} <= ids


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_figure_has_its_colours_written_out(theme: Theme) -> None:
    assert "var(" not in definitions(theme)
    assert "var(--al-ink)" in definitions("page")


def test_figures_of_two_themes_can_be_on_one_page() -> None:
    ids = [set(re.findall(r' id="([^"]*)"', definitions(theme))) for theme in THEMES]
    assert not ids[0] & ids[1]
    assert len(ids[0]) == len(ids[1]) == len(ids[2])


def test_the_width_scales_a_figure() -> None:
    snapshot = Game(3, seed=1).snapshot()
    natural, half = tree(draw_position(snapshot)), tree(draw_position(snapshot, width=632))
    assert natural.attrib["width"] == "1264"
    assert half.attrib["width"] == "632"
    assert half.attrib["viewBox"] == natural.attrib["viewBox"]
    assert int(half.attrib["height"]) == round(int(natural.attrib["height"]) / 2)


def test_the_same_position_is_drawn_the_same() -> None:
    assert late(4).svg() == late(4).svg()


# --- tiles ------------------------------------------------------------------------------------


@for_all_players
def test_every_tile_on_the_table_is_drawn_once_where_it_lies(num_players: int) -> None:
    for game in moments(num_players):
        snapshot = game.snapshot()
        drawn = panels(snapshot)
        for seat in range(num_players):
            root = fragment(drawn[f"seat-{seat}"].body)
            cells = {}
            for group in root.findall(".//g[@data-cell]"):
                assert group.attrib["data-seat"] == str(seat)
                cells[group.attrib["data-cell"]] = tile_of(group)
            city = {f"{dy},{dx}": tile for tile, dy, dx in snapshot["cities"][seat]}
            assert cells == city
            waiting = [
                (group.attrib["data-in"], tile_of(group), int(group.attrib["data-tile"]))
                for group in root.findall(".//g[@data-tile]")
            ]
            expected = [("reserve", tile) for tile in snapshot["reserves"][seat]]
            expected += [("won", tile) for winner, tile in snapshot["awards"] if winner == seat]
            if seat == game.to_play:
                kind = "won" if snapshot["ending"] else "bought"
                expected += [(kind, tile) for tile in snapshot["bought"]]
                expected += [("picked", snapshot["picked"])] * (snapshot["picked"] is not None)
            assert sorted(waiting) == sorted((kind, tile, tile) for kind, tile in expected)
        slots = fragment(drawn["table"].body).findall(".//g[@data-slot]")
        assert [group.attrib["data-slot"] for group in slots] == ["0", "1", "2", "3"]
        tiles = [[int(u.attrib["href"][4:]) for u in g.iter("use") if "#a-t" in u.attrib["href"]]
                 for g in slots]  # fmt: skip
        assert tiles == [[] if tile is None else [tile] for tile in snapshot["market"]]


def test_a_tile_lies_on_its_cell() -> None:
    game = late(3)
    for seat, city in enumerate(game.snapshot()["cities"]):
        for group in fragment(panels(game.snapshot())[f"seat-{seat}"].body).iter("g"):
            if "data-cell" in group.attrib:
                used = group.find("use")
                assert used is not None
                x, y = (int(used.attrib.get(name, 0)) // CELL for name in "xy")
                assert [tile_of(group), y, x] in city


@pytest.mark.parametrize("tile", range(N_TILES))
def test_a_tile_has_its_price_its_symbol_and_its_walls(tile: int) -> None:
    root = tree(definitions_svg())
    group = root.find(f".//g[@id='a-t{tile}']")
    assert group is not None
    kind = BUILDINGS.index(TILES[tile].building)
    assert [each.text for each in group.iter("text")] == [str(TILES[tile].price)]
    assert [each.attrib["href"] for each in group.iter("use")] == [f"#a-f{kind}"]
    walls = [each.attrib["d"] for each in group.iter("path")]
    assert "".join(walls).count("M") == len(TILES[tile].walls)
    assert str(TILES[tile].price) in tile_name(tile)


def test_a_tile_is_named_with_its_walls() -> None:
    assert tile_name(35) == "garden 8, walls north and west"
    assert tile_name(44) == "tower 8, walls north, east and south"
    assert tile_name(37) == "garden 9, wall east"
    assert tile_name(51) == "tower 11, no walls"
    assert tile_name(FOUNTAIN) == "fountain"


def test_each_building_type_and_each_currency_has_a_symbol_of_its_own() -> None:
    root = tree(definitions_svg())
    for letter, number in (("i", len(BUILDINGS)), ("c", 4)):
        paths = {each.attrib["d"] for i in range(number) for each in root.iter("path")
                 if each.attrib.get("id") == f"a-{letter}{i}"}  # fmt: skip
        assert len(paths) == number


# --- the longest wall (R24) -------------------------------------------------------------------


@for_all_players
def test_the_longest_wall_is_drawn_as_long_as_the_engine_measures_it(num_players: int) -> None:
    for seed in range(3):
        for game in moments(num_players, seed):
            drawn = panels(game.snapshot())
            for seat in range(num_players):
                lines = re.findall(r'class="g" d="M[^hv]*([^"]*)"', drawn[f"seat-{seat}"].body)
                steps = [abs(int(n)) for n in re.findall(r"[hv](-?\d+)", "".join(lines))]
                assert sum(steps) == CELL * int(game.state.walls[seat])
                assert set(steps) <= {CELL}


def test_the_longest_wall_is_made_of_walls_that_touch_no_tile() -> None:
    for game in moments(4, every=3):
        for city in game.snapshot()["cities"]:
            tiles = tiles_of(city)
            edges = longest_wall(tiles)
            assert len(set(edges)) == len(edges)
            for (dy, dx), side in edges:
                down, right = NEXT[SIDES[side]]
                assert TILE_WALLS[tiles[dy, dx]] >> side & 1
                assert (dy + down, dx + right) not in tiles


def test_a_wall_around_the_start_of_the_outline_is_not_cut_in_two() -> None:
    # Tower 7 [NEW] north of the fountain: its three walls are one stretch.
    (city,) = position("players: 2", "city 0: 43@-1,0").snapshot()["cities"][:1]
    assert [edge.side for edge in longest_wall(tiles_of(city))] == [3, 0, 1]


def test_a_city_without_walls_has_no_longest_wall() -> None:
    assert longest_wall(tiles_of([])) == []
    assert 'class="g"' not in draw_city([])


# --- cards, counts and names ------------------------------------------------------------------


@for_all_players
def test_the_cards_of_the_seat_to_play_can_be_told_apart(num_players: int) -> None:
    game = late(num_players)
    root = fragment(panels(game.snapshot())[f"seat-{game.to_play}"].body)
    cards = Counter(
        (each.attrib["data-hand"], each.attrib["data-copy"])
        for each in root.findall(".//g[@data-hand]")
    )
    assert set(cards.values()) == {1}
    hand = game.snapshot()["hands"][game.to_play]
    assert Counter(key for key, _ in cards) == {
        f"{c}:{v + 1}": hand[c][v] for c in range(4) for v in range(9) if hand[c][v]
    }


def test_a_large_hand_is_drawn_as_piles() -> None:
    game = position("players: 2", "to_play: 0", "hand 0: rest", "deck: b1 b2 b3")
    body = panels(game.snapshot())["seat-0"].body
    cards = fragment(body).findall(".//g[@data-hand]")
    hand = game.snapshot()["hands"][0]
    assert len(cards) == sum(n > 0 for row in hand for n in row)
    assert ">x2<" in body


def test_open_money_and_prices_are_written() -> None:
    game = position(
        "players: 3", "market: 41 3 - 17", "display: b3 g9 o1 y5", "phase: put", "picked: 0"
    )
    root = fragment(panels(game.snapshot())["table"].body)
    cards = root.findall(".//g[@data-open]")
    assert ["".join(t.text or "" for t in card.iter("text")) for card in cards] == list("3915")
    slots = root.findall(".//g[@data-slot]")
    texts = [[each.text or "" for each in slot.iter("text")] for slot in slots]
    assert texts == [["11", "denar"], ["5", "dirham"], ["", "ducat"], ["6", "guilder"]]


def test_names_are_escaped_and_shortened() -> None:
    names = ["<b>&", "a" * 80]
    body = panels(Game(2, seed=1).snapshot(), names=names)
    texts = ["".join(each.itertext()) for each in fragment(body["seat-0"].body).iter("text")]
    assert "<b>&" in texts
    texts = ["".join(each.itertext()) for each in fragment(body["seat-1"].body).iter("text")]
    assert any(each.startswith("aaaa") and each.endswith("…") for each in texts)
    assert tree(panel_svg(body["seat-1"])).attrib["aria-label"].startswith("a" * 80)


def test_the_winners_are_named_at_the_end() -> None:
    game = list(moments(3))[-1]
    drawn = panels(game.snapshot(), names=["Ada", "Ben", "Cleo"])
    for seat in range(3):
        assert (">wins<" in drawn[f"seat-{seat}"].body) == (seat in game.winners)
        assert ">to play<" not in drawn[f"seat-{seat}"].body
    assert "Game over" in drawn["table"].body


def test_dirk_has_a_panel_in_a_game_for_two() -> None:
    assert "dirk" in panels(Game(2, seed=1).snapshot())
    assert "dirk" not in panels(Game(3, seed=1).snapshot())


# --- marks ------------------------------------------------------------------------------------


def classes(svg: str, attribute: str, value: str) -> set[str]:
    """Return the classes within the groups that have an attribute."""
    groups = fragment(svg).findall(f".//g[@{attribute}='{value}']")
    return {each.attrib.get("class", "") for group in groups for each in group.iter()}


def test_what_is_marked_has_the_class_of_its_mark() -> None:
    game = position("players: 2", "to_play: 1", "city 1: 41@0,1", "reserve 1: 12", "hand 1: b3 b3")
    drawn = panels(
        game.snapshot(),
        1,
        marks={
            "cell:0,1": "legal",
            "cell:0,-1": "hinted",
            "slot:2": "legal",
            "open:3": "selected",
            "hand:0:3:1": "legal",
            "tile:12": "hinted",
            "dirk": "legal",
        },
    )
    seat, table = drawn["seat-1"].body, drawn["table"].body
    assert "legal" in seat
    assert "site hinted" in classes(seat, "data-cell", "0,-1")
    assert "legal" in classes(table, "data-slot", "2")
    assert "legal" not in classes(table, "data-slot", "1")
    assert "selected" in classes(table, "data-open", "3")
    assert "hinted" in classes(seat, "data-tile", "12")
    assert "legal" in classes(drawn["dirk"].body, "data-dirk", "")
    copies = fragment(seat).findall(".//g[@data-hand='0:3']")
    marked = [any(each.attrib.get("class") == "legal" for each in card.iter()) for card in copies]
    assert marked == [False, True]
    assert "legal" not in drawn["seat-0"].body


@pytest.mark.parametrize("key", ["cell:1", "slot:4", "open:-1", "hand:4:1", "tile:x", "deck", ""])
def test_a_mark_of_something_unknown_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(key))):
        panels(Game(2, seed=1).snapshot(), marks={key: "legal"})


def test_an_unknown_mark_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="legal, hinted, selected"):
        panels(Game(2, seed=1).snapshot(), marks={"slot:1": "great"})  # type: ignore[dict-item]  # that is the test


def test_marks_leave_the_city_where_it_is() -> None:
    snapshot: dict[str, Any] = late(3).snapshot()
    seat = snapshot["to_play"]
    beside = max(dx for _, _, dx in snapshot["cities"][seat]) + 1
    row = next(dy for _, dy, dx in snapshot["cities"][seat] if dx == beside - 1)
    places = []
    every_marks: tuple[Marks, ...] = ({}, {f"cell:{row},{beside}": "legal"})
    for marks in every_marks:
        root = fragment(panels(snapshot, marks=marks)[f"seat-{seat}"].body)
        (ground,) = (g for g in root.iter("g") if g.find("g[@data-cell]") is not None)
        places.append(ground.attrib["transform"])
    assert places[0] == places[1]


def test_the_last_action_is_marked_where_it_changed_something() -> None:
    game = Game(3, seed=7)
    seat = game.to_play
    play(game, "take:0")
    drawn = panels(game.snapshot(), last=(seat, actions.parse("take:0")))
    assert "last" in classes(drawn["table"].body, "data-open", "0")
    assert "last" not in classes(drawn["table"].body, "data-open", "1")
    drawn = panels(game.snapshot(), last=(seat, actions.parse("buy:2:7+3")))
    assert "last" in classes(drawn["table"].body, "data-slot", "2")
    drawn = panels(game.snapshot(), last=(1, actions.parse("put:0,1")))
    assert ['class="last"' in drawn[f"seat-{i}"].body for i in range(3)] == [False, True, False]


@for_all_players
def test_a_game_knows_who_played_the_last_action(num_players: int) -> None:
    game = Game(num_players, seed=3)
    assert game.last_action is None
    while not game.over:
        seat, action = game.to_play, game.legal_actions()[-1]
        game.step(action)
        assert game.last_action == (seat, action)
        known = game.resample(0, seed=1).last_action
        assert known == (seat, action) or (known is None and game.state.ending)


def test_a_notebook_shows_the_drawing() -> None:
    game = late(3)
    assert game._repr_svg_() == game.svg()
    assert game.svg(last=None) == draw_position(game.snapshot())


# --- bad arguments ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"observer": 3}, "0 to 2"),
        ({"observer": -1}, "0 to 2"),
        ({"names": ["a"]}, "3 players have 3 names, not 1"),
        ({"hands": "shown"}, "secret"),
        ({"theme": "pink"}, "light, dark, page"),
        ({"width": 0}, "width must be 1 to 10000, not 0"),
        ({"width": "wide"}, "width must be a whole number"),
    ],
)
def test_a_wrong_argument_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Game(3, seed=1).svg(**settings)  # type: ignore[arg-type]  # that is the test


def test_a_panel_that_is_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="300 x 300"):
        panels(Game(2, seed=1).snapshot(), seat_size=(200, 500))
