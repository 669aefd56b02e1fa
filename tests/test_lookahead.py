"""`lookahead` finds what playing out every sequence of its turn, one by one, finds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from alhambra_env import Game, actions, bots
from alhambra_env.bots.best_turns import WORST, new_paths, new_turns
from alhambra_env.bots.layouts import ALL, MOST_LAYOUTS, Scope, new_desk
from alhambra_env.bots.lookahead import search, take_off_market
from alhambra_env.bots.outlook import (
    N_PURSE,
    purse_value,
    write_purse,
    write_tile_values,
)
from alhambra_env.bots.placements import try_layouts
from alhambra_env.bots.planner import city_value_now
from alhambra_env.bots.standing import new_margins, standing_value
from alhambra_env.bots.weights import LOOKAHEAD_WEIGHTS
from alhambra_env.engine.action_ranges import N_ACTIONS, PASS, PUT
from alhambra_env.engine.apply import apply_pick_bought
from alhambra_env.engine.legal import write_mask
from alhambra_env.engine.material import N_BUILDINGS, N_SLOTS, NONE
from alhambra_env.engine.sites import survey
from alhambra_env.engine.state import states_from
from alhambra_env.engine.step import apply_action
from alhambra_env.notation import from_text

MOST_ENDS = 1500
"""Turns with more ends than this are left out: they would take too long here."""


class TooMany(Exception):
    pass


def ends(state: Any, seen: set[bytes]) -> Iterator[Any]:
    """Play everything that a seat can do in its turn; give each different end once."""
    mask = np.zeros(N_ACTIONS, np.int8)
    write_mask(state, mask)
    for action in np.flatnonzero(mask).tolist():
        then = copy_of(state)
        goes_on = apply_action(then, action)
        yield from ends(then, seen) if goes_on else placed(then, seen)


def placed(state: Any, seen: set[bytes]) -> Iterator[Any]:
    """Place what is bought in all orders, wherever it can go."""
    if state.picked == NONE and not state.bought.any():
        if state.tobytes() not in seen:
            seen.add(state.tobytes())
            yield state
        return
    for tile in np.flatnonzero(state.bought).tolist():
        picked = copy_of(state)
        apply_pick_bought(picked, tile)
        mask = np.zeros(N_ACTIONS, np.int8)
        write_mask(picked, mask)
        for action in (np.flatnonzero(mask[PUT:PASS]) + PUT).tolist():
            then = copy_of(picked)
            apply_action(then, action)
            yield from placed(then, seen)


def copy_of(state: Any) -> Any:
    return states_from(state.tobytes())[0]


def outlook(state: Any, knows_hands: bool) -> float:
    seat = int(state.to_play)
    gains, tile_values = np.empty(N_BUILDINGS), np.empty(N_SLOTS)
    purse = np.empty(N_PURSE)
    margins = new_margins(state, seat)
    standing = standing_value(state, knows_hands, LOOKAHEAD_WEIGHTS, margins, gains)
    sites, openings = survey(state, seat)
    write_tile_values(state, sites, openings, LOOKAHEAD_WEIGHTS, gains, tile_values)
    write_purse(state, state.hands[seat], knows_hands, LOOKAHEAD_WEIGHTS, purse)
    city = city_value_now(state, seat, openings, LOOKAHEAD_WEIGHTS)
    return float(standing + city + purse_value(purse, tile_values))


def best_of_all(state: Any, knows_hands: bool = False, most: int = MOST_ENDS) -> float:
    found = []
    for end in ends(state, set()):
        found.append(outlook(end, knows_hands))
        if len(found) > most:
            raise TooMany
    return max(found)


def found_by_search(game: Game, knows_hands: bool = False) -> np.ndarray:
    """Return the value of each action that begins one of the ways that are found."""
    turns = new_turns(64)
    scope = Scope(LOOKAHEAD_WEIGHTS, knows_hands, True, ALL)
    search(game.state, game.masks[0], scope, turns)
    values = np.full(N_ACTIONS, WORST)
    is_way = turns.values > WORST
    np.maximum.at(values, turns.actions[..., 0][is_way], turns.values[is_way])
    return values


@pytest.mark.parametrize(("num_players", "knows_hands"), [(2, False), (3, False), (3, True)])
def test_the_search_finds_the_best_end_of_all(num_players: int, knows_hands: bool) -> None:
    phases: dict[str, int] = {}
    for seed in range(6):
        game = Game(num_players, "polish" if seed % 2 else "german", seed=seed)
        driver = bots.make("builder" if seed % 3 else "lookahead")
        for i in range(110):
            if game.over:
                break
            if (i % 9 == 0 or game.phase != "turn") and phases.get(game.phase, 0) < 40:
                values = found_by_search(game, knows_hands)
                try:
                    if game.phase == "turn":
                        best = best_of_all(game.state, knows_hands)
                    else:
                        best = best_placing(game, knows_hands)
                except TooMany:
                    best = None
                if best is not None:
                    assert values[game.masks[0] == 1].max() == pytest.approx(best, abs=1e-9)
                    phases[game.phase] = phases.get(game.phase, 0) + 1
            game.step(driver.choose(game))
    for phase, least in {"turn": 15, "put": 15, "place": 3, "rebuild": 1}.items():
        assert phases[phase] >= least, phase


def best_placing(game: Game, knows_hands: bool) -> float:
    """The best that can follow in the middle of placing, where a tile may be picked already."""
    found = []
    for action in game.legal_actions():
        then = copy_of(game.state)
        apply_action(then, action)
        if then.picked != NONE:
            mask = np.zeros(N_ACTIONS, np.int8)
            write_mask(then, mask)
            nexts = []
            for put in (np.flatnonzero(mask[PUT:PASS]) + PUT).tolist():
                nexts.append(copy_of(then))
                apply_action(nexts[-1], put)
        else:
            nexts = [then]
        for record in nexts:
            found += [outlook(end, knows_hands) for end in placed(record, set())]
    return max(found)


CHAIN = """
players: 3
to_play: 0
phase: turn
market: 16 6 13 30
hand 0: b1 b5 b9 g8
"""


def test_a_chain_of_exact_purchases_is_followed_to_its_end() -> None:
    game = from_text(CHAIN)  # arcades 6 and pavilion 8 can be paid exactly
    values = found_by_search(game)
    first = actions.parse("buy:0:5+1")
    game.step(first)
    assert game.phase == "turn"  # R10
    assert actions.parse("buy:1:8") in game.legal_actions()
    assert values[first] == pytest.approx(best_of_all(game.state, most=20_000), abs=1e-9)


def test_a_search_leaves_the_record_as_it_was() -> None:
    game = Game(2, seed=4)
    driver = bots.make("builder")
    for _ in range(60):
        before = game.to_bytes()
        found_by_search(game)
        assert game.to_bytes() == before
        game.step(driver.choose(game))


def test_a_search_has_a_bound() -> None:
    sizes = []
    for seed in range(4):
        game = Game(2, seed=seed)
        driver = bots.make("builder")
        while game.state.turn < 30 or game.phase != "turn" or game.state.actions:
            game.step(driver.choose(game))
        take_off_market(game.state, (1 << N_SLOTS) - 1)
        before = game.to_bytes()
        paths, desk, turns = new_paths(1), new_desk(game.state, 1), new_turns(1)
        paths.purses[:] = 0
        scope = Scope(LOOKAHEAD_WEIGHTS, False, True, ALL)
        try_layouts(game.state, scope, paths, 1, desk, turns)
        sizes.append(int(desk.layouts.size[0]))
        assert turns.values[0, 0] > WORST
        assert game.to_bytes() == before
    assert max(sizes) <= MOST_LAYOUTS


def test_who_holds_all_the_money_buys() -> None:
    # If nobody did, there would be no money to take, and the game would never end.
    for seed in (9, 13):
        game = Game(3, seed=seed)
        bot = bots.make("lookahead")
        while not game.over:
            game.step(bot.choose(game))
        assert not game.truncated
        assert game.state.turn < 200
