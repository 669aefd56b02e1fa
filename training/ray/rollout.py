"""Rollouts: what a runner sends to the learners, and how it becomes a train batch of RLlib.

RLlib's own runners send a list of episodes, and its learners put them together step by step. Here a
runner sends the decisions of all its games as a few large arrays, with advantages already computed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.utils.postprocessing.value_predictions import compute_value_targets
from torch.nn import functional

from alhambra_env.actions import N_ACTIONS

from ..networks import NO_CHOICE

MASK_BITS: Final = "action_mask_bits"
"""The column of the masks, eight actions in a byte: an eighth of the bytes to send."""

Columned = Mapping[str, np.ndarray]


class Rollout:
    """Decisions of the learner, as arrays with one row for each. It can be sliced like a list.

    For RLlib it takes the place of an episode: it has a length, and is split among learners.
    """

    def __init__(self, columns: Columned) -> None:
        """Take arrays of the same length, by the names of RLlib's columns."""
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[Columns.ACTIONS])

    def __getitem__(self, rows: slice) -> "Rollout":
        return Rollout({name: array[rows] for name, array in self.columns.items()})

    def slice(self, rows: slice, **_: Any) -> "Rollout":
        """Return some of the rows; RLlib's name for it."""
        return self[rows]


def pack_masks(masks: np.ndarray) -> np.ndarray:
    """Return masks as bits: uint8 `[row, byte]`."""
    return np.packbits(masks, axis=-1)


def unpack_masks(bits: np.ndarray) -> np.ndarray:
    """Return masks from bits: int8 `[row, action]`."""
    return np.unpackbits(bits, axis=-1, count=N_ACTIONS).view(np.int8)


def advantages_of(
    values: np.ndarray, rewards: np.ndarray, ends: np.ndarray, gamma: float, gae_lambda: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return advantages and value targets `[step, game]`, by RLlib's generalized estimation.

    Args:
        values: of the positions, and of those after the last step: `[step + 1, game]`.
        rewards: `[step, game]`.
        ends: whether the game ended with this step: `[step, game]`.
        gamma: the discount factor.
        gae_lambda: 0 trusts the values, 1 the rewards.
    """
    steps, games = rewards.shape
    one_more = np.zeros((1, games), np.float32)
    is_cut = np.zeros((steps + 1, games), np.float32)
    is_cut[-2] = 1  # the next row, one after the other, is of another game
    targets = compute_value_targets(
        values=values.T.ravel(),
        rewards=np.concatenate([rewards, one_more]).T.ravel(),
        terminateds=np.concatenate([ends, one_more]).T.ravel(),
        truncateds=is_cut.T.ravel(),
        gamma=gamma,
        lambda_=gae_lambda,
    )
    targets = targets.reshape(games, steps + 1).T[:-1]
    return targets - values[:-1], targets


class RolloutsToBatch(ConnectorV2):
    """The learner connector: puts rollouts together as a train batch, and normalises advantages."""

    def __call__(
        self, *, rl_module: Any, batch: Any, episodes: Sequence[Rollout], **_: Any
    ) -> dict[str, dict[str, torch.Tensor]]:
        """Return the train batch of the only module; `episodes` are rollouts."""
        parts = [rollout.columns for rollout in episodes]
        # The numbers of legal actions differ, and so do the widths of the distributions.
        inputs = [torch.from_numpy(part[Columns.ACTION_DIST_INPUTS].copy()) for part in parts]
        width = max(part.shape[1] for part in inputs)
        columns = {
            name: torch.from_numpy(np.concatenate([part[name] for part in parts]))
            for name in parts[0]
            if name != Columns.ACTION_DIST_INPUTS
        }
        columns[Columns.ACTION_DIST_INPUTS] = torch.cat([widened(part, width) for part in inputs])
        advantages = columns[Postprocessing.ADVANTAGES]
        spread = advantages.std(correction=0).clamp(min=1e-4)  # as in RLlib's own connector
        columns[Postprocessing.ADVANTAGES] = (advantages - advantages.mean()) / spread
        return {DEFAULT_MODULE_ID: columns}


def widened(log_probs: torch.Tensor, width: int) -> torch.Tensor:
    """Return log-probabilities `[row, choice]` with padding up to a width."""
    return functional.pad(log_probs, (0, width - log_probs.shape[1]), value=NO_CHOICE)
