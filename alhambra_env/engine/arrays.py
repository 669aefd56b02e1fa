"""The type of NumPy arrays, as type checkers see them."""

from typing import Any, TypeAlias

import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""An array of any dtype and shape: compiled code infers both, and docstrings name them."""
