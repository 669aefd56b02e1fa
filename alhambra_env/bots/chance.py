"""`random` and `uniform`: play at random."""

from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.random_play import BY_KIND, choose_in_style, choose_random


@jit
def choose_by_kind(mask: Array, rng: Array) -> int:
    """Return a random action of a random kind: all legal kinds are equally likely."""
    return choose_in_style(BY_KIND, mask, rng)


@jit
def choose_uniform(mask: Array, rng: Array) -> int:
    """Return a random action: all legal actions are equally likely."""
    return choose_random(mask, rng)
