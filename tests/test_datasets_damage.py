"""Damaged and forged data sets are refused, never half read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alhambra_env import DamagedRecord

pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `data`")
pytest.importorskip("minari", reason="needs Minari, of the extra `data`")

import pyarrow as pa
import pyarrow.parquet as pq

from alhambra_env.datasets import Dataset, open_dataset
from tests.data_sets import META, change_meta, renew_digest


def games_before_the_error(dataset: Dataset, says: str) -> int:
    """Return how many games were read before the data set was refused."""
    read: list[int] = []
    with pytest.raises(DamagedRecord, match=says):
        read.extend(game.number for game in dataset.games())
    return len(read)


def test_there_is_no_data_set_in_an_empty_folder(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(DamagedRecord, match="there is no data set"):
            open_dataset(folder)


@pytest.mark.parametrize("name", ["games-00001.parquet", "decisions-00001.parquet"])
def test_a_changed_file_is_refused_before_its_first_game(name: str, recorded_copy: Path) -> None:
    data = bytearray((recorded_copy / name).read_bytes())
    for damaged in (data[:-1], data[: len(data) // 2], b"", flipped(data)):
        (recorded_copy / name).write_bytes(damaged)
        says = f"{name} is damaged: its digest does not match"
        assert games_before_the_error(open_dataset(recorded_copy), says) == 3
    (recorded_copy / name).write_bytes(data + b"x")
    assert games_before_the_error(open_dataset(recorded_copy), "has more than") == 3
    (recorded_copy / name).unlink()
    assert games_before_the_error(open_dataset(recorded_copy), f"{name} is damaged") == 3


def flipped(data: bytearray) -> bytes:
    changed = bytearray(data)
    changed[len(data) // 3] ^= 1
    return bytes(changed)


@pytest.mark.parametrize("name", ["games-00001.parquet", "decisions-00001.parquet"])
def test_random_damage_with_matching_digests_is_refused_or_harmless(
    name: str, recorded_copy: Path
) -> None:
    data = (recorded_copy / name).read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        changed = bytearray(data)
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            changed[place] = rng.integers(256)
        (recorded_copy / name).write_bytes(changed)
        renew_digest(recorded_copy, name)
        try:
            open_dataset(recorded_copy).verify()
        except DamagedRecord:
            refused += 1
    assert refused > 40


def altered(folder: Path, name: str, column: str, change: Any) -> None:
    """Change the first value of a column, and the digest with it."""
    file = pq.ParquetFile(folder / name)
    schema = file.schema_arrow
    tables = [file.read_row_group(group) for group in range(file.num_row_groups)]
    values = tables[0][column].to_pylist()
    values[0] = change(values[0])
    index = schema.get_field_index(column)
    tables[0] = tables[0].set_column(
        index, schema.field(column), pa.array(values, schema.field(column).type)
    )
    with pq.ParquetWriter(folder / name, schema) as writer:
        for table in tables:
            writer.write_table(table)
    renew_digest(folder, name)


@pytest.mark.parametrize(
    ("name", "column", "change", "says"),
    [
        ("games", "game", lambda _: 9, "game 3 has another game"),
        ("games", "seed", lambda seed: seed + 1, "game 3 has another seed"),
        ("games", "num_players", lambda _: 6, "another num_players"),
        ("games", "edition", lambda _: "x", "another edition"),
        ("games", "max_turns", lambda _: 1, "another max_turns"),
        ("games", "players", lambda names: names[::-1], "another players"),
        ("games", "scores", lambda _: [], "result of game 3 is impossible"),
        ("games", "scores", lambda _: [1, 2, 3, 4], "impossible"),
        ("games", "winners", lambda _: [0, 1, 2], "impossible"),
        ("games", "decisions", lambda count: count + 1, "decisions"),
        ("games", "decisions", lambda _: -1, "impossible"),
        ("decisions", "game", lambda _: 4, "not those of its games"),
        ("decisions", "ply", lambda _: 1, "not in order"),
        ("decisions", "seat", lambda _: 3, "a seat that does not exist"),
        ("decisions", "seat", lambda _: -1, "a seat that does not exist"),
        ("decisions", "player", lambda _: "nobody", "a player on a seat of another"),
        ("decisions", "action", lambda _: 1954, "not among its legal ones"),
        ("decisions", "legal", lambda legal: [*legal, 1955], "does not exist"),
        ("decisions", "legal", lambda legal: [-1, *legal], "does not exist"),
        ("decisions", "legal", lambda legal: [*legal, 0], "legal actions are not in order"),
        ("decisions", "legal", lambda _: [], "not among its legal ones"),
    ],
)
def test_a_forged_table_is_refused_before_its_first_game(
    name: str, column: str, change: Any, says: str, recorded_copy: Path
) -> None:
    altered(recorded_copy, f"{name}-00001.parquet", column, change)
    assert games_before_the_error(open_dataset(recorded_copy), says) == 3


@pytest.mark.parametrize(
    ("name", "column", "change", "says"),
    [
        ("games", "truncated", lambda _: True, "truncated False, not True"),
        ("decisions", "return_score", lambda value: value + 1, r"wrong returns \(score\)"),
        ("decisions", "return_outcome", lambda _: float("nan"), r"wrong returns \(outcome\)"),
        ("decisions", "legal", lambda legal: [*legal, 1954], "wrong legal actions"),
        ("decisions", "observation", lambda data: b"\1" + data[1:], "wrong observations"),
    ],
)
def test_what_only_the_rules_can_tell_is_found_by_verify(
    name: str, column: str, change: Any, says: str, recorded_copy: Path
) -> None:
    altered(recorded_copy, f"{name}-00001.parquet", column, change)
    with pytest.raises(DamagedRecord, match=says):
        open_dataset(recorded_copy).verify()


def test_other_columns_are_refused(recorded_copy: Path) -> None:
    table = pq.read_table(recorded_copy / "games-00001.parquet")
    pq.write_table(table.drop_columns(["seed"]), recorded_copy / "games-00001.parquet")
    renew_digest(recorded_copy, "games-00001.parquet")
    assert games_before_the_error(open_dataset(recorded_copy), "other columns") == 3


def meta_changes() -> Iterator[tuple[dict[str, Any], str]]:
    yield {"format": "x"}, "not a data set of this version"
    yield {"encoding_version": 0}, "encoding_version 0; this package reads 1"
    yield {"observation_version": 9}, "observation_version 9"
    yield {"num_players": 4}, "3 players on 4 seats"
    yield {"edition": "x"}, "unknown edition"
    yield {"players": [{"name": "\n"}] * 3}, "the name of a player"
    yield {"players": 5}, "not iterable"
    yield {"rotate": 1}, "rotate must be"
    yield {"seed": "x"}, "seed must be"
    yield {"shard_games": 0}, "shard_games must be"
    yield {"shard_games": 5}, "shard 0 is not full"
    yield {"observations": {"hands": "x", "pieces": []}}, "hands"
    yield {"observations": False}, "not subscriptable"
    yield {"shards": [{}]}, "no 'games'"
    yield {"shards": 7}, "not iterable"
    yield {"shards": [{"games": 1, "decisions": 9, "files": {"../x": {}}}]}, "damaged"


@pytest.mark.parametrize(("changes", "says"), list(meta_changes()))
def test_a_damaged_meta_file_is_refused(
    changes: dict[str, Any], says: str, recorded_copy: Path
) -> None:
    change_meta(recorded_copy, **changes)
    with pytest.raises(DamagedRecord, match=says):
        open_dataset(recorded_copy)


@pytest.mark.parametrize("text", ["", "[]", "{", "NaN", "[" * 100_000, "{}"])
def test_a_meta_file_that_is_no_json_object_is_refused(text: str, recorded_copy: Path) -> None:
    (recorded_copy / META).write_text(text)
    with pytest.raises(DamagedRecord):
        open_dataset(recorded_copy)
