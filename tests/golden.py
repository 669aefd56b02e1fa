"""Writes the golden files in tests/playthroughs again: `make golden`.

One whole game for every edition and player count, perft counts from a few positions, and the
behaviour signature. Review them as a diff: it shows how play changed.
"""

import json
import random
from pathlib import Path
from typing import Any

from alhambra_env import Game, actions
from alhambra_env.engine.editions import EDITION_NAMES, EditionName
from alhambra_env.engine.material import MAX_PLAYERS
from alhambra_env.notation import from_text, to_text
from alhambra_env.record import save_record
from benchmarks.signature import behaviour_signature
from benchmarks.soak import settings

FOLDER = Path(__file__).parent / "playthroughs"
PERFT = FOLDER / "perft.json"
SIGNATURE = FOLDER / "signature.txt"
PERFT_NODES = 20_000


def golden_path(edition: EditionName, num_players: int) -> Path:
    """Return the path of the golden game of these settings."""
    return FOLDER / f"{edition}_{num_players}p.json"


def play_varied(game: Game, chooser: random.Random) -> Game:
    """Play to the end; all kinds of action that are legal are equally likely."""
    while not game.over:
        game.step(choose_varied(game, chooser))
    return game


def choose_varied(game: Game, chooser: random.Random) -> int:
    """Return a legal action, all kinds being equally likely."""
    by_kind: dict[str, list[int]] = {}
    for action in game.legal_actions():
        by_kind.setdefault(actions.kind_of(action).name, []).append(action)
    return chooser.choice(by_kind[chooser.choice(sorted(by_kind))])


def perft(game: Game, depth: int) -> int:
    """Return how many sequences of this many actions there are."""
    if depth == 1:
        return len(game.legal_actions())
    count = 0
    for action in game.legal_actions():
        after = game.clone()
        after.step(action)
        count += perft(after, depth - 1)
    return count


def perft_counts(game: Game) -> list[int]:
    """Return the counts for depth 1, 2, ... as far as they stay small."""
    counts = [perft(game, 1)]
    while counts[-1] < PERFT_NODES and len(counts) < 4 and counts[-1] > 0:
        counts.append(perft(game, len(counts) + 1))
    return counts


def perft_positions() -> dict[str, str]:
    """Return positions of every phase, from random games, as text."""
    positions: dict[str, str] = {}
    for num_players in range(2, MAX_PLAYERS + 1):
        game = Game(num_players, EDITION_NAMES[num_players - 2], seed=num_players)
        chooser = random.Random(num_players)
        positions[f"start, {num_players} players"] = to_text(game)
        while not game.over:
            if int(game.state.turn) >= 40:
                ending = ", ending" if game.state.ending else ""
                positions.setdefault(f"{game.phase}{ending}", to_text(game))
            game.step(choose_varied(game, chooser))
    return positions


def main() -> None:
    """Write all golden files."""
    FOLDER.mkdir(exist_ok=True)
    for edition, num_players in settings():
        game = Game(num_players, edition, seed=10 * EDITION_NAMES.index(edition))
        play_varied(game, random.Random(num_players))
        save_record(game, golden_path(edition, num_players))
    table: dict[str, Any] = {
        name: {"perft": perft_counts(from_text(text)), "position": text.splitlines()}
        for name, text in perft_positions().items()
    }
    PERFT.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    SIGNATURE.write_text(behaviour_signature() + "\n", encoding="utf-8")
    print(f"wrote {len(list(FOLDER.iterdir()))} files in {FOLDER.name}; review them as a diff")


if __name__ == "__main__":
    main()
