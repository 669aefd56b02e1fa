"""The PettingZoo environments: what all levels of decisions share, and the checks of their use.

PettingZoo's three usual wrappers (`TerminateIllegal`, `AssertOutOfBounds`, `OrderEnforcing`) cost
more than the game. `Checked` is one class that behaves as they do.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from ..engine.rewards import step_rewards
from ..game import Game
from ..options import (
    ILLEGAL_REWARD,
    TURN_LIMIT,
    GameRules,
    RenderMode,
    RewardName,
    check_render_mode,
    reward_number,
)
from .rendering import close_rendering, render_game

Observation = Any
"""A dictionary of arrays, or with `mask="info"` one without the mask, or an array."""


class SeatsEnv(AECEnv[str, Observation, int]):
    """Every seat is an agent. A subclass says what a decision is."""

    def __init__(
        self,
        rules: GameRules,
        reward: RewardName,
        render_mode: RenderMode | None,
        observation_space: gymnasium.spaces.Space[Any],
        num_choices: int,
    ) -> None:
        """Choose what all levels of decisions share; `num_choices` is the size of a mask."""
        super().__init__()
        check_render_mode(render_mode)
        self._rules = rules
        self._reward = reward_number(reward)
        self._game = Game(**asdict(self._rules), seed=0)
        self._seeds = np.random.default_rng()
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self._rules.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space)
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(num_choices) for agent in self.possible_agents
        }
        self._num_choices = num_choices
        self._off_turn = np.zeros(num_choices, np.int8)
        self._off_turn.setflags(write=False)

    # --- what a decision is ---------------------------------------------------------------------

    @abstractmethod
    def _choices_info(self) -> dict[str, Any]:
        """Return the info of the agent on turn: `action_mask` and, if there is, more."""

    @abstractmethod
    def _play(self, choice: int | None) -> None:
        """Play a choice of the agent on turn; an illegal one raises `IllegalAction`."""

    @abstractmethod
    def _show(self, seat: int, mask: np.ndarray) -> Observation:
        """Return the observation of a seat."""

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the observation space of an agent, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the action space of an agent, the same object each time."""
        return self.action_spaces[agent]

    @property
    def game(self) -> Game:
        """The game that is being played."""
        return self._game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new episode.

        Args:
            seed: the seed of this game, as in `Game`, and of the games that follow. None draws the
                next seed from the last one given.
            options: not used.
        """
        game_seed = int(self._seeds.integers(2**63)) if seed is None else seed
        self._game = Game(**asdict(self._rules), seed=game_seed)
        if seed is not None:
            self._seeds = np.random.default_rng(self._game.seed)
        self._scores = [0] * len(self.possible_agents)
        self._rounds_scored = 0
        self._has_paid = False
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self._off_turn} for agent in self.agents
        }
        self._skip_agent_selection: str | None = None
        self._select(self._game.to_play)

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent; None for an agent that is done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self._game
        self._play(action)
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"action_mask": self._off_turn}
        if game.rounds_scored != self._rounds_scored:  # otherwise there are no rewards
            self._pay()
        elif self._has_paid:
            self._has_paid = False
            self._clear_rewards()
        if game.over:
            self._end()
        else:
            self._select(game.to_play)
        if self.render_mode == "human":
            self.render()

    def _select(self, seat: int) -> None:
        """Select this seat's agent."""
        self.agent_selection = self.agents[seat]
        info = self._choices_info()
        info["action_mask"].setflags(write=False)  # observations carry a copy
        self.infos[self.agent_selection] = info

    def _pay(self) -> None:
        """Add the rewards of a scoring."""
        game = self._game
        values = step_rewards(game.states, self._reward, self._scores)
        self.rewards = dict(zip(self.agents, values, strict=True))
        self._accumulate_rewards()
        self._has_paid = True
        self._rounds_scored = game.rounds_scored
        self._scores = game.scores

    def _end(self) -> None:
        # The turn limit gives the outcome reward, too: nothing to bootstrap, so it terminates.
        self.terminations = dict.fromkeys(self.agents, True)
        if self._game.truncated:
            for info in self.infos.values():
                info["truncated_by"] = TURN_LIMIT
        self._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation, also off turn. The arrays are new ones."""
        mask = self.infos[agent]["action_mask"] if agent in self.infos else self._off_turn
        return self._show(self._seats[agent], mask.copy())

    def render(self) -> Any:
        """Return the table as text, pixels or SVG, or show it (`rendering.render_game`)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode")
        return render_game(self._game, self.render_mode)

    def close(self) -> None:
        """Close the window of the render mode `human`; there is nothing else to release."""
        close_rendering(self.render_mode)


class Checked(SeatsEnv):
    """The behaviour of PettingZoo's three usual wrappers, in one thin layer.

    An illegal action ends the game: its agent gets -1, the others 0. An action outside the action
    space raises `AssertionError`. Any use before `reset` is an error.
    """

    _has_reset = False
    _has_updated = False

    def __getattr__(self, name: str) -> Any:
        """Raise an error that explains why an attribute is missing before `reset`."""
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new episode; see `SeatsEnv.reset`."""
        self._has_reset = True
        self._has_updated = True
        super().reset(seed=seed, options=options)

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent; None for an agent that is done."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        is_done = self.terminations[agent] or self.truncations[agent]
        # The first test is fast and nearly always enough.
        is_action = type(action) is int and 0 <= action < self._num_choices
        is_action = is_action or (action is None and is_done)
        # Gymnasium's spaces count True as 1.
        is_action = is_action or (
            not isinstance(action, bool) and self.action_spaces[agent].contains(action)
        )
        assert is_action, "action is not in action space"
        if is_done or self.infos[agent]["action_mask"][action]:
            super().step(action)
        else:
            self._end_illegally(agent)

    def _end_illegally(self, agent: str) -> None:
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = ILLEGAL_REWARD
        self._accumulate_rewards()
        self.infos[agent] = {"action_mask": self._off_turn}
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation; see `SeatsEnv.observe`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def render(self) -> Any:
        """Show the table; see `SeatsEnv.render`."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return super().render()

    def state(self) -> np.ndarray:
        """There is no global state; see `AECEnv.state`."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        state: np.ndarray = super().state()
        return state

    def agent_iter(self, max_iter: int = 2**63) -> "_CheckedIterable":
        """Iterate over the agents in the order of their steps."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return _CheckedIterable(self, max_iter)


_AFTER_RESET: Final = frozenset(
    {"rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents"}
)


class _CheckedIterable(AECIterable[str, Observation, int]):
    def __iter__(self) -> Iterator[str]:
        return _CheckedIterator(self.env, self.max_iter)


class _CheckedIterator(AECIterator[str, Observation, int]):
    env: Checked

    def __next__(self) -> str:
        agent: str = super().__next__()
        assert self.env._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._has_updated = False
        return agent
