"""Checking settings: what is not allowed raises `ValueError` that says what is."""

import operator
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def whole_number(value: Any, what: str, low: int, high: int | None = None) -> int:
    """Return a whole number from `low` to `high` as a plain int."""
    allowed = f"{low} to {high}" if high is not None else f"{low} or more"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{what} must be a whole number, {allowed}, not {value!r}") from None
    if number < low or (high is not None and number > high):
        raise ValueError(f"{what} must be {allowed}, not {number}")
    return number


def one_of(value: Any, names: Iterable[str], what: str) -> str:
    """Return one of some names; the error suggests the nearest one."""
    known = tuple(names)
    if isinstance(value, str) and value in known:
        return value
    close = get_close_matches(str(value), known, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ValueError(f"unknown {what} {value!r}; {hint}there are: {', '.join(known)}")
