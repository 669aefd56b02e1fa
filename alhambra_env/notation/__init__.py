"""A position as text and back, for bug reports and for writing tests by hand.

One line per fact, `key: value`; `#` starts a comment. Tiles are written as their numbers, city
tiles as `tile@dy,dx` from the fountain, money cards as colour and value (`b3 g9 o1 y5`: blue denar,
green dirham, orange ducat, yellow guilder), scoring cards as `s1` and `s2`, nothing as `-`.

    edition: german
    players: 3
    to_play: 1
    market: 41 3 8 17
    hand 1: b3 b3 g9
    city 1: 12@0,1 30@-1,0
    deck: b7 s1 o4 o4 y1      # the next card first
    discards: rest

Lines that are left out have defaults: market and display are drawn; tiles and cards that no line
names are in the bag and in the deck, in the order of their numbers. The word `rest` puts those
somewhere else: in a reserve, with Dirk, into a hand or the discards.

A turn starts with a full market and display. To write a position just before a refill, leave the
last decision open: `phase: put` with a `picked` tile and any empty slots.
"""

from .reader import from_text
from .writer import to_text

__all__ = ["from_text", "to_text"]
