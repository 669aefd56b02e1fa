"""What an environment returns as an observation: dtype, form, and where the mask is."""

from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np

from ..engine.action_ranges import N_ACTIONS
from ..options import (
    DEFAULT_MASK_KEY,
    DEFAULT_OBSERVATION_KEY,
    DEFAULT_TYPE,
    MaskPlace,
    ObservationType,
    mask_place,
    type_name,
)
from ..validation import printable_name
from .layout import Layout


class MaskFormat:
    """Adds masks to observations, for users who want them there."""

    def __init__(
        self,
        size: int,
        mask: MaskPlace,
        observation_key: str,
        mask_key: str,
        keys: Iterable[str] = (),
    ) -> None:
        """Choose where the mask is.

        Args:
            size: of a mask.
            mask: `"observation"` makes the observation a dictionary that has the mask, too.
            observation_key: the key of the observation in it, if the observation is one array.
            mask_key: the key of the mask in it.
            keys: of the observation, if it is a dictionary already.

        Raises:
            ValueError: for a setting that is not allowed, or keys that are the same.
        """
        self._size = size
        self.is_shown = mask_place(mask) == "observation"
        self._observation_key = printable_name(observation_key, "observation_key")
        self._mask_key = printable_name(mask_key, "mask_key")
        others = tuple(keys) or (self._observation_key,)
        if self.is_shown and self._mask_key in others:
            raise ValueError(f"mask_key must differ from the other keys: {', '.join(others)}")

    def space(self, seen: gymnasium.spaces.Space[Any]) -> gymnasium.spaces.Space[Any]:
        """Return the space of what `show` returns, given that of an observation."""
        if not self.is_shown:
            return seen
        parts = (
            dict(seen.spaces)
            if isinstance(seen, gymnasium.spaces.Dict)
            else {self._observation_key: seen}
        )
        mask = gymnasium.spaces.Box(0, 1, (self._size,), np.int8)
        return gymnasium.spaces.Dict({**parts, self._mask_key: mask})

    def show(self, seen: Any, mask: np.ndarray) -> Any:
        """Return an observation with its mask, if that is wanted."""
        if not self.is_shown:
            return seen
        parts = seen if isinstance(seen, dict) else {self._observation_key: seen}
        parts[self._mask_key] = mask
        return parts


class ObservationFormat:
    """Turns the buffers of a `Layout`, and masks, into observations for users.

    >>> layout = Layout(num_players=3, pieces=["hand", "walls"])
    >>> shape = ObservationFormat(layout, dtype="float32", mask="observation")
    >>> sorted(shape.space())
    ['action_mask', 'observation']
    """

    def __init__(
        self,
        layout: Layout,
        *,
        dtype: ObservationType = DEFAULT_TYPE,
        mask: MaskPlace = "info",
        observation_key: str = DEFAULT_OBSERVATION_KEY,
        mask_key: str = DEFAULT_MASK_KEY,
    ) -> None:
        """Choose the format.

        Args:
            layout: the pieces, and the form (`"flat"` or `"dict"`) in which they are returned.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.
            mask: `"observation"` makes the observation a dictionary that has the mask, too.
            observation_key: the key of the observation in it, if the form is `"flat"`.
            mask_key: the key of the mask in it.

        Raises:
            ValueError: for a setting that is not allowed, or keys that are the same.
        """
        self.layout = layout
        self.dtype = type_name(dtype)
        keys = layout.pieces if layout.form == "dict" else ()
        self._masks = MaskFormat(N_ACTIONS, mask, observation_key, mask_key, keys)
        # 1 instead of 0 where a piece has no bytes that can be set
        self._scale = (1 / np.maximum(layout.high(), 1)).astype(np.float32)

    @property
    def has_mask(self) -> bool:
        """Is the mask in the observation?"""
        return self._masks.is_shown

    def space(self) -> gymnasium.spaces.Space[Any]:
        """Return the space of what `show` returns for one game."""
        return self._masks.space(self._space_without_mask())

    def _space_without_mask(self) -> gymnasium.spaces.Space[Any]:
        if self.dtype == "uint8":
            return self.layout.space()
        if self.layout.form == "flat":
            return gymnasium.spaces.Box(0, 1, (self.layout.size,), np.float32)
        boxes: dict[str, gymnasium.spaces.Space[Any]] = {
            name: gymnasium.spaces.Box(0, 1, shape, np.float32)
            for name, shape in self.layout.shapes.items()
        }
        return gymnasium.spaces.Dict(boxes)

    def show(self, buffer: np.ndarray, mask: np.ndarray) -> Any:
        """Return an observation. Axes before the last one, such as games, are kept.

        With dtype `"uint8"` its arrays are views of `buffer` and `mask`.
        """
        numbers = buffer if self.dtype == "uint8" else buffer * self._scale
        return self._masks.show(self.layout.view(numbers), mask)
