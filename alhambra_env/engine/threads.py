"""Numba's threads, started on first use and without changing those of other libraries."""

import threading
from functools import cache

import numba

from .plain import is_plain_python


@cache
def start_threads() -> None:
    """Start Numba's threads, once in a process; parallel functions call it before they run.

    Starting them sets how many OpenMP threads the calling thread uses, for all libraries: a PyTorch
    that was told to use one would use all cores. So another thread starts them.
    """
    if is_plain_python():
        return
    starter = threading.Thread(target=numba.get_num_threads, name="start Numba's threads")
    starter.start()
    starter.join()
