"""The PettingZoo environment: `raw_env`, and `CheckedEnv`, which checks how it is used.

PettingZoo's three usual wrappers (`TerminateIllegal`, `AssertOutOfBounds`, `OrderEnforcing`) cost
more than the game. `CheckedEnv` is one class that behaves as they do.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from ..engine.action_ranges import N_ACTIONS
from ..engine.rewards import step_rewards
from ..game import Game
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_MASK_KEY,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_REWARD,
    DEFAULT_TYPE,
    ILLEGAL_REWARD,
    RENDER_MODES,
    TURN_LIMIT,
    AnyEdition,
    GameRules,
    Hands,
    MaskPlace,
    ObservationForm,
    ObservationType,
    RenderMode,
    RewardName,
    check_render_mode,
    reward_number,
)
from .rendering import render_game

_NO_ACTIONS: Final = np.zeros(N_ACTIONS, np.int8)
_NO_ACTIONS.setflags(write=False)

Observation = Any
"""A dictionary of arrays, or with `mask="info"` what `Layout.view` returns."""


class raw_env(AECEnv[str, Observation, int]):  # noqa: N801  # the name that PettingZoo expects
    """Alhambra as an AEC environment, without checks of how it is used.

    Agents are `player_0` to `player_5`, by seat. An observation is a dictionary: `observation`
    (flat form) or one entry for each piece (dict form), and `action_mask`, which is also in
    `infos`. Off turn the mask is all zeros. An illegal action raises `IllegalAction`. `mask`,
    `dtype` and the names of the keys are settings.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "alhambra_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        num_players: int = DEFAULT_NUM_PLAYERS,
        edition: AnyEdition = DEFAULT_EDITION,
        hands: Hands = DEFAULT_HANDS,
        reward: RewardName = DEFAULT_REWARD,
        observation: ObservationForm = DEFAULT_FORM,
        pieces: Iterable[str] | None = None,
        dtype: ObservationType = DEFAULT_TYPE,
        mask: MaskPlace = "observation",
        observation_key: str = DEFAULT_OBSERVATION_KEY,
        mask_key: str = DEFAULT_MASK_KEY,
        max_turns: int = DEFAULT_MAX_TURNS,
        render_mode: RenderMode | None = None,
    ) -> None:
        """Choose the settings; `reset` starts a game.

        Args:
            num_players: 2 to 6.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            hands: `"open"` if the other players' hands are observed (E4), else `"secret"`.
            reward: `"outcome"`, `"score"` or `"margin"`, see `engine.rewards.REWARDS`.
            observation: `"flat"` or `"dict"`.
            pieces: names of pieces, from `observation.PIECE_NAMES`; None for the default.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.
            mask: `"observation"` for a dictionary with the mask, `"info"` for the mask in the info
                only.
            observation_key: the key of a flat observation in that dictionary.
            mask_key: the key of the mask in it; in the info it is always `"action_mask"`.
            max_turns: after this many turns the game is scored and ends (E3).
            render_mode: `"ansi"` (`render` returns text), `"human"` (prints it), `"rgb_array"` (a
                picture) or None.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        super().__init__()
        check_render_mode(render_mode)
        self._rules = GameRules(num_players, edition, max_turns)
        self._layout = Layout(self._rules.num_players, hands, pieces, observation)
        self._format = ObservationFormat(
            self._layout,
            dtype=dtype,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        self._reward = reward_number(reward)
        self._game = Game(**asdict(self._rules), seed=0)
        self._seeds = np.random.default_rng()
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self._rules.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._format.space())
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(N_ACTIONS) for agent in self.possible_agents
        }

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
            agent: {"action_mask": _NO_ACTIONS} for agent in self.agents
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
        game.step(action)  # type: ignore[arg-type]  # refuses None
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"action_mask": _NO_ACTIONS}
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
        mask = self._game.action_mask()
        mask.setflags(write=False)  # observations carry a copy
        self.infos[self.agent_selection] = {"action_mask": mask}

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
        seat = self._seats[agent]
        buffer = self._layout.observe(self._game.states, 0, seat)
        mask = self.infos[agent]["action_mask"] if agent in self.infos else _NO_ACTIONS
        return self._format.show(buffer, mask.copy())

    def render(self) -> Any:
        """Return the table as text (`"ansi"`) or picture (`"rgb_array"`), or print it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode")
        return render_game(self._game, self.render_mode)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class CheckedEnv(raw_env):
    """`raw_env` with the behaviour of PettingZoo's three usual wrappers, in one thin layer.

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
        """Start a new episode; see `raw_env.reset`."""
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
        is_action = type(action) is int and 0 <= action < N_ACTIONS
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
        self.infos[agent] = {"action_mask": _NO_ACTIONS}
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation; see `raw_env.observe`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def render(self) -> Any:
        """Show the table; see `raw_env.render`."""
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
    env: CheckedEnv

    def __next__(self) -> str:
        agent: str = super().__next__()
        assert self.env._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._has_updated = False
        return agent
