"""The replay of a game as a web page: one file that loads nothing."""

from collections.abc import Sequence
from typing import Any, Final

from ..chances import win_chances
from ..game import Game
from ..players import Player
from ..record import Record, check_names
from ..render.svg import definitions_svg
from .document import asset, fill, packed
from .film import film
from .progress import Progress, untold
from .story import (
    Change,
    moves_of,
    positions_of,
    result_of,
    scores_of,
    scorings_of,
    titles_of,
)
from .thoughts import explainers_of, thoughts

DEFAULT_CHANCES: Final = 64
"""Playouts for the chances to win at the start of each turn."""

_SCRIPTS: Final = ("elements", "chart", "weighed", "replay")


def replay_page(
    source: Game | Record,
    players: Sequence[str] | None = None,
    *,
    explainers: Sequence[Player | None] | None = None,
    chances: int = 0,
    progress: Progress = untold,
) -> str:
    """Return the replay of a game as a web page: HTML with all that it needs.

    The page has a choice between everything and what one seat may know.

    Args:
        source: a game that was played from its start, or `record.read_record`.
        players: the names by seat; without, those of the record, or `Seat 0`, ...
        explainers: whom to ask by seat what it weighs at each of its decisions; None for nobody.
            Without, these are the players of the record who are bots or shipped agents. An empty
            list asks nobody.
        chances: playouts for the chances to win at the start of each turn; 0 leaves them out.
        progress: is told how far it has come, as making a page may take some seconds.

    Raises:
        ValueError: the game was loaded or resampled, so its first actions are not known; or there
            is not a name, or an explainer, for each seat.
    """
    game, recorded = source if isinstance(source, Record) else (source, None)
    given = recorded if players is None else check_names(players, game.num_players)
    if explainers is None:
        explainers = explainers_of(given, game.num_players)
    explainers = list(explainers) or [None] * game.num_players
    if len(explainers) != game.num_players:
        raise ValueError(
            f"explainers must be one for each of {game.num_players} seats, not {len(explainers)}"
        )
    names = given or [f"Seat {seat}" for seat in range(game.num_players)]
    positions = positions_of(game)
    data = {
        "names": names,
        "titles": titles_of(names),
        "over": game.over,
        "winners": game.winners,
        "moves": moves_of(positions),
        "scores": scores_of(positions),
        "scorings": scorings_of(positions),
        "chances": _chances(positions, chances, progress) if chances else [],
        "thoughts": thoughts(positions, explainers, progress),
        **film(positions, names, progress),
    }
    return _page(game, names, data)


def _chances(positions: Sequence[Game], playouts: int, progress: Progress) -> list[Change]:
    """Return each seat's chance to win at the start of each turn, and the result at the end."""
    starts = [
        ply
        for ply, position in enumerate(positions)
        if ply == 0 or position.over or position.state.turn != positions[ply - 1].state.turn
    ]
    found = []
    for number, ply in enumerate(starts):
        progress("Playing positions on", number, len(starts))
        chances = win_chances(positions[ply], playouts, seed=ply)
        found.append(Change(ply, [round(chance, 3) for chance in chances]))
    return found


def _page(game: Game, names: Sequence[str], data: dict[str, Any]) -> str:
    titles = titles_of(names)
    result = result_of(game, names)
    facts = f"{game.edition} edition, {game.num_players} players, {len(game.history)} actions"
    return fill(
        asset("replay.html"),
        "".join(asset(f"{name}.js") for name in _SCRIPTS),
        markup={
            "style": asset("replay.css"),
            "definitions": definitions_svg(),
            "data": packed(data),
        },
        text={
            "title": f"Alhambra: {', '.join(titles)}",
            "result": result,
            "facts": facts,
            "players": str(game.num_players),
        },
    )
