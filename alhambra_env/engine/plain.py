"""Whether the rules run as plain Python, for debugging."""

from numba import config


def is_plain_python() -> bool:
    """Is nothing compiled, because the environment variable `NUMBA_DISABLE_JIT` is 1?"""
    return bool(vars(config)["DISABLE_JIT"])  # Numba sets it where type checkers do not see it
