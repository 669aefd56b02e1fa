"""Positions as text."""

import random

from alhambra_env import DamagedRecord
from alhambra_env.notation import from_text, to_text
from tests.fuzz import nasty
from tests.fuzz.attack import ACCEPTED, REFUSED, Broken
from tests.fuzz.games import play_on, some_game


def attack_text(rng: random.Random) -> str:
    """Read a position after its text was changed; what is accepted must be written as it is."""
    text = nasty.damaged_text(to_text(some_game(rng)), rng)
    if rng.random() < 0.1:
        data = nasty.damaged_bytes(text.encode("utf-8", "surrogatepass"), rng, most=3)
        text = data.decode("utf-8", "replace")
    try:
        game = from_text(text)
    except DamagedRecord:
        return REFUSED
    if from_text(to_text(game)).to_bytes() != game.to_bytes():
        raise Broken("a position that was accepted is not written as it is")
    play_on(game, rng)
    return ACCEPTED
