"""The type of an attack, and its allowed results."""

import random
from collections.abc import Callable
from typing import Final, NamedTuple

REFUSED: Final = "refused"
ACCEPTED: Final = "accepted"

LONGEST_MESSAGE: Final = 5000
"""Characters of an error message; a longer one would drown what it says."""


class Broken(Exception):
    """An attack found something: a promise of the package does not hold."""


class Kind(NamedTuple):
    """A kind of attack."""

    name: str
    attack: Callable[[random.Random], str]
    """Makes one attack. Returns what came of it, and raises whatever is not as it should be."""
    replayed: int
    """How many cases the tests replay."""
    seconds: float = 60.0
    """A case that takes longer counts as a hang."""
    share: float = 1.0
    """Of the time, relative to the others."""


def case_rng(kind: str, case: int) -> random.Random:
    """Return the randomness of a case."""
    return random.Random(f"{kind} {case}")


def refuses(action: Callable[[], object], *allowed: type[BaseException], what: str = "") -> str:
    """Do something that may be refused with one of some errors; any other error passes through."""
    try:
        action()
    except allowed as error:
        if len(str(error)) > LONGEST_MESSAGE:
            raise Broken(f"{what}: a message of {len(str(error)):,} characters") from error
        return REFUSED
    return ACCEPTED
