"""Sets random states from a file, after checking them.

NumPy and PyTorch do not check a state. With some invalid ones they read out of bounds, or never
return.
"""

import struct
from typing import Any, Final

import numpy as np
import torch

from alhambra_env.validation import whole_number

_GENERATOR: Final = "PCG64"
_MERSENNE: Final = "MT19937"
_WORDS: Final = 624
"""The size of the state of a Mersenne twister."""

_TORCH_HEAD: Final = struct.Struct("=QiiQ")  # seed, words left, whether it was seeded, next word


def set_generator(rng: np.random.Generator, saved: Any) -> None:
    """Set a generator of `np.random.default_rng` to a saved state.

    Raises:
        ValueError: it is not a valid state.
    """
    if saved["bit_generator"] != _GENERATOR:
        raise ValueError(f"the random state must be one of {_GENERATOR}")
    state, step = (
        whole_number(saved["state"][key], key, 0, 2**128 - 1) for key in ("state", "inc")
    )
    if step % 2 == 0:
        raise ValueError("the random state has an even increment; it must be odd")
    rng.bit_generator.state = {
        "bit_generator": _GENERATOR,
        "state": {"state": state, "inc": step},
        "has_uint32": whole_number(saved["has_uint32"], "has_uint32", 0, 1),
        "uinteger": whole_number(saved["uinteger"], "uinteger", 0, 2**32 - 1),
    }


def set_numpy(saved: Any) -> None:
    """Set NumPy's global random state.

    Raises:
        ValueError: it is not a valid state.
    """
    key, place = saved["state"]["key"], saved["state"]["pos"]
    is_array = isinstance(key, np.ndarray) and (key.dtype, key.shape) == (np.uint32, (_WORDS,))
    if saved["bit_generator"] != _MERSENNE or not is_array:
        raise ValueError(f"NumPy's random state must be {_WORDS} words of {_MERSENNE}")
    np.random.set_state(
        {
            "bit_generator": _MERSENNE,
            "state": {"key": key, "pos": whole_number(place, "pos", 0, _WORDS)},
            "has_gauss": whole_number(saved["has_gauss"], "has_gauss", 0, 1),
            "gauss": float(saved["gauss"]),
        }
    )


def set_torch(saved: Any) -> None:
    """Set PyTorch's global random state.

    Raises:
        ValueError: it is not a valid state.
    """
    own = torch.get_rng_state().numpy()
    if not isinstance(saved, np.ndarray) or (saved.dtype, saved.shape) != (own.dtype, own.shape):
        raise ValueError(f"PyTorch's random state must be {own.size} bytes")
    # PyTorch does not document the layout. If its own state fails the check, the check is skipped.
    if _can_be_torch(own) and not _can_be_torch(saved):
        raise ValueError("PyTorch's random state has an invalid position")
    try:
        torch.set_rng_state(torch.from_numpy(saved))
    except RuntimeError as error:
        raise ValueError(f"PyTorch's random state: {error}") from None


def _can_be_torch(state: np.ndarray) -> bool:
    """Do the next word and the number of words left agree?"""
    _, left, _, next_word = _TORCH_HEAD.unpack_from(state.tobytes())
    is_fresh = (left, next_word) == (1, 0)
    return is_fresh or (1 <= left <= _WORDS and left + next_word == _WORDS + 1)
