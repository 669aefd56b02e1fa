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
    """Which pieces an observation has, and where they lie in its buffer."""

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
            form: `"flat"`, one array, or `"dict"`, one array for each piece.

        Raises:
            ValueError: for an unknown name, a piece that needs open hands, or no piece at all.
        """
        num_players = whole_number(num_players, "num_players", MIN_PLAYERS, MAX_PLAYERS)
        chosen = _choose(hands_name(hands), pieces)
        self.hands = hands_name(hands)
        self.form = form_name(form)
        self.pieces = tuple(piece.name for piece in chosen)
        """The names of the pieces, in the order in which they lie in the buffer."""
        self.shapes = {piece.name: piece.shape(num_players) for piece in chosen}
        self.highs = {piece.name: piece.high for piece in chosen}
        self.slices: dict[str, slice] = {}
        self.bounds = np.zeros((len(PIECES), 2), np.int64)
        """Where each of `PIECES` begins and ends, for compiled code."""
        self.size = 0
        """Bytes in the buffer."""
        for piece in chosen:
            end = self.size + prod(self.shapes[piece.name])
            self.slices[piece.name] = slice(self.size, end)
            self.bounds[PIECE_NAMES.index(piece.name)] = self.size, end
            self.size = end

    def high(self) -> np.ndarray:
        """Return the largest value of each byte of the buffer."""
        high = np.zeros(self.size, np.uint8)
        for name, where in self.slices.items():
            high[where] = self.highs[name]
        return high

    def split(self, buffer: np.ndarray) -> dict[str, np.ndarray]:
        """Return the pieces of a buffer as views, without copying.

        The last axis of `buffer` is the observation; axes before it, such as games, stay.

        Raises:
            ValueError: it is no array of observations of this layout.
        """
        if not isinstance(buffer, np.ndarray) or buffer.shape[-1:] != (self.size,):
            shape = getattr(buffer, "shape", None)
            raise ValueError(f"the last axis of a buffer has {self.size} bytes, not {shown(shape)}")
        return {
            name: buffer[..., where].reshape(*buffer.shape[:-1], *self.shapes[name])
            for name, where in self.slices.items()
        }

    def observe(self, states: np.ndarray, game: int, seat: int) -> np.ndarray:
        """Return a new buffer with what a seat observes in one of some games."""
        buffer = np.empty(self.size, np.uint8)
        write_observation_of(states, game, seat, self.bounds, buffer)
        return buffer

    def view(self, buffer: np.ndarray) -> Any:
        """Return a buffer in the form of this layout: as it is, or its pieces by name."""
        return buffer if self.form == "flat" else self.split(buffer)

    def space(self) -> gymnasium.spaces.Space[Any]:
        """Return the space of what `view` returns."""
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


def _choose(hands: str, names: Iterable[str] | None) -> list[Piece]:
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
