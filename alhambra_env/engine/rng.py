"""Random numbers from four words: xoshiro128**, with unbiased bounded draws.

`rng` is an array of four uint32 that is changed in place; in a game it is `state.rng`. The
arithmetic uses signed 64-bit numbers masked to 32 bits, which is exact and the same in plain Python
and in compiled code.
"""

from typing import Any, Final

import numpy as np

from .arrays import Array
from .jit import jit

_MASK: Final = 0xFFFFFFFF


def seed_words(seed: int | np.random.SeedSequence) -> Array:
    """Return the four random words of a seed."""
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed)
    return seed.generate_state(4, np.uint32)


@jit
def _rotate(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _MASK


@jit
def next_word(rng: Array) -> int:
    """Return 32 random bits."""
    # Numba would make `int(...)` of them unsigned. Any, because `np.int64` is no `int` to mypy.
    a: Any = np.int64(rng[0])
    b: Any = np.int64(rng[1])
    c: Any = np.int64(rng[2])
    d: Any = np.int64(rng[3])
    result = _rotate(b * 5 & _MASK, 7) * 9 & _MASK
    shifted = b << 9 & _MASK
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = _rotate(d, 11)
    rng[0] = a
    rng[1] = b
    rng[2] = c
    rng[3] = d
    return result


@jit
def draw_below(rng: Array, bound: int) -> int:
    """Return a number from 0 to `bound` - 1, all equally likely."""
    # Lemire's method: the upper half of a product, redrawn in the few cases that would be biased.
    product = next_word(rng) * bound
    if product & _MASK < bound:
        threshold = (_MASK + 1 - bound) % bound
        while product & _MASK < threshold:
            product = next_word(rng) * bound
    return product >> 32


@jit
def shuffle(rng: Array, size: int, out_items: Array) -> None:
    """Put the first `size` items into random order, in place."""
    for last in range(size - 1, 0, -1):
        chosen = draw_below(rng, last + 1)
        item = out_items[last]
        out_items[last] = out_items[chosen]
        out_items[chosen] = item
