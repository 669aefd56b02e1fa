"""A rollout buffer that follows each seat of a game from decision to decision."""

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples

from ..buffer import ByteBuffer
from .env import Ledger


class SeatBuffer(ByteBuffer):
    """Rewards and advantages belong to the seat that decided, not to the next decision of a game.

    The last decision of a seat in a rollout, if its game goes on, has no known reward. It is not
    learnt from; its value is what the decision before it leads to.
    """

    def __init__(self, *args: Any, ledger: Ledger, **kwargs: Any) -> None:
        """Take the ledger of the environment; the other arguments are those of every buffer."""
        self._ledger = ledger
        super().__init__(*args, **kwargs)

    def reset(self) -> None:
        """Clear the buffer."""
        super().reset()
        shape = self.buffer_size, self.n_envs
        self._seats = np.zeros(shape, np.int64)
        self._is_last = np.zeros(shape, np.bool_)  # of its seat in its game
        n_seats = self._ledger.earned.shape[1]
        self._latest = np.full((self.n_envs, n_seats), -1, np.int64)

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Add a step; `args` are observations, actions, rewards, episode starts, and so on."""
        step = self.pos
        obs, actions, rewards, *rest = args
        super().add(obs, actions, np.zeros_like(rewards), *rest, **kwargs)
        games = np.arange(self.n_envs)
        seats = self._ledger.seats
        self._seats[step] = seats
        self._latest[games, seats] = step
        for seat in range(self._latest.shape[1]):
            latest = self._latest[:, seat]
            has = latest >= 0
            self.rewards[latest[has], games[has]] += self._ledger.earned[has, seat]
            ends = has & self._ledger.ended
            self._is_last[latest[ends], games[ends]] = True
        self._latest[self._ledger.ended] = -1

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray) -> None:
        """Compute advantages (GAE) along the decisions of each seat."""
        games = np.arange(self.n_envs)
        next_value = np.zeros(self._latest.shape)
        next_advantage = np.zeros(self._latest.shape)
        is_known = np.zeros(self._latest.shape, np.bool_)  # is there a later decision?
        self._is_usable = np.zeros((self.buffer_size, self.n_envs), np.bool_)
        for step in reversed(range(self.buffer_size)):
            at = games, self._seats[step]
            ends = self._is_last[step]
            value = self.values[step]
            later_value = np.where(ends, 0, next_value[at])
            later_advantage = np.where(ends, 0, next_advantage[at])
            usable = ends | is_known[at]
            delta = self.rewards[step] + self.gamma * later_value - value
            advantage = delta + self.gamma * self.gae_lambda * later_advantage
            advantage = np.where(usable, advantage, 0)
            self.advantages[step] = advantage
            self._is_usable[step] = usable
            next_value[at] = value
            next_advantage[at] = advantage
            is_known[at] = True
        self.returns = self.advantages + self.values

    def get(  # type: ignore[override]  # as in the class above
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield minibatches of the decisions whose rewards are known."""
        if not self.generator_ready:
            for name in (
                *("observations", "actions", "values", "log_probs", "advantages", "returns"),
                "action_masks",
            ):
                self.__dict__[name] = self.swap_and_flatten(self.__dict__[name])
            self._rows = np.flatnonzero(self._is_usable.swapaxes(0, 1).reshape(-1))
            self.generator_ready = True
        order = np.random.permutation(self._rows)
        size = batch_size or len(order)
        for start in range(0, len(order) - len(order) % size or size, size):
            yield self._get_samples(order[start : start + size])
