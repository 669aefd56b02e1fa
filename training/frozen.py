"""Frozen policies from networks in training."""

from alhambra_env.agents.policy import AgentPolicy

from .networks import ChoiceNetwork, weights_of


class FrozenPolicy(AgentPolicy):
    """A policy with a copy of a network's present weights."""

    def __init__(self, network: ChoiceNetwork, deterministic: bool = False) -> None:
        """Copy a network's weights."""
        super().__init__(network.layout, weights_of(network), deterministic)
