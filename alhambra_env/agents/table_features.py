"""The small pieces of an observation as numbers of about 0 to 1, for a network to read.

The cities are left out: a network sees them through its `choices`.
"""

from typing import Final, NamedTuple

import numba
import numpy as np

from ..engine.arrays import Array
from ..engine.jit import borrow, jit, jit_parallel
from ..engine.material import DECK_ROOM, N_BUILDINGS, N_ROUNDS, N_SLOTS, N_TILES
from ..engine.payments import MAX_PRICE
from ..engine.state import PHASES
from ..observation.derived import GAIN_OFFSET, OFFER_BYTES, OFFER_GAIN
from ..observation.layout import Layout
from ..observation.pieces import PIECES
from ..observation.writers import MARKET_BYTES

SMALL_PIECES: Final = tuple(
    piece.name for piece in PIECES if piece.name not in ("city", "other_cities", "wall_gain")
)
"""The pieces that are read."""

SCALES: Final = {
    "hand": 1 / 2,
    "hand_sizes": 1 / 10,
    "other_hands": 1 / 2,
    "buildings": 1 / 4,
    "walls": 1 / 10,
    "scores": 1 / 50,
    "discards": 1 / 2,
    "turns": 1 / 255,
    "standing": 1 / 20,
}
"""What the bytes of a piece are multiplied with; 1 for the others."""

GAIN_SCALE: Final = np.float32(1 / 4)
"""What a gain of wall is multiplied with, here and in `choices`."""


INPUT_VERSION: Final = 2
"""Rises whenever a number that networks read, here or in `choices`, changes its meaning or place.

0 was without the ranks of `choices`, 1 without `overpay` and the slot that it belongs to."""


class TableEncoding(NamedTuple):
    """How the bytes of a layout become numbers."""

    first: int
    """The byte where the small pieces begin; from there on they lie side by side."""
    scales: np.ndarray
    """What each of their bytes is multiplied with."""
    flags: np.ndarray
    """Bytes that are also read as one flag for each value: `[byte, how many values]`."""
    gains: np.ndarray
    """Bytes that are also read as gains of wall, with their sign."""
    size: int
    """How many numbers there are in all."""


def table_encoding(layout: Layout) -> TableEncoding:
    """Return how observations of a layout are read; it must have `choices.NEEDED_PIECES`."""
    read = [name for name in layout.pieces if name in SMALL_PIECES]
    first, end = layout.slices[read[0]].start, layout.slices[read[-1]].stop
    scales = np.ones(layout.size, np.float32)
    for name in read:
        scales[layout.slices[name]] = SCALES.get(name, 1)
    pieces = layout.split(scales)
    pieces["market"][:, N_BUILDINGS] = 1 / MAX_PRICE
    pieces["display"][:, -2] = 1 / layout.highs["display"]
    pieces["progress"][:] = [1 / 4, 1 / 2, 1 / N_TILES, 1 / DECK_ROOM, 1 / 4, 1 / 4]
    pieces["offers"][:] = [1, 1 / 4, 1 / 10, 1 / GAIN_OFFSET]
    phase = layout.slices["progress"].start
    market, offers = layout.slices["market"].start, layout.slices["offers"].start
    flags = [(phase, len(PHASES)), (phase + 1, N_ROUNDS + 1)]
    prices = [market + slot * MARKET_BYTES + N_BUILDINGS for slot in range(N_SLOTS)]
    flags += [(price, MAX_PRICE + 1) for price in prices]
    gains = [offers + slot * OFFER_BYTES + OFFER_GAIN for slot in range(N_SLOTS)]
    size = end - first + sum(values for _, values in flags) + len(gains)
    return TableEncoding(
        first, scales[first:end].copy(), np.array(flags, np.int64), np.array(gains, np.int64), size
    )


@jit
def write_table_features(seen: Array, reading: TableEncoding, out: Array) -> None:
    """Write the numbers of one observation."""
    first, scales, flags, gains, _ = reading
    place = scales.size
    for i in range(place):
        out[i] = seen[first + i] * scales[i]
    for i in range(place, out.size):
        out[i] = 0
    for i in range(len(flags)):
        out[place + int(seen[flags[i, 0]])] = 1
        place += flags[i, 1]
    for i in range(gains.size):
        gain = int(seen[gains[i]])
        if gain > 0:
            out[place + i] = (gain - GAIN_OFFSET) * GAIN_SCALE


@jit_parallel
def write_all_table_features(observations: Array, reading: TableEncoding, out: Array) -> None:
    """`write_table_features` for each row."""
    for row in numba.prange(len(observations)):
        write_table_features(borrow(observations)[row], reading, borrow(out)[row])
