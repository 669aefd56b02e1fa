"""`alhambra compile`."""

import time
from collections.abc import Callable
from typing import Annotated, Final

import gymnasium
import numpy as np
import typer

from ..agents.shipped import AGENT_NAMES
from ..alhambra_v0 import env
from ..arena.deal import warm_up
from ..arena.tables import as_rich
from ..batch import MAX_THREADS, GameBatch
from ..bots import BOT_NAMES, make
from ..engine.jit import CACHE_FOLDER
from ..engine.notice import without_lines
from ..envs.registration import ENV_ID, TURNS_ENV_ID
from ..envs.vector import VectorSingleEnv
from ..game import Game
from ..loops.learners import LoopOptions, play_actions_parallel
from ..players import as_player
from .command import console

_NO_BOTS: Final = "none"


def compile_all(
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOTS...", help=f'Bots, or "{_NO_BOTS}".', show_default="all bots"),
    ] = None,
    named: Annotated[
        list[str] | None,
        typer.Option("--bots", metavar="BOTS...", help="The same; the word may be left out."),
    ] = None,
) -> None:
    """Compile everything now, instead of at its first use.

    What is compiled is kept in the user's cache folder, or in NUMBA_CACHE_DIR.
    For container images and for clusters, whose processes would otherwise all
    compile the same.

    Example: alhambra compile

    Example: alhambra compile --bots random planner
    """
    chosen = [*(named or ()), *(bots or ())] or list(BOT_NAMES)
    players = [] if chosen == [_NO_BOTS] else [make(name) for name in chosen]
    parts: dict[str, Callable[[], object]] = {
        "rules, PettingZoo environment": _step_aec,
        "Gymnasium environment": _step_single,
        "many environments at once": _step_vector,
        "environments of turns": _step_turns,
        "GameBatch": _step_batch,
        "matches": warm_up,
        "agents": _ask_agent,
        **{f"bot {player.name}": player.compile for player in players},
    }
    cells = [["compiled", "seconds"]]
    screen = console()
    for name, use in parts.items():
        begin = time.perf_counter()
        with screen.status(f"compiling: {name}"), without_lines():
            use()
        cells.append([name, f"{time.perf_counter() - begin:.1f}"])
    screen.print(as_rich(cells))
    screen.print(f"Kept in {CACHE_FOLDER}" if CACHE_FOLDER else "Not kept: there is no cache")


def _step_aec() -> None:
    game = env()
    game.reset(seed=0)
    _, _, _, _, info = game.last()
    game.step(int(info["action_mask"].argmax()))


def _step_single() -> None:
    game = gymnasium.make(ENV_ID)
    _, info = game.reset(seed=0)
    game.step(info["action_mask"].argmax())


def _step_vector() -> None:
    games = VectorSingleEnv(2)
    games.reset(seed=0)
    games.step(games.action_masks().argmax(axis=1))
    # Training steps its games in several threads.
    nowhere, actions = np.zeros(2, np.bool_), np.zeros(2, np.int64)
    layout = games.batch.layout
    assert layout is not None
    options = LoopOptions(layout.bounds)
    play_actions_parallel(nowhere, actions, games.batch.arrays, games.learners, options)


def _step_turns() -> None:
    game = gymnasium.make(TURNS_ENV_ID)
    game.reset(seed=0)
    game.step(0)
    games = gymnasium.make_vec(TURNS_ENV_ID, num_envs=2)
    games.reset(seed=0)
    games.step(np.zeros(2, np.int64))


def _step_batch() -> None:
    for threads in {1, MAX_THREADS}:
        batch = GameBatch(2, num_threads=threads)
        batch.step(batch.masks.argmax(axis=1))


def _ask_agent() -> None:
    for name in (AGENT_NAMES[0], "turns", "turns:search=1"):
        agent = as_player(name)
        agent.begin(0)
        agent.choose(Game(getattr(agent, "num_players", 3), seed=0))
