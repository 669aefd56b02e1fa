"""Reads one shard: two Parquet files from untrusted sources, checked before use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..agents.checkpoint import digest, read_file
from ..engine.action_ranges import N_ACTIONS
from ..engine.rewards import find_winners
from ..errors import DamagedRecord
from ..observation.layout import Layout
from ..options import REWARD_NAMES
from ..validation import shortened
from .games import RecordedGame
from .settings import File, Settings, Shard
from .tables import OBSERVATION, decisions_schema, games_schema, string_column

LARGEST_GROUP: Final = 1 << 30
"""The most bytes of a row group, in memory."""


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn any error from reading an untrusted file into `DamagedRecord`."""
    try:
        yield
    except DamagedRecord:
        raise
    # Arrow has errors of its own, such as for types that it does not implement.
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        TypeError,
        LookupError,
        OverflowError,
        MemoryError,
    ) as error:
        reason = shortened(str(error) or type(error).__name__)
        raise DamagedRecord(f"{path} is damaged: {reason}") from None


class ShardReader:
    """Reads one shard; a damaged one is refused before its first game."""

    def __init__(self, folder: Path, shard: Shard, settings: Settings) -> None:
        self._shard = shard
        self._settings = settings
        self._games_path = folder / shard.games_name
        self._decisions_path = folder / shard.decisions_name

    def games(self) -> Iterator[RecordedGame]:
        """Yield the games; the whole shard is checked before."""
        with _explained(self._games_path):
            rows = self._game_rows()
        with _explained(self._decisions_path):
            file = _open(self._decisions_path, self._shard.decisions_file)
            groups = self._check_groups(file, rows)
            for group, part in groups:  # once to check, because a later group may be damaged
                self._check_group(_read_group(file, group), part)
        for group, part in groups:
            yield from self._cut(_read_group(file, group), part)

    def _game_rows(self) -> list[dict[str, Any]]:
        settings, shard = self._settings, self._shard
        file = _open(self._games_path, shard.games_file)
        _check_schema(file, games_schema(), shard.games)
        rows: list[dict[str, Any]] = []
        for group in range(file.num_row_groups):
            rows += _read_group(file, group).to_pylist()
        first = shard.number * settings.shard_games
        rules, seats = settings.rules, settings.rules.num_players
        for number, row in enumerate(rows, first):
            expected = {
                "game": number,
                "seed": settings.seed_of(number),
                "num_players": rules.num_players,
                "edition": rules.edition,
                "max_turns": rules.max_turns,
                "players": list(settings.names_in(number)),
            }
            wrong = [key for key, value in expected.items() if row[key] != value]
            if wrong:
                raise ValueError(f"game {number} has another {wrong[0]} than the settings say")
            scores = row["scores"]
            winners = find_winners(np.array(scores)).nonzero()[0].tolist() if scores else []
            if len(scores) != seats or row["winners"] != winners or row["decisions"] < 1:
                raise ValueError(f"the result of game {number} is impossible")
        if sum(row["decisions"] for row in rows) != shard.decisions:
            raise ValueError(f"its games do not have {shard.decisions} decisions")
        return rows

    def _check_groups(
        self, file: Any, rows: list[dict[str, Any]]
    ) -> list[tuple[int, list[dict[str, Any]]]]:
        """Return the number of each row group with its games."""
        _check_schema(file, decisions_schema(self._settings), self._shard.decisions)
        groups = []
        next_row = 0
        for group in range(file.num_row_groups):
            part, left = [], file.metadata.row_group(group).num_rows
            while left > 0 and next_row < len(rows):
                part.append(rows[next_row])
                left -= rows[next_row]["decisions"]
                next_row += 1
            if left != 0:
                raise ValueError(f"row group {group} does not consist of whole games")
            groups.append((group, part))
        return groups

    def _check_group(self, table: Any, part: list[dict[str, Any]]) -> None:
        """Raise `ValueError` unless the rows belong to these games and each action is legal."""
        counts = [row["decisions"] for row in part]
        numbers = np.repeat([row["game"] for row in part], counts)
        plies = np.concatenate([np.arange(count) for count in counts])
        seats, actions = _column(table, "seat"), _column(table, "action")
        if not np.array_equal(_column(table, "game"), numbers):
            raise ValueError("its rows are not those of its games")
        if not np.array_equal(_column(table, "ply"), plies):
            raise ValueError("its rows are not in order")
        if seats.min() < 0 or seats.max() >= self._settings.rules.num_players:
            raise ValueError("it has a seat that does not exist")
        seated = np.array([self._settings.seated(row["game"]) for row in part])
        who = np.repeat(seated, counts, axis=0)[np.arange(seats.size), seats]
        names = string_column(self._settings.names, who)
        if not table["player"].combine_chunks().equals(names):
            raise ValueError("it has a player on a seat of another")
        starts, legal = _legal_lists(table)
        each = np.repeat(np.arange(seats.size), np.diff(starts))
        if legal.size and (legal.min() < 0 or legal.max() >= N_ACTIONS):
            raise ValueError("it has an action that does not exist")
        if np.any(np.diff(each.astype(np.int64) * N_ACTIONS + legal) <= 0):
            raise ValueError("its legal actions are not in order")
        if np.bincount(each[legal == actions[each]], minlength=seats.size).min() != 1:
            raise ValueError("it has an action that is not among its legal ones")

    def _cut(self, table: Any, part: list[dict[str, Any]]) -> Iterator[RecordedGame]:
        """Yield the games of a row group."""
        seats, actions = _column(table, "seat"), _column(table, "action")
        starts, legal = _legal_lists(table)
        returns = {name: _column(table, f"return_{name}") for name in REWARD_NAMES}
        stored = _stored_observations(table, self._settings.layout)
        begin = 0
        for row in part:
            rows = slice(begin, begin + row["decisions"])
            lists = starts[begin : rows.stop + 1]
            yield RecordedGame(
                row["game"],
                row["seed"],
                self._settings.rules,
                tuple(row["players"]),
                tuple(row["scores"]),
                tuple(row["winners"]),
                row["truncated"],
                seats[rows],
                actions[rows],
                lists - lists[0],
                legal[lists[0] : lists[-1]],
                {name: values[rows] for name, values in returns.items()},
                None if stored is None else stored[rows],
            )
            begin = rows.stop


def _open(path: Path, expected: File) -> Any:
    """Return the Parquet file in a file of known content."""
    data = read_file(path, expected.bytes)
    if len(data) != expected.bytes or digest(data) != expected.sha256:
        raise ValueError("its digest does not match")
    return pq.ParquetFile(pa.BufferReader(data))


def _check_schema(file: Any, schema: Any, rows: int) -> None:
    if not file.schema_arrow.equals(schema):
        raise ValueError("it has other columns, or columns of other types")
    if file.metadata.num_rows != rows:
        raise ValueError(f"it has {file.metadata.num_rows} rows, not {rows}")


def _read_group(file: Any, group: int) -> Any:
    """Return a row group as a table, after checking how much memory it takes."""
    meta = file.metadata.row_group(group)
    width = sum(field.type.bit_width // 8 for field in file.schema_arrow if _is_fixed(field))
    # Not `meta.column`: in pyarrow 26 it ends the process if the metadata of a column is damaged.
    if max(meta.total_byte_size, meta.num_rows * width) > LARGEST_GROUP:
        raise ValueError(f"row group {group} takes more than {LARGEST_GROUP:,} bytes")
    table = file.read_row_group(group, use_threads=False)
    table.validate(full=True)
    if table.num_rows != meta.num_rows or any(column.null_count for column in table.columns):
        raise ValueError(f"row group {group} has missing values")
    return table


def _is_fixed(field: Any) -> bool:
    kind = field.type
    return bool(pa.types.is_primitive(kind) or pa.types.is_fixed_size_binary(kind))


def _column(table: Any, name: str) -> np.ndarray:
    values: np.ndarray = table[name].combine_chunks().to_numpy(zero_copy_only=False)
    return values


def _legal_lists(table: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return where each list of legal actions starts, and all of them one after the other."""
    lists = table["legal"].combine_chunks()
    starts = lists.offsets.to_numpy().astype(np.int64)
    legal = lists.values
    if legal.null_count:
        raise ValueError("it has missing legal actions")
    return starts - starts[0], legal.to_numpy()[starts[0] : starts[-1]]


def _stored_observations(table: Any, layout: Layout | None) -> np.ndarray | None:
    if layout is None:
        return None
    column = table[OBSERVATION].combine_chunks()
    data = np.frombuffer(column.buffers()[1], np.uint8)
    start = column.offset * layout.size
    return data[start : start + len(column) * layout.size].reshape(-1, layout.size)
