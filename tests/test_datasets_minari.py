"""Data sets as Minari episodes, and the example that learns from a data set."""

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alhambra_env import Game
from alhambra_env.observation import Layout

pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `data`")
pytest.importorskip("minari", reason="needs Minari, of the extra `data`")
pytest.importorskip("h5py", reason="needs h5py, of the extra `data`")

import minari

from alhambra_env.datasets import create_dataset, open_dataset, to_minari
from tests.data_sets import renew_digest

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "offline_bc.py"


@pytest.fixture(autouse=True)
def minari_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Minari keeps its data sets during a test."""
    folder = tmp_path / "minari"
    folder.mkdir()
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    return folder


@pytest.mark.parametrize("data_format", ["hdf5", "parquet", "arrow"])
def test_minari_iterates_the_episodes_of_every_game_and_seat(
    data_format: str, recorded: Path
) -> None:
    source = open_dataset(recorded)
    to_minari(source, "alhambra/test-v0", data_format=data_format)
    dataset = minari.load_dataset("alhambra/test-v0")
    assert dataset.total_episodes == 7 * 3
    assert dataset.total_steps == source.num_decisions
    episodes = list(dataset.iterate_episodes())
    about = list(dataset.storage.get_episode_metadata(range(21)))
    games = list(source.games())
    for episode, meta in zip(episodes, about, strict=True):
        game, seat = games[meta["options"]["game"]], meta["options"]["seat"]
        rows = game.seats == seat
        assert meta["options"]["player"] == game.players[seat]
        assert meta["seed"] == game.seed
        assert np.array_equal(episode.actions, game.actions[rows])
        masks = episode.infos["action_mask"]
        assert masks.dtype == np.int8
        assert np.array_equal(masks[:-1], game.masks()[rows])
        assert not masks[-1].any()
        assert game.observations is not None
        assert np.array_equal(episode.observations[:-1], game.observations[rows])
        end = game.replay().game
        assert np.array_equal(episode.observations[-1], Layout(3).observe(end.states, 0, seat))
        assert dataset.observation_space.contains(episode.observations[-1])
        assert episode.terminations.tolist() == [False] * (rows.sum() - 1) + [True]
        assert not episode.truncations.any()
        assert episode.rewards.sum() == game.returns["outcome"][rows][0]


@pytest.mark.parametrize("reward", ["score", "margin"])
def test_rewards_come_between_the_decisions_of_a_seat(reward: Any, recorded: Path) -> None:
    dataset = to_minari(recorded, "rewards-v0", reward=reward, pieces=["hand"])
    about = list(dataset.storage.get_episode_metadata(range(21)))
    games = list(open_dataset(recorded).games())
    for episode, meta in zip(dataset.iterate_episodes(), about, strict=True):
        recorded_game, seat = games[meta["options"]["game"]], meta["options"]["seat"]
        points = [np.array(game.scores) for game, _ in recorded_game.positions()]
        mine = [points[row] for row in np.flatnonzero(recorded_game.seats == seat)]
        gained = np.diff([*mine, np.array(recorded_game.scores)], axis=0)
        others = (gained.sum(axis=1) - gained[:, seat]) / 2
        expected = gained[:, seat] - others * (reward == "margin")
        assert np.array_equal(episode.rewards, expected)


def test_the_environment_has_the_same_spaces_and_opponents(recorded: Path) -> None:
    dataset = to_minari(
        recorded, "x-v0", observation="dict", dtype="float32", pieces=["walls", "hand"]
    )
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space
    assert env.action_space == dataset.action_space
    assert [each.name for each in env.unwrapped.opponents] == ["saver", "random"]
    observation, info = env.reset(seed=0)
    assert observation["walls"].dtype == np.float32
    assert info["action_mask"].any()
    assert dataset[0].observations["walls"].shape[1:] == (3,)


def test_only_the_wanted_players_have_episodes(recorded: Path) -> None:
    dataset = to_minari(recorded, "saver-v0", players="saver", pieces=["hand"])
    about = dataset.storage.get_episode_metadata(range(dataset.total_episodes))
    assert [meta["options"]["player"] for meta in about] == ["saver"] * 7
    opponents = dataset.recover_environment().unwrapped.opponents
    assert [each.name for each in opponents] == ["random", "builder"]


class First:
    name = "first"

    def begin(self, seed: int) -> None:
        pass

    def choose(self, game: Game) -> int:
        return game.legal_actions()[0]


def test_an_import_path_is_not_a_part_of_the_environment(tmp_path: Path) -> None:
    path = f"{__name__}:First"
    source = create_dataset(["random", path], tmp_path / "a", 1, max_turns=30, rotate=False)
    dataset = to_minari(source, "own-v0", pieces=["hand"])
    assert path not in str(dataset.storage.metadata)
    assert dataset.recover_environment().unwrapped.opponents[0].name == "random"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"name": "no version"}, "is not an id of Minari"),
        ({"name": "../../x-v0"}, "is not an id of Minari"),
        ({"name": 5}, "is not an id of Minari"),
        ({"players": "nobody"}, "unknown player of this data set"),
        ({"reward": "x"}, "unknown reward"),
        ({"dtype": "x"}, "unknown dtype"),
        ({"data_format": "x"}, "x"),
    ],
)
def test_bad_settings_leave_nothing(
    settings: dict[str, Any], says: str, recorded: Path, minari_folder: Path
) -> None:
    name: dict[str, Any] = {"name": "x-v0"}
    with pytest.raises(ValueError, match=says):
        to_minari(recorded, **(name | settings))
    assert not [path for path in minari_folder.rglob("*") if path.is_file()]


def test_an_existing_data_set_is_not_replaced(recorded: Path) -> None:
    to_minari(recorded, "x-v0", pieces=["hand"])
    with pytest.raises(ValueError, match="there is a Minari data set x-v0 already"):
        to_minari(recorded, "x-v0", pieces=["hand"])


def test_a_damaged_source_leaves_nothing(recorded_copy: Path, minari_folder: Path) -> None:
    (recorded_copy / "decisions-00002.parquet").write_bytes(b"PAR1")
    renew_digest(recorded_copy, "decisions-00002.parquet")
    with pytest.raises(ValueError, match="is damaged"):
        to_minari(recorded_copy, "x-v0", pieces=["hand"])
    assert not list(minari_folder.iterdir())


def test_the_example_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    create_dataset(["builder"] * 3, tmp_path / "data", 12)
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(tmp_path / "data"), "--epochs", "3"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    losses = [float(line.split()[3].rstrip(",")) for line in lines]
    assert len(losses) == 3
    assert losses[2] < losses[1] < losses[0]
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 60
