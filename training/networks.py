"""The policy and value network in PyTorch.

It encodes the position once, then scores each legal action from its features
(`alhambra_env.agents.action_features`). A layer with 1955 outputs would be larger than the rest of
the network, and would have to learn each payment and each cell separately.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn
from torch.nn import functional

from alhambra_env.actions import N_ACTIONS
from alhambra_env.agents.action_features import (
    N_FEATURES,
    count_actions,
    find_actions,
    write_action_features,
)
from alhambra_env.agents.network import Weights, check_pieces
from alhambra_env.agents.table_features import table_encoding, write_all_table_features
from alhambra_env.observation.layout import Layout

FURTHEST: Final = 1e8
"""The largest logit, so that none is as low as what is not legal."""
NO_CHOICE: Final = -1e9
"""The logit of padding. Infinity would make the gradient of the entropy undefined."""


class Choices(NamedTuple):
    """The legal actions of a batch of observations, as one flat list."""

    starts: np.ndarray
    """Offset of each row in the list; the last entry is its length."""
    actions: np.ndarray
    features: Tensor
    rows: Tensor
    """The row of each action."""
    places: Tensor
    """The flat index of each action in an array `[row, width]`."""
    width: int
    """The largest number of legal actions in a row."""


def list_choices(observations: np.ndarray, masks: np.ndarray, layout: Layout) -> Choices:
    """Return the legal actions and their features."""
    size = len(masks)
    starts = np.empty(size + 1, np.int64)
    count_actions(masks, starts)
    actions = np.empty(starts[-1], np.int64)
    features = np.zeros((actions.size, N_FEATURES), np.float32)
    write_action_features(observations, masks, layout.bounds, starts, actions, features)
    counts = np.diff(starts)
    width = int(counts.max())
    rows = np.repeat(np.arange(size), counts)
    places = np.arange(actions.size) + (np.arange(size) * width - starts[:-1])[rows]
    return Choices(
        starts,
        actions,
        torch.from_numpy(features),
        torch.from_numpy(rows),
        torch.from_numpy(places),
        width,
    )


class ChoiceNetwork(nn.Module):
    """Returns log-probabilities of legal actions, and the value of the position."""

    def __init__(self, layout: Layout, table_width: int, choice_width: int) -> None:
        """Choose the layout of the observations and the widths of the layers."""
        super().__init__()
        check_pieces(layout.pieces)
        self.layout = layout
        self.reading = table_encoding(layout)
        self.read_table = nn.Sequential(
            nn.Linear(self.reading.size, table_width),
            nn.ReLU(),
            nn.Linear(table_width, table_width),
            nn.ReLU(),
        )
        self.read_choice = nn.Linear(N_FEATURES, choice_width)
        self.ask = nn.Linear(table_width, choice_width)
        self.score = nn.Sequential(
            nn.ReLU(), nn.Linear(choice_width, choice_width), nn.ReLU(), _last_layer(choice_width)
        )
        self.judge = nn.Sequential(
            nn.Linear(table_width, choice_width), nn.ReLU(), _last_layer(choice_width)
        )

    def numbers(self, observations: Tensor) -> Tensor:
        """Return the features of the positions: `[row, feature]`."""
        numbers = np.empty((len(observations), self.reading.size), np.float32)
        write_all_table_features(observations.numpy(), self.reading, numbers)
        return torch.from_numpy(numbers)

    def encode(self, observations: Tensor) -> Tensor:
        """Return the encoded position."""
        read: Tensor = self.read_table(self.numbers(observations))
        return read

    def values(self, encoded: Tensor) -> Tensor:
        """Return what the positions are worth: `[row, 1]`."""
        judged: Tensor = self.judge(encoded)
        return judged

    def log_probs(self, encoded: Tensor, choices: Choices) -> Tensor:
        """Return the logarithm of the chance of each choice: `[row, choice]`, filled up."""
        asked = self.ask(encoded).index_select(0, choices.rows)
        scores = self.score(self.read_choice(choices.features) + asked).squeeze(1)
        scores = scores.clamp(-FURTHEST, FURTHEST)
        filled = scores.new_full((len(encoded) * choices.width,), NO_CHOICE)
        filled = filled.scatter(0, choices.places, scores)
        return functional.log_softmax(filled.view(len(encoded), choices.width), dim=1)


def _last_layer(width: int) -> nn.Linear:
    """Return a layer with small initial weights: a near-uniform policy, and values near 0."""
    layer = nn.Linear(width, 1)
    with torch.no_grad():
        layer.weight *= 0.1
    return layer


def sample(log_probs: Tensor, deterministic: bool) -> Tensor:
    """Return an index for each row: the most likely one, or a sample."""
    if deterministic:
        return log_probs.argmax(dim=1)
    noise = -torch.empty_like(log_probs).exponential_().log()  # the Gumbel-max trick
    return (log_probs + noise).argmax(dim=1)


class Decisions(NamedTuple):
    """What a network decides for a batch of observations."""

    actions: np.ndarray
    places: Tensor
    """The index of each action among the legal actions of its row."""
    log_prob: Tensor
    """Of the chosen actions."""
    log_probs: Tensor
    """Of all choices, `[row, choice]`, filled up with `NO_CHOICE`."""
    values: Tensor
    """What the positions are worth: `[row, 1]`."""


def decide(
    network: ChoiceNetwork, observations: Tensor, masks: np.ndarray, deterministic: bool
) -> Decisions:
    """Choose actions, the most likely ones or samples; `masks` are int8 `[row, action]`."""
    choices = list_choices(observations.numpy(), masks, network.layout)
    encoded = network.encode(observations)
    log_probs = network.log_probs(encoded, choices)
    places = sample(log_probs, deterministic)
    return Decisions(
        choices.actions[choices.starts[:-1] + places.numpy()],
        places,
        log_probs.gather(1, places[:, None]).squeeze(1),
        log_probs,
        network.values(encoded),
    )


def as_masks(masks: Any, rows: int) -> np.ndarray:
    """Return the masks for compiled code: int8 `[row, action]`."""
    if masks is None:
        raise ValueError("this policy needs action_masks")
    array = np.asarray(masks)
    if array.dtype != np.int8:
        array = array.view(np.int8) if array.dtype.itemsize == 1 else array.astype(np.int8)
    return np.ascontiguousarray(array.reshape(rows, N_ACTIONS))


class ChoicePolicy(MaskableActorCriticPolicy):
    """`ChoiceNetwork` as a policy for sb3-contrib's MaskablePPO."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        layout: Layout,
        table_width: int,
        choice_width: int,
    ) -> None:
        """Create the network; the other arguments are those of every Stable-Baselines3 policy."""
        self._network_settings = (layout, table_width, choice_width)
        super().__init__(observation_space, action_space, lr_schedule)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = ChoiceNetwork(*self._network_settings)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=lr_schedule(1), eps=1e-5, fused=True
        )

    def _choices(self, obs: Tensor, masks: Any) -> Choices:
        return list_choices(obs.numpy(), as_masks(masks, len(obs)), self.network.layout)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions, values and log-probabilities of the actions."""
        decisions = decide(self.network, obs, as_masks(action_masks, len(obs)), deterministic)
        return torch.from_numpy(decisions.actions), decisions.values, decisions.log_prob

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return values, log-probabilities of the actions, and entropies."""
        choices = self._choices(obs, action_masks)
        encoded = self.network.encode(obs)
        log_probs = self.network.log_probs(encoded, choices)
        places = np.zeros(len(obs), np.int64)
        find_actions(actions.numpy(), choices.starts, choices.actions, places)
        log_prob = log_probs.gather(1, torch.from_numpy(places)[:, None]).squeeze(1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1)
        return self.network.values(encoded), log_prob, entropy

    def get_distribution(self, obs: PyTorchObs, action_masks: Any = None) -> MaskableDistribution:
        """Return the distribution over all actions, for sb3-contrib; training does not use it."""
        assert isinstance(obs, Tensor)
        choices = self._choices(obs, action_masks)
        log_probs = self.network.log_probs(self.network.encode(obs), choices)
        scores = log_probs.new_full((len(obs), N_ACTIONS), NO_CHOICE)
        scores[choices.rows, torch.from_numpy(choices.actions)] = log_probs.view(-1)[choices.places]
        distribution: MaskableDistribution = self.action_dist.proba_distribution(scores)
        distribution.apply_masking(as_masks(action_masks, len(obs)).astype(np.bool_))
        return distribution

    def _predict(
        self, observation: PyTorchObs, deterministic: bool = False, action_masks: Any = None
    ) -> Tensor:
        assert isinstance(observation, Tensor)
        return self(observation, deterministic, action_masks)[0]  # type: ignore[no-any-return]

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Return the values of the positions."""
        assert isinstance(obs, Tensor)
        return self.network.values(self.network.encode(obs))


def weights_of(network: nn.Module) -> Weights:
    """Return a copy of a network's weights, by name."""
    return {key: value.detach().numpy().copy() for key, value in network.state_dict().items()}


def load_weights(network: nn.Module, weights: Weights) -> None:
    """Replace a network's weights."""
    network.load_state_dict({key: torch.from_numpy(value) for key, value in weights.items()})
