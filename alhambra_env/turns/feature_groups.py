"""The features of a choice, as named groups of columns: numbers of about 0 to 1.

`features` writes those of a choice, `table_features` those that all choices of a decision share.
None depends on the number of players, so one network can play with any number.
"""

from typing import Final, NamedTuple

from ..bots.best_turns import N_KINDS
from ..engine.material import MAX_PLAYERS, MIN_PLAYERS, N_BUILDINGS, N_ROUNDS, N_SLOTS

FEATURES_VERSION: Final = 0
"""Rises whenever a feature changes. Checkpoints carry it."""


class Group(NamedTuple):
    """A group of features."""

    name: str
    size: int
    meaning: str


OF_TYPE: Final = 13
OF_SLOT: Final = 14

OF_CARD: Final = 3

CHOICE_GROUPS: Final = (
    Group(
        "judgement",
        6,
        "lookahead's value, and what it is below the best; its parts: standing, city, hand; what "
        "the next player can buy",
    ),
    Group(
        "kind",
        1 + N_KINDS,
        "how many tiles it buys; does it end by taking money, buying, rebuilding, removing, or "
        "stopping?",
    ),
    Group(
        "types",
        N_BUILDINGS * OF_TYPE,
        "for each type of building: tiles of oneself, of the best and the mean of the others, of "
        "Dirk, and in the bag; expected points for rank in each round, own and the mean of the "
        "others'; what one more tile brings oneself and the next player",
    ),
    Group(
        "slots",
        N_SLOTS * OF_SLOT,
        "for each market slot: is there a tile, its price, its worth in the own city; is it "
        "payable, exactly payable, the share of the price there is; money and cards of this "
        "currency in hand and open; worth to the next player, and the share of the price it has; "
        "which share of the tiles in the bag this currency in hand pays exactly, and pays",
    ),
    Group(
        "city",
        7,
        "longest wall, compared with the longest and the mean of the others; open sides, sites, "
        "tiles, and tiles compared with the mean of the others",
    ),
    Group(
        "money",
        5,
        "its value and cards, cards compared with the mean of the others, cards of the largest "
        "currency, and how much of it can still be spent",
    ),
    Group("reserve", 2, "tiles in the reserve, and what they would bring in the city"),
)
"""Features that differ from choice to choice, in the order of the array."""

TABLE_GROUPS: Final = (
    Group("players", MAX_PLAYERS - MIN_PLAYERS + 1, "which number of players"),
    Group(
        "rules",
        4,
        "does the scoring card lie on top, do leftovers go by cards, may one decline, are the "
        "other hands known?",
    ),
    Group(
        "progress",
        2 * N_ROUNDS + 4,
        "rounds scored; the share of the bag that comes before each round; bag, deck, turns; are "
        "leftovers being placed?",
    ),
    Group(
        "scoring_cards",
        2 * OF_CARD,
        "for each scoring card in the deck: the fewest and the most cards until it comes, and "
        "the chance that it comes before the own next turn",
    ),
    Group(
        "others",
        9,
        "own score; the lead in points over the best, the mean and the next of the others; cards "
        "of the next, the mean and the most; tiles of the mean and the most",
    ),
)
"""Features that are the same for all choices of a decision; they follow in each row."""


def _starts() -> dict[str, int]:
    starts, start = {}, 0
    for group in (*CHOICE_GROUPS, *TABLE_GROUPS):
        starts[group.name] = start
        start += group.size
    return starts


STARTS: Final = _starts()
"""Where each group starts."""

N_CHOICE_FEATURES: Final = sum(group.size for group in CHOICE_GROUPS)
N_TABLE_FEATURES: Final = sum(group.size for group in TABLE_GROUPS)
N_FEATURES: Final = N_CHOICE_FEATURES + N_TABLE_FEATURES

VALUE: Final = STARTS["judgement"]
"""The feature with lookahead's value."""
BELOW_BEST: Final = VALUE + 1
"""The feature with its difference from the best choice's: 0 for the best, negative for others."""
VALUE_SCALE: Final = 20.0
"""A value of this many points is 1."""
BELOW_SCALE: Final = 5.0
"""A difference of this many points is 1."""
