"""Golden games and perft counts, which change only on purpose."""

import json
from typing import Any

import pytest

from alhambra_env.engine.editions import EditionName
from alhambra_env.notation import from_text
from alhambra_env.record import load_record
from benchmarks.signature import behaviour_signature
from benchmarks.soak import settings
from tests.golden import FOLDER, PERFT, SIGNATURE, golden_path, perft

SETTINGS = settings()
COUNTS: dict[str, Any] = json.loads(PERFT.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("edition", "num_players"), SETTINGS)
def test_the_golden_game_replays_to_the_same_bytes(edition: EditionName, num_players: int) -> None:
    game = load_record(golden_path(edition, num_players))
    assert game.over
    assert (game.edition, game.num_players) == (edition, num_players)


def test_every_golden_game_belongs_to_a_setting() -> None:
    expected = {golden_path(*setting) for setting in SETTINGS} | {PERFT, SIGNATURE}
    assert set(FOLDER.iterdir()) == expected


@pytest.mark.parametrize("name", COUNTS)
def test_perft_counts_are_unchanged(name: str) -> None:
    game = from_text("\n".join(COUNTS[name]["position"]))
    for depth, count in enumerate(COUNTS[name]["perft"], start=1):
        assert perft(game, depth) == count, f"at depth {depth}"


def test_perft_covers_every_phase() -> None:
    assert {"turn", "rebuild", "place", "put", "put, ending"} <= set(COUNTS)


def test_the_behaviour_signature_is_unchanged() -> None:
    assert behaviour_signature() == SIGNATURE.read_text(encoding="utf-8").strip()
