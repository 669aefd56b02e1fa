"""The policy and value network of this project as an `RLModule` of RLlib."""

from typing import Any, Final

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule

from ..config import Config
from ..networks import ChoiceNetwork, decide, list_choices
from .rollout import MASK_BITS, unpack_masks, widened

NETWORK: Final = "network."
"""What the names of the weights begin with in the state of the module."""

_SECTIONS: Final = ("game", "network")
"""The sections of a run's settings that determine the network."""


class ChoiceModule(TorchRLModule, ValueFunctionAPI):
    """`ChoiceNetwork` for PPO: a distribution over the legal actions, and a value.

    An action in a train batch is its index among the legal actions of its row. The distribution has
    as many entries as there are legal actions, not 1955.
    """

    def setup(self) -> None:
        """Create the network; RLlib calls this."""
        # RLlib adds settings of its own.
        own = {key: self.model_config[key] for key in _SECTIONS}
        settings = Config.model_validate(own)
        self.network = ChoiceNetwork(settings.game.layout(), **settings.network.model_dump())

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        return self._decide(batch, deterministic=True)

    def _forward_exploration(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        with torch.no_grad():
            return self._decide(batch, deterministic=False)

    def _decide(self, batch: dict[str, Any], deterministic: bool) -> dict[str, Any]:
        masks = unpack_masks(batch[MASK_BITS].numpy())
        made = decide(self.network, batch[Columns.OBS], masks, deterministic)
        return {
            Columns.ACTIONS: made.places,
            Columns.ACTIONS_FOR_ENV: made.actions,
            Columns.ACTION_LOGP: made.log_prob,
            Columns.ACTION_DIST_INPUTS: made.log_probs,
            Columns.VF_PREDS: made.values.squeeze(1),
        }

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        observations = batch[Columns.OBS]
        masks = unpack_masks(batch[MASK_BITS].numpy())
        choices = list_choices(observations.numpy(), masks, self.network.layout)
        encoded = self.network.encode(observations)
        log_probs = self.network.log_probs(encoded, choices)
        width = batch[Columns.ACTION_DIST_INPUTS].shape[1]
        return {
            Columns.ACTION_DIST_INPUTS: widened(log_probs, width),
            Columns.EMBEDDINGS: encoded,
        }

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return what the positions are worth; `embeddings` are encoded positions."""
        encoded = self.network.encode(batch[Columns.OBS]) if embeddings is None else embeddings
        return self.network.values(encoded).squeeze(1)


def module_spec(config: Config) -> RLModuleSpec:
    """Return the description of the module for RLlib."""
    settings = config.model_dump(mode="json", include=set(_SECTIONS))
    return RLModuleSpec(module_class=ChoiceModule, model_config=settings)
