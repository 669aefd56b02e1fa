"""One learner among opponents, as a `gymnasium.Env`: what all levels of decisions share."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

import gymnasium
import numpy as np

from ..engine.rewards import step_rewards
from ..game import Game
from ..loops.learners import MOST_RESTARTS
from ..options import (
    ILLEGAL_REWARD,
    RENDER_MODES,
    TURN_LIMIT,
    GameRules,
    IllegalRule,
    RenderMode,
    RewardName,
    check_render_mode,
    illegal_rule,
    reward_number,
)
from ..players import Player, Policy, blame
from .opponents import (
    RESET_AFTER,
    RESET_FIRST,
    TOO_SHORT,
    begin_opponent,
    choose_seat,
    final_values,
)
from .rendering import RENDER_FPS, close_rendering, render_game


class LearnerEnv(gymnasium.Env[Any, Any]):
    """One learner; opponents play the other seats. A subclass says what a decision is."""

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares it so
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }
    action_space: gymnasium.spaces.Space[Any]

    def __init__(
        self,
        rules: GameRules,
        opponents: Sequence[Policy | Player],
        seat: int | str,
        skip_forced: bool,
        reward: RewardName,
        illegal: IllegalRule,
        render_mode: RenderMode | None,
        num_choices: int,
    ) -> None:
        """Choose what all levels of decisions share; `num_choices` is the size of a mask."""
        check_render_mode(render_mode)
        self._rules = rules
        self.game = Game(**asdict(rules), seed=0)
        self.opponents = opponents
        self._fixed_seat = choose_seat(seat, rules.num_players)
        self.seat = self._fixed_seat or 0
        self._skip_forced = skip_forced
        self._reward = reward_number(reward)
        self._illegal = illegal_rule(illegal)
        self._has_ended = False
        self._rounds_scored, self._scores = 0, [0] * rules.num_players
        self._has_reset = False
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(num_choices)

    # --- what a decision is ---------------------------------------------------------------------

    @abstractmethod
    def _mask(self) -> np.ndarray:
        """Return what the seat to play may choose: int8, all zeros once the game is over."""

    @abstractmethod
    def _play(self, choice: Any) -> float:
        """Play the learner's choice; return its reward. An illegal one raises `IllegalAction`."""

    @abstractmethod
    def _play_forced(self) -> float:
        """Play the only choice there is; return the learner's reward."""

    @abstractmethod
    def _ask(self, opponent: Policy | Player) -> int:
        """Return the action of an opponent, who is to play."""

    @abstractmethod
    def _observe(self) -> Any:
        """Return the learner's observation."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new episode. A seed determines all episodes that follow."""
        super().reset(seed=seed)
        self._has_reset = False  # until the learner can act
        for _ in range(MOST_RESTARTS):
            self._begin()
            if not self.game.over:
                self._has_reset = True
                self._has_ended = False
                return self._observe(), self._info()
        raise ValueError(TOO_SHORT)

    def _begin(self) -> None:
        """Start a game and play it up to the learner's first decision."""
        seeds = [
            int(self.np_random.integers(2**63)) if isinstance(opponent, Player) else 0
            for opponent in self.opponents
        ]
        seats = self.game.num_players
        drawn = int(self.np_random.integers(seats))
        self.seat = drawn if self._fixed_seat is None else self._fixed_seat
        game_seed = int(self.np_random.integers(2**63))
        for place, (opponent, seed) in enumerate(zip(self.opponents, seeds, strict=True)):
            if isinstance(opponent, Player):
                begin_opponent(opponent, seed, f"seat {(self.seat + 1 + place) % seats}")
        self.game = Game(**asdict(self._rules), seed=game_seed)
        self._rounds_scored, self._scores = 0, [0] * seats
        self._play_others()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the opponents' up to its next decision or the end.

        Raises:
            IllegalAction: the action is not legal; nothing has changed. Or an opponent's action is
                not legal: then the environment must be reset, as after any error of an opponent.
            ResetNeeded: `reset` was not called, the game is over, or an error interrupted it.
        """
        if not self._has_reset:
            raise gymnasium.error.ResetNeeded(RESET_FIRST)
        if self.game.over or self._has_ended:
            raise gymnasium.error.ResetNeeded("the game is over: call reset to start another")
        if isinstance(action, np.ndarray) and action.size == 1:
            action = action.item()
        illegal = () if self._illegal == "raise" or self._is_legal(action) else (action,)
        if illegal and self._illegal == "end":
            self._has_ended = True
            return self._observe(), ILLEGAL_REWARD, True, False, self._info(action)
        if illegal:
            action = int(self.np_random.choice(np.flatnonzero(self._mask())))
        reward = self._play(action)
        self._has_reset = False  # if an opponent fails, the game is left in the middle
        reward += self._play_others()
        self._has_reset = True
        if self.render_mode == "human":
            self.render()
        # The turn limit gives the outcome reward, too: nothing to bootstrap, so it terminates.
        return self._observe(), reward, self.game.over, False, self._info(*illegal)

    def _is_legal(self, action: Any) -> bool:
        return not isinstance(action, bool | np.bool_) and action in np.flatnonzero(self._mask())

    def _step(self, action: int) -> float:
        """Play an action of any seat; return the learner's reward."""
        game = self.game
        game.step(action)
        if game.rounds_scored == self._rounds_scored:  # no points, so no rewards
            return 0.0
        rewards = step_rewards(game.states, self._reward, self._scores)
        self._rounds_scored, self._scores = game.rounds_scored, game.scores
        return rewards[self.seat]

    def _play_others(self) -> float:
        """Play until the learner has to decide; return its reward."""
        game = self.game
        reward = 0.0
        while not game.over:
            if game.to_play == self.seat:
                if not self._skip_forced or self._mask().sum() > 1:
                    break
                reward += self._play_forced()
            else:
                reward += self._play_opponent()
        return reward

    def _play_opponent(self) -> float:
        """Play the action of the opponent to play; return the learner's reward."""
        game = self.game
        seat = game.to_play
        opponent = self.opponents[(seat - self.seat - 1) % game.num_players]
        try:
            return self._step(self._ask(opponent))
        except Exception as error:
            blame(error, f"the opponent on seat {seat}", RESET_AFTER)
            raise

    def _info(self, *illegal: Any) -> dict[str, Any]:
        """Return the mask; the illegal action, if there was one; how the game ended, if it did."""
        info: dict[str, Any] = {"action_mask": self._mask()}
        if illegal:
            info["illegal_action"] = illegal[0]
        if self.game.over:
            values = final_values(np.array([self.game.scores]), np.array([self.seat]))
            info |= {name: value[0] for name, value in values.items()}
            info |= {"truncated_by": TURN_LIMIT} if self.game.truncated else {}
        return info

    def action_masks(self) -> np.ndarray:
        """Return the mask of legal actions as bool, as sb3-contrib expects it."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """Return the table as text, pixels or SVG, or show it (`rendering.render_game`)."""
        return render_game(self.game, cast(RenderMode | None, self.render_mode))

    def close(self) -> None:
        """Close the window of the render mode `human`; there is nothing else to release."""
        close_rendering(cast(RenderMode | None, self.render_mode))
