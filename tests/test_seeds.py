"""Seeds drawn in compiled code are those of NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from alhambra_env import Game, GameBatch
from alhambra_env.engine.rng import seed_words
from alhambra_env.engine.seeds import write_words

WORD = st.integers(0, 2**32 - 1)


@settings(deadline=None)
@given(WORD, WORD, WORD, WORD)
def test_words_are_those_of_a_seed_sequence(a: int, b: int, c: int, d: int) -> None:
    words = np.zeros(4, np.uint32)
    write_words(a, b, c, d, words)
    assert words.tolist() == seed_words(np.random.SeedSequence([a, b, c, d])).tolist()


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_words_of_a_number_are_those_of_its_halves(seed: int) -> None:
    words = np.zeros(4, np.uint32)
    write_words(seed & 0xFFFFFFFF, seed >> 32, 0, 0, words)
    assert words.tolist() == seed_words(seed).tolist()


def test_games_of_a_batch_have_different_seeds_that_play_the_same_alone() -> None:
    batch = GameBatch(50, 2, seed=3)
    seen = set(batch.seeds.tolist())
    for _ in range(20):
        batch.reset()
        seen |= set(batch.seeds.tolist())
    assert len(seen) == 50 * 21
    for game in (0, 49):
        alone = Game(2, seed=int(batch.seeds[game]))
        assert alone.states.tobytes() == batch.states[game].tobytes()


def test_batches_of_different_seeds_share_no_game() -> None:
    first, second = GameBatch(100, 2, seed=0), GameBatch(100, 2, seed=1)
    assert not set(first.seeds.tolist()) & set(second.seeds.tolist())
