"""Measuring time, and the references that speeds are compared with."""

import time
from collections.abc import Callable

import numpy as np
from numba import njit

REPEATS = 5


def best_time(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the shortest of several times in seconds, the one with the least noise."""
    run()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


@njit
def _write_bytes(source: np.ndarray, copies: np.ndarray, masks: np.ndarray, rounds: int) -> None:
    for _ in range(rounds):
        for game in range(source.shape[0]):
            mask, state, copy = masks[game], source[game], copies[game]
            # Plain loops over contiguous bytes are what the compiler turns into memset and memcpy.
            for i in range(mask.size):
                mask[i] = 0
            for i in range(state.size):
                copy[i] = state[i]


def time_writing(rows: np.ndarray, masks: np.ndarray, rounds: int) -> float:
    """Return the seconds it takes to clear all masks (memset) and copy all rows (memcpy)."""
    copies, cleared = np.zeros_like(rows), np.zeros_like(masks)
    return best_time(lambda: _write_bytes(rows, copies, cleared, rounds))
