"""Sets of tiles as bits of one 64-bit number, for going through the tiles of a city and no others.

while tiles:
    tile = lowest_tile(tiles)
    tiles &= tiles - 1          # without the lowest
"""

from typing import Final

import numpy as np

from ..material import FOUNTAIN
from .jit import jit

TILE_BIT: Final = np.array([1 << tile for tile in range(FOUNTAIN + 1)], dtype=np.int64)
"""The set that holds just this tile; the fountain is the last."""

# The powers of 2 up to 2**63 leave different remainders when divided by 67.
_MODULUS: Final = 67


def _by_remainder() -> np.ndarray:
    table = np.zeros(_MODULUS, dtype=np.int64)
    for tile in range(FOUNTAIN + 1):
        table[(1 << tile) % _MODULUS] = tile
    return table


_TILE_OF_REMAINDER: Final = _by_remainder()


@jit
def lowest_tile(tiles):
    """Return the tile with the lowest number in a set that is not empty."""
    return _TILE_OF_REMAINDER[(tiles & -tiles) % _MODULUS]
