"""Opponents written in Python in the vector environment."""

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest

from alhambra_env import Game, IllegalAction, bots
from alhambra_env.actions import N_ACTIONS
from tests.vector_games import Vector, choose, inside, make


class PythonBuilder:
    """Plays as the bot `builder` does, from Python."""

    name = "python builder"

    def __init__(self) -> None:
        self._bot = bots.make("builder")

    def begin(self, seed: int) -> None:
        """Start a game; this player draws nothing."""

    def choose(self, game: Game) -> int:
        return self._bot.choose(game)


def last_legal(observation: Any, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


@pytest.mark.parametrize("settings", [{}, {"reward": "margin", "skip_forced": False}])
def test_a_player_from_python_plays_as_the_same_bot_does(settings: dict[str, Any]) -> None:
    compiled = make(5, opponents=["builder", "builder"], seat=1, **settings)
    for opponents in (
        [PythonBuilder, "builder"],
        ["builder", PythonBuilder()],
        [f"{__name__}:PythonBuilder"] * 2,
    ):
        asked = make(5, opponents=opponents, seat=1, **settings)
        rng = np.random.default_rng(4)
        first, infos = compiled.reset(seed=3)
        second, _ = asked.reset(seed=3)
        ends = 0
        for _ in range(120):
            assert (first == second).all()
            chosen = choose(infos["action_mask"], rng)
            first, *results, infos = compiled.step(chosen)
            second, *others, other_infos = asked.step(chosen)
            for result, other in zip(results, others, strict=True):
                assert result.tolist() == other.tolist()
            assert (infos["action_mask"] == other_infos["action_mask"]).all()
            for game in np.flatnonzero(results[1]):
                assert (infos["final_obs"][game] == other_infos["final_obs"][game]).all()
                ends += 1
        assert ends > 2


def test_a_function_observes_what_the_learner_does() -> None:
    seen = []

    def note(observation: Any, mask: np.ndarray) -> int:
        seen.append((observation, mask))
        return last_legal(observation, mask)

    settings: dict[str, Any] = {"pieces": ["hand", "market"], "observation": "dict", "seat": 0}
    many = make(1, opponents=[note, last_legal], **settings)
    many.reset(seed=5)
    for _ in range(20):
        many.step(inside(many).action_masks().argmax(axis=1))
    assert len(seen) > 20
    for observation, mask in seen:
        assert set(observation) == {"hand", "market"}
        assert mask.shape == (N_ACTIONS,)
        assert mask.any()


class NotedPlayer(PythonBuilder):
    """Notes which copy of it began a game, and with which seed."""

    noted: ClassVar[list[tuple["NotedPlayer", int]]] = []

    def begin(self, seed: int) -> None:
        self.noted.append((self, seed))


def test_every_game_has_players_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NotedPlayer, "noted", [])
    given = NotedPlayer()
    env = make(3, opponents=[given, "random"])
    env.reset(seed=6)
    players, seeds = zip(*NotedPlayer.noted, strict=True)
    assert len({id(player) for player in (*players, given)}) == 4
    assert len(set(seeds)) == 3
    env.reset(seed=6)
    assert NotedPlayer.noted[3:] == NotedPlayer.noted[:3]  # the same players and seeds once more


def step_often(env: Vector, infos: dict[str, Any]) -> None:
    for _ in range(20):
        infos = env.step(infos["action_mask"].argmax(axis=1))[-1]


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (
            lambda observation, mask: int(mask.argmin()),
            IllegalAction,
            r"seat 1 of game 0.*not legal",
        ),
        (lambda observation, mask: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_an_opponent_that_fails_is_named_and_a_reset_is_needed(
    bad: Callable[[Any, np.ndarray], int], error: type[Exception], message: str
) -> None:
    failing = False

    def play(observation: Any, mask: np.ndarray) -> int:
        return bad(observation, mask) if failing else last_legal(observation, mask)

    env = make(2, opponents=[play, "random"])
    _, infos = env.reset(seed=7)
    failing = True
    with pytest.raises(error, match=message) as raised:
        step_often(env, infos)
    said = [str(raised.value), *getattr(raised.value, "__notes__", [])]
    assert any("the opponent on seat 1 of game 0" in line for line in said)
    assert any("Call reset to continue" in line for line in said)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(infos["action_mask"].argmax(axis=1))
    failing = False
    _, infos = env.reset(seed=7)
    env.step(infos["action_mask"].argmax(axis=1))


class LateRiser(PythonBuilder):
    """Fails when a game begins, if `fails` is set."""

    fails = False

    def begin(self, seed: int) -> None:
        if self.fails:
            raise ZeroDivisionError("still asleep")


def test_an_opponent_that_fails_to_begin_is_named_and_a_reset_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = make(2, opponents=["random", LateRiser], seat=1, max_turns=12)
    _, infos = env.reset(seed=8)
    monkeypatch.setattr(LateRiser, "fails", True)
    with pytest.raises(ZeroDivisionError) as error:
        env.reset(seed=8)
    note = "This was the opponent on seat 0 of game 0. Call reset to continue."
    assert error.value.__notes__ == [note]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(infos["action_mask"].argmax(axis=1))
    monkeypatch.setattr(LateRiser, "fails", False)
    _, infos = env.reset(seed=8)
    monkeypatch.setattr(LateRiser, "fails", True)
    with pytest.raises(ZeroDivisionError) as error:  # when a game has ended and the next begins
        step_often(env, infos)
    assert "the opponent on seat 0 of game" in error.value.__notes__[0]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(infos["action_mask"].argmax(axis=1))


def test_a_player_that_cannot_be_copied_is_refused() -> None:
    class Uncopied(PythonBuilder):
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("one of a kind")

    with pytest.raises(ValueError, match=r"cannot be copied \(one of a kind"):
        make(2, opponents=[Uncopied(), "random"])
