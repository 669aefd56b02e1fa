"""Reads data sets. They are plain files from untrusted sources, checked before use."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..agents.checkpoint import digest, read_file
from ..engine.action_ranges import N_ACTIONS
from ..errors import DamagedRecord
from ..game import Game
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_TYPE,
    REWARD_NAMES,
    GameRules,
    Hands,
    ObservationForm,
    ObservationType,
    RewardName,
    reward_number,
)
from ..validation import as_list, one_of, shortened, whole_number
from .replaying import Replay, dense_masks, replay
from .settings import File, Settings, Shard, read_meta
from .tables import OBSERVATION, decisions_schema, games_schema, string_column

LARGEST_GROUP: Final = 1 << 30
"""The most bytes of a row group, in memory."""

BATCH_SIZE: Final = 1024


@dataclass(frozen=True)
class RecordedGame:
    """A game of a data set; the arrays have one row for each decision."""

    number: int
    seed: int
    rules: GameRules
    players: tuple[str, ...]
    """The names of the players by seat."""
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    truncated: bool
    seats: np.ndarray
    """`int8 [row]`: the seat that decided."""
    actions: np.ndarray
    """`int16 [row]`"""
    starts: np.ndarray
    """`int64 [row + 1]`: where the legal actions of each decision start in `legal`."""
    legal: np.ndarray
    """`int16`: the legal actions of all decisions."""
    returns: dict[RewardName, np.ndarray]
    """`float32 [row]` for each kind of reward: what the seat gets from there to the end."""
    observations: np.ndarray | None
    """`uint8 [row, byte]` if they were stored."""

    def masks(self) -> np.ndarray:
        """Return `int8 [row, action]`: 1 for the legal actions."""
        return dense_masks(self.starts, self.legal)

    def replay(self, layout: Layout | None = None) -> Replay:
        """Play the game again, with the observations of a layout.

        Raises:
            DamagedRecord: it does not end as recorded.
        """
        try:
            again = replay(self.rules, self.seed, self.actions, layout)
        except DamagedRecord as error:
            raise DamagedRecord(f"game {self.number} is damaged: {error}") from None
        game = again.game
        for what, found, recorded in (
            ("scores", tuple(game.scores), self.scores),
            ("winners", tuple(game.winners), self.winners),
            ("truncated", game.truncated, self.truncated),
        ):
            if found != recorded:
                raise DamagedRecord(
                    f"game {self.number} does not end as recorded: {what} {found}, not {recorded}"
                )
        return again

    def positions(self) -> Iterator[tuple[Game, int]]:
        """Play the game again; yield it before each action, with the action.

        It is always the same `Game`: clone it to keep a position.
        """
        end = self.replay().game  # refuses a damaged game before the first position
        game = Game(self.rules.num_players, self.rules.edition, self.seed, self.rules.max_turns)
        for action in end.history:
            yield game, action
            game.step(action)

    def verify(self, layout: Layout | None = None) -> None:
        """Raise `DamagedRecord` unless every row is what playing the game again gives."""
        again = self.replay(layout)
        same = {
            "seats": np.array_equal(again.seats, self.seats),
            "legal actions": np.array_equal(again.starts, self.starts)
            and np.array_equal(again.legal, self.legal),
            "observations": self.observations is None
            or np.array_equal(again.observations, self.observations),
        }
        for name, values in again.returns().items():
            same[f"returns ({name})"] = np.array_equal(values, self.returns[name])
        wrong = [what for what, is_same in same.items() if not is_same]
        if wrong:
            raise DamagedRecord(f"game {self.number} is damaged: wrong {', '.join(wrong)}")


class Batch(NamedTuple):
    """Some decisions, one in each row."""

    observations: Any
    """`[row, byte]`, or a dictionary of pieces."""
    masks: np.ndarray
    """`int8 [row, action]`: 1 for the legal actions."""
    actions: np.ndarray
    """`int64 [row]`"""
    returns: np.ndarray
    """`float32 [row]`: what the seat gets from there to the end."""


class Dataset:
    """A data set in a folder. It is read shard by shard, never as a whole."""

    def __init__(self, folder: str | Path) -> None:
        """Read `meta.json`.

        Raises:
            DamagedRecord: there is no data set, it is damaged, or of another version.
        """
        self.folder = Path(folder)
        self._meta = read_meta(self.folder)

    @property
    def settings(self) -> Settings:
        """The players, the rules and the seed."""
        return self._meta.settings

    @property
    def num_games(self) -> int:
        """How many games there are."""
        return self._meta.games

    @property
    def num_decisions(self) -> int:
        """How many decisions there are."""
        return self._meta.decisions

    @property
    def bytes(self) -> int:
        """The size of all shards on disk."""
        files = [(shard.games_file, shard.decisions_file) for shard in self._meta.shards]
        return sum(file.bytes for pair in files for file in pair)

    def __len__(self) -> int:
        return self.num_games

    def __repr__(self) -> str:
        return f"<Dataset {self.folder}: {self.num_games} games, {self.num_decisions} decisions>"

    def games(self) -> Iterator[RecordedGame]:
        """Yield all games in order.

        Raises:
            DamagedRecord: a file is damaged. No game of its shard has been yielded.
        """
        for shard in self._meta.shards:
            yield from _ShardReader(self.folder, shard, self.settings).games()

    def batches(
        self,
        size: int = BATCH_SIZE,
        *,
        players: str | Iterable[str] | None = None,
        reward: RewardName = "outcome",
        skip_forced: bool = True,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        observation: ObservationForm = DEFAULT_FORM,
        dtype: ObservationType = DEFAULT_TYPE,
    ) -> Iterator[Batch]:
        """Yield decisions with observations and masks, in order; the last batch may be smaller.

        Observations are computed by playing each game again. Decisions of one game follow each
        other, so a learner should shuffle the rows of several batches.

        Args:
            size: rows of a batch.
            players: names of the players whose decisions are wanted; None for all.
            reward: the kind of the returns.
            skip_forced: leave out decisions with only one legal action.
            hands: `"secret"` or `"open"` (E4).
            pieces: names of observation pieces; None for the default.
            observation: `"flat"` or `"dict"`.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.

        Raises:
            ValueError: for a setting that is not allowed.
            DamagedRecord: a file is damaged, or a game does not end as recorded.
        """
        whole_number(size, "size", 1)
        kind = REWARD_NAMES[reward_number(reward)]
        wanted = self.chosen_players(players)
        layout = Layout(self.settings.rules.num_players, hands, pieces, observation)
        shape = ObservationFormat(layout, dtype=dtype)

        def rows() -> Iterator[tuple[np.ndarray, ...]]:
            for game in self.games():
                again = game.replay(layout)
                chosen = np.isin(again.seats, _seats_of(game, wanted))
                if skip_forced:
                    chosen &= np.diff(again.starts) > 1
                masks = dense_masks(again.starts, again.legal)
                parts = (again.observations, masks, again.actions, again.returns()[kind])
                yield tuple(part[chosen] for part in parts)

        for buffers, masks, actions, returns in _regrouped(rows(), size):
            seen = shape.show(buffers, masks)
            yield Batch(seen, masks, actions.astype(np.int64), returns)

    def chosen_players(self, players: str | Iterable[str] | None) -> list[str]:
        """Return names of players, checked; None stands for all."""
        names = self.settings.names
        wanted = list(names) if players is None else as_list(players, "players")
        if not wanted:
            raise ValueError(f"players must name some of: {', '.join(dict.fromkeys(names))}")
        return [one_of(name, dict.fromkeys(names), "player of this data set") for name in wanted]

    def verify(self) -> None:
        """Play every game again and compare all that is recorded.

        Raises:
            DamagedRecord: something differs; the message says what.
        """
        for game in self.games():
            game.verify(self.settings.layout)


def open_dataset(folder: str | Path) -> Dataset:
    """Return the data set in a folder.

    Raises:
        DamagedRecord: there is none, it is damaged, or of another version.
    """
    return Dataset(folder)


def _seats_of(game: RecordedGame, players: Collection[str]) -> list[int]:
    return [seat for seat, name in enumerate(game.players) if name in players]


def _regrouped(
    parts: Iterator[tuple[np.ndarray, ...]], size: int
) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the rows of arrays in groups of `size`."""
    waiting: list[tuple[np.ndarray, ...]] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part[0])
        while count >= size:
            whole = tuple(np.concatenate(arrays) for arrays in zip(*waiting, strict=True))
            yield tuple(array[:size] for array in whole)
            waiting = [tuple(array[size:] for array in whole)]
            count -= size
    if count:
        yield tuple(np.concatenate(arrays) for arrays in zip(*waiting, strict=True))


# --- one shard --------------------------------------------------------------------------------


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


class _ShardReader:
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
            winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
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
