"""Game records: a whole game as a JSON file that replays to the same bytes.

{"format": "alhambra game record", "encoding_version": 1, "edition": "german",
 "num_players": 3, "max_turns": 1000, "seed": 7, "players": ["turns", "lookahead", "planner"],
 "actions": ["take:0", ...],
 "result": {"over": true, "truncated": false, "scores": [...], "winners": [...],
            "record_sha256": "..."}}

The names of the players are optional; who they are is not checked. A name is never looked up or
imported by this module.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from . import actions
from .engine.action_ranges import ENCODING_VERSION
from .errors import DamagedRecord
from .files import write_whole
from .game import Game
from .validation import as_list, printable_name, shown

FORMAT: Final = "alhambra game record"

_SETTINGS: Final = ("num_players", "edition", "seed", "max_turns")


class Record(NamedTuple):
    """What a record says."""

    game: Game
    """The game at the end of the record, with its history."""
    players: list[str] | None
    """The names of the players by seat, if the record has them."""


def record_of(game: Game, players: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the record of a game as a dictionary that JSON can hold.

    Args:
        game: played from its start; it need not be over.
        players: their names by seat, each of 1 to 200 printable characters.

    Raises:
        ValueError: the game was loaded or resampled, so its first actions are not known; or the
            names are not allowed.
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
        **({} if players is None else {"players": check_names(players, game.num_players)}),
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


def check_names(players: Iterable[str], num_players: int) -> list[str]:
    """Return the names of the players by seat.

    Raises:
        ValueError: there is not one for each seat, or one is not 1 to 200 printable characters.
    """
    names = as_list(players, "the names of the players")
    if len(names) != num_players:
        raise ValueError(f"{num_players} players have {num_players} names, not {len(names)}")
    return [printable_name(name, f"the name of seat {seat}") for seat, name in enumerate(names)]


def save_record(game: Game, path: str | Path, players: Iterable[str] | None = None) -> None:
    """Write the record of a game to a file, which is never left half written.

    Args:
        game: played from its start; it need not be over.
        path: of the file; an existing one is replaced.
        players: their names by seat, as for `record_of`.
    """
    write_whole(path, json.dumps(record_of(game, players), indent=1) + "\n")


def load_record(path: str | Path) -> Game:
    """Read a file of `save_record` and replay it. Raises `DamagedRecord` as `replay` does."""
    return read_record(path).game


def read_record(path: str | Path) -> Record:
    """Read a file of `save_record`: the game, as `load_record` returns it, and the players' names.

    Raises:
        DamagedRecord: as `replay`, or if the names are not allowed.
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedRecord(f"{path} is not a game record: {error}") from None
    return replayed(record)


def _names_in(record: dict[str, Any], num_players: int) -> list[str] | None:
    names = record.get("players")
    if names is None:
        return None
    if not isinstance(names, list):
        raise DamagedRecord(f"players of the record must be a list, not {shown(names)}")
    try:
        return check_names(names, num_players)
    except ValueError as error:
        raise DamagedRecord(f"players of the record: {error}") from None


def replay(record: Any) -> Game:
    """Play a record from its seed and return the game at the end of the record.

    Raises:
        DamagedRecord: it is not a record, has another encoding version or an illegal action, or
            does not end in the recorded result; the message says which.
    """
    return replayed(record).game


def replayed(record: Any) -> Record:
    """Play a record as `replay` does; return the game and the names of the players."""
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
    players = _names_in(record, game.num_players)
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
    return Record(game, players)
