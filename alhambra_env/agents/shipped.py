"""The trained agents that come with the package, by name."""

from pathlib import Path
from typing import Final

AGENT_NAMES: Final = ("ppo_2p", "ppo_3p", "ppo_4p", "turns")
"""Their names; `ppo_3p` plays games of three, `turns` of any number."""

_PREFIX: Final = "ppo_"

_HERE: Final = Path(__file__).resolve().parent
_FOLDERS: Final = (
    _HERE / "shipped",  # in an installed package
    _HERE.parent.parent / "checkpoints",  # in a checkout of the repository
)


def shipped_agent(name: str) -> Path:
    """Return the checkpoint of a shipped agent.

    Raises:
        ValueError: it is missing from this installation.
    """
    for folder in _FOLDERS:
        if (folder / name).is_dir():
            return folder / name
    raise ValueError(f"the agent {name} is missing from this installation: install it again")


def trained_for(name: str) -> int | None:
    """Return the number of players that a shipped agent was trained for; None for all."""
    if not name.startswith(_PREFIX):
        return None
    return int(name.removeprefix(_PREFIX).removesuffix("p"))


def wrong_player_count(name: str, wanted: int, num_players: int) -> str:
    """Return the error message for an agent in a game with another number of players."""
    fitting = [agent for agent in AGENT_NAMES if trained_for(agent) in (None, num_players)]
    return (
        f"{name} was trained for {wanted} players, not for {num_players}; "
        f"shipped agents for {num_players}: {', '.join(fitting)}"
    )
