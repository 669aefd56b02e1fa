"""The five rulebooks, and the points on which they differ.

One row per edition; the engine reads the columns as arrays indexed by the edition's number.
"""

from typing import Final, Literal, NamedTuple, get_args

import numpy as np

EditionName = Literal["german", "portuguese", "czech", "polish", "italian"]
"""Which rulebook to follow."""

EDITION_NAMES: Final[tuple[EditionName, ...]] = get_args(EditionName)


class Edition(NamedTuple):
    """What one rulebook says where the books differ."""

    name: EditionName
    scoring_card_on_top: bool
    """The scoring card lies on top of its pile instead of anywhere in it (R7)."""
    leftovers_by_cards: bool
    """Leftover tiles go by the number of cards instead of their value (R25)."""
    may_decline: bool
    """The extra action after an exact payment may be declined (R10)."""
    ties_by_total: bool
    """Players tied for the fewest cards compare the total value of their cards (R6)."""
    min_players: int
    """2, or 3 where the book does not describe the game for two."""


EDITIONS: Final = (
    #        name          on top  by cards decline totals players
    Edition("german",      False,  False,   False,  True,  2),
    Edition("portuguese",  False,  False,   False,  True,  2),
    Edition("czech",       False,  False,   False,  True,  2),
    Edition("polish",      False,  True,    True,   True,  2),
    Edition("italian",     True,   True,    True,   False, 3),
)  # fmt: skip

assert tuple(edition.name for edition in EDITIONS) == EDITION_NAMES

SCORING_CARD_ON_TOP: Final = np.array([e.scoring_card_on_top for e in EDITIONS])
LEFTOVERS_BY_CARDS: Final = np.array([e.leftovers_by_cards for e in EDITIONS])
MAY_DECLINE: Final = np.array([e.may_decline for e in EDITIONS])
TIES_BY_TOTAL: Final = np.array([e.ties_by_total for e in EDITIONS])
FEWEST_PLAYERS: Final = np.array([e.min_players for e in EDITIONS])
