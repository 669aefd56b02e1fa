"""The choices of a turn: legal, ending where they say, and blind to what a seat cannot know."""

from collections.abc import Iterator

import numpy as np
import pytest

from alhambra_env import Game, bots
from alhambra_env.bots.best_turns import N_KINDS, class_of
from alhambra_env.engine.editions import EDITIONS
from alhambra_env.engine.resample import resample
from alhambra_env.engine.rng import seed_words
from alhambra_env.engine.state import OVER
from alhambra_env.engine.step import apply_action
from alhambra_env.options import Hands
from alhambra_env.turns.choices import (
    MOST_OF_A_CLASS,
    N_CHOICES,
    Choices,
    new_choices,
    write_choices,
)
from alhambra_env.turns.feature_groups import (
    BELOW_BEST,
    BELOW_SCALE,
    CHOICE_GROUPS,
    N_CHOICE_FEATURES,
    N_FEATURES,
    TABLE_GROUPS,
    VALUE,
    VALUE_SCALE,
)
from alhambra_env.turns.listing import find_choices, scope_of, table_features

from .test_turns import played

TURNS = 10_000
"""Turns whose choices are all played, of all editions and numbers of players."""

DRIVERS = ("lookahead", "planner", "builder", "random")


def starts_of_turns(drivers: tuple[str, ...] = DRIVERS) -> Iterator[Game]:
    """Give positions at the start of turns, in games of all editions and player counts, endlessly.

    Also those in which leftover tiles are placed (R26).
    """
    seed = 0
    while True:
        for edition in EDITIONS:
            for num_players in range(max(2, edition.min_players), 7):
                seed += 1
                game = Game(num_players, edition, seed=seed)
                bot = bots.make(drivers[seed % len(drivers)])
                bot.begin(seed)
                before = None
                while not game.over:
                    now = (game.to_play, int(game.state.turn))
                    if now != before:
                        yield game
                    before = now
                    game.step(bot.choose(game))


def written(game: Game) -> tuple[int, Choices]:
    choices = new_choices()
    return write_choices(game.state, game.masks[0], scope_of("secret"), choices), choices


def test_choices_are_legal_and_end_where_they_say() -> None:
    exceptions = 0
    kinds = set()
    ending = 0
    for number, game in zip(range(TURNS), starts_of_turns(), strict=False):
        count, choices = written(game)
        assert 1 <= count <= N_CHOICES
        ending += int(game.state.ending)
        for choice in range(count):
            actions = choices.actions[choice, : choices.lengths[choice]].tolist()
            after = game.clone()
            for action in actions[:-1]:
                if not after.action_mask()[action]:
                    exceptions += 1
                    break
                after.step(action)
                exceptions += after.to_play != game.to_play or after.state.turn != game.state.turn
            if not after.action_mask()[actions[-1]]:
                exceptions += 1
                continue
            end = after.clone().state
            apply_action(end, actions[-1])
            exceptions += end.tobytes() != choices.ends[choice].tobytes()
            kinds.add(int(choices.classes[choice]) % N_KINDS)
            if number % 10 == 0:  # the turn is over: nothing is left to place, nor to do
                after.step(actions[-1])
                same = after.to_play == game.to_play and after.state.turn == game.state.turn
                exceptions += same and after.state.phase != OVER
    assert exceptions == 0
    assert ending > 50
    assert len(kinds) >= 4


def test_choices_are_sorted_different_and_few_are_of_one_class() -> None:
    for _, game in zip(range(300), starts_of_turns(), strict=False):
        count, choices = written(game)
        values = choices.values[:count]
        assert (np.diff(values) <= 0).all()
        assert np.bincount(choices.classes[:count]).max() <= MOST_OF_A_CLASS
        found = find_choices(game)
        assert len(set(found.actions)) == count == len(found.actions) == found.mask.sum()
        assert np.array_equal(found.values, values)
        assert not found.features[count:].any()


@pytest.mark.parametrize("hands", ["secret", "open"])
def test_choices_do_not_depend_on_what_a_seat_cannot_know(hands: Hands) -> None:
    rng = seed_words(5)
    for _, game in zip(range(2_000), starts_of_turns(), strict=False):
        found = find_choices(game, hands)
        other = game.clone()
        resample(other.state, game.to_play, hands == "open", rng)
        again = find_choices(other, hands)
        assert again.actions == found.actions
        assert np.array_equal(again.features, found.features)


def test_open_hands_tell_more() -> None:
    differ = sum(
        not np.array_equal(find_choices(game, "open").values, find_choices(game, "secret").values)
        for _, game in zip(range(100), starts_of_turns(), strict=False)
    )
    assert differ > 30


def test_features_are_finite_and_about_one() -> None:
    largest = 0.0
    for _, game in zip(range(1_000), starts_of_turns(), strict=False):
        features = find_choices(game).features
        assert np.isfinite(features).all()
        largest = max(largest, float(np.abs(features).max()))
    assert 1 < largest < 20


def test_features_of_the_judgement_are_the_values() -> None:
    for _, game in zip(range(200), starts_of_turns(), strict=False):
        found = find_choices(game)
        count = len(found.actions)
        if count == 1:
            continue
        values = found.features[:count, VALUE] * VALUE_SCALE
        assert values == pytest.approx(found.values, abs=1e-3)
        below = found.features[:count, BELOW_BEST] * BELOW_SCALE
        assert below == pytest.approx(found.values - found.values[0], abs=1e-3)


def test_table_features_are_the_same_in_all_rows_and_on_request() -> None:
    for _, game in zip(range(100), starts_of_turns(), strict=False):
        found = find_choices(game)
        rows = found.features[: len(found.actions), N_CHOICE_FEATURES:]
        assert (rows == table_features(game, game.to_play)).all()


def test_groups_fill_the_array() -> None:
    assert sum(group.size for group in (*CHOICE_GROUPS, *TABLE_GROUPS)) == N_FEATURES
    seen = np.zeros(N_FEATURES, bool)
    for _, game in zip(range(4_000), starts_of_turns(), strict=False):
        seen |= (find_choices(game).features != 0).any(axis=0)
        seen |= (find_choices(game, "open").features != 0).any(axis=0)
    removes = class_of(0, 1221) % N_KINDS  # choices remove no tiles
    names = [f"{g.name}.{i}" for g in (*CHOICE_GROUPS, *TABLE_GROUPS) for i in range(g.size)]
    never = [name for name, is_seen in zip(names, seen, strict=True) if not is_seen]
    assert never == [f"kind.{1 + removes}"]


def test_a_finished_game_has_no_choices() -> None:
    game = Game(2, seed=1)
    driver = bots.make("random")
    while not game.over:
        game.step(driver.choose(game))
    found = find_choices(game)
    assert found.actions == ()
    assert not found.mask.any()
    assert not found.features.any()


def test_choices_in_the_middle_of_a_turn_go_on_from_there() -> None:
    checked = 0
    for number, game in enumerate(played(1, "lookahead")):
        if number % 9 or game.phase == "turn":
            continue
        for actions in find_choices(game).actions:
            after = game.clone()
            for action in actions:
                after.step(action)
            assert after.over or after.state.turn > game.state.turn or game.state.ending
        checked += 1
    assert checked > 20
