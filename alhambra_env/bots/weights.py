"""The weights of `planner`, `lookahead` and `rollout`.

`python -m benchmarks.tune_bots` finds the numbers: it was run once for each column with its default
settings, and running it again gives the same numbers.
"""

from typing import Final, NamedTuple

import numpy as np


class Weight(NamedTuple):
    """One weight, with its value for each bot."""

    name: str
    planner: float
    lookahead: float
    rollout: float
    meaning: str


WEIGHTS: Final = (
    Weight(
        "spreading", 0.0, 0.491, 0.512, "how much tiles in the bag blur who will lead in a type"
    ),
    Weight(
        "spite",
        0.462,
        0.856,
        0.887,
        "how much the mean of the others' points counts against its own",
    ),
    Weight("later", 1.0, 0.209, 0.224, "what a round counts compared with the one before it"),
    Weight("wall", 0.387, 0.438, 0.42, "a wall that is longer by one, for each round to come"),
    Weight("opening", 1.115, 1.125, 1.157, "one more side where the city can still grow"),
    Weight("openings", 3.315, 4.098, 4.152, "sides after which more do not matter"),
    Weight("coin", 0.552, 0.346, 0.379, "money, by its value"),
    Weight("card", 1.119, 0.677, 0.717, "money, by the card"),
    Weight(
        "exact",
        0.693,
        0.383,
        0.451,
        "a tile on offer that can be paid exactly, as a share of its worth",
    ),
    Weight(
        "payable", 0.157, 0.176, 0.166, "a tile on offer that can be paid, as a share of its worth"
    ),
    Weight(
        "nearly",
        0.237,
        0.221,
        0.221,
        "a tile on offer that cannot be paid, by the share of money there is",
    ),
    Weight(
        "extra",
        2.981,
        0.0,
        1.999,
        "the extra action after an exact payment, as a share of the best money",
    ),
    Weight(
        "reserve", 0.288, 0.155, 0.28, "a tile in the reserve, as a share of what its type is worth"
    ),
    Weight("late", 8.543, 8.63, 7.867, "tiles in the bag below which money loses its worth"),
    Weight(
        "deny",
        0.084,
        0.0,
        0.167,
        "a tile that another cannot get, as a share of its worth to that one",
    ),
    Weight(
        "award", 0.0, 0.416, 0.0, "a leftover tile that it would win (R25), as a share of its worth"
    ),
    Weight(
        "threat",
        0.0,
        0.409,
        0.0,
        "the best tile left to the next player, as a share of its worth to it",
    ),
    Weight(
        "fresh",
        0.0,
        2.248,
        0.0,
        "the unknown tile that will come to an empty slot, with enough money",
    ),
)
"""All weights; compiled code reads them from an array in this order.

`planner` uses present ranks: the bag does not blur them, and all rounds count the same. `rollout`
uses the planner's functions, for its candidates and its playouts, with blurred ranks. Both ignore
the last three. `lookahead` ignores `extra` and `deny`: it plays the extra action, and `threat` says
what is left for the next player.
"""

SPREADING, SPITE, LATER, WALL, OPENING, OPENINGS, COIN, CARD = range(8)
EXACT, PAYABLE, NEARLY, EXTRA, RESERVE, LATE, DENY = range(8, 15)
AWARD, THREAT, FRESH = range(15, len(WEIGHTS))

PLANNER_WEIGHTS: Final = np.array([weight.planner for weight in WEIGHTS])
LOOKAHEAD_WEIGHTS: Final = np.array([weight.lookahead for weight in WEIGHTS])
ROLLOUT_WEIGHTS: Final = np.array([weight.rollout for weight in WEIGHTS])
