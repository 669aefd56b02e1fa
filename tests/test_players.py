"""Python players cannot change the real game through the copy they are shown."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from alhambra_env import Game, IllegalAction, bots
from alhambra_env.arena import duel, match
from alhambra_env.arena.speed import decisions_per_second
from alhambra_env.bots import Bot
from alhambra_env.cli.app import app
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.players import PolicyPlayer, ask


class Guest:
    """Plays the last legal action."""

    name = "guest"

    def begin(self, seed: int) -> None:
        """Nothing is left to chance."""

    def choose(self, game: Game) -> int:
        action = game.legal_actions()[-1]
        self.harm(game)
        return action

    def harm(self, game: Game) -> None:
        """Change the game in this player's way."""


class ScoreWriter(Guest):
    def harm(self, game: Game) -> None:
        game.states["scores"] = 99
        game.state.hands[:] = 3


class Eraser(Guest):
    def harm(self, game: Game) -> None:
        game.states[:] = np.zeros_like(game.states)


class Stepper(Guest):
    def harm(self, game: Game) -> None:
        while not game.over:
            game.step(game.legal_actions()[0])


class MaskWriter(Guest):
    def harm(self, game: Game) -> None:
        game.masks[:] = 1


class Historian(Guest):
    def harm(self, game: Game) -> None:
        game.history[:] = [7]
        game.seed = 7


class Keeper(Guest):
    """Changes the games that it was shown before."""

    def __init__(self) -> None:
        self.kept: list[Game] = []

    def harm(self, game: Game) -> None:
        for old in self.kept[-3:]:
            old.states["scores"] = 99
            old.masks[:] = 0
        self.kept.append(game)

    def __deepcopy__(self, memo: Any) -> "Keeper":
        return Keeper()


class BotInDisguise(Bot):
    """A Python player derived from a bot."""

    def __init__(self) -> None:
        super().__init__("saver")
        self.name = "guest"

    def choose(self, game: Game) -> int:
        action = game.legal_actions()[-1]
        game.states["scores"] = 99
        return action


HARMFUL = [ScoreWriter, Eraser, Stepper, MaskWriter, Historian, Keeper, BotInDisguise]
harmful = pytest.mark.parametrize("guest", HARMFUL)


@harmful
def test_a_player_cannot_harm_the_game_that_it_is_asked_about(guest: type[Any]) -> None:
    game, player = Game(seed=3), guest()
    before = copy.deepcopy(game)
    for _ in range(2):
        assert ask(player, game) == game.legal_actions()[-1]
    assert game.to_bytes() == before.to_bytes()
    assert game.masks.tolist() == before.masks.tolist()
    assert (game.seed, game.history) == (before.seed, before.history)


def test_a_bot_is_shown_the_game_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Game, "clone")  # which would take longer than some bots think
    game = Game(seed=3)
    assert ask(bots.make("saver"), game) in game.legal_actions()


def picture(env: SingleEnv) -> list[Any]:
    """Play a game and return all that it showed."""
    observation, info = env.reset(seed=1)
    seen: list[Any] = []
    over = False
    while not over:
        seen.append(observation.tobytes())
        action = int(info["action_mask"].argmax())
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append(reward)
        over = terminated or truncated
    return [*seen, env.game.to_bytes(), env.game.history, env.game.seed]


@harmful
def test_an_opponent_cannot_harm_a_single_environment(guest: type[Any]) -> None:
    settings: dict[str, Any] = {"reward": "score", "max_turns": 40}
    harmed = picture(SingleEnv(opponents=[guest(), "saver"], **settings))
    assert harmed == picture(SingleEnv(opponents=[Guest(), "saver"], **settings))


@harmful
def test_an_opponent_cannot_harm_a_vector_environment(guest: type[Any]) -> None:
    settings: dict[str, Any] = {"reward": "score", "max_turns": 40}
    envs = [VectorSingleEnv(2, opponents=[kind(), "saver"], **settings) for kind in (guest, Guest)]
    results: list[Any] = [env.reset(seed=1) for env in envs]
    for _ in range(30):
        (first, *others, infos), (second, *same, _) = results
        assert (first == second).all()
        for one, other in zip(others, same, strict=True):
            assert one.tolist() == other.tolist()
        results = [env.step(infos["action_mask"].argmax(axis=1)) for env in envs]


@harmful
def test_a_player_cannot_harm_a_match_or_a_duel(guest: type[Any]) -> None:
    settings: dict[str, Any] = {"deals": 1, "max_turns": 40, "workers": 1}
    harmed = match([guest, "saver"], 2, **settings)
    assert harmed.deals == match([Guest, "saver"], 2, **settings).deals
    assert duel(guest, "saver", 3, **settings).deals == duel(Guest, "saver", 3, **settings).deals


@harmful
def test_a_player_cannot_harm_a_game_that_is_watched(guest: type[Any]) -> None:
    told = [
        CliRunner().invoke(app, ["watch", f"{__name__}:{kind.__name__}", "saver", "--delay", "0"])
        for kind in (guest, Guest)
    ]
    assert told[0].exit_code == 0, told[0].output + str(told[0].exception)
    assert told[0].output == told[1].output


@harmful
def test_the_speed_of_a_harmful_player_can_be_measured(guest: type[Any]) -> None:
    assert decisions_per_second(guest, 2, seconds=0.02) > 0


class Cheat(Guest):
    """Plays an illegal action after marking it as legal in the mask."""

    def choose(self, game: Game) -> int:
        action = int(game.masks[0].argmin())
        game.masks[:] = 1
        return action


def test_an_action_does_not_become_legal_by_a_change_to_the_mask() -> None:
    opponents: list[Any] = [Cheat, "saver"]
    single, vector = SingleEnv(opponents=opponents), VectorSingleEnv(2, opponents=opponents)

    def play(env: Any) -> None:
        _, info = env.reset(seed=1)
        for _ in range(9):
            info = env.step(info["action_mask"].argmax(axis=-1))[-1]

    with pytest.raises(IllegalAction, match=r"the opponent on seat 1: .*not legal"):
        play(single)
    with pytest.raises(IllegalAction, match=r"the opponent on seat 1 of game \d: .*not legal"):
        play(vector)
    with pytest.raises(IllegalAction, match=r"guest on seat \d in deal 0.*not legal"):
        match([Cheat, "saver"], 2, deals=1, workers=1)
    told = CliRunner().invoke(app, ["watch", f"{__name__}:Cheat", "saver", "--delay", "0"])
    assert told.exit_code == 2
    assert "guest on seat 0: " in told.stderr
    assert told.stderr.count("\n") == 1


def test_what_a_function_is_given_is_its_own() -> None:
    def scribble(observation: Any, mask: np.ndarray) -> int:
        action = int(np.flatnonzero(mask)[-1])
        observation[:] = 255
        mask[:] = 1
        return action

    def last(observation: Any, mask: np.ndarray) -> int:
        return int(np.flatnonzero(mask)[-1])

    settings: dict[str, Any] = {"reward": "score", "max_turns": 40}
    harmed = picture(SingleEnv(opponents=[scribble, "saver"], **settings))
    assert harmed == picture(SingleEnv(opponents=[last, "saver"], **settings))
    players = [PolicyPlayer(policy, name="guest") for policy in (scribble, last)]
    first, second = (match([player, "saver"], 2, deals=1, workers=1) for player in players)
    assert first.deals == second.deals


@pytest.mark.parametrize("form", ["flat", "dict"])
def test_a_function_observes_in_the_format_of_the_environments(form: Any) -> None:
    settings: Any = {"observation": form, "dtype": "float32", "pieces": ["hand", "walls"]}
    seen: list[Any] = []

    def policy(observation: Any, mask: np.ndarray) -> int:
        seen.append(observation)
        return int(mask.argmax())

    env = SingleEnv(**settings)
    observation, _ = env.reset(seed=3)
    PolicyPlayer(policy, **settings).choose(env.game)
    assert env.observation_space.contains(seen[0])
    assert str(seen[0]) == str(observation)


class TwoFaced:
    """An action that is legal as an index, and nonsense as an int."""

    def __init__(self, legal: int) -> None:
        self._legal = legal

    def __index__(self) -> int:
        return self._legal

    def __int__(self) -> int:
        return 10**6


class Pretender(Guest):
    def choose(self, game: Game) -> Any:
        return TwoFaced(super().choose(game))


def test_what_was_checked_of_an_opponents_answer_is_what_is_played() -> None:
    settings: dict[str, Any] = {"num_players": 2, "max_turns": 30}
    envs = [VectorSingleEnv(2, opponents=[kind()], **settings) for kind in (Pretender, Guest)]
    for env in envs:
        env.reset(seed=3)
    for _ in range(20):
        actions = envs[0].action_masks().argmax(axis=1)
        first, second = (env.step(actions) for env in envs)
        assert (first[0] == second[0]).all()
    text = CliRunner().invoke(
        app, ["watch", "tests.test_players:Pretender", "random", "--delay", "0", "--no-table"]
    )
    assert text.exit_code == 0, text.output


def test_nothing_can_be_put_in_place_of_what_a_bot_does() -> None:
    bot = bots.make("rollout:playouts=7")
    for name in ("choose", "begin", "number", "row", "rng", "other"):
        with pytest.raises(AttributeError):
            setattr(bot, name, 10**9)
    before = bot.row.tolist()
    bot.row[:] = 10**9
    assert bot.row.tolist() == before


@pytest.mark.parametrize("again", [copy.deepcopy, lambda bot: pickle.loads(pickle.dumps(bot))])
def test_a_copy_of_a_bot_plays_like_it_and_shares_nothing(again: Callable[[Bot], Bot]) -> None:
    game, bot = Game(seed=1), bots.make("uniform")
    bot.begin(5)
    twin = again(bot)
    assert (twin.name, twin.number, twin.row.tolist()) == (bot.name, bot.number, bot.row.tolist())
    choices = [bot.choose(game) for _ in range(9)]
    assert [twin.choose(game) for _ in range(9)] == choices
