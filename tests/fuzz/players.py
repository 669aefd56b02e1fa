"""Players that cheat, fail or answer nonsense."""

import operator
import random
from contextlib import suppress
from typing import Any

import gymnasium

from alhambra_env import Game, IllegalAction, arena
from alhambra_env.engine.check import check
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from tests.fuzz import nasty
from tests.fuzz.attack import ACCEPTED, REFUSED, Broken


class Tantrum(Exception):
    """What a hostile player throws."""


class Hostile:
    """Plays the first legal action, and mostly does something else besides."""

    name = "hostile"

    def __init__(self, seed: int = 0, calm: bool = False) -> None:
        """Choose its randomness; a calm one only plays."""
        self._rng = random.Random(seed)
        self._is_calm = calm
        self._kept: list[Game] = []

    def begin(self, seed: int) -> None:
        """Nothing."""

    def choose(self, game: Game) -> Any:
        """Return an action, after some harm."""
        action = game.legal_actions()[0]
        if self._is_calm:
            return action
        if self._rng.random() < 0.02:
            raise Tantrum
        if self._rng.random() < 0.02:
            return self._nonsense(game)
        with suppress(AttributeError):  # a game that was emptied before
            self._harm(game)
        return action

    def _nonsense(self, game: Game) -> Any:
        """Return an illegal action."""
        answer = nasty.value(self._rng)
        with suppress(TypeError, ValueError):
            if operator.index(answer) in game.legal_actions():
                return None
        return answer

    def _harm(self, game: Game) -> None:
        self._kept.append(game)
        victim = self._rng.choice(self._kept[-3:])
        kind = self._rng.randrange(7)
        if kind == 0:
            victim.states["scores"] = 99
        elif kind == 1:
            victim.states.view("u1")[:] = self._rng.randrange(256)
        elif kind == 2:
            victim.masks[:] = 1
        elif kind == 3:
            victim.history[:] = [7] * 99
        elif kind == 4:
            for _ in range(5):
                if not game.over:
                    game.step(self._rng.choice(game.legal_actions()))
        elif kind == 5:
            victim.__dict__.clear()
        else:
            game.state.phase = 99


def attack_single(rng: random.Random) -> str:
    """Let a hostile opponent sit in the Gymnasium environment, beside a twin with a calm one."""
    seed, steps = rng.randrange(2**30), random.Random(rng.random())
    envs = [
        SingleEnv(num_players=3, opponents=["random", Hostile(seed, calm)])
        for calm in (True, False)
    ]
    seen = []
    for env in envs:
        try:
            seen.append(env.reset(seed=seed)[0])
        except (Tantrum, IllegalAction):
            return _needs_reset(env)
    for _ in range(40):
        if (seen[0] != seen[1]).any() or envs[0].game.to_bytes() != envs[1].game.to_bytes():
            raise Broken("a hostile opponent changed the game")
        if envs[0].game.over:
            return ACCEPTED
        action = steps.choice(envs[0].game.legal_actions())
        seen[0] = envs[0].step(action)[0]
        try:
            seen[1] = envs[1].step(action)[0]
        except (Tantrum, IllegalAction):
            return _needs_reset(envs[1])
    return ACCEPTED


def _needs_reset(env: SingleEnv | VectorSingleEnv) -> str:
    """After an opponent failed, nothing may be played before a reset."""
    action: Any = 0  # the reset is checked before the action, so one number does for both
    try:
        env.step(action)
    except gymnasium.error.ResetNeeded:
        return REFUSED
    raise Broken("a step was played after an opponent had failed")


def attack_vector(rng: random.Random) -> str:
    """Let a hostile opponent sit in the vector environment, beside a twin with a calm one."""
    seed = rng.randrange(2**30)
    envs = [
        VectorSingleEnv(num_envs=2, opponents=["random", Hostile(seed, calm)])
        for calm in (True, False)
    ]
    for env in envs:
        try:
            env.reset(seed=seed)
        except (Tantrum, IllegalAction):
            return _needs_reset(env)
    for _ in range(25):
        masks = [env.action_masks() for env in envs]
        if (masks[0] != masks[1]).any():
            raise Broken("a hostile opponent changed a game")
        actions = masks[0].argmax(axis=1)
        first = envs[0].step(actions)
        try:
            second = envs[1].step(actions)
        except (Tantrum, IllegalAction):
            return _needs_reset(envs[1])
        if (first[0] != second[0]).any() or (first[1] != second[1]).any():
            raise Broken("a hostile opponent changed what the learner sees")
    return ACCEPTED


def attack_arena(rng: random.Random) -> str:
    """Let a hostile player meet bots in the arena; it must not gain by it."""
    seed = rng.randrange(2**30)
    results = []
    for calm in (True, False):
        try:
            played = arena.duel(Hostile(seed, calm), "random", 2, 1, seed, max_turns=30)
        except (Tantrum, IllegalAction):
            return REFUSED
        results.append(played.scores.tolist())
    if results[0] != results[1]:
        raise Broken(f"a hostile player changed the scores: {results}")
    return ACCEPTED


def attack_game(rng: random.Random) -> str:
    """A clone that is harmed must not harm the game it was made from."""
    game = Game(seed=rng.randrange(100))
    before = game.to_bytes()
    for copy in (game.clone(), game.resample(0, 1), Game.from_state(game.states)):
        Hostile(rng.randrange(2**30))._harm(copy)
    if game.to_bytes() != before or check(game.state) or len(game.history):
        raise Broken("a copy shares something with its game")
    return ACCEPTED
