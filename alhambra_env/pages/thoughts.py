"""What players weigh at the decisions of a game, as tables beside its moves."""

from collections.abc import Sequence
from typing import Any, Final

from ..agents.shipped import AGENT_NAMES
from ..bots import BOT_NAMES
from ..explanation import UNITS, Candidate
from ..game import Game
from ..players import Player, as_player, check_player_count, explain
from .progress import Progress

MOST_SHOWN: Final = 5
"""Ways to play that are shown of those that a player weighs; the one it played comes on top."""


def explainers_of(names: Sequence[str] | None, num_players: int) -> list[Player | None]:
    """Return the players of a record who can be asked again what they weigh.

    Those are the bots and the shipped agents. Settings are left out: they may be anything, such as
    a search of hours. Other names, which may be import paths, are neither imported nor opened.
    """
    return [_known(name, num_players) for name in names or [""] * num_players]


def _known(name: str, num_players: int) -> Player | None:
    plain = name.partition(":")[0]
    if plain not in (*BOT_NAMES, *AGENT_NAMES):
        return None
    player = as_player(plain)
    try:
        check_player_count(player, num_players)
    except ValueError:
        return None
    return player


def thoughts(
    positions: Sequence[Game], explainers: Sequence[Player | None], progress: Progress
) -> dict[str, Any]:
    """Return what was weighed at each decision: tables, and the table of each ply.

    A table of whole turns stands beside all actions of the turn that was played.
    """
    tables: list[dict[str, Any]] = []
    table_at: list[int | None] = [None]  # nothing was decided before the first position
    history = positions[-1].history
    while len(table_at) < len(positions):
        ply = len(table_at) - 1
        progress("Asking players", ply, len(history))
        game = positions[ply]
        player = explainers[game.to_play]
        has_choice = player is not None and len(game.legal_actions()) > 1
        found = explain(player, game) if player is not None and has_choice else None
        if not found:
            table_at.append(None)
            continue
        played = _played_among(found, history[ply:])
        covered = 1 if played is None else len(found[played].actions)
        table_at += [len(tables)] * min(covered, len(history) - ply)
        tables.append(_table(player, found, played, game))
    return {"tables": tables, "tableAt": table_at}


def _played_among(found: Sequence[Candidate], future: Sequence[int]) -> int | None:
    """Return which candidate was played; of several, the longest."""
    fitting = [
        number
        for number, each in enumerate(found)
        if tuple(future[: len(each.actions)]) == each.actions
    ]
    return max(fitting, key=lambda number: len(found[number].actions), default=None)


def _table(
    player: Player | None, found: Sequence[Candidate], played: int | None, game: Game
) -> dict[str, Any]:
    rows = list(range(min(MOST_SHOWN, len(found))))
    if played is not None and played not in rows:
        rows[-1] = played
    unit = next((each.unit for each in found if each.unit is not None), None)
    return {
        "who": "" if player is None else player.name,
        "unit": "" if unit is None else unit,
        "meaning": "" if unit is None else UNITS[unit].meaning,
        "weighed": len(found),
        "rows": [_row(found[i], i == played, i + 1, game) for i in rows],
    }


def _row(candidate: Candidate, is_played: bool, rank: int, game: Game) -> list[Any]:
    chance = candidate.probability
    return [
        rank,
        _in_a_line(candidate.describe(game)),
        None if chance is None else round(chance, 4),
        _value_of(candidate),
        is_played,
    ]


def _in_a_line(sentences: Sequence[str]) -> str:
    """Return what is done, without the remarks after colons."""
    first, *others = [sentence.partition(":")[0] for sentence in sentences]
    return "; ".join([first, *(other[:1].lower() + other[1:] for other in others)])


def _value_of(candidate: Candidate) -> str:
    """Return the value of a candidate without its unit, which is at the top of the column."""
    if candidate.value is None or candidate.unit is None:
        return ""
    return f"{candidate.value:{UNITS[candidate.unit].form}}"
