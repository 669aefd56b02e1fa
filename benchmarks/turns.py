"""Speed of whole turns: finding the choices, collecting rollouts, and updates.

    python -m benchmarks.turns

The choices are compared with decisions of the bot `lookahead` at the start of the same turns. The
ceiling of collecting is the speed of Stable-Baselines3 with the same policy on an empty
environment, which replays recorded observations and masks.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from alhambra_env import Game, bots
from alhambra_env.bots.layouts import Scope
from alhambra_env.bots.lookahead import choose_like_lookahead
from alhambra_env.bots.weights import LOOKAHEAD_WEIGHTS
from alhambra_env.engine.arrays import Array
from alhambra_env.engine.jit import jit
from alhambra_env.options import GameRules
from alhambra_env.turns.choices import Choices, new_choices, write_choices
from alhambra_env.turns.listing import scope_of
from training.config import TurnConfig
from training.run import ppo_settings, use_threads
from training.turns.buffer import SeatBuffer
from training.turns.env import TurnSelfPlayEnv
from training.turns.network import TurnPolicy

from .training import collector, rates

NUM_ENVS: Final = 200
ROLLOUT: Final = 50
SHOWN: Final = 100
"""Steps that are recorded for the empty environment."""

DEALS: Final = 10
"""Games between copies of `lookahead` whose turns are searched."""


class EmptyTurns(TurnSelfPlayEnv):
    """Replays recorded choices and masks, without a game."""

    def __init__(self, num_players: int) -> None:
        """Record some steps with the first choices."""
        super().__init__(NUM_ENVS, [GameRules(num_players)], seed=0)
        self._shown: list[tuple[np.ndarray, np.ndarray]] = []
        seen = super().reset()
        for _ in range(SHOWN):
            self._shown.append((seen, self._masks.copy()))
            self.step_async(np.zeros(NUM_ENVS, np.int64))
            seen = np.asarray(super().step_wait()[0])
        self._now = 0
        self._nothing = np.zeros(NUM_ENVS, np.float32)
        self._never = np.zeros(NUM_ENVS, np.bool_)
        self._no_infos: list[dict[str, Any]] = [{} for _ in range(NUM_ENVS)]
        self.ledger.ended[:] = False

    def reset(self) -> np.ndarray:
        """Return the first recorded choices."""
        return self._shown[self._now][0]

    def step_wait(self) -> VecEnvStepReturn:
        """Return the next recorded step."""
        self._now = (self._now + 1) % SHOWN
        return self._shown[self._now][0], self._nothing, self._never, self._no_infos

    def action_masks(self) -> np.ndarray:
        """Return the masks of the present step."""
        return self._shown[self._now][1]


def make_model(env: TurnSelfPlayEnv) -> MaskablePPO:
    """Return a learner as `training.turns.run` makes it."""
    config = TurnConfig()
    settings = ppo_settings(config.ppo) | {"n_steps": ROLLOUT, "n_epochs": 1}
    return MaskablePPO(
        TurnPolicy,
        env,
        rollout_buffer_class=SeatBuffer,
        rollout_buffer_kwargs={"ledger": env.ledger},
        policy_kwargs=config.network.model_dump(),
        seed=0,
        **settings,
    )


@jit
def _find_all(states: Array, masks: Array, scope: Scope, choices: Choices) -> int:
    count = 0
    for i in range(states.size):
        count += write_choices(states[i], masks[i], scope, choices)
    return count


@jit
def _decide_all(states: Array, masks: Array, weights: Array) -> int:
    last = 0
    for i in range(states.size):
        last = choose_like_lookahead(states[i], masks[i], False, weights)
    return last


def starts_of_turns(num_players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions at the start of turns in games between copies of `lookahead`."""
    states, masks = [], []
    bot = bots.make("lookahead")
    for seed in range(DEALS):
        game = Game(num_players, seed=seed)
        turn = None
        while not game.over:
            if game.phase == "turn" and int(game.state.turn) != turn:
                states.append(game.states.copy())
                masks.append(game.action_mask())
                turn = int(game.state.turn)
            game.step(bot.choose(game))
    return np.concatenate(states), np.array(masks)


def measure(num_players: int) -> dict[str, float]:
    """Return turns per second by name."""
    states, masks = starts_of_turns(num_players)
    choices, scope = new_choices(), scope_of("secret")
    rules = [GameRules(num_players)]
    own = make_model(TurnSelfPlayEnv(NUM_ENVS, rules, seed=0))
    mixed = make_model(TurnSelfPlayEnv(NUM_ENVS, rules, {"one_bot": 1.0}, seed=0))
    empty = make_model(EmptyTurns(num_players))
    runs: dict[str, Callable[[], Any]] = {
        "choices": lambda: _find_all(states, masks, scope, choices),
        "decisions of lookahead": lambda: _decide_all(states, masks, LOOKAHEAD_WEIGHTS),
        "collecting, the ceiling: an empty environment": collector(empty, ROLLOUT),
        "collecting, self-play": collector(own, ROLLOUT),
        "collecting, one lookahead at each table": collector(mixed, ROLLOUT),
        "update, one epoch": own.train,
    }
    turns = dict.fromkeys(runs, NUM_ENVS * ROLLOUT) | dict.fromkeys(list(runs)[:2], states.size)
    return rates(runs, turns, time.process_time)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4])
    given = parser.parse_args()
    use_threads(1)
    for players in given.players:
        measured = measure(players)
        found, decided, ceiling, *_ = measured.values()
        print(f"{players} players, one thread; turns per second of CPU time:")
        for name, rate in measured.items():
            part = ""
            if name.startswith("collecting"):
                part = f"  {rate / ceiling:.2f} of the ceiling"
            elif rate == found:
                part = f"  {found / decided:.1f} x lookahead"
            print(f"  {name:48}{rate:9,.0f}{part}")


if __name__ == "__main__":
    main()
