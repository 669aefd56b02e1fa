"""What a turn environment returns as an observation: form, and where the mask is."""

from typing import Any, Final

import gymnasium
import numpy as np

from ..observation.format import MaskFormat
from ..options import (
    DEFAULT_FORM,
    DEFAULT_MASK_KEY,
    DEFAULT_OBSERVATION_KEY,
    MaskPlace,
    ObservationForm,
    form_name,
)
from .choices import N_CHOICES
from .feature_groups import N_CHOICE_FEATURES, N_FEATURES, N_TABLE_FEATURES

CHOICES_KEY: Final = "choices"
TABLE_KEY: Final = "table"


class TurnFormat:
    """Turns the features of choices, and masks, into observations for users.

    >>> TurnFormat().space().shape == (16, N_FEATURES)
    True
    >>> sorted(TurnFormat(observation="dict", mask="observation").space())
    ['action_mask', 'choices', 'table']
    """

    def __init__(
        self,
        *,
        observation: ObservationForm = DEFAULT_FORM,
        mask: MaskPlace = "info",
        observation_key: str = DEFAULT_OBSERVATION_KEY,
        mask_key: str = DEFAULT_MASK_KEY,
    ) -> None:
        """Choose the format.

        Args:
            observation: `"flat"` for one array, whose rows have the features of a choice and of
                the table; `"dict"` for one array with each.
            mask: `"observation"` makes the observation a dictionary that has the mask, too.
            observation_key: the key of the observation in it, if the form is `"flat"`.
            mask_key: the key of the mask in it.

        Raises:
            ValueError: for a setting that is not allowed, or keys that are the same.
        """
        self.is_flat = form_name(observation) == "flat"
        keys = () if self.is_flat else (CHOICES_KEY, TABLE_KEY)
        self._masks = MaskFormat(N_CHOICES, mask, observation_key, mask_key, keys)

    @property
    def has_mask(self) -> bool:
        """Is the mask in the observation?"""
        return self._masks.is_shown

    def space(self) -> gymnasium.spaces.Space[Any]:
        """Return the space of what `show` returns for one game."""
        shapes = {CHOICES_KEY: (N_CHOICES, N_CHOICE_FEATURES), TABLE_KEY: (N_TABLE_FEATURES,)}
        if self.is_flat:
            return self._masks.space(_box((N_CHOICES, N_FEATURES)))
        return self._masks.space(
            gymnasium.spaces.Dict({key: _box(shape) for key, shape in shapes.items()})
        )

    def show(self, features: np.ndarray, table: np.ndarray, mask: np.ndarray) -> Any:
        """Return an observation; its arrays are views. Axes before those of a game are kept."""
        if self.is_flat:
            return self._masks.show(features, mask)
        parts = {CHOICES_KEY: features[..., :N_CHOICE_FEATURES], TABLE_KEY: table}
        return self._masks.show(parts, mask)


def _box(shape: tuple[int, ...]) -> gymnasium.spaces.Box:
    return gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)
