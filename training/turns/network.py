"""The policy and value network of turns in PyTorch.

One small network scores each choice from its features, and how they differ from those of the best
choice by the judgement of `lookahead`. Its score is added to that judgement, so a new network plays
like a soft `lookahead`. Another one, the critic, says what each choice is worth. The value of a
position is the mean of that over the policy: a critic that saw only lookahead's best choice would
not know what the policy prefers.
"""

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn
from torch.nn import functional

from alhambra_env.agents.turn_network import LEAST_SPREAD, LEAST_SPREAD_OF_DIFFERENCES
from alhambra_env.turns.feature_groups import BELOW_BEST, BELOW_SCALE, N_CHOICE_FEATURES, N_FEATURES

from ..networks import FURTHEST, NO_CHOICE, sample


class TurnNetwork(nn.Module):
    """Returns log-probabilities of choices, and what they are worth."""

    means: Tensor
    spreads: Tensor
    spreads_of_differences: Tensor

    def __init__(self, width: int, scale: float) -> None:
        """Choose the width of the layers, and how much a point of lookahead's value counts."""
        super().__init__()
        self.scale = scale
        self.read_choice = nn.Linear(N_FEATURES, width)
        self.read_difference = nn.Linear(N_CHOICE_FEATURES, width, bias=False)
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), _last(width))
        self.weigh_choice = nn.Linear(N_FEATURES, width)
        self.judge = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), _last(width))
        self.register_buffer("means", torch.zeros(N_FEATURES))
        self.register_buffer("spreads", torch.ones(N_FEATURES))
        self.register_buffer("spreads_of_differences", torch.ones(N_CHOICE_FEATURES))

    def measure(self, features: Tensor, masks: Tensor) -> None:
        """Note the mean and the spread of the features of these choices.

        The first layers read features, and differences from the best choice, in these units. A
        difference decides, and is small: without this, the network learns it slowly.
        """
        found = features[masks]
        best = features[:, 0].repeat_interleave(masks.sum(dim=1), dim=0)
        differences = (found - best)[:, :N_CHOICE_FEATURES]
        spreads_of_differences = differences.square().mean(dim=0).sqrt()
        self.means.copy_(found.mean(dim=0))
        self.spreads.copy_(found.std(dim=0).clamp(min=LEAST_SPREAD))
        self.spreads_of_differences.copy_(
            spreads_of_differences.clamp(min=LEAST_SPREAD_OF_DIFFERENCES)
        )

    def learn_policy(self, is_learning: bool) -> None:
        """Choose whether the policy learns, or only the critic."""
        for part in (self.read_choice, self.read_difference, self.score):
            part.requires_grad_(is_learning)

    def log_probs(self, features: Tensor, found: Tensor, masks: Tensor) -> Tensor:
        """Return the logarithm of the chance of each choice: `[row, choice]`.

        `found` are the features of the choices that there are: `features[masks]`.
        """
        differences = self.read_difference.weight / self.spreads_of_differences
        of_best = functional.linear(features[:, 0, :N_CHOICE_FEATURES], differences)
        read = self._read(self.read_choice, found, differences)
        read = read - of_best.repeat_interleave(masks.sum(dim=1), dim=0)
        scores = self.score(read).squeeze(1)
        scores = scores + self.scale * BELOW_SCALE * found[:, BELOW_BEST]
        logits = features.new_full(masks.shape, NO_CHOICE)
        logits[masks] = scores.clamp(-FURTHEST, FURTHEST)
        return functional.log_softmax(logits, dim=1)

    def worth(self, found: Tensor) -> Tensor:
        """Return what choices are worth: `[choice]`."""
        judged: Tensor = self.judge(self._read(self.weigh_choice, found))
        return judged.squeeze(1)

    def _read(self, layer: nn.Linear, found: Tensor, more: Tensor | None = None) -> Tensor:
        """Return a layer of the standardised features.

        Its weights and `more` for features that differ are summed, which is faster than two layers.
        """
        weights = layer.weight / self.spreads
        bias = layer.bias - weights @ self.means
        if more is not None:
            weights = weights + functional.pad(more, (0, N_FEATURES - N_CHOICE_FEATURES))
        return functional.linear(found, weights, bias)


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
        log_probs, values = self._judge(obs, _as_flags(action_masks))
        chosen = sample(log_probs, deterministic)
        log_prob = log_probs.gather(1, chosen[:, None]).squeeze(1)
        return chosen, values, log_prob

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return what the choices are worth, their log-probabilities, and entropies.

        The critic learns the returns of choices, not those of positions.
        """
        masks = _as_flags(action_masks)
        chosen = actions.long().view(-1, 1)
        log_probs = self.network.log_probs(obs, obs[masks], masks)
        log_prob = log_probs.gather(1, chosen).squeeze(1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1)
        worth = self.network.worth(obs[torch.arange(len(obs)), chosen.squeeze(1)])
        return worth[:, None], log_prob, entropy

    def _judge(self, obs: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities, and the values of the positions: `[row, 1]`."""
        found = obs[masks]
        log_probs = self.network.log_probs(obs, found, masks)
        worth = obs.new_zeros(masks.shape)
        worth[masks] = self.network.worth(found)
        return log_probs, (log_probs.exp() * worth).sum(dim=1, keepdim=True)

    def get_distribution(self, obs: PyTorchObs, action_masks: Any = None) -> MaskableDistribution:
        """Return the distribution over all choices, for sb3-contrib; training does not use it."""
        assert isinstance(obs, Tensor)
        masks = _as_flags(action_masks)
        log_probs = self.network.log_probs(obs, obs[masks], masks)
        distribution: MaskableDistribution = self.action_dist.proba_distribution(log_probs)
        return distribution

    def _predict(
        self, observation: PyTorchObs, deterministic: bool = False, action_masks: Any = None
    ) -> Tensor:
        assert isinstance(observation, Tensor)
        return self(observation, deterministic, action_masks)[0]  # type: ignore[no-any-return]

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Return the values of the positions; choices that there are not have features of 0."""
        assert isinstance(obs, Tensor)
        return self._judge(obs, (obs != 0).any(dim=2))[1]


def _as_flags(masks: Any) -> Tensor:
    if masks is None:
        raise ValueError("this policy needs action_masks")
    flags: Tensor = torch.as_tensor(masks)
    return flags.bool()
