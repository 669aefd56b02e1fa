"""The Parquet tables of a shard: one row for each game, and one for each decision."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .replaying import Replay
from .settings import Settings

ROWS_PER_GROUP: Final = 1 << 14
"""Decisions after which a row group ends, with the game. A reader has one group in memory."""

ROWS_WITH_OBSERVATIONS: Final = 1 << 11
"""The same if observations are stored, which are large."""

GAMES: Final = {
    "game": (pa.int32(), "number of the game, from 0"),
    "seed": (pa.uint64(), "`Game(seed=...)` with this seed starts the same game"),
    "num_players": (pa.int8(), "seats at the table"),
    "edition": (pa.string(), "the rulebook"),
    "max_turns": (pa.int32(), "the turn limit (E3)"),
    "players": (pa.list_(pa.string()), "names of the players by seat"),
    "scores": (pa.list_(pa.int16()), "points at the end by seat"),
    "winners": (pa.list_(pa.int8()), "the seats that share the win"),
    "truncated": (pa.bool_(), "whether the game reached the turn limit"),
    "decisions": (pa.int32(), "how many decisions the game has"),
}
"""The columns of the table of games: type and meaning."""

DECISIONS: Final = {
    "game": (pa.int32(), "number of the game"),
    "ply": (pa.int32(), "number of the decision in its game, from 0"),
    "seat": (pa.int8(), "the seat that decided"),
    "player": (pa.string(), "name of the player on that seat"),
    "action": (pa.int16(), "number of the action (`actions.name`)"),
    "legal": (pa.list_(pa.int16()), "numbers of all legal actions, ascending"),
    "return_outcome": (pa.float32(), "reward `outcome` of the seat from here to the end"),
    "return_score": (pa.float32(), "the same for the reward `score`"),
    "return_margin": (pa.float32(), "the same for the reward `margin`"),
}
"""The columns of the table of decisions: type and meaning."""

OBSERVATION: Final = "observation"
"""The column of stored observations."""

OBSERVATION_MEANING: Final = (
    "what the seat observed, as one flat buffer of `uint8` (only with `--observations`)"
)


def games_schema() -> Any:
    """Return the schema of the table of games."""
    return _schema({name: kind for name, (kind, _) in GAMES.items()})


def decisions_schema(settings: Settings) -> Any:
    """Return the schema of the table of decisions."""
    kinds = {name: kind for name, (kind, _) in DECISIONS.items()}
    if settings.layout is not None:
        kinds[OBSERVATION] = pa.binary(settings.layout.size)
    return _schema(kinds)


def _schema(kinds: dict[str, Any]) -> Any:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


def string_column(names: Sequence[str], indices: np.ndarray) -> Any:
    """Return a column of strings, each given by its index in `names`."""
    return pa.array(names, pa.string()).take(pa.array(indices))


class ShardWriter:
    """Collects the games of a shard as compressed tables in memory."""

    def __init__(self, settings: Settings) -> None:
        """Start an empty shard."""
        self._settings = settings
        self._has_observations = settings.layout is not None
        self._room = ROWS_WITH_OBSERVATIONS if self._has_observations else ROWS_PER_GROUP
        self._data = BytesIO()
        schema = decisions_schema(settings)
        self._decisions = pq.ParquetWriter(self._data, schema, **_how_to_write("player"))
        self._waiting: list[tuple[int, Replay]] = []
        self._rows: list[dict[str, Any]] = []
        self.decisions = 0
        """Decisions so far."""

    @property
    def games(self) -> int:
        """Games so far."""
        return len(self._rows)

    def add(self, number: int, replay: Replay) -> None:
        """Add a game."""
        game, rules = replay.game, self._settings.rules
        self._rows.append(
            {
                "game": number,
                "seed": game.seed,
                "num_players": rules.num_players,
                "edition": rules.edition,
                "max_turns": rules.max_turns,
                "players": list(self._settings.names_in(number)),
                "scores": game.scores,
                "winners": game.winners,
                "truncated": game.truncated,
                "decisions": replay.seats.size,
            }
        )
        self.decisions += replay.seats.size
        self._waiting.append((number, replay))
        if sum(replay.seats.size for _, replay in self._waiting) >= self._room:
            self._flush()

    def finish(self) -> tuple[bytes, bytes]:
        """Return the content of both files: games and decisions."""
        self._flush()
        self._decisions.close()
        games = BytesIO()
        table = pa.Table.from_pylist(self._rows, games_schema())
        pq.write_table(table, games, **_how_to_write("edition", "players.list.element"))
        return games.getvalue(), self._data.getvalue()

    def _flush(self) -> None:
        """Write the games that are waiting as one row group."""
        if not self._waiting:
            return
        schema = decisions_schema(self._settings)
        tables = [self._table(number, replay, schema) for number, replay in self._waiting]
        rows = pa.concat_tables(tables).combine_chunks()
        self._decisions.write_table(rows, row_group_size=rows.num_rows)
        self._waiting.clear()

    def _table(self, number: int, replay: Replay, schema: Any) -> Any:
        rows = replay.seats.size
        starts, legal = pa.array(replay.starts, pa.int32()), pa.array(replay.legal)
        columns = {
            "game": pa.array(np.full(rows, number, np.int32)),
            "ply": pa.array(np.arange(rows, dtype=np.int32)),
            "seat": pa.array(replay.seats),
            "player": string_column(self._settings.names_in(number), replay.seats),
            "action": pa.array(replay.actions),
            "legal": pa.ListArray.from_arrays(starts, legal),
        }
        for name, values in replay.returns().items():
            columns[f"return_{name}"] = pa.array(values)
        if self._has_observations:
            kind = schema.field(OBSERVATION).type
            data = pa.py_buffer(np.ascontiguousarray(replay.observations))
            columns[OBSERVATION] = pa.FixedSizeBinaryArray.from_buffers(kind, rows, [None, data])
        return pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)


def _how_to_write(*strings: str) -> dict[str, Any]:
    """Return settings of Parquet; columns of few different strings become dictionaries."""
    return {
        "compression": "zstd",
        "compression_level": 6,  # a fifth smaller than the default, and play takes longer
        "use_dictionary": list(strings),
        "write_statistics": False,
    }
