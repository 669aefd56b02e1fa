"""The ladder: rungs on which one player meets copies of a weaker one."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..bots import BOTS
from ..errors import DamagedRecord
from ..files import write_whole
from ..options import DEFAULT_EDITION, AnyEdition, GameRules
from ..validation import shortened, shown, whole_number
from .entrants import check_player_counts, enter
from .matches import check_amounts, duel
from .outputs import check_output, check_output_folder
from .results import LARGEST_COUNT, Results
from .standings import Measured, standings

FORMAT: Final = "alhambra ladder"
_MOST_RUNGS: Final = 1000
_LONGEST_NAME: Final = 300
DEALS: Final = 400
SLOW_DEALS: Final = 40
SLOW: Final = ("rollout",)
"""Bots so slow that their rungs get `SLOW_DEALS`."""
NUM_PLAYERS: Final = (2, 3, 4)
RUNGS: Final = tuple((kind.name, kind.over) for kind in BOTS if kind.over)
"""The rungs of the bots: each pair is a player and the one whose copies it meets."""


class Rung(NamedTuple):
    """One player against copies of another."""

    player: str
    other: str
    num_players: int
    edition: str
    seed: int
    deals: int
    win_share: Measured
    """Of the one player; 1/`num_players` if both play equally well."""
    margin: Measured
    score: Measured
    other_score: Measured

    @property
    def is_step_up(self) -> bool:
        """Is the whole interval of the win share above parity?"""
        return self.win_share.low > 1 / self.num_players


def climb(
    rungs: Iterable[tuple[str, str]] = RUNGS,
    num_players: Iterable[int] = NUM_PLAYERS,
    deals: int = DEALS,
    slow_deals: int = SLOW_DEALS,
    seed: int = 0,
    edition: AnyEdition = DEFAULT_EDITION,
    *,
    workers: int | None = None,
    folder: str | Path | None = None,
    progress: bool = False,
) -> Iterator[Rung]:
    """Play the rungs one after another, and yield each when it is played.

    Args:
        rungs: pairs of a player and the one whose copies it meets, both as strings for `as_player`.
        num_players: numbers of seats; every pair plays a rung for each.
        deals: deals of each rung.
        slow_deals: deals of rungs with a bot of `SLOW`.
        seed: of every rung.
        edition: the rulebook to follow: its name, an `Edition`, or one as text.
        workers: as in `match`.
        folder: where to keep the results, a file for each rung, so that a later call resumes. It is
            created if it is missing; its parent must exist.
        progress: whether to show a progress bar for each rung.

    Raises:
        ValueError: for a setting that is not allowed, before the first rung is played.
    """
    pairs, counts = tuple(rungs), tuple(num_players)
    check_amounts(deals, workers)
    check_amounts(slow_deals, workers)
    entrants = [enter(name) for name in dict.fromkeys(name for pair in pairs for name in pair)]
    for count in counts:
        GameRules(count, edition)  # checks them
        check_player_counts(entrants, count)
    if folder is not None:
        check_output_folder(folder)
        Path(folder).mkdir(exist_ok=True)
    for player, other in pairs:
        is_slow = any(name.partition(":")[0] in SLOW for name in (player, other))
        for count in counts:
            results = duel(
                player,
                other,
                count,
                slow_deals if is_slow else deals,
                seed,
                edition,
                workers=workers,
                out=None if folder is None else _file_of(Path(folder), player, other, count),
                progress=progress,
            )
            yield rung_of(results)


def _file_of(folder: Path, player: str, other: str, count: int) -> Path:
    """Return the file of a rung, directly in the folder even if a player's name is a path."""
    # Windows does not allow these in a file name.
    return folder / re.sub(r'[<>:"/\\|?*]', "-", f"{player}-{other}-{count}.jsonl")


def rung_of(results: Results) -> Rung:
    """Return the rung that the results of a `duel` give for its player."""
    match = results.match
    table = standings(results)
    alone, copied = (match.names[i] for i in match.line_ups[0][:2])
    row = table.row(alone)
    return Rung(
        alone,
        copied,
        match.num_players,
        match.edition,
        match.seed,
        table.deals,
        row.win_share,
        row.margin,
        row.score,
        table.row(copied).score,
    )


def write_ladder(rungs: Iterable[Rung], path: str | Path) -> None:
    """Write rungs to a JSON file, which is never left half written.

    Raises:
        ValueError: the file cannot be written; its folder must exist.
    """
    check_output(path)
    content = {"format": FORMAT, "rungs": [_rung_as_json(rung) for rung in rungs]}
    write_whole(path, json.dumps(content, indent=1) + "\n")


def _rung_as_json(rung: Rung) -> dict[str, Any]:
    return {
        key: value._asdict() if isinstance(value, Measured) else value
        for key, value in rung._asdict().items()
    }


def read_ladder(path: str | Path) -> list[Rung]:
    """Return the rungs in a file of `write_ladder`, or raise `DamagedRecord`."""
    return parse_ladder(Path(path).read_bytes(), str(path))


def parse_ladder(data: bytes, where: str) -> list[Rung]:
    """Return the rungs in the content of a file; `DamagedRecord` calls the file `where`."""
    try:
        content = json.loads(data)
        if content["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        if len(content["rungs"]) > _MOST_RUNGS:
            raise ValueError(f"it has more than {_MOST_RUNGS} rungs")
        return [_rung_of_json(rung) for rung in content["rungs"]]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise DamagedRecord(f"{where} is not a ladder: {shortened(str(error))}") from None


def _rung_of_json(rung: Any) -> Rung:
    if not isinstance(rung, dict) or set(rung) != set(Rung._fields):
        raise ValueError(f"a rung has {', '.join(Rung._fields)}")
    values = {}
    for key, kind in Rung.__annotations__.items():
        value = rung[key]
        if kind is Measured:
            value = Measured(*(_number(value[part]) for part in Measured._fields))
        elif kind is int:
            whole_number(value, key, 0, LARGEST_COUNT)
        elif not isinstance(value, str) or not value.isprintable() or len(value) > _LONGEST_NAME:
            raise ValueError(f"{key} must be a name, not {shown(value)}")
        values[key] = value
    GameRules(values["num_players"], values["edition"])  # checks them
    return Rung(**values)


def _number(value: Any) -> float:
    """Return a measured number; it may be nan, as the interval of a single deal is."""
    if type(value) not in (int, float):
        raise ValueError(f"{shown(value)} is not a number")
    return float(value)
