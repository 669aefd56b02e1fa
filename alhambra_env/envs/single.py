"""One learner among bots, as a `gymnasium.Env`.

gymnasium.make("alhambra_env/Alhambra-v0", num_players=3, opponents=["random", "random"])
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, cast

import gymnasium
import numpy as np

from ..engine.action_ranges import N_ACTIONS
from ..engine.rewards import step_rewards
from ..game import Game
from ..loops.learners import MOST_RESTARTS
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_EDITION,
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_ILLEGAL,
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
    IllegalRule,
    MaskPlace,
    ObservationForm,
    ObservationType,
    RenderMode,
    RewardName,
    check_render_mode,
    illegal_rule,
    reward_number,
)
from ..players import Player, blame
from .opponents import (
    RESET_AFTER,
    RESET_FIRST,
    TOO_SHORT,
    Opponent,
    ask_opponent,
    begin_opponent,
    choose_opponents,
    choose_seat,
    final_values,
)
from .rendering import render_game


class SingleEnv(gymnasium.Env[Any, Any]):
    """One learner; the other seats are played by opponents: bots, agents or functions.

    A step plays the learner's action and all opponents up to its next decision. The reward is the
    sum of what the learner's seat earned meanwhile. The legal actions are in `info["action_mask"]`
    and `action_masks()`. An illegal action raises `IllegalAction` and changes nothing, unless
    `illegal` says otherwise. At the end the info has `scores`, `winners`, `seat` and `margin`.

    After an error of an opponent the environment must be reset.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares it so
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }
    action_space: gymnasium.spaces.Space[Any]

    def __init__(
        self,
        *,
        num_players: int = DEFAULT_NUM_PLAYERS,
        opponents: Sequence[Opponent] | None = None,
        seat: int | str = 0,
        skip_forced: bool = True,
        edition: AnyEdition = DEFAULT_EDITION,
        hands: Hands = DEFAULT_HANDS,
        reward: RewardName = DEFAULT_REWARD,
        observation: ObservationForm = DEFAULT_FORM,
        pieces: Iterable[str] | None = None,
        dtype: ObservationType = DEFAULT_TYPE,
        mask: MaskPlace = "info",
        observation_key: str = DEFAULT_OBSERVATION_KEY,
        mask_key: str = DEFAULT_MASK_KEY,
        illegal: IllegalRule = DEFAULT_ILLEGAL,
        max_turns: int = DEFAULT_MAX_TURNS,
        render_mode: RenderMode | None = None,
    ) -> None:
        """Choose the settings.

        Args:
            num_players: 2 to 6.
            opponents: one for each other seat, clockwise from the learner: the name of a bot or a
                shipped agent, a checkpoint (`"ppo:PATH"`), an import path, a function
                `(observation, mask) -> action`, or a player (see `players`). None: random bots.
            seat: the learner's seat, or `"random"` to draw one for each episode.
            skip_forced: play the learner's action automatically where only one is legal.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            hands: `"secret"` or `"open"` (E4).
            reward: `"outcome"`, `"score"` or `"margin"`.
            observation: `"flat"` or `"dict"`.
            pieces: names of observation pieces; None for the default.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.
            mask: `"observation"` for a dictionary with the mask, `"info"` for the mask in the info
                only.
            observation_key: the key of a flat observation in that dictionary.
            mask_key: the key of the mask in it; in the info it is always `"action_mask"`.
            illegal: an illegal action raises `IllegalAction` (`"raise"`), ends the episode with a
                reward of -1 (`"end"`), or is replaced by a random legal one (`"random"`).
            max_turns: after this many turns the game is scored and ends (E3).
            render_mode: `"ansi"`, `"human"`, `"rgb_array"` or None.

        Raises:
            ValueError: for a setting that is not allowed; the message lists what is.
        """
        check_render_mode(render_mode)
        self._rules = rules = GameRules(num_players, edition, max_turns)
        self.game = Game(**asdict(self._rules), seed=0)
        self.opponents = choose_opponents(opponents, rules.num_players)
        self._fixed_seat = choose_seat(seat, rules.num_players)
        self.seat = self._fixed_seat or 0
        self._skip_forced = skip_forced
        self._reward = reward_number(reward)
        self._format = ObservationFormat(
            Layout(rules.num_players, hands, pieces, observation),
            dtype=dtype,
            mask=mask,
            observation_key=observation_key,
            mask_key=mask_key,
        )
        self._illegal = illegal_rule(illegal)
        self._has_ended = False
        self._rounds_scored, self._scores = 0, [0] * rules.num_players
        self._has_reset = False
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self.observation_space = self._format.space()

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
            action = int(self.np_random.choice(self.game.legal_actions()))
        reward = self._step(action)
        self._has_reset = False  # if an opponent fails, the game is left in the middle
        reward += self._play_others()
        self._has_reset = True
        if self.render_mode == "human":
            self.render()
        # The turn limit gives the outcome reward, too: nothing to bootstrap, so it terminates.
        return self._observe(), reward, self.game.over, False, self._info(*illegal)

    def _is_legal(self, action: Any) -> bool:
        return not isinstance(action, bool | np.bool_) and action in self.game.legal_actions()

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
                legal = game.legal_actions()
                if len(legal) > 1 or not self._skip_forced:
                    break
                reward += self._step(legal[0])
            else:
                reward += self._play_opponent()
        return reward

    def _play_opponent(self) -> float:
        """Play the action of the opponent to play; return the learner's reward."""
        game = self.game
        seat = game.to_play
        opponent = self.opponents[(seat - self.seat - 1) % game.num_players]
        try:
            return self._step(ask_opponent(opponent, game, self._format))
        except Exception as error:
            blame(error, f"the opponent on seat {seat}", RESET_AFTER)
            raise

    def _observe(self) -> Any:
        buffer = self._format.layout.observe(self.game.states, 0, self.seat)
        return self._format.show(buffer, self.game.action_mask())

    def _info(self, *illegal: Any) -> dict[str, Any]:
        """Return the mask; the illegal action, if there was one; how the game ended, if it did."""
        info: dict[str, Any] = {"action_mask": self.game.action_mask()}
        if illegal:
            info["illegal_action"] = illegal[0]
        if self.game.over:
            values = final_values(np.array([self.game.scores]), np.array([self.seat]))
            info |= {name: value[0] for name, value in values.items()}
            info |= {"truncated_by": TURN_LIMIT} if self.game.truncated else {}
        return info

    def action_masks(self) -> np.ndarray:
        """Return the mask of legal actions as bool, as sb3-contrib expects it."""
        return self.game.action_mask().astype(np.bool_)

    def render(self) -> Any:
        """Return the table as text (`"ansi"`) or picture (`"rgb_array"`), or print it."""
        return render_game(self.game, cast(RenderMode | None, self.render_mode))
