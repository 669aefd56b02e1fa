"""The trained agents that come with the package, by name."""

from pathlib import Path
from typing import Final

AGENT_NAMES: Final = ("ppo_2p", "ppo_3p", "ppo_4p")
"""All of them; each plays games of the number of players in its name."""

_HERE: Final = Path(__file__).resolve().parent
_FOLDERS: Final = (
    _HERE / "shipped",  # in an installed package
    _HERE.parent.parent / "checkpoints",  # in a checkout of the repository
)


def shipped_agent(name: str) -> Path:
    """Return the checkpoint of a shipped agent.

    Raises:
        ValueError: this installation lacks it.
    """
    for folder in _FOLDERS:
        if (folder / name).is_dir():
            return folder / name
    raise ValueError(f"the agent {name} is missing from this installation: install it again")


def trained_for(name: str) -> int:
    """Return how many players the games of a shipped agent have."""
    return int(name.removeprefix("ppo_").removesuffix("p"))


def wrong_player_count(name: str, wanted: int, num_players: int) -> str:
    """Return what to say of an agent that is asked to play with another number of players."""
    fitting = [agent for agent in AGENT_NAMES if trained_for(agent) == num_players]
    hint = f"shipped agents for {num_players}: {', '.join(fitting)}"
    if not fitting:
        hint = f"no shipped agent plays with {num_players}, but all bots do"
    return f"{name} was trained for {wanted} players, not for {num_players}; {hint}"
