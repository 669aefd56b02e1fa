"""The search of turns: every way is legal, ends where it says, and the ways are different."""

from collections.abc import Iterator

import numpy as np
import pytest

from alhambra_env import Game, bots
from alhambra_env.bots.best_turns import N_CLASSES, N_KINDS, WORST, Turns, new_turns, order_turns
from alhambra_env.bots.layouts import ALL, Scope
from alhambra_env.bots.lookahead import choose_like_lookahead, search
from alhambra_env.bots.weights import LOOKAHEAD_WEIGHTS
from alhambra_env.engine.editions import EDITIONS
from alhambra_env.engine.step import apply_action

from .test_lookahead import outlook

MOST = 4


def found(game: Game, with_removals: bool = True, most: int = MOST) -> Turns:
    """Return the ways that the search finds."""
    turns = new_turns(most)
    scope = Scope(LOOKAHEAD_WEIGHTS, False, with_removals, ALL)
    search(game.state, game.masks[0], scope, turns)
    return turns


def listed(turns: Turns, count: int) -> list[tuple[int, float, list[int]]]:
    """Return the best ways, best first: class, value and actions."""
    most = turns.values.shape[1]
    order = np.empty(count, np.int64)
    ways = []
    for number in order[: order_turns(turns, order)].tolist():
        group, place = divmod(number, most)
        actions = turns.actions[group, place, : turns.lengths[group, place]].tolist()
        ways.append((group, float(turns.values[group, place]), actions))
    return ways


def played(num_games: int, driver: str = "lookahead") -> Iterator[Game]:
    """Give positions of all editions and numbers of players."""
    seed = 0
    for edition in EDITIONS:
        for num_players in range(max(2, edition.min_players), 7):
            for _ in range(num_games):
                seed += 1
                game = Game(num_players, edition, seed=seed)
                bot = bots.make(driver)
                bot.begin(seed)
                while not game.over:
                    yield game
                    game.step(bot.choose(game))


def end_of(game: Game, actions: list[int]) -> tuple[Game, int]:
    """Play all actions but the last, legally; return the game before it, and the last."""
    after = game.clone()
    for action in actions[:-1]:
        seat = after.to_play
        after.step(action)
        assert after.to_play == seat, "the turn ends before its last action"
    assert after.action_mask()[actions[-1]]
    return after, actions[-1]


def test_every_way_is_legal_and_has_the_value_of_its_end() -> None:
    checked = 0
    for number, game in enumerate(played(1)):
        if number % 7:
            continue
        ways = listed(found(game, with_removals=number % 2 == 0), 16)
        assert ways
        for _, value, actions in ways[:: 1 if number % 5 == 0 else 5]:
            before, last = end_of(game, actions)
            state = before.clone().state
            apply_action(state, last)
            assert not state.bought.any()
            assert outlook(state, False) == pytest.approx(value, abs=1e-9)
            seat = before.to_play
            before.step(last)
            assert before.over or before.to_play != seat or before.state.turn != game.state.turn
            checked += 1
    assert checked > 2000


def test_ways_are_sorted_and_few_are_of_one_class() -> None:
    for number, game in enumerate(played(1, "planner")):
        if number % 40:
            continue
        ways = listed(found(game), 16)
        values = [value for _, value, _ in ways]
        assert values == sorted(values, reverse=True)
        groups = [group for group, _, _ in ways]
        assert max(groups.count(group) for group in groups) <= MOST
        assert len({tuple(actions) for _, _, actions in ways}) == len(ways)


def test_the_best_way_begins_with_the_action_of_lookahead() -> None:
    for number, game in enumerate(played(1, "builder")):
        if number % 25 == 0:
            ways = listed(found(game), 1)
            args = game.state, game.masks[0], False, LOOKAHEAD_WEIGHTS
            assert ways[0][2][0] == choose_like_lookahead(*args)


def test_without_removals_no_way_removes_a_tile() -> None:
    removes = 3
    seen = 0
    for number, game in enumerate(played(1, "planner")):
        if number % 30 == 0 and game.phase == "turn":
            turns = found(game, with_removals=False)
            assert (turns.values[removes::N_KINDS] == WORST).all()
            seen += int((found(game).values[removes::N_KINDS] > WORST).any())
    assert seen > 0
    assert turns.values.shape == (N_CLASSES, MOST)
