"""Checks of settings: a wrong value raises a `ValueError` that says what is allowed."""

import operator
import reprlib
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

import numpy as np

LONGEST_SHOWN: Final = 200
"""The most characters of a value that an error message shows."""

_repr = reprlib.Repr()
_repr.maxlevel = 3
_repr.maxstring = _repr.maxother = _repr.maxlong = LONGEST_SHOWN


def shown(value: Any) -> str:
    """Return a value as an error message shows it: like `repr`, but never long or slow."""
    try:
        return shortened(_repr.repr(value))
    except ValueError:  # Python does not print ints of thousands of digits
        return f"a {type(value).__name__} of thousands of digits"


def shortened(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Return a text, without its middle if it is too long for a message."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


def printable_name(value: Any, what: str) -> str:
    """Return a name that can be printed and written to files."""
    is_text = isinstance(value, str) and value.isprintable() and value.strip()
    if is_text and len(value) <= LONGEST_SHOWN:
        return str(value)
    raise ValueError(
        f"{what} must be 1 to {LONGEST_SHOWN} printable characters, not {shown(value)}"
    )


def as_list(value: Any, what: str) -> list[Any]:
    """Return an iterable as a list; a string becomes a list of one item."""
    if isinstance(value, str):
        return [value]
    try:
        return list(value)
    except TypeError:
        raise ValueError(f"{what} must be a list, not {shown(value)}") from None


def whole_number(value: Any, what: str, low: int, high: int | None = None) -> int:
    """Return a whole number from `low` to `high` as a plain int."""
    allowed = f"{low} to {high}" if high is not None else f"{low} or more"
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{what} must be a whole number, {allowed}, not {shown(value)}") from None
    if number < low or (high is not None and number > high):
        raise ValueError(f"{what} must be {allowed}, not {shown(number)}")
    return number


def read_whole_number(value: Any, what: str, low: int, high: int) -> int:
    """Like `whole_number`, but also takes text such as `"240"`."""
    is_digits = isinstance(value, str) and value.isascii() and value.isdecimal()
    # Python raises an error for thousands of digits.
    if is_digits and len(value) <= LONGEST_SHOWN:
        value = int(value)
    return whole_number(value, what, low, high)


def real_number(value: Any, what: str, low: float, high: float) -> float:
    """Return a number from `low` to `high` (both finite) as a plain float."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:  # also false for nan and infinity
        raise ValueError(f"{what} must be a number from {low:g} to {high:g}, not {shown(value)}")
    return float(value)


def one_of(value: Any, names: Iterable[str], what: str) -> str:
    """Return the value if it is one of the names; the error suggests the nearest name."""
    known = tuple(names)
    if isinstance(value, str) and value in known:
        return value
    hint = " ".join(filter(None, [did_you_mean(value, known), f"there are: {', '.join(known)}"]))
    raise ValueError(f"unknown {what} {shown(value)}; {hint}")


def did_you_mean(value: Any, names: Iterable[str]) -> str:
    """Return a question that suggests the nearest name, or an empty text if none is near."""
    # Shortened, because comparing takes quadratic time.
    given = shortened(value) if isinstance(value, str) else shown(value)
    close = get_close_matches(given, list(names), n=1)
    return f"did you mean {close[0]!r}?" if close else ""
