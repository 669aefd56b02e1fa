"""Speed of the environments: `python -m benchmarks.environments` (part of `make bench`).

References are measured in the same run. One thread unless noted.
"""

import argparse
import warnings
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numba import njit, prange
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from rich.console import Console
from rich.table import Table

from alhambra_env import ENV_ID, GameBatch, alhambra_v0
from alhambra_env.batch import MAX_THREADS
from alhambra_env.engine.random_play import choose_random
from alhambra_env.engine.rng import seed_words
from alhambra_env.observation.pieces import PIECE_NAMES, PIECES
from benchmarks.timing import best_time, time_writing

TABLE_PIECES = [piece.name for piece in PIECES if piece.is_default]
NUM_GAMES = 1024
OPEN_SPIEL_REPEATS = 2
WARM_UP = 2000  # decisions after which the games are at different stages


@njit
def _choose_all(masks: np.ndarray, words: np.ndarray, out_actions: np.ndarray) -> None:
    for game in range(out_actions.size):
        out_actions[game] = choose_random(masks[game], words[game])


@njit(parallel=True)
def _choose_all_parallel(masks: np.ndarray, words: np.ndarray, out_actions: np.ndarray) -> None:
    for game in prange(out_actions.size):
        out_actions[game] = choose_random(masks[game], words[game])


def words_for(num_games: int) -> np.ndarray:
    """Return random words for each game."""
    return np.array([seed_words(game) for game in range(num_games)])


def batch_speed(batch: GameBatch, rounds: int) -> float:
    """Return random legal decisions per second, sampling from the masks included."""
    actions = np.zeros(batch.num_games, np.int64)
    words = words_for(batch.num_games)
    choose = _choose_all if batch.num_threads == 1 else _choose_all_parallel

    def run(steps: int) -> None:
        for _ in range(steps):
            choose(batch.masks, words, actions)
            batch.step(actions)

    run(WARM_UP)
    return batch.num_games * rounds / best_time(lambda: run(rounds))


def batch_rows(rounds: int) -> list[tuple[str, str, str, str]]:
    """Return rows for GameBatch with different pieces, relative to writing the same bytes."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("all pieces of the table", {"hands": "open", "pieces": TABLE_PIECES}),
        (
            "without the others' cities",
            {"pieces": [p for p in TABLE_PIECES if p not in ("other_cities", "other_hands")]},
        ),
        ("derived pieces too", {"hands": "open", "pieces": PIECE_NAMES}),
        ("masks only", {"pieces": []}),
    ]
    rows = []
    for label, settings in kinds:
        batch = GameBatch(NUM_GAMES, 3, seed=1, **settings)
        speed = batch_speed(batch, rounds)
        seconds = time_writing(batch.observations, batch.masks, rounds)
        ratio = speed / (NUM_GAMES * rounds / seconds)
        size = batch.observations.shape[1]
        rows.append((label, f"{size:,}", f"{speed:,.0f}", f"{ratio:.2f} x writing the bytes"))
        if label == kinds[0][0] and MAX_THREADS > 1:
            threaded = GameBatch(NUM_GAMES, 3, seed=1, num_threads=2, **settings)
            double = batch_speed(threaded, rounds)
            rows.append(
                (
                    f"{label}, 2 threads",
                    f"{size:,}",
                    f"{double:,.0f}",
                    f"{double / speed:.2f} x one",
                )
            )
    return rows


class EmptyEnv(AECEnv):  # type: ignore[misc]  # PettingZoo publishes no types
    """An environment with the same spaces that does nothing, to measure its wrappers."""

    metadata: ClassVar[dict[str, Any]] = {"name": "empty", "render_modes": []}

    def __init__(self) -> None:
        super().__init__()
        twin = alhambra_v0.raw_env()
        self.possible_agents = twin.possible_agents
        self.observation_spaces = twin.observation_spaces
        self.action_spaces = twin.action_spaces
        self.render_mode = None
        twin.reset(seed=0)
        self._observation: dict[str, np.ndarray] = twin.observe(twin.agent_selection)
        self._info = twin.infos[twin.agent_selection]

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the same space as Alhambra."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the same space as Alhambra."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode that never ends."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = dict.fromkeys(self.agents, self._info)
        self._next = 0
        self.agent_selection = self.agents[0]

    def step(self, action: int) -> None:
        """Select the next agent."""
        self._next = (self._next + 1) % len(self.agents)
        self.agent_selection = self.agents[self._next]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the same arrays every time."""
        return self._observation


def wrapped_empty_env() -> Any:
    """The empty environment behind PettingZoo's three usual wrappers."""
    env = wrappers.TerminateIllegalWrapper(EmptyEnv(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def aec_speed(env: Any, steps: int) -> float:
    """Return agent steps per second with `last()` and random legal actions."""
    chooser = np.random.default_rng(0)

    def run() -> None:
        env.reset(seed=0)
        for _ in range(steps):
            _, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = info["action_mask"].view(np.bool_).nonzero()[0]
            env.step(int(legal[int(chooser.random() * legal.size)]))

    return steps / best_time(run)


def vector_speed(num_envs: int, rounds: int) -> float:
    """Return learner steps per second against random bots, sampling of actions included."""
    env: Any = gymnasium.make_vec(
        ENV_ID, num_envs=num_envs, num_players=3, autoreset_mode="same_step", copy=False
    )
    env.reset(seed=0)
    actions = np.zeros(num_envs, np.int64)
    words = words_for(num_envs)

    def run() -> None:
        for _ in range(rounds):
            _choose_all(env.unwrapped.batch.masks, words, actions)
            env.step(actions)

    return num_envs * rounds / best_time(run)


def open_spiel_rows(steps: int) -> list[tuple[str, str]]:
    """Board games of OpenSpiel through its NumPy observer with masks, if it is installed."""
    try:
        import pyspiel
        from open_spiel.python.observation import make_observation
    except ImportError:
        return []
    rows = []
    for name in ("quoridor", "go", "chess", "bridge"):
        game = pyspiel.load_game(name)
        observer = make_observation(game)
        chooser = np.random.default_rng(0)

        def run(game: Any = game, observer: Any = observer, chooser: Any = chooser) -> None:
            state = game.new_initial_state()
            for _ in range(steps):
                if state.is_terminal():
                    state = game.new_initial_state()
                legal = state.legal_actions()
                if not state.is_chance_node():
                    observer.set_from(state, state.current_player())
                    state.legal_actions_mask()
                state.apply_action(legal[int(chooser.random() * len(legal))])

        rows.append((name, f"{steps / best_time(run, OPEN_SPIEL_REPEATS):,.0f}"))
    return rows


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="steps of a batch")
    parser.add_argument("--steps", type=int, default=10_000, help="steps of one environment")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    console = Console()
    table = Table(title=f"GameBatch, 3 players, {NUM_GAMES:,} games: random legal decisions")
    for column in ("observation", "bytes", "decisions/s", "ratio"):
        table.add_column(column, justify="left" if column == "observation" else "right")
    with console.status("measuring batches ..."):
        for row in batch_rows(arguments.rounds):
            table.add_row(*row)
    console.print(table)
    with console.status("measuring environments ..."):
        empty = aec_speed(wrapped_empty_env(), arguments.steps)
        guarded = aec_speed(alhambra_v0.env(), arguments.steps)
        raw = aec_speed(alhambra_v0.raw_env(), arguments.steps)
        vector = vector_speed(256, arguments.rounds)
    others = Table(title="Environments, 3 players: steps with a random legal pick")
    for column in ("environment", "steps/s", "ratio"):
        others.add_column(column, justify="left" if column == "environment" else "right")
    others.add_row("an empty environment behind PettingZoo's wrappers", f"{empty:,.0f}", "1.00")
    others.add_row("alhambra_v0.env()", f"{guarded:,.0f}", f"{guarded / empty:.2f}")
    others.add_row("alhambra_v0.raw_env()", f"{raw:,.0f}", f"{raw / empty:.2f}")
    others.add_row(
        "make_vec(num_envs=256), learner steps", f"{vector:,.0f}", f"{vector / empty:.2f}"
    )
    for name, speed in open_spiel_rows(arguments.steps // 10):  # one decision takes a millisecond
        others.add_row(f"OpenSpiel {name}, state and observer", speed, "")
    console.print(others)


if __name__ == "__main__":
    main()
