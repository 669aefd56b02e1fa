"""Files of the arena: results of matches, and ladders."""

import json
import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from alhambra_env import DamagedRecord, arena
from alhambra_env.arena.tables import as_markdown, ladder_table
from tests.fuzz import nasty
from tests.fuzz.attack import refuses

_LADDER = Path(__file__).resolve().parent.parent.parent / "docs" / "ladder.json"


@cache
def _match() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.jsonl"
        arena.match(["saver", "random"], 2, deals=3, workers=1, out=path)
        return path.read_bytes()


def attack_results(rng: random.Random) -> str:
    """Read results after they were changed; standings of what is accepted must be worked out."""
    lines = [json.loads(line) for line in _match().splitlines()]
    row = rng.randrange(len(lines))
    if rng.random() < 0.6:
        lines[row] = nasty.damaged_tree(lines[row], rng)
        data = b"".join(json.dumps(line, default=str).encode() + b"\n" for line in lines)
    else:
        data = nasty.damaged_bytes(_match(), rng)
    return _read(data, _use_results)


def _read(data: bytes, use: Callable[[Path], object]) -> str:
    """Use a file of this content, which may be refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        return refuses(lambda: use(path), DamagedRecord, OtherMatch)


class OtherMatch(Exception):
    """A match is not played on in a file of other settings."""


def _use_results(path: Path) -> None:
    """Work the standings out, and play the match on."""
    results = arena.load(path)
    if results.deals:
        arena.markdown(arena.standings(results))
    try:
        arena.match(["saver", "random"], 2, deals=3, workers=1, out=path)
    except ValueError as error:
        raise OtherMatch from error


def attack_ladder(rng: random.Random) -> str:
    """Read a ladder, as evaluations of checkpoints are, after it was changed."""
    ladder = json.loads(_LADDER.read_text(encoding="utf-8"))
    ladder["rungs"] = ladder["rungs"][:3]
    if rng.random() < 0.7:
        data = json.dumps(nasty.damaged_tree(ladder, rng), default=str).encode()
    else:
        data = nasty.damaged_bytes(json.dumps(ladder).encode(), rng)
    return _read(data, lambda path: as_markdown(ladder_table(arena.read_ladder(path)), 2))
