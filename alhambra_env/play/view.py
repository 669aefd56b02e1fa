"""What the page is sent: the table as its person may see it, and what can be done.

It contains nothing that the person may not know. Of the other hands, the deck and the bag it has
what the drawing has; the seed comes with the result, when the game is over.
"""

from typing import Any, Final

from ..actions import tile_text
from ..engine.editions import EDITION_NAMES
from ..game import Game
from ..options import read_edition
from ..render.svg import Marks, panel_svg, panels
from .choices import Choice, choices_of, noticed, sites_of
from .session import Session
from .table import SUBSTITUTE, Table

_MINE: Final = (440, 500)
_OTHERS: Final = (340, 380)
"""Sizes of the panels of the person's seat, and of the others."""


def view_of(session: Session) -> dict[str, Any]:
    """Return the state of a session as JSON has it."""
    with session.lock:
        table = session.table
        choices = choices_of(table.game) if table.is_persons_turn else []
        return {
            "version": session.version,
            "game": session.first_version,
            "state": _state(table),
            "prompt": _prompt(table),
            "panels": _draw(table, choices),
            "choices": [_choice(choice) for choice in choices],
            "noticed": noticed(choices),
            "can_undo": table.can_undo,
            "hint_by": session.hint_by,
            "hint": _hint(session),
            "log": _log(table),
            "pause": session.pause,
            "notice": session.notice,
            "edition": table.game.edition,
            "players": list(table.seats.specs),
            "offers": {
                "players": [offer._asdict() for offer in session.offers],
                "editions": _editions(table.game),
            },
            "result": _result(table) if table.game.over else None,
        }


def _editions(game: Game) -> list[dict[str, Any]]:
    names = dict.fromkeys((*EDITION_NAMES, game.edition))
    return [{"name": name, "min_players": read_edition(name).min_players} for name in names]


def _choice(choice: Choice) -> dict[str, Any]:
    return {
        "action": choice.action,
        "keys": list(choice.keys),
        "text": choice.text,
        "label": choice.label,
        "note": choice.note,
        "quick": choice.is_quick,
        "button": choice.is_button,
    }


def _log(table: Table) -> list[dict[str, Any]]:
    return [
        {
            "name": None if entry.seat is None else table.names[entry.seat],
            "mine": entry.seat == table.seats.human,
            "text": entry.text,
            "details": list(entry.details),
        }
        for entry in table.log
    ]


def _state(table: Table) -> str:
    if table.game.over:
        return "over"
    if table.failure is not None:
        return "failed"
    return "yours" if table.is_persons_turn else "theirs"


def _prompt(table: Table) -> str:
    """Return what is happening, in a sentence or two."""
    if table.game.over:
        return table.log[-1].text
    if table.failure is not None:
        return (
            f"{table.names[table.failure.seat]} raised an error ({table.failure.kind}) and cannot "
            "go on; the terminal says more. The game is kept: you can save it, or let "
            f"{SUBSTITUTE} play on."
        )
    if table.is_persons_turn:
        return _ask_person(table.game)
    return f"{table.names[table.game.to_play]} is thinking"


def _ask_person(game: Game) -> str:
    snapshot = game.snapshot()
    picked = snapshot["picked"]
    what = "" if picked is None else tile_text(picked)
    if game.phase == "rebuild":
        return f"Rebuild: where does {what} go? On a tile, they are exchanged."
    won = "You won what was left in the market. " if snapshot["ending"] else ""
    if game.phase == "put":
        return f"{won}Where does {what} go?"
    if game.phase == "place":
        return f"{won}Which tile do you place next?"
    if snapshot["exact_slot"] is not None:
        return "Paid exactly: you have another action."
    return "Your turn: take money, buy a tile or rebuild."


def _draw(table: Table, choices: list[Choice]) -> list[dict[str, str]]:
    """Return the panels in the order of play, the person's own first among the seats."""
    game, me = table.game, table.seats.human
    snapshot = game.snapshot()
    sites: Marks = dict.fromkeys(sites_of(game, choices), "legal")
    names, last = table.names, table.last
    mine = panels(snapshot, me, names=names, last=last, marks=sites, seat_size=_MINE)
    others = panels(snapshot, me, names=names, last=last, marks={}, seat_size=_OTHERS)
    own, count = f"seat-{me}", game.num_players
    shown = {name: mine[name] for name in ("table", "dirk", own, "aid") if name in mine}
    shown |= {f"seat-{seat}": others[f"seat-{seat}"] for seat in _after(me, count)}
    return [
        {"name": "mine" if name == own else name, "title": panel.title, "svg": panel_svg(panel)}
        for name, panel in shown.items()
    ]


def _after(seat: int, count: int) -> list[int]:
    return [(seat + i) % count for i in range(1, count)]


def _hint(session: Session) -> dict[str, Any] | None:
    if session.is_hinting:
        return {"adviser": session.hint_by, "options": None, "meaning": ""}
    return None if session.hint is None else session.hint._asdict()


def _result(table: Table) -> dict[str, Any]:
    game = table.game
    return {
        "seed": str(game.seed),  # more digits than a number of JavaScript has
        "scores": [
            {"name": table.names[seat], "score": score, "wins": seat in game.winners}
            for seat, score in sorted(enumerate(game.scores), key=lambda each: -each[1])
        ],
    }
