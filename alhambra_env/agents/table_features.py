"""The features of a position: the small pieces of an observation, scaled to about 0 to 1.

The cities are left out: they enter the network through `action_features`.
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
"""The pieces that become features."""

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
"""The scale of a piece; 1 for pieces not listed."""

GAIN_SCALE: Final = np.float32(1 / 4)
"""The scale of a wall gain, here and in `action_features`."""


INPUT_VERSION: Final = 2
"""Version of the network's input: rises when a feature, here or in `action_features`, changes.

Version 0 had no `ranks` in `action_features`, version 1 no `overpay` and no `exact_slot`."""


class TableEncoding(NamedTuple):
    """How the bytes of an observation become features."""

    first: int
    """The first byte of the small pieces, which are contiguous."""
    scales: np.ndarray
    """The scale of each of their bytes."""
    flags: np.ndarray
    """Bytes that are also encoded one-hot: `[byte, number of values]`."""
    gains: np.ndarray
    """Bytes that are also encoded as signed wall gains."""
    size: int
    """The number of features."""


def table_encoding(layout: Layout) -> TableEncoding:
    """Return the encoding for a layout, which must have `action_features.NEEDED_PIECES`."""
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
    """Write the features of one observation."""
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
