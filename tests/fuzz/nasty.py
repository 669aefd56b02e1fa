"""Unexpected values, and ways to damage valid input."""

import copy
import math
import random
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

NUMBERS: Final = (
    *(
        0,
        1,
        -1,
        2,
        3,
        7,
        8,
        63,
        64,
        127,
        128,
        255,
        256,
        1945,
        1946,
        1954,
        1955,
        32767,
        32768,
        65536,
    ),
    *(2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 10**400),
)
FLOATS: Final = (0.0, -0.0, 0.5, 1.5, -1.5, 1e-300, 1e300, math.inf, -math.inf, math.nan)
WORDS: Final = (
    *("", " ", ".", "..", "/", "\\", "~", "-", "--help", "a", "A" * 300, "%s%n", "${HOME}", "\0"),
    *(
        "\n",
        "\r\n",
        "\t",
        "\u202e",
        "\U0001f3f0",
        "\u0663",
        "²",
        "é",
        "e\u0301",
        "\ud800",
        "\ufeff",
    ),
    *("null", "true", "nan", "inf", "1e999", "0x10", "1_000", "con", "NUL.txt", "../../etc/passwd"),
    *("german", "secret", "planner", "random", "take:0", "pool", "meta.json", "/dev/zero"),
)


def value(rng: random.Random, depth: int = 2) -> Any:
    """Return something that JSON could hold, or could not."""
    kind = rng.randrange(9 if depth else 6)
    if kind == 0:
        return rng.choice(NUMBERS)
    if kind == 1:
        return rng.choice(FLOATS)
    if kind == 2:
        return rng.choice(WORDS)
    if kind == 3:
        return rng.choice((None, True, False))
    if kind == 4:
        return rng.randint(-300, 3000)
    if kind == 5:
        return "".join(rng.choice(WORDS) for _ in range(rng.randrange(4)))
    if kind == 6:
        return [value(rng, depth - 1) for _ in range(rng.randrange(5))]
    if kind == 7:
        return {rng.choice(WORDS): value(rng, depth - 1) for _ in range(rng.randrange(4))}
    return argument(rng)


def argument(rng: random.Random) -> Any:
    """Return something that only Python can hand over."""
    makers: tuple[Callable[[], Any], ...] = (
        lambda: np.int64(rng.choice(NUMBERS[:20])),
        lambda: np.uint8(rng.randrange(256)),
        lambda: np.float32(rng.choice(FLOATS[:6])),
        lambda: np.bool_(rng.random() < 0.5),
        lambda: np.array(rng.randrange(10)),
        lambda: np.zeros(rng.randrange(5), rng.choice(("int8", "float64", "bool", "U3", "O"))),
        lambda: np.full((2, 3), rng.choice(NUMBERS[:18])),
        lambda: b"bytes",
        lambda: object(),
        lambda: range(3),
        lambda: {1, 2},
        lambda: 1j,
        lambda: int,
        lambda: print,
        lambda: slice(None),
        lambda: Ellipsis,
        lambda: iter(()),
        lambda: Odd(),
    )
    return rng.choice(makers)()


class Odd:
    """An object that answers every question badly."""

    def __index__(self) -> int:
        raise ValueError("no index")

    def __len__(self) -> int:
        raise TypeError("no length")

    def __repr__(self) -> str:
        return "<odd>"


def damaged_bytes(data: bytes, rng: random.Random, most: int = 8) -> bytes:
    """Return bytes with some of them changed, cut off, doubled or moved."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, most)):
        place = rng.randrange(len(changed) + 1)
        kind = rng.randrange(10)
        if kind < 6 and changed:
            changed[place % len(changed)] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind == 6:
            del changed[place : place + rng.choice((1, 2, 16, 300))]
        elif kind == 7:
            changed[place:place] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 40))))
        elif kind == 8:
            changed[place:place] = changed[: rng.randrange(60)]
        elif changed:
            changed[place % len(changed)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def damaged_text(text: str, rng: random.Random) -> str:
    """Return a text with words and lines changed, swapped, dropped or repeated."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        row = rng.randrange(len(lines))
        words = lines[row].split(" ")
        place = rng.randrange(len(words))
        kind = rng.randrange(7)
        if kind == 0:
            words[place] = str(value(rng, 0))
        elif kind == 1:
            words.insert(place, rng.choice(WORDS))
        elif kind == 2:
            del words[place]
        elif kind == 3:
            other = rng.randrange(len(words))
            words[place], words[other] = words[other], words[place]
        elif kind == 4:
            words[place] = words[place][::-1] + rng.choice(("", "9", "-", "@", ","))
        lines[row] = " ".join(words)
        if kind == 5:
            lines.insert(rng.randrange(len(lines)), lines[row])
        elif kind == 6:
            lines[row] = lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the places of a tree of dictionaries and lists: what holds it, and under which key."""
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        yield tree, key
        yield from places(tree[key])


def damaged_tree(tree: Any, rng: random.Random) -> Any:
    """Return a copy of a tree with some values changed, left out, renamed or moved."""
    changed = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = list(places(changed))
        if not found:
            return value(rng)
        holder, key = rng.choice(found)
        kind = rng.randrange(8)
        if kind < 5:
            holder[key] = value(rng)
        elif kind == 5:
            del holder[key]
        elif kind == 6 and isinstance(holder, dict):
            holder[rng.choice(WORDS)] = holder.pop(key)
        else:
            other, at = rng.choice(found)
            with_other = copy.deepcopy(holder[key])
            if (isinstance(other, dict) and at in other) or (
                isinstance(other, list) and isinstance(at, int) and at < len(other)
            ):
                other[at] = with_other
    return changed


def damaged_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """Return an array with other values, another shape or another type."""
    kind = rng.randrange(6)
    if kind == 0:
        return array.astype(rng.choice(("float64", "float32", "int64", "uint8", "bool", "int8")))
    if kind == 1:
        return array.reshape(-1)[: rng.randrange(array.size + 1)]
    if kind == 2:
        return np.concatenate([array.reshape(-1), array.reshape(-1)[:1]])
    changed = array.copy()
    flat = changed.reshape(-1)
    for _ in range(rng.choice((1, 3, 30)) if flat.size else 0):
        place = rng.randrange(flat.size)
        if np.issubdtype(flat.dtype, np.floating):
            flat[place] = rng.choice((math.nan, math.inf, -math.inf, 1e38, -1e38, 0.0))
        elif np.issubdtype(flat.dtype, np.integer):
            limits = np.iinfo(flat.dtype)
            near = int(flat[place]) + rng.randint(-3, 3)
            flat[place] = min(
                max(rng.choice((near, limits.min, limits.max, 0, 99)), limits.min), limits.max
            )
        else:
            flat[place] = not flat[place]
    return changed
