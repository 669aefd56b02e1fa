"""Policies that no longer learn, from the networks of training."""

from alhambra_env.agents.policy import AgentPolicy

from .networks import ChoiceNetwork, weights_of


class FrozenPolicy(AgentPolicy):
    """The weights of a network as they are now, as a policy."""

    def __init__(self, network: ChoiceNetwork, deterministic: bool = False) -> None:
        """Copy a network's weights."""
        super().__init__(network.layout, weights_of(network), deterministic)
