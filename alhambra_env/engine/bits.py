"""Operations on 64-bit numbers that are one machine instruction, which Numba does not emit.

Each function also runs as plain Python; compiled code uses the instruction instead.
"""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def lowest_bit(number: int | np.int64) -> int:
    """Return the position of the lowest bit of a positive number."""
    return int(number & -number).bit_length() - 1


def count_bits(number: int | np.int64) -> int:
    """Return how many bits of a number of 0 or more are set."""
    return int(number).bit_count()


@intrinsic
def _trailing_zeros(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.int64(types.int64), generate


@intrinsic
def _population_count(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@overload(lowest_bit)
def _compile_lowest_bit(number: Any) -> Any:
    def implementation(number: Any) -> Any:
        return _trailing_zeros(np.int64(number))  # type: ignore[call-arg]  # Numba adds the first

    return implementation


@overload(count_bits)
def _compile_count_bits(number: Any) -> Any:
    def implementation(number: Any) -> Any:
        return _population_count(np.int64(number))  # type: ignore[call-arg]  # Numba adds the first

    return implementation
