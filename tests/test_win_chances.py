"""The chances to win of every seat in a position."""

import numpy as np
import pytest

from alhambra_env import Game, bots
from alhambra_env.chances import Forecast, forecast, win_chances
from alhambra_env.engine.rewards import win_shares
from tests.plain_python import PlainCall

from .test_bots import play


@pytest.mark.parametrize("num_players", range(2, 7))
def test_chances_add_up_to_one_in_every_position(num_players: int) -> None:
    game = Game(num_players, seed=num_players)
    driver = bots.make("lookahead")
    phases = set()
    for i in range(400):
        if i % 9 == 0 or game.phase != "turn":
            chances, scores = forecast(game, 8, seed=i)
            assert sum(chances) == pytest.approx(1)
            assert len(chances) == len(scores) == num_players
            assert all(score >= now for score, now in zip(scores, game.scores, strict=True))
            phases.add(game.phase)
        if game.over:
            break
        game.step(driver.choose(game))
    assert {"turn", "put", "over"} <= phases


def test_at_the_end_they_are_the_result_and_shared_wins_count_in_parts() -> None:
    for seed in range(5):
        game = play(Game(4, seed=seed), bots.make("builder"))
        expected = win_shares(np.array(game.scores)).tolist()
        assert forecast(game) == Forecast(expected, [float(score) for score in game.scores])
    game.state.scores[:4] = 9, 12, 12, 3
    assert win_chances(game) == [0, 0.5, 0.5, 0]


def test_shared_wins_of_playouts_count_in_parts() -> None:
    seen = set()
    for seed in range(60):
        game = play(Game(2, seed=seed), bots.make("planner"), 105)
        for chance in win_chances(game, 1, seed):
            seen.add(chance)
    assert seen == {0, 0.5, 1}


def test_the_game_stays_as_it_is_and_the_same_seed_gives_the_same_chances() -> None:
    game = play(Game(3, seed=2), bots.make("planner"), 30)
    before = game.to_bytes()
    for bot in ("planner", "random", "builder"):
        first = forecast(game, 20, seed=4, bot=bot)
        assert forecast(game, 20, seed=4, bot=bot) == first
        assert forecast(game, 20, seed=5, bot=bot).scores != first.scores
    assert game.to_bytes() == before
    uniform = bots.make("uniform")
    words = uniform.rng.copy()
    forecast(game, 5, bot=uniform)
    assert (uniform.rng == words).all()


def test_they_depend_on_the_hands_but_not_on_the_order_of_deck_and_bag() -> None:
    game = play(Game(4, seed=6), bots.make("builder"), 50)
    expected = forecast(game, 30)
    others = [game.resample(0, seed, hands="open") for seed in range(3)]
    assert [forecast(other, 30) for other in others] == [expected] * 3
    assert len({other.to_bytes() for other in others}) == 3
    game.state.hands[1, :, 8] += 3  # a rich hand
    assert forecast(game, 30).win_chances[1] > expected.win_chances[1]


def test_a_game_that_is_nearly_over_is_nearly_certain() -> None:
    wrong, sizes = [], []
    for seed in range(40):
        game = Game(3, seed=seed)
        driver = bots.make("planner")
        positions = []
        while not game.over:
            positions.append(game.clone())
            game.step(driver.choose(game))
        result = win_shares(np.array(game.scores))
        for position in (positions[20], positions[-8]):
            chances = np.array(win_chances(position, 40))
            wrong.append(float(((chances - result) ** 2).sum()))
            sizes.append(max(chances))
    early, late = np.mean(wrong[::2]), np.mean(wrong[1::2])
    assert late < 0.3 < early < 0.75  # 2 / 3 for three equal chances
    assert np.mean(sizes[1::2]) > 0.8


def test_a_large_lead_is_seen() -> None:
    game = play(Game(3, seed=4), bots.make("planner"), 20)
    game.state.scores[2] += 150
    chances, scores = forecast(game)
    assert chances == [0, 0, 1]
    assert scores[2] > 150


def text_of_forecast() -> str:
    game = play(Game(2, seed=6), bots.make("builder"), 90)
    return str([forecast(game, 2, bot=bot) for bot in ("planner", "random")])


def test_plain_python_gives_what_compiled_code_does(in_plain_python: PlainCall) -> None:
    assert in_plain_python(text_of_forecast) == text_of_forecast()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"playouts": 0}, "playouts must be 1 to"),
        ({"playouts": 2.5}, "playouts must be a whole number"),
        ({"seed": -1}, "seed must be 0"),
        ({"bot": "planer"}, "did you mean 'planner'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        win_chances(Game(2, seed=0), **settings)  # type: ignore[arg-type]  # that is the test
