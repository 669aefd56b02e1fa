"""A game played again from its seed and actions, with all that was known at every decision."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, NamedTuple

import numpy as np

from .. import actions as action_names
from ..engine.action_ranges import N_ACTIONS
from ..engine.legal import write_masks
from ..engine.rewards import win_shares
from ..errors import DamagedRecord
from ..game import Game
from ..loops.replay import ReplayArrays, replay_actions
from ..observation.layout import Layout
from ..options import REWARD_NAMES, GameRules, RewardName

AT_ONCE: Final = 256
"""Decisions in one compiled call; dense masks of more would take much memory."""

_NO_PIECES: Final = np.zeros((0, 2), np.int64)


class Replay(NamedTuple):
    """A finished game and its decisions, one in each row."""

    game: Game
    """The game at its end."""
    seats: np.ndarray
    """`int8 [row]`: the seat that decided."""
    scores: np.ndarray
    """`int16 [row, seat]`: points before the decision."""
    starts: np.ndarray
    """`int64 [row + 1]`: where the legal actions of each decision start in `legal`."""
    legal: np.ndarray
    """`int16`: the legal actions of all decisions, each in ascending order."""
    observations: np.ndarray
    """`uint8 [row, byte]`: what the seat observed; no bytes unless asked for."""

    @property
    def actions(self) -> np.ndarray:
        """`int16 [row]`: the actions."""
        return np.array(self.game.history, np.int16)

    def returns(self) -> dict[RewardName, np.ndarray]:
        """Return the seat's reward from each decision to the end, for every kind of reward."""
        final = np.array(self.game.scores, np.int64)
        players = final.size
        to_come = final - self.scores  # [row, seat]
        own = to_come[np.arange(self.seats.size), self.seats]
        others = (to_come.sum(axis=1) - own) / (players - 1)
        outcome = (players * win_shares(final) - 1) / (players - 1)
        values = {"outcome": outcome[self.seats], "score": own, "margin": own - others}
        return {name: values[name].astype(np.float32) for name in REWARD_NAMES}


def dense_masks(starts: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Return `int8 [row, action]`: 1 for the legal actions, from the lists of a `Replay`."""
    masks = np.zeros((starts.size - 1, N_ACTIONS), np.int8)
    masks[np.repeat(np.arange(starts.size - 1), np.diff(starts)), legal] = 1
    return masks


def replay(
    rules: GameRules, seed: int, actions: Sequence[int] | np.ndarray, layout: Layout | None = None
) -> Replay:
    """Play a whole game again.

    Args:
        rules: the rules of the game.
        seed: its seed.
        actions: all of its actions.
        layout: the observations to write; None for none.

    Raises:
        DamagedRecord: an action is not legal, or the game does not end with the last one.
    """
    game = Game(**asdict(rules), seed=seed)
    numbers = np.array(actions, np.int64).reshape(-1)
    size, bounds = (0, _NO_PIECES) if layout is None else (layout.size, layout.bounds)
    seats = np.zeros(numbers.size, np.int8)
    scores = np.zeros((numbers.size, rules.num_players), np.int16)
    observations = np.zeros((numbers.size, size), np.uint8)
    masks = np.zeros((min(AT_ONCE, numbers.size), N_ACTIONS), np.int8)
    counts, legal = [np.zeros(1, np.int64)], []
    for start in range(0, numbers.size, AT_ONCE):
        rows = slice(start, min(start + AT_ONCE, numbers.size))
        out = ReplayArrays(seats[rows], scores[rows], masks, observations[rows])
        played = replay_actions(game.states, numbers[rows], bounds, out)
        if played < numbers[rows].size:
            _refuse(game, start + played, int(numbers[start + played]))
        row_of_each, legal_there = masks[:played].view(np.bool_).nonzero()
        counts.append(np.bincount(row_of_each, minlength=played))
        legal.append(legal_there.astype(np.int16))
    if not game.over:
        raise DamagedRecord(f"the game is not over after its {numbers.size} actions")
    write_masks(game.states, game.masks)
    game.history = numbers.tolist()
    starts = np.cumsum(np.concatenate(counts))
    return Replay(game, seats, scores, starts, np.concatenate(legal), observations)


def _refuse(game: Game, ply: int, action: int) -> None:
    if game.over:
        raise DamagedRecord(f"the game is over after {ply} actions, but there are more")
    name = action_names.name(action) if 0 <= action < N_ACTIONS else "no action"
    raise DamagedRecord(f"action {ply} is {action} ({name}), which is not legal there")
