"""The behaviour signature: a short hash that changes when any rule plays differently."""

import hashlib

import numpy as np

from alhambra_env.actions import N_ACTIONS
from alhambra_env.engine.editions import EDITIONS
from alhambra_env.engine.material import MAX_PLAYERS
from alhambra_env.engine.random_play import play_out
from alhambra_env.engine.rng import seed_words
from alhambra_env.engine.setup import set_up
from alhambra_env.engine.state import new_states
from alhambra_env.options import GameRules

GAMES = 20
FIELDS_OF_PLAY = ("scores", "dirk_score", "city", "reserves", "dirk", "market", "hands", "rng")
"""The fields that are hashed. A new layout of the record is not a change of play."""


def behaviour_signature() -> str:
    """Play random games of every edition and player count, and hash how they end."""
    digest = hashlib.sha256()
    states = new_states(1)
    mask = np.zeros(N_ACTIONS, np.int8)
    words = seed_words(0)
    for edition in EDITIONS:
        for num_players in range(edition.min_players, MAX_PLAYERS + 1):
            rules = GameRules(num_players, edition)
            for seed in range(GAMES):
                set_up(states[0], rules.numbers, seed_words(seed))
                actions = play_out(states[0], words, mask)
                digest.update(str((actions, states[0].turn)).encode())
                for field in FIELDS_OF_PLAY:
                    digest.update(states[0][field].tobytes())
    return digest.hexdigest()[:16]
