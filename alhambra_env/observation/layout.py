"""Which pieces an observation has, and where they lie in its buffer."""

from collections.abc import Iterable
from math import prod
from typing import Any

import gymnasium
import numpy as np

from ..engine.material import MAX_PLAYERS, MIN_PLAYERS
from ..options import DEFAULT_FORM, DEFAULT_HANDS, Hands, ObservationForm, form_name, hands_name
from ..validation import as_list, one_of, shown, whole_number
from .buffer import write_observation_of
from .pieces import PIECE_NAMES, PIECES, Piece


class Layout:
    """Which pieces an observation has, where they lie in its buffer, and the form users get.

    >>> layout = Layout(num_players=3, pieces=["hand", "walls"], form="dict")
    >>> buffer = np.zeros((64, layout.size), np.uint8)
    >>> layout.view(buffer)["walls"].shape
    (64, 3)
    """

    def __init__(
        self,
        num_players: int,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        form: ObservationForm = DEFAULT_FORM,
    ) -> None:
        """Choose the pieces.

        Args:
            num_players: 2 to 6.
            hands: `"secret"` or `"open"` (E4).
            pieces: names from `PIECE_NAMES`; None takes the default ones.
            form: what `space` and `view` return: `"flat"` for one array, `"dict"` for one array
                for each piece.

        Raises:
            ValueError: for an unknown name, a piece that needs open hands, or no piece at all.
        """
        num_players = whole_number(num_players, "num_players", MIN_PLAYERS, MAX_PLAYERS)
        self.hands = hands_name(hands)
        chosen = _choose(self.hands, pieces)
        self.form = form_name(form)
        self.pieces = tuple(piece.name for piece in chosen)
        """The names of the pieces, in the order in which they lie in the buffer."""
        self.shapes = {piece.name: piece.shape(num_players) for piece in chosen}
        self.highs = {piece.name: piece.high for piece in chosen}
        """The largest value of each piece; the smallest is 0."""
        self.slices: dict[str, slice] = {}
        """Where each piece lies in the buffer."""
        self.bounds = np.zeros((len(PIECES), 2), np.int64)
        """`slices` for compiled code: start and end of each of `PIECES`, 0 if it is not there."""
        self.size = 0
        """Bytes in the buffer."""
        for piece in chosen:
            end = self.size + prod(self.shapes[piece.name])
            self.slices[piece.name] = slice(self.size, end)
            self.bounds[PIECE_NAMES.index(piece.name)] = self.size, end
            self.size = end

    # --- buffers ------------------------------------------------------------------------------

    def observe(self, states: np.ndarray, game: int, seat: int) -> np.ndarray:
        """Return a new buffer with what a seat observes in one game of an array of records."""
        buffer = np.empty(self.size, np.uint8)
        write_observation_of(states, game, seat, self.bounds, buffer)
        return buffer

    def view(self, buffer: np.ndarray) -> np.ndarray | dict[str, np.ndarray]:
        """Return a buffer in the form of this layout: itself, or its pieces (see `split`)."""
        return buffer if self.form == "flat" else self.split(buffer)

    def split(self, buffer: np.ndarray) -> dict[str, np.ndarray]:
        """Return the pieces of a buffer as views, without copying.

        The last axis of `buffer` is the observation; axes before it, such as games, are kept.

        Raises:
            ValueError: `buffer` is not an array of observations of this layout.
        """
        if not isinstance(buffer, np.ndarray) or buffer.shape[-1:] != (self.size,):
            shape = getattr(buffer, "shape", None)
            raise ValueError(f"the last axis of a buffer has {self.size} bytes, not {shown(shape)}")
        return {
            name: buffer[..., where].reshape(*buffer.shape[:-1], *self.shapes[name])
            for name, where in self.slices.items()
        }

    # --- spaces -------------------------------------------------------------------------------

    def space(self) -> gymnasium.spaces.Space[Any]:
        """Return the space of what `view` returns: a `Box`, or a `Dict` of the pieces."""
        return self.box() if self.form == "flat" else gymnasium.spaces.Dict(self.boxes())

    def box(self) -> gymnasium.spaces.Box:
        """Return the space of the whole buffer."""
        return gymnasium.spaces.Box(np.uint8(0), self.high(), dtype=np.uint8)

    def boxes(self) -> dict[str, gymnasium.spaces.Space[Any]]:
        """Return the space of each piece."""
        return {
            name: gymnasium.spaces.Box(0, self.highs[name], shape, np.uint8)
            for name, shape in self.shapes.items()
        }

    def high(self) -> np.ndarray:
        """Return the largest value of each byte of the buffer."""
        high = np.zeros(self.size, np.uint8)
        for name, where in self.slices.items():
            high[where] = self.highs[name]
        return high


def _choose(hands: Hands, names: Iterable[str] | None) -> list[Piece]:
    if names is None:
        return [p for p in PIECES if p.is_default and (hands == "open" or not p.needs_open_hands)]
    wanted = as_list(names, "pieces")
    for name in wanted:
        one_of(name, PIECE_NAMES, "piece")
    chosen = [piece for piece in PIECES if piece.name in wanted]
    if not chosen:
        raise ValueError(f"an observation needs a piece; there are: {', '.join(PIECE_NAMES)}")
    for piece in chosen:
        if piece.needs_open_hands and hands != "open":
            raise ValueError(f'the piece {piece.name!r} needs hands="open", not {hands!r}')
    return chosen
