"""The policy and value network of turns in PyTorch.

A small network scores each choice from its features. Its score is added to the judgement of
`lookahead`, so a new network plays like a soft `lookahead`. The value of the position is read from
the best choice by that judgement.
"""

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn
from torch.nn import functional

from alhambra_env.turns.features import (
    BELOW_BEST,
    BELOW_SCALE,
    N_CHOICE_FEATURES,
    N_FEATURES,
    N_TABLE_FEATURES,
    SPREADS,
)

from ..networks import FURTHEST, NO_CHOICE, sample


class TurnNetwork(nn.Module):
    """Returns log-probabilities of choices, and the value of the position."""

    _spreads: Tensor

    def __init__(self, width: int, scale: float) -> None:
        """Choose the width of the layers, and how much a point of lookahead's value counts."""
        super().__init__()
        self.scale = scale
        self.read_choice = nn.Linear(N_FEATURES, width)
        self.read_difference = nn.Linear(N_CHOICE_FEATURES, width, bias=False)
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), _last(width))
        self.judge = nn.Sequential(
            nn.Linear(N_FEATURES, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            _last(width),
        )
        self.register_buffer("_spreads", torch.from_numpy(SPREADS), persistent=False)

    def learn_policy(self, is_learning: bool) -> None:
        """Choose whether the policy learns, or only the value function."""
        for part in (self.read_choice, self.read_difference, self.score):
            part.requires_grad_(is_learning)

    def log_probs(self, features: Tensor, masks: Tensor) -> Tensor:
        """Return the logarithm of the chance of each choice: `[row, choice]`."""
        found = features[masks]
        scores = self.score(self._read(features, found, masks)).squeeze(1)
        scores = scores + self.scale * BELOW_SCALE * found[:, BELOW_BEST]
        logits = features.new_full(masks.shape, NO_CHOICE)
        logits[masks] = scores.clamp(-FURTHEST, FURTHEST)
        return functional.log_softmax(logits, dim=1)

    def _read(self, features: Tensor, found: Tensor, masks: Tensor) -> Tensor:
        """Return the first layer for the choices that there are.

        It reads the features of a choice, and how they differ from those of the best one, in units
        of their spread. Differences decide, and are small: without this, they are learnt slowly.
        """
        of_difference = self.read_difference.weight / self._spreads
        weights = self.read_choice.weight + functional.pad(of_difference, (0, N_TABLE_FEATURES))
        read = functional.linear(found, weights, self.read_choice.bias)
        of_best = functional.linear(features[:, 0, :N_CHOICE_FEATURES], of_difference)
        return read - of_best.repeat_interleave(masks.sum(dim=1), dim=0)

    def values(self, features: Tensor) -> Tensor:
        """Return what the positions are worth: `[row, 1]`."""
        judged: Tensor = self.judge(features[:, 0])
        return judged


def _last(width: int) -> nn.Linear:
    """Return a last layer of zeros: a new network adds nothing to the judgement of `lookahead`."""
    layer = nn.Linear(width, 1)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class TurnPolicy(MaskableActorCriticPolicy):
    """`TurnNetwork` as a policy for sb3-contrib's MaskablePPO."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        width: int = 64,
        scale: float = 0.7,
    ) -> None:
        """Create the network; the other arguments are those of every Stable-Baselines3 policy."""
        self._network_settings = (width, scale)
        super().__init__(observation_space, action_space, lr_schedule)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = TurnNetwork(*self._network_settings)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=lr_schedule(1), eps=1e-5, fused=True
        )

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return choices, values and log-probabilities of the choices."""
        log_probs = self.network.log_probs(obs, _as_flags(action_masks))
        chosen = sample(log_probs, deterministic)
        log_prob = log_probs.gather(1, chosen[:, None]).squeeze(1)
        return chosen, self.network.values(obs), log_prob

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return values, log-probabilities of the choices, and entropies."""
        log_probs = self.network.log_probs(obs, _as_flags(action_masks))
        log_prob = log_probs.gather(1, actions.long().view(-1, 1)).squeeze(1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1)
        return self.network.values(obs), log_prob, entropy

    def get_distribution(self, obs: PyTorchObs, action_masks: Any = None) -> MaskableDistribution:
        """Return the distribution over all choices, for sb3-contrib; training does not use it."""
        assert isinstance(obs, Tensor)
        log_probs = self.network.log_probs(obs, _as_flags(action_masks))
        distribution: MaskableDistribution = self.action_dist.proba_distribution(log_probs)
        return distribution

    def _predict(
        self, observation: PyTorchObs, deterministic: bool = False, action_masks: Any = None
    ) -> Tensor:
        assert isinstance(observation, Tensor)
        return self(observation, deterministic, action_masks)[0]  # type: ignore[no-any-return]

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Return the values of the positions."""
        assert isinstance(obs, Tensor)
        return self.network.values(obs)


def _as_flags(masks: Any) -> Tensor:
    if masks is None:
        raise ValueError("this policy needs action_masks")
    flags: Tensor = torch.as_tensor(masks)
    return flags.bool()
