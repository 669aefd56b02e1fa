"""Positions as bytes, saved batches, and games as JSON."""

import json
import random
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from alhambra_env import DamagedRecord, Game, GameBatch
from alhambra_env.engine.state import STATE
from alhambra_env.record import load_record, record_of, replay
from tests.fuzz import nasty
from tests.fuzz.attack import ACCEPTED, REFUSED, refuses
from tests.fuzz.games import play_on, some_game

_HEADER = 9  # magic, version, check sum


def attack_bytes(rng: random.Random) -> str:
    """Read the bytes of a game after they were changed, mostly with a check sum that fits."""
    data = some_game(rng).to_bytes()
    if rng.random() < 0.1:
        changed = nasty.damaged_bytes(data, rng)
    else:
        body = _damaged_record(data[_HEADER:], rng)
        changed = data[:5] + zlib.crc32(body).to_bytes(4, "little") + body
    try:
        game = Game.from_bytes(changed)
    except DamagedRecord:
        return REFUSED
    play_on(game, rng)
    return ACCEPTED


def _damaged_record(body: bytes, rng: random.Random) -> bytes:
    """Return a record with some numbers changed: far off, or only by a little."""
    state = np.frombuffer(bytearray(body), STATE)
    for _ in range(rng.choice((1, 1, 2, 3, 10))):
        field = state[rng.choice(STATE.names or ())].reshape(-1)
        place = rng.randrange(field.size)
        limits = np.iinfo(field.dtype)
        old = int(field[place])
        new = rng.choice((old + 1, old - 1, 0, -1, 1, limits.min, limits.max, rng.randrange(128)))
        field[place] = min(max(new, limits.min), limits.max)
        if rng.random() < 0.3:  # two of a kind change places, and the numbers still add up
            other = rng.randrange(field.size)
            field[place], field[other] = old, field[place]
            field[[place, other]] = field[[other, place]]
    return state.tobytes()


@cache
def _batch(players: int) -> tuple[GameBatch, dict[str, Any]]:
    batch = GameBatch(3, players, seed=players)
    rng = np.random.default_rng(0)
    for _ in range(400):
        batch.step((batch.masks * rng.random(batch.masks.shape)).argmax(axis=1))
    return batch, batch.save()


def attack_batch(rng: random.Random) -> str:
    """Load a saved batch after it was changed; one that is accepted must play on."""
    batch, saved = _batch(rng.randint(2, 6))
    changed = dict(saved)
    for _ in range(rng.choice((1, 1, 2))):
        key = rng.choice(list(changed))
        if isinstance(changed[key], np.ndarray) and rng.random() < 0.8:
            old, new = saved[key], changed[key]
            is_array = isinstance(old, np.ndarray)
            is_same_kind = is_array and (new.shape, new.dtype) == (old.shape, old.dtype)
            is_records = key.endswith("states") and is_same_kind
            if is_records and rng.random() < 0.7:
                rows = changed[key].copy()
                row = rng.randrange(len(rows))
                body = _damaged_record(rows[row].tobytes(), rng)
                rows[row] = np.frombuffer(body, np.uint8)
                changed[key] = rows
            else:
                changed[key] = nasty.damaged_array(changed[key], rng)
        elif rng.random() < 0.2:
            del changed[key]
        else:
            changed[key] = nasty.value(rng)
    try:
        if refuses(lambda: batch.load(changed), DamagedRecord) == REFUSED:
            return REFUSED
        for _ in range(10):
            batch.step(batch.masks.argmax(axis=1))
        for game in range(batch.num_games):
            batch.final_observation(game, 0)
    finally:
        batch.load(saved)
    return ACCEPTED


@cache
def _record(case: int) -> Any:
    game = some_game(random.Random(case))
    names = [f"player {seat}" for seat in range(game.num_players)]
    return json.loads(json.dumps(record_of(game, names)))


def attack_replay(rng: random.Random) -> str:
    """Replay the record of a game after it was changed, as a tree or as text."""
    record = _record(rng.randrange(12))
    if rng.random() < 0.7:
        changed = json.loads(json.dumps(nasty.damaged_tree(record, rng), default=str))
        return refuses(lambda: replay(changed), DamagedRecord)
    data = nasty.damaged_bytes(json.dumps(record).encode(), rng)
    if rng.random() < 0.1:
        data = rng.choice((b"[" * 100_000, b'{"a":' * 50_000, b"1" * 10_000, b"\xff", b""))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.json"
        path.write_bytes(data)
        return refuses(lambda: load_record(path), DamagedRecord)
