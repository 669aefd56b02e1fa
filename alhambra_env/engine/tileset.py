"""Sets of tiles as bits of one 64-bit number, for loops over the tiles of a city:

while tiles:
    tile = lowest_tile(tiles)
    tiles &= tiles - 1          # without the lowest
"""

from typing import Final, TypeAlias

import numpy as np

from .bits import lowest_bit
from .jit import jit
from .material import FOUNTAIN

TileSet: TypeAlias = np.int64
"""A set of tiles: bit i is tile i."""

TILE_BIT: Final = np.array([1 << tile for tile in range(FOUNTAIN + 1)], dtype=np.int64)
"""The set with only this tile; the fountain is the last."""


@jit
def lowest_tile(tiles: TileSet) -> int:
    """Return the tile with the lowest number in a set that is not empty."""
    return lowest_bit(tiles)
