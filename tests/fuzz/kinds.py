"""The table of attacks."""

from typing import Final

from tests.fuzz import (
    arguments,
    checkpoints,
    configs,
    datasets,
    notation,
    players,
    records,
    results,
    training,
)
from tests.fuzz.attack import Kind

KINDS: Final = (
    Kind("records", records.attack_bytes, 300, share=3),
    Kind("batches", records.attack_batch, 100),
    Kind("replays", records.attack_replay, 60),
    Kind("notation", notation.attack_text, 200, share=2),
    Kind("names", configs.attack_name, 200, share=0.5),
    Kind("configs", configs.attack_file, 60),
    Kind("overrides", configs.attack_override, 100, share=0.5),
    Kind("checkpoints", checkpoints.attack_checkpoint, 60, share=3),
    Kind("results", results.attack_results, 40, share=0.5),
    Kind("ladders", results.attack_ladder, 40, share=0.5),
    Kind("data sets", datasets.attack_dataset, 60),
    Kind("arguments", arguments.attack_arguments, 400, share=2),
    Kind("players, single", players.attack_single, 10),
    Kind("players, vector", players.attack_vector, 10),
    Kind("players, arena", players.attack_arena, 6),
    Kind("players, copies", players.attack_game, 30, share=0.2),
    Kind("training, kill -9", training.attack_kill, 1, seconds=400, share=3),
    Kind("training, disk full", training.attack_disk, 2, seconds=400, share=2),
)
"""All kinds of attack; shares of the time are relative."""


def kind_called(name: str) -> Kind:
    """Return a kind by name."""
    return next(kind for kind in KINDS if kind.name == name)
