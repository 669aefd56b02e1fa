"""Data sets of recorded games: recording, resuming, reading."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alhambra_env import DamagedRecord, Game, IllegalAction
from alhambra_env.observation import Layout

pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `data`")
pytest.importorskip("minari", reason="needs Minari, of the extra `data`")

from alhambra_env.datasets import create_dataset, open_dataset
from alhambra_env.datasets import recording as recording_module
from alhambra_env.datasets.replaying import replay
from tests.data_sets import PLAYERS, change_meta, contents

# --- recording --------------------------------------------------------------------------------


def test_the_same_settings_give_the_same_bytes(recorded: Path, tmp_path: Path) -> None:
    create_dataset(PLAYERS, tmp_path / "a", 7, 5, shard_games=3, observations=True)
    assert contents(tmp_path / "a") == contents(recorded)


def test_the_number_of_processes_does_not_matter(recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "two"
    create_dataset(PLAYERS, folder, 7, 5, shard_games=3, observations=True, workers=2)
    assert contents(folder) == contents(recorded)


@pytest.mark.parametrize("at", range(7))
def test_an_interrupted_recording_resumes(
    at: int, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    play = recording_module._Table.play

    def stop(self: Any, number: int) -> np.ndarray:
        if number == at:
            raise KeyboardInterrupt
        return play(self, number)

    settings: dict[str, Any] = {"shard_games": 3, "observations": True}
    with monkeypatch.context() as patch:
        patch.setattr(recording_module._Table, "play", stop)
        with pytest.raises(KeyboardInterrupt):
            create_dataset(PLAYERS, folder, 7, 5, **settings)
    kept = open_dataset(folder)
    assert len(kept) == at // 3 * 3
    kept.verify()
    played: list[int] = []

    def note(self: Any, number: int) -> np.ndarray:
        played.append(number)
        return play(self, number)

    monkeypatch.setattr(recording_module._Table, "play", note)
    create_dataset(PLAYERS, folder, 7, 5, **settings)
    assert played == list(range(at // 3 * 3, 7))
    assert contents(folder) == contents(recorded)


def test_a_process_that_is_killed_leaves_whole_shards_only(tmp_path: Path) -> None:
    folder, other = tmp_path / "killed", tmp_path / "other"
    words = ["dataset", *PLAYERS, "--games", "3000", "--shard-games", "20", "--workers", "1"]
    command = [sys.executable, "-m", "alhambra_env.cli", *words, "-o", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        deadline = time.monotonic() + 120
        while len(list(folder.glob("decisions-*"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(run.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    kept = len(open_dataset(folder))
    assert kept >= 20
    assert kept % 20 == 0
    open_dataset(folder).verify()
    (folder / ".games-00000.parquet.1.part").touch()  # what may be left, too
    create_dataset(PLAYERS, folder, kept + 30, shard_games=20, workers=1)
    create_dataset(PLAYERS, other, kept + 30, shard_games=20, workers=1)
    assert contents(folder) == contents(other)


def test_more_games_can_be_added(recorded: Path, tmp_path: Path) -> None:
    for games in (1, 4, 5, 7):
        create_dataset(PLAYERS, tmp_path / "a", games, 5, shard_games=3, observations=True)
    assert contents(tmp_path / "a") == contents(recorded)


def test_a_complete_data_set_is_left_alone(
    recorded_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "_Table", None)
    create_dataset(PLAYERS, recorded_copy, 7, 5, shard_games=3, observations=True)


def test_players_rotate_over_the_seats(recorded: Path, tmp_path: Path) -> None:
    seated = [game.players for game in open_dataset(recorded).games()]
    assert seated[:3] == [
        ("builder", "saver", "random"),
        ("saver", "random", "builder"),
        ("random", "builder", "saver"),
    ]
    still = create_dataset(PLAYERS, tmp_path / "still", 3, rotate=False)
    assert {game.players for game in still.games()} == {tuple(PLAYERS)}


def test_every_game_has_its_own_seed(recorded: Path) -> None:
    assert len({game.seed for game in open_dataset(recorded).games()}) == 7


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    return int(mask.argmax())


class Cheat:
    name = "cheat"

    def begin(self, seed: int) -> None:
        pass

    def choose(self, game: Game) -> int:
        return 1954


def test_every_player_gets_its_own_seed_in_every_game(tmp_path: Path) -> None:
    seeds: list[int] = []

    class Noting:
        name = "noting"

        def begin(self, seed: int) -> None:
            seeds.append(seed)

        def choose(self, game: Game) -> int:
            return game.legal_actions()[0]

    create_dataset([Noting, Noting], tmp_path / "a", 3, max_turns=10)
    assert len(set(seeds)) == len(seeds) == 6


def test_functions_and_trained_agents_can_be_recorded(tmp_path: Path) -> None:
    players = [first_legal, "ppo_3p", "tests.test_datasets:first_legal"]
    dataset = create_dataset(["a=builder", *players[1:]], tmp_path / "a", 2)
    assert dataset.settings.names == ("a", "ppo_3p", "first_legal")
    dataset.verify()
    create_dataset([first_legal, first_legal], tmp_path / "b", 1, max_turns=30).verify()


@pytest.mark.parametrize("edition", ["italian", "polish:scoring_card_on_top=yes"])
@pytest.mark.parametrize("num_players", [3, 6])
def test_all_rules_can_be_recorded(edition: str, num_players: int, tmp_path: Path) -> None:
    create_dataset(["random"] * num_players, tmp_path / "a", 2, edition=edition).verify()


def test_an_illegal_action_names_player_and_game(tmp_path: Path) -> None:
    with pytest.raises(IllegalAction, match="cheat on seat 0 in game 0"):
        create_dataset([Cheat, "random"], tmp_path / "a", 3)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"games": 3}, "has 7 games already, more than 3"),
        ({"seed": 6}, "other settings: seed is 5 there and 6 here"),
        ({"edition": "polish"}, "edition is german there and polish here"),
        ({"players": ["saver"] * 3}, "players is builder, saver, random there and saver"),
        ({"observations": False}, "observations is"),
        ({"rotate": False}, "rotate is True there and False here"),
        ({"shard_games": 4}, "shard_games is 3 there and 4 here"),
        ({"max_turns": 5}, "max_turns is 1000 there and 5 here"),
    ],
)
def test_a_folder_with_other_settings_is_refused(
    settings: dict[str, Any], says: str, recorded_copy: Path
) -> None:
    before = contents(recorded_copy)
    same: dict[str, Any] = {"players": PLAYERS, "folder": recorded_copy, "games": 7, "seed": 5}
    same |= {"shard_games": 3, "observations": True}
    with pytest.raises(ValueError, match=says):
        create_dataset(**(same | settings))
    assert contents(recorded_copy) == before


def test_a_data_set_of_other_code_is_not_continued(recorded_copy: Path) -> None:
    change_meta(recorded_copy, code="0")
    open_dataset(recorded_copy).verify()
    with pytest.raises(ValueError, match="recorded by other code"):
        create_dataset(PLAYERS, recorded_copy, 8, 5, shard_games=3, observations=True)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"players": ["builder"]}, "num_players must be 2 to 6, not 1"),
        ({"players": "builder"}, "players must be a list"),
        ({"players": ["x=builder", "x=saver"]}, "two different players are called 'x'"),
        ({"players": ["ppo_3p", "builder"]}, "trained for 3 players"),
        ({"games": 0}, "games must be 1 to"),
        ({"shard_games": 0}, "shard_games must be 1 to"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"workers": 0}, "workers must be 1 to"),
        ({"pieces": ["x"]}, "unknown piece"),
        ({"folder": "/nowhere/data"}, "there is no folder"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], says: str, tmp_path: Path) -> None:
    good: dict[str, Any] = {"players": PLAYERS, "folder": tmp_path / "a"}
    with pytest.raises(ValueError, match=says):
        create_dataset(**(good | settings))
    assert not (tmp_path / "a").exists()


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ValueError, match="not a data set and not empty"):
        create_dataset(PLAYERS, tmp_path, 1)
    with pytest.raises(ValueError, match="is not a folder"):
        create_dataset(PLAYERS, tmp_path / "notes.txt", 1)


def test_two_processes_do_not_write_to_one_folder(recorded_copy: Path) -> None:
    from filelock import FileLock

    with (
        FileLock(recorded_copy / ".lock"),
        pytest.raises(ValueError, match="another process is recording"),
    ):
        create_dataset(PLAYERS, recorded_copy, 8, 5, shard_games=3, observations=True)


def test_a_shard_that_vanished_is_noticed_before_more_games_are_played(recorded_copy: Path) -> None:
    (recorded_copy / "decisions-00001.parquet").unlink()
    with pytest.raises(DamagedRecord, match="missing or damaged"):
        create_dataset(PLAYERS, recorded_copy, 8, 5, shard_games=3, observations=True)


# --- reading ----------------------------------------------------------------------------------


def test_games_replay_to_what_was_recorded(recorded: Path) -> None:
    dataset = open_dataset(recorded)
    dataset.verify()
    games = list(dataset.games())
    assert [game.number for game in games] == list(range(7)) == list(range(len(dataset)))
    assert sum(game.actions.size for game in games) == dataset.num_decisions
    for recorded_game in games:
        game = Game(3, seed=recorded_game.seed)
        for action in recorded_game.actions:
            game.step(action)
        assert game.over
        assert tuple(game.scores) == recorded_game.scores
        assert tuple(game.winners) == recorded_game.winners
        assert game.to_bytes() == recorded_game.replay().game.to_bytes()
        assert recorded_game.replay().game.action_mask().sum() == 0


def test_rows_are_what_the_game_was_at_each_decision(recorded: Path) -> None:
    layout = Layout(3)
    for recorded_game in open_dataset(recorded).games():
        masks = recorded_game.masks()
        assert recorded_game.observations is not None
        row = 0
        for game, action in recorded_game.positions():
            assert game.to_play == recorded_game.seats[row]
            assert np.array_equal(game.action_mask(), masks[row])
            assert masks[row, action] == 1
            seen = layout.observe(game.states, 0, game.to_play)
            assert np.array_equal(seen, recorded_game.observations[row])
            to_come = np.array(recorded_game.scores) - game.scores
            own, seat = to_come[game.to_play], game.to_play
            assert recorded_game.returns["score"][row] == own
            margin = own - (to_come.sum() - own) / 2
            assert recorded_game.returns["margin"][row] == margin
            has_won = seat in recorded_game.winners
            outcome = (3 / len(recorded_game.winners) - 1) / 2 if has_won else -0.5
            assert recorded_game.returns["outcome"][row] == outcome
            row += 1
        assert row == masks.shape[0]


def test_batches_have_every_choice_of_the_wanted_player(recorded: Path) -> None:
    dataset = open_dataset(recorded)
    batches = list(dataset.batches(64, players="saver", reward="score", pieces=["hand", "walls"]))
    assert [len(batch.actions) for batch in batches[:-1]] == [64] * (len(batches) - 1)
    rows = 0
    for game in dataset.games():
        seat = game.players.index("saver")
        rows += int(((game.seats == seat) & (np.diff(game.starts) > 1)).sum())
    assert sum(len(batch.actions) for batch in batches) == rows
    for batch in batches:
        assert batch.observations.shape == (len(batch.actions), 36 + 3)
        assert batch.masks[np.arange(len(batch.actions)), batch.actions].all()
        assert (batch.masks.sum(axis=1) > 1).all()
    whole = list(dataset.batches(10**6, skip_forced=False, observation="dict", dtype="float32"))
    assert len(whole) == 1
    assert len(whole[0].returns) == dataset.num_decisions
    assert whole[0].observations["city"].shape == (dataset.num_decisions, 11, 19, 19)
    assert whole[0].observations["market"].dtype == np.float32


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"players": "nobody"}, "unknown player of this data set 'nobody'"),
        ({"players": []}, "players must name some of"),
        ({"size": 0}, "size must be 1 or more"),
        ({"reward": "x"}, "unknown reward"),
        ({"pieces": ["other_hands"]}, "needs hands"),
    ],
)
def test_bad_settings_of_batches_are_refused(
    settings: dict[str, Any], says: str, recorded: Path
) -> None:
    with pytest.raises(ValueError, match=says):
        next(open_dataset(recorded).batches(**settings))


def test_a_replay_refuses_what_cannot_have_been_played(recorded: Path) -> None:
    game = next(open_dataset(recorded).games())
    again = replay(game.rules, game.seed, game.actions)
    for actions, says in (
        (game.actions[:-1], "not over after"),
        ([*game.actions, 0], "the game is over after"),
        ([1954, *game.actions[1:]], r"action 0 is 1954 \(overpay:9\), which is not legal"),
        ([5000, *game.actions[1:]], "action 0 is 5000"),
        ([-1], "action 0 is -1"),
        ([], "not over after its 0 actions"),
    ):
        with pytest.raises(DamagedRecord, match=says):
            replay(game.rules, game.seed, actions)
    assert again.game.over
