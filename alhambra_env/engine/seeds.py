"""Seeds of many games, in compiled code.

The words are those of NumPy's `SeedSequence`, by its published algorithm, so that a game of a batch
starts like `Game(seed=...)`. NumPy takes 10 microseconds for each, as long as ten decisions in a
batch.
"""

from typing import Final, NamedTuple

import numpy as np

from .arrays import Array
from .jit import jit

_MASK: Final = 0xFFFFFFFF
_SHIFT: Final = 16
_POOL: Final = 4
_MIX_LEFT: Final = 0xCA01F9DD
_MIX_RIGHT: Final = 0x4973F715


def _powers(first: int, factor: int, count: int) -> Array:
    return np.array([first * pow(factor, i, 1 << 32) & _MASK for i in range(count)], np.int64)


_INTO_POOL: Final = _powers(0x43B0D7E5, 0x931E8875, _POOL * _POOL + 1)
_OUT_OF_POOL: Final = _powers(0x8B51F9DD, 0x58F38DED, _POOL + 1)


@jit
def hash_word(word: int, constants: Array, i: int) -> int:
    """Return a word hashed with the constants `i` and `i` + 1."""
    word = (word ^ int(constants[i])) * int(constants[i + 1]) & _MASK
    return word ^ word >> _SHIFT


@jit
def write_words(a: int, b: int, c: int, d: int, out_words: Array) -> None:
    """Write the four words of `SeedSequence([a, b, c, d])`; the numbers have 32 bits each."""
    out_words[0] = hash_word(a, _INTO_POOL, 0)
    out_words[1] = hash_word(b, _INTO_POOL, 1)
    out_words[2] = hash_word(c, _INTO_POOL, 2)
    out_words[3] = hash_word(d, _INTO_POOL, 3)
    i = _POOL
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                other = hash_word(int(out_words[source]), _INTO_POOL, i)
                mixed = int(out_words[target]) * _MIX_LEFT - other * _MIX_RIGHT & _MASK
                out_words[target] = mixed ^ mixed >> _SHIFT
                i += 1
    for word in range(_POOL):
        out_words[word] = hash_word(int(out_words[word]), _OUT_OF_POOL, word)


class SeedArrays(NamedTuple):
    """The seeds of the games of a batch."""

    begun: Array
    """`int64 [game]`: how many seeds were drawn."""
    seeds: Array
    """`uint64 [game]`: the seed of the game being played."""
    next_seeds: Array
    """`uint64 [game]`: the seed that the next game starts from."""
    next_words: Array
    """`uint32 [game, 4]`: the random words of that seed."""


@jit
def advance_seeds(where: Array, key: Array, arrays: SeedArrays) -> None:
    """Make the next seeds of the chosen games their current ones, and draw new next seeds.

    `key` are two words of the whole batch.
    """
    for game in range(where.size):
        if where[game]:
            arrays.seeds[game] = arrays.next_seeds[game]
            words = arrays.next_words[game]
            write_words(int(key[0]), int(key[1]), game, int(arrays.begun[game]) & _MASK, words)
            low, high = int(words[0]), int(words[1])
            arrays.next_seeds[game] = np.uint64(low) | np.uint64(high) << np.uint64(32)
            write_words(low, high, 0, 0, words)
            arrays.begun[game] += 1
