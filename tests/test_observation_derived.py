"""The derived pieces: offers, gains of wall and standing."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from alhambra_env import Game, actions
from alhambra_env.observation.layout import Layout
from tests import brute_force
from tests.observed_games import (
    KINDS,
    NUMBERS_OF_PLAYERS,
    OFFSET,
    as_city,
    clockwise,
    expected,
    gains_of,
    moments,
    some_moments,
)
from tests.positions import position


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_offers_are_what_trying_out_all_payments_and_cells_gives(num_players: int) -> None:
    layout = Layout(num_players, pieces=["offers"])
    met: Counter[str] = Counter()
    for number, moment in enumerate(some_moments(num_players, every=15)):
        seat = number % num_players
        offers = layout.split(layout.observe(moment.game.states, 0, seat))["offers"]
        assert offers.tolist() == expected("offers", moment, seat)
        for exact, over, short, gain in offers.tolist():
            met["exact"] += exact
            met["overpaid"] += over > 0
            met["too dear"] += short > 0
            met["longer wall"] += gain > OFFSET
    assert min(met[what] for what in ("exact", "overpaid", "too dear", "longer wall")) > 0


def test_an_empty_slot_offers_nothing() -> None:
    game = position("phase: put\npicked: 7\nmarket: - 13 21 22\nhand 0: b9 b9 g9")
    assert game.observe(0, pieces=["offers"])["offers"].tolist() == [
        [0, 0, 0, 0],
        [1, 0, 0, OFFSET],
        [0, 0, 9, OFFSET],
        [0, 0, 10, OFFSET],
    ]


def test_a_tile_that_fits_nowhere_has_no_gain() -> None:
    # 0 is open to the south only, and all tiles here have a wall in the north.
    game = position("city 0: 4@-1,0 20@0,1 38@0,-1\nmarket: 0 13 21 22")
    city = as_city(game.snapshot(), 0)
    assert not brute_force.placements(city, 0)
    assert game.observe(0, pieces=["offers"])["offers"][0].tolist() == [0, 0, 2, 0]


@pytest.mark.parametrize(
    ("hand", "row"),
    [
        ("", [0, 0, 9]),
        ("b8", [0, 0, 1]),
        ("b9", [1, 0, 0]),
        ("b4 b5", [1, 0, 0]),
        ("b7 b8", [0, 6, 0]),
        ("b7 b8 b3", [0, 1, 0]),
        ("b1 b1 b1 b2 b2 b2", [1, 0, 0]),
        ("g9 o9 y9", [0, 0, 9]),  # money of other currencies
    ],
)
def test_offers_say_whether_and_how_the_hand_pays(hand: str, row: list[int]) -> None:
    game = position(f"market: 13 21 22 30\nhand 0: {hand}\nhand 1: b9")
    assert game.observe(0, pieces=["offers"])["offers"][0, :3].tolist() == row


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_gain_of_wall_is_what_a_step_makes_of_it(num_players: int) -> None:
    layout = Layout(num_players, pieces=["wall_gain"])
    placing = [m.game for m in moments(num_players) if m.game.phase == "put"]
    assert len(placing) > 10
    for game in placing[::3]:
        seat, picture = game.to_play, game.snapshot()
        gains = dict.fromkeys(range(361), 0)
        for action in game.legal_actions():
            move = actions.decode(action)
            if move.kind == "put":
                after = game.clone()
                after.step(action)
                walls = [
                    brute_force.longest_wall(as_city(p, seat)) for p in (picture, after.snapshot())
                ]
                dy, dx = move.args
                gains[(9 + dy) % 19 * 19 + (9 + dx) % 19] = walls[1] - walls[0] + OFFSET
        assert layout.observe(game.states, 0, seat).tolist() == list(gains.values())
        for other in set(range(num_players)) - {seat}:
            assert not layout.observe(game.states, 0, other).any()


def rebuilding(num_players: int) -> list[Game]:
    """Return the positions in which a tile of the reserve is being put."""
    return [m.game for m in moments(num_players) if m.game.phase == "rebuild"]


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_gain_of_wall_on_an_empty_cell_is_shown_in_a_rebuild_too(num_players: int) -> None:
    layout = Layout(num_players, pieces=["wall_gain"])
    assert rebuilding(num_players)
    for game in rebuilding(num_players):
        picture = game.snapshot()
        city = as_city(picture, game.to_play)
        seen = layout.split(layout.observe(game.states, 0, game.to_play))["wall_gain"]
        wanted = np.zeros((19, 19), int)
        for (dy, dx), gain in gains_of(city, picture["picked"]).items():
            wanted[(9 + dy) % 19, (9 + dx) % 19] = gain
        for dy, dx in city:
            wanted[(9 + dy) % 19, (9 + dx) % 19] = seen[(9 + dy) % 19, (9 + dx) % 19]
        assert np.array_equal(seen, wanted)


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_the_gain_of_wall_of_a_swap_is_shown(num_players: int) -> None:
    # R11: in a rebuild the picked tile may also be put on a city tile.
    layout = Layout(num_players, pieces=["wall_gain"])
    for game in rebuilding(num_players):
        picture = game.snapshot()
        city = as_city(picture, game.to_play)
        before = brute_force.longest_wall(city)
        seen = layout.split(layout.observe(game.states, 0, game.to_play))["wall_gain"]
        shown = {cell: int(seen[(9 + cell[0]) % 19, (9 + cell[1]) % 19]) for cell in city}
        assert {cell: gain for cell, gain in shown.items() if gain} == {
            cell: brute_force.longest_wall({**city, cell: picture["picked"]}) - before + OFFSET
            for cell in brute_force.swaps(city, picture["picked"])
        }


@pytest.mark.parametrize(("tile", "gain"), [(6, 0), (4, 1), (0, 3)])
def test_a_swap_for_a_tile_with_walls_makes_the_wall_longer(tile: int, gain: int) -> None:
    # 13, which has no walls, is swapped for the tile; 0 is open to the south only.
    cell = (-1, 0) if tile == 0 else (0, 1)
    game = position(
        f"city 0: 13@{cell[0]},{cell[1]}\nphase: rebuild\npicked: {tile}\nmarket: 21 22 30 31"
    )
    assert actions.parse(f"put:{cell[0]},{cell[1]}") in game.legal_actions()
    seen = game.observe(0, pieces=["wall_gain"])["wall_gain"]
    assert seen[9 + cell[0], 9 + cell[1]] == OFFSET + gain


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_there_is_no_gain_of_wall_while_no_tile_is_picked(num_players: int) -> None:
    layout = Layout(num_players, pieces=["wall_gain"])
    for moment in moments(num_players):
        if moment.game.snapshot()["picked"] is None:
            for seat in range(num_players):
                assert not layout.observe(moment.game.states, 0, seat).any()


@pytest.mark.parametrize("num_players", NUMBERS_OF_PLAYERS)
def test_standing_foretells_the_points_of_a_scoring(num_players: int) -> None:
    foretold = 0
    for (game, *_), (later, *_) in pairwise(moments(num_players)):
        before, after = game.snapshot(), later.snapshot()
        leaves_all_tiles = KINDS[later.history[-1]] in ("take", "store")
        if leaves_all_tiles and after["rounds_scored"] == before["rounds_scored"] + 1:
            foretold += 1
            for seat in range(num_players):
                points = game.observe(seat, pieces=["standing"])["standing"][:num_players]
                old, new = clockwise(before["scores"], seat), clockwise(after["scores"], seat)
                assert [b - a for a, b in zip(old, new, strict=True)] == points.tolist()
    assert foretold
