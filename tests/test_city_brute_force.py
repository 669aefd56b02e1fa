"""The engine's building rules, compared with the plain version in `brute_force`.

Hypothesis builds cities by legal moves of `brute_force`. Each is put into a record, and the engine
must agree with flood fills over the whole plane.
"""

import random
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alhambra_env import DamagedRecord, Game, actions
from alhambra_env.engine.grid import cell_at
from alhambra_env.engine.material import FOUNTAIN, N_SLOTS, N_TILES
from alhambra_env.engine.sites import CELL, is_accepted, outline_with, survey
from alhambra_env.notation import from_text
from tests import brute_force
from tests.brute_force import START, WALLS, Cell, City
from tests.examples import examples

MOST: Final = N_TILES - N_SLOTS - 1
"""The largest city that leaves four tiles for the market and one to ask about."""

STYLES: Final[dict[str, Callable[[Cell], int]]] = {
    "anywhere": lambda cell: 0,
    "compact": lambda cell: cell[0] ** 2 + cell[1] ** 2,
    "north": lambda cell: cell[0],
    "east": lambda cell: -cell[1],
    "south": lambda cell: -cell[0],
    "west": lambda cell: cell[1],
    "south and east": lambda cell: -cell[0] - cell[1],
    "row": lambda cell: abs(cell[0]),
    "column": lambda cell: abs(cell[1]),
}
"""Ways to grow a city: the cell with the least number is built on first."""

LONG: Final = [style for style in STYLES if style not in ("anywhere", "compact")]


def comparing(number: int) -> settings:
    return examples(number, HealthCheck.data_too_large)


# --- growing cities ---------------------------------------------------------------------------


def grow(style: str, size: int, seed: int) -> City:
    """Return a city of up to `size` tiles besides the fountain; a smaller size is its beginning."""
    chooser = random.Random(seed)
    city = dict(START)
    attempts = 0
    while len(city) <= size and attempts < 2 * N_TILES:
        tile = chooser.choice([t for t in range(N_TILES) if t not in city.values()])
        kind = chooser.choices(["put", "swap", "remove"], [12, 1, 1])[0]
        if not change(city, tile, kind, style, chooser):
            attempts += 1
    return city


def change(city: City, tile: int, kind: str, style: str, chooser: random.Random) -> bool:
    """Put a tile into the city, swap it in, or remove another. Return whether that was legal."""
    cells = [cell for cell in city if cell != (0, 0)]
    if kind == "put":
        cells = brute_force.edge_of(city)
    chooser.shuffle(cells)
    cells.sort(key=STYLES[style])
    for cell in cells if kind == "put" else cells[:1]:
        changed = brute_force.without(city, cell)
        if kind != "remove":
            changed[cell] = tile
        if brute_force.is_city(changed):
            city.clear()
            city.update(changed)
            return True
    return False


def cities(
    least: int = 0, most: int = MOST, styles: list[str] | None = None
) -> st.SearchStrategy[City]:
    return st.builds(
        grow,
        st.sampled_from(styles or list(STYLES)),
        st.integers(least, most),
        st.integers(0, 2**32),
    )


def any_tile_outside(city: City) -> st.SearchStrategy[int]:
    return st.sampled_from([tile for tile in range(N_TILES) if tile not in city.values()])


def cities_and_a_tile(most: int = MOST) -> st.SearchStrategy[tuple[City, int]]:
    return cities(most=most).flatmap(lambda city: st.tuples(st.just(city), any_tile_outside(city)))


# --- asking the engine ------------------------------------------------------------------------


def words(city: City) -> str:
    return " ".join(f"{t}@{dy},{dx}" for (dy, dx), t in city.items() if t != FOUNTAIN)


def position(city: City, seat: int = 0, **facts: object) -> Game:
    lines = {"to_play": seat, f"city {seat}": words(city), **facts}
    return from_text("".join(f"{key.replace('_0', ' 0')}: {line}\n" for key, line in lines.items()))


def legal(game: Game, kind: str) -> set[tuple[int, ...]]:
    moves = map(actions.decode, game.legal_actions())
    return {move.args for move in moves if move.kind == kind}


def rebuilds(city: City, tile: int, seat: int = 0, **facts: object) -> set[tuple[int, ...]]:
    """Return where a tile that is picked to rebuild may be put, if it can be picked at all."""
    try:
        game = position(city, seat, phase="rebuild", picked=tile, **facts)
    except DamagedRecord as error:
        if "stuck" not in str(error):
            raise
        return set()
    cells = legal(game, "put")
    assert len(game.legal_actions()) == len(cells)
    return cells


def folded(cells: set[Cell]) -> set[Cell]:
    """Return cells as actions name them: around the torus, to -9 to 9."""
    return {((dy + 9) % 19 - 9, (dx + 9) % 19 - 9) for dy, dx in cells}


def city_of(game: Game, seat: int) -> City:
    return START | {(dy, dx): tile for tile, dy, dx in game.snapshot()["cities"][seat]}


def usable(city: City, tiles: list[int]) -> set[tuple[int]]:
    """Return the tiles that can be rebuilt with, as the arguments of `pick`."""
    by_walls = {
        walls: bool(brute_force.placements(city, tile) or brute_force.swaps(city, tile))
        for walls, tile in {brute_force.WALLS[tile]: tile for tile in tiles}.items()
    }
    return {(tile,) for tile in tiles if by_walls[brute_force.WALLS[tile]]}


# --- positions made from a city ---------------------------------------------------------------


@comparing(600)
@given(cities_and_a_tile())
def test_a_bought_tile_may_be_put_wherever_it_makes_a_city(asked: tuple[City, int]) -> None:
    city, tile = asked
    game = position(city, phase="put", picked=tile)
    assert legal(game, "put") == folded(brute_force.placements(city, tile))  # R12, R15-R18, E2
    assert legal(game, "store") == {()}


@comparing(600)
@given(cities_and_a_tile())
def test_a_reserve_tile_may_be_added_or_swapped_in(asked: tuple[City, int]) -> None:
    city, tile = asked
    cells = brute_force.placements(city, tile) | brute_force.swaps(city, tile)
    assert rebuilds(city, tile) == folded(cells)  # R11


@comparing(600)
@given(cities())
def test_a_tile_may_be_removed_if_the_rest_is_a_city(city: City) -> None:
    game = position(city)
    assert legal(game, "remove") == folded(brute_force.removals(city))  # R11


@comparing(300)
@given(cities())
def test_a_reserve_tile_may_be_picked_if_it_fits_somewhere(city: City) -> None:
    game = position(city, reserve_0="rest")
    reserve = game.snapshot()["reserves"][0]
    assert len(reserve) == N_TILES - N_SLOTS - (len(city) - 1)
    assert legal(game, "pick") == usable(city, reserve)  # R11


@comparing(600)
@given(cities())
def test_the_longest_wall_is_the_longest_stretch_of_outer_wall(city: City) -> None:
    game = position(city)
    assert game.state.walls[0] == brute_force.longest_wall(city)  # R24


@comparing(300)
@given(cities())
def test_a_site_says_what_a_tile_there_does_to_the_outline(city: City) -> None:
    sites, openings = survey(position(city).state, 0)
    assert openings == count_openings(city)
    for tile in {WALLS[t]: t for t in range(N_TILES) if t not in city.values()}.values():
        foreseen = {
            int(site[CELL]): outline_with(site, tile) for site in sites if is_accepted(site, tile)
        }
        with_tile = {cell: {**city, cell: tile} for cell in brute_force.placements(city, tile)}
        assert foreseen == {
            cell_at(*cell): (brute_force.longest_wall(grown), count_openings(grown))  # R24
            for cell, grown in with_tile.items()
        }


def count_openings(city: City) -> int:
    return len(brute_force.outline(city)) - len(brute_force.outer_walls(city))


@comparing(100)
@given(cities(least=30, styles=["compact"]), st.integers(0, 5))
def test_in_a_large_city_all_questions_have_the_same_answers(city: City, seat: int) -> None:
    game = position(city, seat, players=6)
    assert city_of(game, seat) == city
    assert legal(game, "remove") == folded(brute_force.removals(city))
    assert game.state.walls[seat] == brute_force.longest_wall(city)
    for tile in game.snapshot()["bag"]:
        cells = brute_force.placements(city, tile) | brute_force.swaps(city, tile)
        assert rebuilds(city, tile, seat, players=6) == folded(cells)


@comparing(300)
@given(cities(least=16, styles=LONG))
def test_a_city_that_goes_around_the_torus_is_as_on_the_plane(city: City) -> None:
    game = position(city, reserve_0="rest")
    assert city_of(game, 0) == city
    assert legal(game, "remove") == folded(brute_force.removals(city))
    assert legal(game, "pick") == usable(city, game.snapshot()["reserves"][0])
    assert game.state.walls[0] == brute_force.longest_wall(city)
    for tile in (6, 9, 34):  # no walls, SW, NE
        if tile not in city.values():
            game = position(city, phase="put", picked=tile)
            assert legal(game, "put") == folded(brute_force.placements(city, tile))


@comparing(500)
@given(cities_and_a_tile(), st.integers(0, 10**6), st.booleans())
def test_tiles_are_refused_unless_they_are_a_city(
    asked: tuple[City, int], choice: int, is_removed: bool
) -> None:
    city, tile = asked
    cells = sorted(city.keys() - START if is_removed else {*brute_force.edge_of(city), *city})
    cell = cells[choice % len(cells)] if cells else (0, 0)
    changed = brute_force.without(city, cell) | ({} if is_removed else {cell: tile}) | START
    if brute_force.is_city(changed):
        assert city_of(position(changed), 0) == changed
    else:
        with pytest.raises(DamagedRecord):
            position(changed)


# --- cities made by playing -------------------------------------------------------------------


@comparing(80)
@given(
    st.sampled_from(list(STYLES)),
    st.integers(1, 3),
    st.integers(1, 40),
    st.integers(0, 2**32),
)
def test_rebuilding_again_and_again_leaves_the_right_answers(
    style: str, builders: int, rounds: int, seed: int
) -> None:
    chooser = random.Random(seed)
    tiles = list(range(N_SLOTS, N_TILES))
    chooser.shuffle(tiles)
    reserves = [f"reserve {b}: {' '.join(map(str, tiles[b::builders]))}\n" for b in range(builders)]
    game = from_text("market: 0 1 2 3\n" + "".join(reserves))
    for _ in range(rounds):
        for seat in range(3):
            if seat < builders:
                rebuild(game, style, chooser)
            else:
                game.step(actions.parse("take:0"))


def rebuild(game: Game, style: str, chooser: random.Random) -> None:
    """Make one change to the city of the seat to play, and compare all that is asked of it."""
    seat = game.to_play
    city, reserve = city_of(game, seat), game.snapshot()["reserves"][seat]
    kind = chooser.choices(["put", "swap", "remove"], [5, 1, 1])[0]
    wanted = dict(city)
    if not reserve or not change(wanted, chooser.choice(reserve), kind, style, chooser):
        game.step(actions.parse("take:0"))
        return
    assert legal(game, "remove") == folded(brute_force.removals(city))
    assert legal(game, "pick") == usable(city, reserve)
    (cell,) = {cell for cell in city.keys() | wanted.keys() if city.get(cell) != wanted.get(cell)}
    (to,) = folded({cell})
    if cell not in wanted:
        game.step(actions.encode("remove", *to))
    else:
        game.step(actions.encode("pick", wanted[cell]))
        cells = brute_force.placements(city, wanted[cell]) | brute_force.swaps(city, wanted[cell])
        assert legal(game, "put") == folded(cells)
        game.step(actions.encode("put", *to))
    assert city_of(game, seat) == wanted
    assert game.state.walls[seat] == brute_force.longest_wall(wanted)


# --- hand-made cities: is brute force right itself? -------------------------------------------

ROW: Final = [6, 13, 21, 22, 30, 31, 40, 41, 51, 52, 4, 20, 38, 49, 12, 28]
"""Sixteen tiles that are open to the east and the west."""

COLUMN: Final = [6, 13, 21, 22, 30, 31, 40, 41, 51, 52, 5, 19, 37, 53, 11, 29]
"""Sixteen tiles that are open to the north and the south."""

RING: Final[City] = START | {
    (-1, -1): 3,  # NW
    (-1, 0): 4,  # N
    (-1, 1): 8,  # NE
    (0, -1): 11,  # W
    (0, 1): 5,  # E
    (1, -1): 1,  # SW
    (1, 0): 12,  # S
    (1, 1): 2,  # ES
}
"""All of its outline is wall, and the fountain is inside."""

WIDEST: Final = (
    "33@0,-1 34@-1,0 21@1,1 26@2,1 52@2,2 29@3,2 17@4,2 36@1,0 4@4,3 25@4,4 39@5,4 30@5,5 8@5,6 "
    "41@6,6 42@7,6 12@7,7 28@7,8 6@7,9 48@8,9 38@8,10 37@8,11 51@9,11 19@10,11 5@11,11 50@12,11 "
    "31@12,12 9@13,12 49@13,13 2@14,13 53@13,14 40@12,14 14@12,15 20@14,12 13@15,12"
)
"""A city of 17 rows and 17 columns."""


def test_a_city_may_be_as_wide_and_as_high_as_it_gets() -> None:
    game = from_text(f"city 0: {WIDEST}\nreserve 0: rest")
    city = city_of(game, 0)
    assert tuple(map(len, brute_force.lines_of(city))) == (17, 17)  # E2
    assert brute_force.is_city(city)
    assert words(city).split() == sorted(WIDEST.split(), key=lambda w: int(w.partition("@")[0]))
    assert legal(game, "remove") == folded(brute_force.removals(city))
    assert game.state.walls[0] == brute_force.longest_wall(city)
    reserve = game.snapshot()["reserves"][0]
    assert legal(game, "pick") == usable(city, reserve)
    for tile in reserve:
        game = position(city, phase="put", picked=tile)
        assert legal(game, "put") == folded(brute_force.placements(city, tile))


@pytest.mark.parametrize("first", range(-16, 1))
def test_a_row_of_seventeen_cells_grows_no_longer(first: int) -> None:
    columns = [dx for dx in range(first, first + 17) if dx != 0]
    city = START | {(0, dx): tile for dx, tile in zip(columns, ROW, strict=True)}
    game = position(city, phase="put", picked=42)  # S
    assert city_of(game, 0) == city
    cells = brute_force.placements(city, 42)
    assert all(first <= dx < first + 17 for _, dx in cells)  # E2
    assert legal(game, "put") == folded(cells)


@pytest.mark.parametrize("first", range(-15, 1))
def test_a_row_of_sixteen_cells_grows_at_both_ends(first: int) -> None:
    columns = [dx for dx in range(first, first + 16) if dx != 0]
    city = START | {(0, dx): tile for dx, tile in zip(columns, ROW, strict=False)}
    game = position(city, phase="put", picked=42)  # S
    assert folded({(0, first - 1), (0, first + 16)}) <= legal(game, "put")
    assert legal(game, "put") == folded(brute_force.placements(city, 42))


@pytest.mark.parametrize("first", range(-16, 1))
def test_a_column_of_seventeen_cells_grows_no_longer(first: int) -> None:
    rows = [dy for dy in range(first, first + 17) if dy != 0]
    city = START | {(dy, 0): tile for dy, tile in zip(rows, COLUMN, strict=True)}
    game = position(city, phase="put", picked=39)  # W
    assert city_of(game, 0) == city
    cells = brute_force.placements(city, 39)
    assert all(first <= dy < first + 17 for dy, _ in cells)  # E2
    assert legal(game, "put") == folded(cells)


def test_the_cities_that_are_tried_are_large_and_reach_the_limit() -> None:
    grown = [grow(style, MOST, seed) for style in STYLES for seed in range(3)]
    assert max(len(city) for city in grown) == MOST + 1
    widths = [max(map(len, brute_force.lines_of(city))) for city in grown]
    assert max(widths) == brute_force.MAX_EXTENT
    reaches = [max(max(abs(dy), abs(dx)) for dy, dx in city) for city in grown]
    assert max(reaches) > 9  # around the torus


@comparing(200)
@given(cities())
def test_each_corner_of_the_outline_is_on_two_sides_of_it(city: City) -> None:
    sides = brute_force.outline(city)
    corners = [corner for side in sides for corner in side]
    assert {corners.count(corner) for corner in corners} == {2}
    assert len(brute_force.stretches(sides)) == 1


def test_a_wall_may_go_all_around_the_city() -> None:
    assert brute_force.is_city(RING)
    assert brute_force.longest_wall(RING) == 12  # R24
    assert position(RING).state.walls[0] == 12


def test_the_first_tile_touches_the_fountain_with_an_open_side() -> None:
    tile = 0  # pavilion, walls N, E and W
    assert brute_force.placements(START, tile) == {(-1, 0)}
    assert legal(position(START, phase="put", picked=tile), "put") == {(-1, 0)}
    assert brute_force.placements(START, 6) == {(-1, 0), (0, 1), (1, 0), (0, -1)}


def test_a_hole_of_one_or_of_two_cells_is_a_hole() -> None:
    one = brute_force.without(RING, (0, 1))
    assert brute_force.is_city(one)  # open to the east
    assert not brute_force.is_without_hole({cell: 6 for cell in RING if cell != (0, 0)})  # R18
    wide = {(y, x): 6 for y in range(3) for x in range(4)}
    assert brute_force.is_without_hole(wide)
    del wide[1, 1], wide[1, 2]
    assert not brute_force.is_without_hole(wide)


def test_an_inner_wall_does_not_count() -> None:
    # R24: north of the fountain and of an open tile lie two tiles with a wall between them.
    #
    #     +-----+-----+        +=====+=====+
    #     | 37  #  39 |        | 34  #  27 |
    #     +     +     +        +     +     +
    #     | (O)   51  |        | (O)   51  |
    #     +-----+-----+        +-----+-----+
    for left, right, wall in ((37, 39, 0), (34, 27, 2)):
        city = START | {(-1, 0): left, (-1, 1): right, (0, 1): 51}
        assert brute_force.is_city(city)
        assert brute_force.longest_wall(city) == wall
        assert position(city).state.walls[0] == wall
