"""Trained agents by name: `ppo:checkpoints/NAME`, or a shipped one such as `ppo_3p`."""

import os
from typing import Final

from ..bots.kinds import read_playouts
from ..validation import one_of, shown
from .checkpoint import Agent, TurnAgent, read_agent
from .player import SEARCH, TrainedPlayer
from .shipped import AGENT_NAMES, shipped_agent
from .turn_player import TurnAgentPlayer
from .turn_search import read_budget

PREFIX: Final = "ppo"
SAMPLE: Final = "sample"

AgentPlayer = TrainedPlayer | TurnAgentPlayer


def load_player(text: str) -> AgentPlayer:
    """Return the player of a checkpoint: `"checkpoints/NAME"`.

    Options follow after a comma: `",sample"` samples actions from the policy, `",search=240"`
    searches with 240 playouts per decision, or samples per turn if the agent chooses turns. For
    such an agent, `",search=0.2s"` searches for as long.

    Raises:
        DamagedCheckpoint: there is none, it is damaged, or it is for another version.
        ValueError: the name is empty, or there is no such option.
    """
    folder, comma, option = _split(text)
    if not folder.strip():
        raise ValueError(
            f"{shown(f'{PREFIX}:{text}')} does not name a checkpoint: "
            f"write {PREFIX}:checkpoints/NAME"
        )
    name, _, last = folder.rpartition(":")
    if last.partition("=")[0] in (SAMPLE, SEARCH) and name and not _is_folder(folder):
        raise ValueError(f"the option of a checkpoint comes after a comma: {PREFIX}:{name},{last}")
    return _make_player(read_agent(folder), f"{PREFIX}:{text}", option if comma else None)


def load_shipped(text: str) -> AgentPlayer:
    """Return a shipped agent by name: `"ppo_3p"`, `"ppo_3p:sample"`, `"ppo_3p:search=240"`.

    Raises:
        ValueError: there is no such agent or option; the message lists what there is.
    """
    name, colon, option = text.partition(":")
    one_of(name, AGENT_NAMES, "agent")
    return _make_player(read_agent(shipped_agent(name)), text, option if colon else None)


def _make_player(agent: Agent | TurnAgent, name: str, option: str | None) -> AgentPlayer:
    is_sampling, value = False, ""
    if option is not None:
        key, sign, value = option.partition("=")
        is_sampling = one_of(key, (SAMPLE, SEARCH), "option of a trained player") == SAMPLE
        if is_sampling and sign:
            raise ValueError(f"the option {SAMPLE!r} takes no value, not {shown(value)}")
    is_searching = option is not None and not is_sampling
    if isinstance(agent, TurnAgent):
        budget = read_budget(value, SEARCH) if is_searching else None
        return TurnAgentPlayer(
            agent.weights,
            agent.scale,
            name,
            agent.hands,
            is_sampling,
            budget,
            agent.outcome,
            agent.margin,
        )
    playouts = read_playouts(value, SEARCH) if is_searching else None
    return TrainedPlayer(
        agent.layout, agent.weights, agent.num_players, name, is_sampling, playouts
    )


def _split(text: str) -> tuple[str, str, str]:
    """Return folder, comma and option; a folder that exists may have commas in its name."""
    for parts in ((text, "", ""), text.rpartition(",")):
        if _is_folder(parts[0]):
            return parts
    return text.partition(",")


def _is_folder(name: str) -> bool:
    return os.path.isdir(name)  # noqa: PTH112  # Path.is_dir raises for names too long
