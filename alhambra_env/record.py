"""Game records: a whole game as a JSON file that replays to the same bytes.

{"format": "alhambra game record", "encoding_version": 1, "edition": "german",
 "num_players": 3, "max_turns": 1000, "seed": 7, "actions": ["take:0", ...],
 "result": {"over": true, "truncated": false, "scores": [...], "winners": [...],
            "record_sha256": "..."}}
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from . import actions
from .engine.action_ranges import ENCODING_VERSION
from .errors import DamagedRecord
from .files import write_whole
from .game import Game
from .validation import shown

FORMAT: Final = "alhambra game record"

_SETTINGS: Final = ("num_players", "edition", "seed", "max_turns")


def record_of(game: Game) -> dict[str, Any]:
    """Return the record of a game as a dictionary that JSON can hold.

    Raises:
        ValueError: the game was loaded or resampled, so its first actions are not known.
    """
    if game.seed is None:
        raise ValueError("only a game played from its start has a record; this one was loaded")
    return {
        "format": FORMAT,
        "encoding_version": ENCODING_VERSION,
        "edition": game.edition,
        "num_players": game.num_players,
        "max_turns": int(game.state.max_turns),
        "seed": game.seed,
        "actions": [actions.name(action) for action in game.history],
        "result": _result(game),
    }


def _result(game: Game) -> dict[str, Any]:
    return {
        "over": game.over,
        "truncated": game.truncated,
        "scores": game.scores,
        "winners": game.winners,
        "record_sha256": hashlib.sha256(game.to_bytes()).hexdigest(),
    }


def save_record(game: Game, path: str | Path) -> None:
    """Write the record of a game to a file, which is never left half written."""
    write_whole(path, json.dumps(record_of(game), indent=1) + "\n")


def load_record(path: str | Path) -> Game:
    """Read a file of `save_record` and replay it. Raises `DamagedRecord` as `replay` does."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedRecord(f"{path} is not a game record: {error}") from None
    return replay(record)


def replay(record: Any) -> Game:
    """Play a record from its seed and return the game at the end of the record.

    Raises:
        DamagedRecord: it is not a record, has another encoding version or an illegal action, or
            does not end in the recorded result; the message says which.
    """
    is_named = isinstance(record, dict) and isinstance(record.get("format"), str)
    if not is_named or record["format"] != FORMAT:
        raise DamagedRecord(f"this is not a game record: its format is not {FORMAT!r}")
    if (version := record.get("encoding_version")) != ENCODING_VERSION:
        raise DamagedRecord(
            f"the record has encoding version {shown(version)}; "
            f"this package reads {ENCODING_VERSION}"
        )
    missing = [key for key in (*_SETTINGS, "actions", "result") if key not in record]
    if missing:
        raise DamagedRecord(f"the record lacks {', '.join(missing)}")
    if record["seed"] is None:
        raise DamagedRecord("the record has no seed, so it cannot be replayed")
    for key, kind in (("actions", list), ("result", dict)):
        if not isinstance(record[key], kind):
            raise DamagedRecord(
                f"{key} of the record must be a {kind.__name__}, not {shown(record[key])}"
            )
    try:
        game = Game(**{key: record[key] for key in _SETTINGS})
    except ValueError as error:
        raise DamagedRecord(f"the record's settings are not allowed: {error}") from None
    for number, name in enumerate(record["actions"]):
        try:
            game.step(actions.parse(str(name)))
        except ValueError as error:
            raise DamagedRecord(f"action {number} of the record: {error}") from None
    for key, value in _result(game).items():
        if record["result"].get(key) != value:
            raise DamagedRecord(
                f"the replay does not end as recorded: {key} is {value}, "
                f"the record says {record['result'].get(key)}"
            )
    return game
