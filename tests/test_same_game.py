"""Same seed, same actions: the same bytes, however the game is run."""

import hashlib
import random

import pytest

from alhambra_env import Game
from alhambra_env.engine.editions import EditionName
from tests.golden import choose_varied
from tests.plain_python import PlainCall

SETTINGS = [("german", 2), ("polish", 3), ("italian", 6)]


def digest_of_game(
    edition: EditionName, num_players: int, reload_at: frozenset[int] = frozenset()
) -> str:
    """Play a game, hash its bytes after every step, and return the hash."""
    game = Game(num_players, edition, seed=5)
    chooser = random.Random(5)
    digest = hashlib.sha256(game.to_bytes())
    steps = 0
    while not game.over:
        game.step(choose_varied(game, chooser))
        steps += 1
        if steps in reload_at:
            game = Game.from_bytes(game.to_bytes())
        digest.update(game.to_bytes())
        if steps % 25 == 0:
            digest.update(game.resample(0, seed=steps).to_bytes())
    return digest.hexdigest()


@pytest.mark.parametrize(("edition", "num_players"), SETTINGS)
def test_plain_python_plays_the_same_bytes_as_compiled_code(
    edition: EditionName, num_players: int, in_plain_python: PlainCall
) -> None:
    plain = in_plain_python(digest_of_game, edition, num_players)
    assert plain == digest_of_game(edition, num_players)


@pytest.mark.parametrize(("edition", "num_players"), SETTINGS)
def test_a_game_reloaded_from_bytes_goes_on_with_the_same_bytes(
    edition: EditionName, num_players: int
) -> None:
    steps = frozenset(random.Random(1).sample(range(1, 150), 12))
    assert digest_of_game(edition, num_players, steps) == digest_of_game(edition, num_players)


def test_other_seeds_give_other_games() -> None:
    starts = {Game(seed=seed).to_bytes() for seed in range(50)}
    assert len(starts) == 50


def test_a_game_without_a_seed_draws_one_that_gives_the_same_game() -> None:
    game = Game(num_players=4)
    assert game.seed is not None
    assert Game(num_players=4, seed=game.seed).to_bytes() == game.to_bytes()
    assert Game(num_players=4).seed != game.seed
