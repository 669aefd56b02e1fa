"""Replays the games of a learner and its opponents through `Game`."""

from collections.abc import Callable

import numpy as np

from alhambra_env import Game
from alhambra_env.bots import Bot
from alhambra_env.bots.choose import choose_action_of
from alhambra_env.options import REWARD_NAMES
from tests.rewards import step_rewards

Ask = Callable[[Game, np.ndarray], int]
"""Returns the action of the opponent to play; the array is the randomness of the game's bots."""


def ask_bot(bot: Bot, game: Game, words: np.ndarray) -> int:
    """Return a bot's action; its randomness is changed in place."""
    return int(choose_action_of(bot.number, bot.row, game.states, 0, game.masks, words))


class LearnerGame:
    """A game in which the learner's actions are given, and its opponents are asked."""

    def __init__(self, game: Game, seat: int, ask: Ask, skip_forced: bool = True) -> None:
        """Take a game from any position on."""
        self.game = game
        self.seat = seat
        self.words = np.zeros(4, np.uint32)
        self.earned = dict.fromkeys(REWARD_NAMES, 0.0)
        """What the learner earned since its last decision, by the kind of reward."""
        self._ask = ask
        self._skip_forced = skip_forced

    def decide(self, action: int) -> None:
        """Play a learner's action, then the opponents' up to its next decision or the end."""
        self.earned = dict.fromkeys(REWARD_NAMES, 0.0)
        self._play(action)
        self.play_on()

    def play_on(self) -> None:
        """Play to the learner's next decision or to the end."""
        while not self.game.over:
            legal = self.game.legal_actions()
            if self.game.to_play != self.seat:
                self._play(self._ask(self.game, self.words))
            elif len(legal) == 1 and self._skip_forced:
                self._play(legal[0])
            else:
                return

    def _play(self, action: int) -> None:
        before = self.game.scores
        self.game.step(action)
        for reward in self.earned:
            self.earned[reward] += step_rewards(reward, before, self.game)[self.seat]


def assert_begun(game: Game, start: Game, seat: int) -> None:
    """Assert that a learner's first decision can follow from the start of its game.

    For games with random bots, whose first actions cannot be replayed.
    """
    state, first = game.state, start.state
    assert game.to_play == seat
    assert state.first_seat == first.first_seat
    assert state.turn < game.num_players
    assert game.rules == start.rules
    # Bag and deck are unchanged below what was drawn, and the learner has its first hand.
    assert state.bag[: state.bag_size].tolist() == first.bag[: state.bag_size].tolist()
    assert state.deck[: state.deck_size].tolist() == first.deck[: state.deck_size].tolist()
    if state.turn == (seat - start.to_play) % game.num_players and game.phase == "turn":
        assert state.hands[seat].tolist() == first.hands[seat].tolist()
    if start.to_play == seat:
        assert game.states.tobytes() == start.states.tobytes()
