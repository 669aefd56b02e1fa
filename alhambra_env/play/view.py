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
from .session import SUBSTITUTE, Session

_MINE: Final = (440, 500)
_OTHERS: Final = (340, 380)
"""Sizes of the panels of the person's seat, and of the others."""


def view_of(session: Session) -> dict[str, Any]:
    """Return the state of a session as JSON has it."""
    with session.lock:
        game = session.game
        choices = _choices(session)
        return {
            "version": session.version,
            "game": session.first_version,
            "state": _state(session),
            "prompt": _prompt(session),
            "panels": _draw(session, choices),
            "choices": [_choice(choice) for choice in choices],
            "noticed": noticed(choices),
            "can_undo": session.can_undo,
            "hint_by": session.hint_by,
            "hint": _hint(session),
            "log": [
                {
                    "name": None if entry.seat is None else session.names[entry.seat],
                    "mine": entry.seat == session.seats.human,
                    "text": entry.text,
                    "details": list(entry.details),
                }
                for entry in session.log
            ],
            "pause": session.pause,
            "notice": session.notice,
            "edition": game.edition,
            "players": list(session.seats.specs),
            "offers": {
                "players": [offer._asdict() for offer in session.offers],
                "editions": _editions(game),
            },
            "result": _result(session) if game.over else None,
        }


def _editions(game: Game) -> list[dict[str, Any]]:
    names = dict.fromkeys((*EDITION_NAMES, game.edition))
    return [{"name": name, "min_players": read_edition(name).min_players} for name in names]


def _choices(session: Session) -> list[Choice]:
    game = session.game
    is_ours = not game.over and game.to_play == session.seats.human
    return choices_of(game) if is_ours else []


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


def _state(session: Session) -> str:
    game = session.game
    if game.over:
        return "over"
    if session.failure is not None:
        return "failed"
    return "yours" if game.to_play == session.seats.human else "theirs"


def _prompt(session: Session) -> str:
    """Return what is happening, in a sentence or two."""
    game, state = session.game, _state(session)
    name = session.names[game.to_play]
    if state == "over":
        return session.log[-1].text
    if state == "failed" and session.failure is not None:
        name = session.names[session.failure.seat]
        return (
            f"{name} raised an error ({session.failure.kind}) and cannot go on; the terminal says "
            f"more. The game is kept: you can save it, or let {SUBSTITUTE} play on."
        )
    return _ask_person(game) if state == "yours" else f"{name} is thinking"


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


def _draw(session: Session, choices: list[Choice]) -> list[dict[str, str]]:
    """Return the panels in the order of play, the person's own first among the seats."""
    game, me = session.game, session.seats.human
    snapshot = game.snapshot()
    sites: Marks = dict.fromkeys(sites_of(game, choices), "legal")
    names, last = session.names, session.last
    mine = panels(snapshot, me, names=names, last=last, marks=sites, seat_size=_MINE)
    others = panels(snapshot, me, names=names, last=last, marks={}, seat_size=_OTHERS)
    count = game.num_players
    later = [f"seat-{(me + i) % count}" for i in range(1, count)]
    own = f"seat-{me}"
    shown = {name: mine[name] for name in ("table", "dirk", own, "aid") if name in mine}
    shown |= {name: others[name] for name in later}
    return [
        {
            "name": "mine" if name == own else name,
            "title": panel.title,
            "svg": panel_svg(panel),
        }
        for name, panel in shown.items()
    ]


def _hint(session: Session) -> dict[str, Any] | None:
    if session.is_hinting:
        return {"adviser": session.hint_by, "options": None, "meaning": ""}
    return None if session.hint is None else session.hint._asdict()


def _result(session: Session) -> dict[str, Any]:
    game = session.game
    return {
        "seed": str(game.seed),  # more digits than a number of JavaScript has
        "scores": [
            {
                "name": session.names[seat],
                "score": score,
                "wins": seat in game.winners,
                "mine": seat == session.seats.human,
            }
            for seat, score in sorted(enumerate(game.scores), key=lambda each: -each[1])
        ],
    }
