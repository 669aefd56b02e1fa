"""What a seat observes: one `uint8` buffer, made of named pieces.

`PIECES` is the table of all pieces. A `Layout` puts some of them one after the other into a buffer;
the flat array and the dictionary of pieces are views of the same bytes.
"""

from .layout import Layout
from .pieces import OBSERVATION_VERSION, PIECE_NAMES, PIECES, Piece

__all__ = ["OBSERVATION_VERSION", "PIECES", "PIECE_NAMES", "Layout", "Piece"]
