"""Players by name, and the messages about names that are not allowed."""

from typing import Any

import pytest

from alhambra_env import Game
from alhambra_env.arena import climb, decisions_per_second, duel, match
from alhambra_env.arena.entrants import enter
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.players import as_player
from alhambra_env.validation import LONGEST_SHOWN

A_STRING = "tests.test_players_by_name:A_STRING"
asked: list[Game] = []


class ForThree:
    """A player that was trained for three."""

    name = "three"
    num_players = 3

    def begin(self, seed: int) -> None:
        pass

    def choose(self, game: Game) -> int:
        asked.append(game)
        return game.legal_actions()[0]


class ForFour(ForThree):
    name = "four"
    num_players = 4


class NeedsMore(ForThree):
    def __init__(self, weights: Any) -> None:
        self.weights = weights


PATH = "tests.test_players_by_name:ForThree"


@pytest.mark.parametrize(
    "play",
    [
        lambda: match(["builder", "random", "saver", ForThree()], 4, 1),
        lambda: match(["builder", PATH], 2, 1),
        lambda: duel(ForThree(), "random", 4, 1),
        lambda: duel("random", ForThree(), 4, 1),
        lambda: list(climb([("saver", "random"), (PATH, "random")], (3, 4), 1)),
        lambda: decisions_per_second(PATH, 4, seconds=0.01),
        lambda: SingleEnv(num_players=4, opponents=["random", PATH, "random"]),
        lambda: VectorSingleEnv(num_envs=2, num_players=4, opponents=["random", PATH, "random"]),
    ],
)
def test_a_player_for_another_number_of_players_is_refused_before_play(play: Any) -> None:
    asked.clear()
    with pytest.raises(ValueError, match=r"three was trained for 3 players, not for [24]"):
        play()
    assert not asked


def test_a_player_for_this_number_of_players_plays() -> None:
    asked.clear()
    match([ForThree(), "random"], 3, 1, max_turns=6)
    assert asked


@pytest.mark.parametrize("path", ["..:x", ".:x", ":x", "a.b:", "os:", "os:path.join", "o\0s:x"])
def test_what_is_no_import_path_is_not_imported(path: str) -> None:
    with pytest.raises(ValueError, match="not an import path") as error:
        as_player(path)
    assert repr(path) in str(error.value)


def test_an_import_path_of_a_string_is_no_player() -> None:
    with pytest.raises(ValueError, match="that is a string"):
        as_player(A_STRING)


def test_a_class_that_needs_arguments_is_named() -> None:
    with pytest.raises(ValueError, match=r"NeedsMore cannot be made without arguments.*'weights'"):
        as_player("tests.test_players_by_name:NeedsMore")


@pytest.mark.parametrize("text", ["x=", "=planner", " =random", "=", "a\0b=random", "\n=random"])
def test_a_name_and_a_player_stand_on_both_sides_of_the_sign(text: str) -> None:
    with pytest.raises(ValueError, match="write name=player"):
        enter(text)


@pytest.mark.parametrize("digits", ["\u0663", "\u00b2", "9" * 5000, "", "0", "1_0", "-1", " 1"])
def test_playouts_are_plain_digits(digits: str) -> None:
    with pytest.raises(ValueError, match=r"^playouts must be (a whole number, )?1 to 1000000, not"):
        as_player(f"rollout:playouts={digits}")


@pytest.mark.parametrize("text", ["x" * 100_000, "x" * 100_000 + ":y", "x:" + "y" * 100_000])
def test_a_message_about_a_long_name_is_short(text: str) -> None:
    with pytest.raises(ValueError, match=r"xx|yy") as error:
        as_player(text)
    assert len(str(error.value)) < 4 * LONGEST_SHOWN


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), True, "1"])
def test_a_measurement_takes_a_time_that_makes_sense(seconds: Any) -> None:
    with pytest.raises(ValueError, match=r"seconds must be a number from 0\.001 to 86400"):
        decisions_per_second("random", seconds=seconds)


def test_a_ladder_is_checked_before_its_first_rung() -> None:
    rungs = [(PATH, "random"), ("nobody", "random")]
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"rungs": rungs}, "unknown player 'nobody'"),
        ({"rungs": rungs[:1], "num_players": (3, 7)}, "num_players must be 2 to 6"),
        ({"rungs": rungs[:1], "num_players": (3,), "slow_deals": 0}, "deals must be 1 to"),
        ({"rungs": rungs[:1], "num_players": (3,), "deals": 10**20}, "deals must be 1 to"),
    )
    for settings, says in cases:
        asked.clear()
        with pytest.raises(ValueError, match=says):
            next(climb(**{"deals": 1, **settings}))
        assert not asked


@pytest.mark.parametrize("name", [5, None, "", " ", "a\nb", "\ud800", "a" * 201, "q" * 10**6])
def test_a_name_that_cannot_be_printed_is_refused(name: Any) -> None:
    player = ForThree()
    player.name = name
    with pytest.raises(ValueError, match="the name of a player must be 1 to 200") as caught:
        match([player, "random"], 3, 1, workers=1)
    assert len(str(caught.value)) < 2 * LONGEST_SHOWN


@pytest.mark.parametrize("key", ["self", "name"])
def test_a_setting_called_like_an_argument_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=f"unknown setting of the bot 'rollout' '{key}'"):
        as_player(f"rollout:{key}=3")
