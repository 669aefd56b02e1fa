"""What `planner` and `lookahead` weigh, and how much.

`python -m benchmarks.tune_planner` finds the numbers.
"""

from typing import Final, NamedTuple

import numpy as np


class Weight(NamedTuple):
    """One number of the planner's judgement."""

    name: str
    planner: float
    lookahead: float
    meaning: str


TABLE: Final = (
    Weight("spreading", 0.0, 0.486, "how much tiles in the bag blur who will lead in a type"),
    Weight("spite", 0.438, 0.687, "how much the mean of the others' points counts against its own"),
    Weight("later", 1.0, 0.172, "what a round counts compared with the one before it"),
    Weight("wall", 0.345, 0.431, "a wall that is longer by one, for each round to come"),
    Weight("opening", 0.704, 1.24, "one more side where the city can still grow"),
    Weight("openings", 4.709, 5.048, "sides after which more do not matter"),
    Weight("coin", 0.59, 0.356, "money, by its value"),
    Weight("card", 0.886, 0.56, "money, by the card"),
    Weight(
        "exact", 0.693, 0.467, "a tile on offer that can be paid exactly, as a share of its worth"
    ),
    Weight("payable", 0.172, 0.179, "a tile on offer that can be paid, as a share of its worth"),
    Weight(
        "nearly",
        0.198,
        0.177,
        "a tile on offer that cannot be paid, by the share of money there is",
    ),
    Weight(
        "extra",
        2.136,
        1.969,
        "the extra action after an exact payment, as a share of the best money",
    ),
    Weight("reserve", 0.386, 0.373, "a tile in the reserve, as a share of what its type is worth"),
    Weight("late", 8.672, 6.53, "tiles in the bag below which money loses its worth"),
    Weight(
        "deny", 0.105, 0.188, "a tile that another cannot get, as a share of its worth to that one"
    ),
    Weight("award", 0.0, 0.5, "a leftover tile that it would win (R25), as a share of its worth"),
    Weight(
        "threat",
        0.0,
        0.35,
        "the best tile left to the next player, as a share of its worth to it",
    ),
    Weight(
        "fresh", 0.0, 3.0, "the unknown tile that will come to an empty slot, with enough money"
    ),
)
"""All weights; compiled code reads them from an array in this order. The planner has no use for the
last three, and takes present ranks as they are: the bag does not blur them."""

SPREADING, SPITE, LATER, WALL, OPENING, OPENINGS, COIN, CARD = range(8)
EXACT, PAYABLE, NEARLY, EXTRA, RESERVE, LATE, DENY = range(8, 15)
AWARD, THREAT, FRESH = range(15, len(TABLE))

WEIGHTS: Final = np.array([weight.planner for weight in TABLE])
"""Of `planner`, and of the planners in the playouts of `rollout`."""

SEARCH_WEIGHTS: Final = np.array([weight.lookahead for weight in TABLE])
"""Of `lookahead`."""
