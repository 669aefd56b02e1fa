"""Error messages are short, even about very long values."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alhambra_env import DamagedRecord, Game, GameBatch, IllegalAction, alhambra_v0, arena, bots
from alhambra_env.envs.single import SingleEnv
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.notation import from_text
from alhambra_env.players import PolicyPlayer, copy_of
from alhambra_env.record import record_of, replay

LONGEST = 1000
LONG = "z" * 100_000


class Wordy:
    """Has a long name, is made for a game of seven, and cannot be copied."""

    name = LONG
    num_players = 7

    def __repr__(self) -> str:
        return LONG

    def begin(self, seed: int) -> None:
        """Nothing."""

    def choose(self, game: Game) -> int:
        return game.legal_actions()[0]

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError(LONG)


def play(action: Any) -> None:
    """Play any value as an action."""
    Game(seed=0).step(action)


CALLS: dict[str, Callable[[], object]] = {
    "an action that is an object": lambda: play(Wordy()),
    "an action that is text": lambda: play(LONG),
    "an action of many digits": lambda: play(10**5000),
    "actions of a batch": lambda: GameBatch(2).step(np.zeros(2, [(LONG, "i8")])),
    "settings of a bot": lambda: bots.make(f"rollout:{LONG}"),
    "a setting of a bot": lambda: bots.make(f"rollout:{LONG}=3"),
    "a setting of a bot without": lambda: bots.make("random", **{LONG: 3}),
    "one opponent": lambda: SingleEnv(opponents=[LONG]),
    "an opponent": lambda: SingleEnv(opponents=[LONG, "random"]),
    "opponents that are text": lambda: VectorSingleEnv(opponents=LONG),
    "an opponent for other games": lambda: SingleEnv(opponents=[Wordy(), "random"]),
    "a copy": lambda: copy_of(Wordy()),
    "players that are text": lambda: arena.match(LONG, 3),
    "a position": lambda: from_text(LONG),
    "the line of a seat": lambda: from_text(f"hand {LONG}: -"),
    "an edition": lambda: from_text(f"edition: {LONG}"),
    "editions": lambda: from_text(f"edition: a {LONG}"),
    "a number of players": lambda: from_text(f"players: {LONG}"),
    "a phase": lambda: from_text(f"phase: {LONG}"),
    "a tile": lambda: from_text(f"market: {LONG}"),
    "a tile of a city": lambda: from_text(f"city 0: {LONG}"),
    "a place in a city": lambda: from_text(f"city 0: 5@{'9' * 4000},0"),
    "a card": lambda: from_text(f"hand 0: {LONG}"),
    "a record": lambda: replay(record_of(Game(seed=0)) | {"actions": LONG}),
    "a record's version": lambda: replay(record_of(Game(seed=0)) | {"encoding_version": LONG}),
}


@pytest.mark.parametrize("what", CALLS)
def test_a_message_about_something_long_is_short(what: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        CALLS[what]()
    assert len(str(caught.value)) < LONGEST


def test_an_action_of_thousands_of_digits_is_an_illegal_action() -> None:
    with pytest.raises(IllegalAction, match="no action has the number a int of thousands"):
        Game(seed=0).step(10**5000)


@pytest.mark.parametrize(
    ("key", "value"),
    [("edition", LONG), ("line_ups", [[0, 1]] * 5000), ("players", [{"name": LONG}])],
)
def test_a_message_about_another_file_of_results_is_short(
    key: str, value: Any, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    arena.match(["saver", "random"], 2, 1, workers=1, out=path)
    header = json.loads(path.read_text().splitlines()[0])
    path.write_text(json.dumps(header | {key: value}) + "\n")
    with pytest.raises(ValueError, match=f"other settings: {key} is ") as caught:
        arena.match(["saver", "random"], 2, 1, workers=1, out=path)
    assert len(str(caught.value)) < LONGEST + len(str(path))


@pytest.mark.parametrize("name", [LONG, "\ud800", "", 5])
def test_a_file_of_results_with_a_name_that_cannot_be_printed_is_refused(
    name: Any, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    arena.match(["saver", "random"], 2, 1, workers=1, out=path)
    header, *deals = path.read_text().splitlines()
    changed = json.loads(header)
    changed["players"][0]["name"] = name
    path.write_text("\n".join([json.dumps(changed), *deals, ""]))
    with pytest.raises(DamagedRecord, match="the name of a player must be") as caught:
        arena.load(path)
    assert len(str(caught.value)) < LONGEST + len(str(path))


NO_LISTS: dict[str, Callable[[Any], object]] = {
    "SingleEnv(opponents)": lambda given: SingleEnv(opponents=given),
    "VectorSingleEnv(opponents)": lambda given: VectorSingleEnv(opponents=given),
    "SingleEnv(pieces)": lambda given: SingleEnv(pieces=given),
    "VectorSingleEnv(pieces)": lambda given: VectorSingleEnv(pieces=given),
    "GameBatch(pieces)": lambda given: GameBatch(2, pieces=given),
    "raw_env(pieces)": lambda given: alhambra_v0.raw_env(pieces=given),
    "Game.observe(pieces)": lambda given: Game(seed=0).observe(0, "secret", given),
    "PolicyPlayer(pieces)": lambda given: PolicyPlayer(lambda seen, mask: 0, pieces=given),
}


@pytest.mark.parametrize("given", [5, 1.5, True, ..., int, np.array(3)], ids=repr)
@pytest.mark.parametrize("call", NO_LISTS)
def test_what_is_no_list_is_a_wrong_value(call: str, given: Any) -> None:
    with pytest.raises(ValueError, match="must be a list, not "):
        NO_LISTS[call](given)


def test_a_seed_may_be_any_whole_number_of_numpy() -> None:
    env = alhambra_v0.raw_env()
    games = []
    seeds: tuple[Any, ...] = (5, np.int64(5), np.array(5))
    for seed in seeds:
        env.reset(seed=seed)
        env.reset()  # the game after
        games.append((env.game.seed, GameBatch(2, seed=seed).seeds.tolist()))
    assert games[0] == games[1] == games[2]
