"""Arguments that nobody should pass, to everything that users call."""

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import gymnasium
import numpy as np

from alhambra_env import ENV_ID, Game, GameBatch, actions, alhambra_v0, arena, bots
from alhambra_env.engine.check import check
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.notation import from_text
from alhambra_env.observation.layout import Layout
from alhambra_env.players import as_player
from alhambra_env.record import replay
from tests.fuzz import nasty
from tests.fuzz.attack import Broken, refuses

_LARGEST = 2**15
"""Games at a time that are really tried; for six players they take nearly `MOST_MEMORY`.

More would only show that memory has an end.
"""


@cache
def _fixed() -> dict[str, Any]:
    """Return things whose methods are called; they must survive everything."""
    single, vector = SingleEnv(), VectorSingleEnv(num_envs=2)
    aec: Any = alhambra_v0.env()
    raw: Any = alhambra_v0.raw_env()
    for env in (single, vector, aec, raw):
        env.reset(seed=0)
    return {
        "game": Game(seed=0),
        "batch": GameBatch(3, seed=0),
        "single": single,
        "vector": vector,
        "aec": aec,
        "raw": raw,
        "layout": Layout(3),
    }


def _game(given: Callable[[], Any]) -> object:
    keys = ("num_players", "edition", "seed", "max_turns")
    return Game(**{key: given() for key in keys if given() is not None})


_BATCH_SETTINGS = ("num_players", "edition", "hands", "reward", "pieces", "max_turns")
_ENV_SETTINGS = (*_BATCH_SETTINGS, "observation")


def _small(value: Any) -> Any:
    """Return what stands for a number of games, unless it is a large one."""
    try:
        return 3 if int(value) > _LARGEST else value
    except (TypeError, ValueError, OverflowError):
        return value


def calls(rng: random.Random) -> dict[str, Callable[[], object]]:
    """Return calls with arguments of all kinds, by name."""
    fixed = _fixed()

    def given() -> Any:
        return nasty.argument(rng) if rng.random() < 0.4 else nasty.value(rng)

    def some(count: int) -> list[Any]:
        return [given() for _ in range(count)]

    def settings(keys: Sequence[str] = _ENV_SETTINGS) -> dict[str, Any]:
        return {key: given() for key in rng.sample(keys, 2)}

    game, batch, layout = fixed["game"], fixed["batch"], fixed["layout"]
    return {
        "Game": lambda: _game(given),
        "Game.step": lambda: game.clone().step(given()),
        "Game.observe": lambda: game.observe(*some(rng.randint(1, 3))),
        "Game.resample": lambda: game.resample(*some(rng.randint(2, 3))),
        "Game.from_bytes": lambda: Game.from_bytes(given()),
        "Game.from_state": lambda: Game.from_state(given()),
        "GameBatch": lambda: GameBatch(_small(given()), **settings(_BATCH_SETTINGS)),
        "GameBatch.seed": lambda: GameBatch(2, seed=given(), num_threads=_small(given())),
        "GameBatch.step": lambda: batch.step(given()),
        "GameBatch.step 2": lambda: batch.step(np.array(some(3), dtype=object)),
        "GameBatch.reset": lambda: batch.reset(given()),
        "GameBatch.load": lambda: batch.load(given()),
        "GameBatch.final_observation": lambda: batch.final_observation(given(), given()),
        "Layout": lambda: Layout(*some(rng.randint(1, 3))),
        "Layout.split": lambda: layout.split(given()),
        "env": lambda: alhambra_v0.env(**settings()),
        "env.step": lambda: fixed["aec"].step(given()),
        "env.reset": lambda: fixed["aec"].reset(seed=given()),
        "raw_env.step": lambda: fixed["raw"].step(given()),
        "raw_env.observe": lambda: fixed["raw"].observe(given()),
        "SingleEnv": lambda: SingleEnv(**settings()),
        "SingleEnv.opponents": lambda: SingleEnv(opponents=given(), seat=given()),
        "SingleEnv.step": lambda: fixed["single"].step(given()),
        "SingleEnv.reset": lambda: fixed["single"].reset(seed=given()),
        "VectorSingleEnv": lambda: VectorSingleEnv(_small(given()), **settings()),
        "VectorSingleEnv.step": lambda: fixed["vector"].step(given()),
        "VectorSingleEnv.reset": lambda: fixed["vector"].reset(seed=given()),
        "gymnasium.make": lambda: gymnasium.make(ENV_ID, **settings()),
        "actions.name": lambda: actions.name(given()),
        "actions.parse": lambda: actions.parse(given()),
        "actions.decode": lambda: actions.decode(given()),
        "actions.describe": lambda: actions.describe(given(), game),
        "actions.encode": lambda: actions.encode(rng.choice(("take", "buy", "put")), *some(2)),
        "bots.make": lambda: bots.make(given()),
        "bots.make settings": lambda: bots.make("rollout", playouts=given(), candidates=given()),
        "Bot.begin": lambda: bots.make("random").begin(given()),
        "as_player": lambda: as_player(_harmless(given())),
        "match": lambda: arena.match([_harmless(given()), "random"], given(), 1, workers=1),
        "match settings": lambda: arena.match(["saver", "random"], 2, 1, given(), workers=1),
        "duel": lambda: arena.duel("saver", "random", given(), 1, workers=1),
        "decisions_per_second": lambda: arena.decisions_per_second(
            "random", 3, seconds=_brief(given())
        ),
        "replay": lambda: replay(given()),
        "from_text": lambda: from_text(given()),
    }


def _harmless(player: Any) -> Any:
    """Return something that stands for a player, unless it is code that would be run."""
    return 3 if callable(player) else player


def _brief(seconds: Any) -> Any:
    is_long = isinstance(seconds, int | float | np.number) and seconds > 0.01
    return 0.01 if is_long and seconds < 1e9 else seconds


_ALLOWED = (ValueError, gymnasium.error.Error)
_ALSO_ALLOWED: dict[str, tuple[type[Exception], ...]] = {
    # PettingZoo's wrapper asserts that an action is in its space.
    "env.step": (AssertionError,),
    # Agents are keys of a dictionary, as in all environments of PettingZoo.
    "raw_env.observe": (KeyError, TypeError),
}


def attack_arguments(rng: random.Random) -> str:
    """Call something, and look that nothing which was there before is harmed."""
    chosen = calls(rng)
    name = rng.choice(sorted(chosen))
    allowed = _ALSO_ALLOWED.get(name, ())
    result = refuses(chosen[name], *_ALLOWED, *allowed, what=name)
    for key in ("single", "aec", "raw"):
        if check(_fixed()[key].game.state):
            raise Broken(f"{name} harmed {key}")
    for state in _fixed()["batch"].states:
        if check(state):
            raise Broken(f"{name} harmed the batch")
    for key in ("single", "vector", "aec", "raw"):
        if key in name.lower() or (key == "aec" and name.startswith("env")):
            _fixed()[key].reset(seed=0)  # a game may be over, or wait for a reset
    return result
