"""Data sets for Minari: one episode for each game and seat, as a single agent saw it."""

import shutil
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_dataset import MinariDataset, parse_dataset_id
from minari.dataset.minari_storage import MinariStorage
from minari.storage import get_dataset_path

from ..agents.shipped import AGENT_NAMES
from ..arena.progress import progress_bar
from ..bots import BOT_NAMES
from ..engine.action_ranges import N_ACTIONS
from ..envs.registration import ENV_ID
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_REWARD,
    DEFAULT_TYPE,
    REWARD_NAMES,
    Hands,
    ObservationForm,
    ObservationType,
    RewardName,
    reward_number,
)
from ..validation import shown
from .games import RecordedGame
from .reading import Dataset
from .replaying import Replay, dense_masks


def to_minari(
    dataset: Dataset | str | Path,
    name: str,
    *,
    players: str | Iterable[str] | None = None,
    reward: RewardName = DEFAULT_REWARD,
    hands: Hands = DEFAULT_HANDS,
    pieces: Iterable[str] | None = None,
    observation: ObservationForm = DEFAULT_FORM,
    dtype: ObservationType = DEFAULT_TYPE,
    data_format: str = "hdf5",
    progress: bool = False,
) -> Any:
    """Write a data set as a Minari data set, with observations and masks; return that.

    An episode is one game as one seat saw it: its decisions, the rewards from one to the next, and
    its observation of the end. `infos["action_mask"]` has a row for each observation; at the end it
    is all zeros. `MinariDataset.recover_environment` makes the environment with the same settings.

    Args:
        dataset: the data set, or its folder.
        name: the id of the Minari data set, such as `"alhambra/planner-v0"`.
        players: names of the players whose episodes are wanted; None for all.
        reward: `"outcome"`, `"score"` or `"margin"`.
        hands: `"secret"` or `"open"` (E4).
        pieces: names of observation pieces; None for the default.
        observation: `"flat"` or `"dict"`.
        dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.
        data_format: how Minari stores it. `"parquet"` is much smaller than `"hdf5"`, but slow to
            write for thousands of episodes.
        progress: whether to show a progress bar, if there is a terminal.

    Raises:
        ValueError: for a setting that is not allowed, or if there is such a Minari data set.
        DamagedRecord: the data set is damaged. Nothing is written.
    """
    source = dataset if isinstance(dataset, Dataset) else Dataset(dataset)
    wanted = source.chosen_players(players)
    kind = REWARD_NAMES[reward_number(reward)]
    layout = Layout(source.settings.rules.num_players, hands, pieces, observation)
    shape = ObservationFormat(layout, dtype=dtype)
    settings = {
        "reward": kind,
        "hands": layout.hands,
        "pieces": None if pieces is None else list(layout.pieces),
        "observation": layout.form,
        "dtype": shape.dtype,
    }
    target = check_minari_name(name)
    # Minari finds data sets by their folders: it is renamed once it is complete.
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        storage = MinariStorage.new(
            part / "data",
            observation_space=shape.space(),
            action_space=gymnasium.spaces.Discrete(N_ACTIONS),
            env_spec=_env_spec(source, wanted[0], settings),
            data_format=data_format,
            jpeg_encoding=False,  # it would lose bits
        )
        about = {
            "dataset_id": name,
            "minari_version": minari.__version__,
            "algorithm_name": ", ".join(dict.fromkeys(wanted)),
            "description": f"Alhambra: {', '.join(source.settings.names)}, reward {kind}",
        }
        storage.update_metadata(about)
        storage.update_episodes(_episodes(source, wanted, kind, shape, progress))
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return MinariDataset(target / "data")


def check_minari_name(name: str) -> Path:
    """Return the folder of a new Minari data set.

    Raises:
        ValueError: its id is malformed, or there is one already.
    """
    try:
        parse_dataset_id(name)
    except (ValueError, TypeError):
        raise ValueError(
            f"{shown(name)} is not an id of Minari: write NAME-v0 or FOLDER/NAME-v0"
        ) from None
    folder = Path(get_dataset_path(name))
    if folder.exists():
        raise ValueError(f"there is a Minari data set {name} already ({folder}): choose another id")
    return folder


def _env_spec(source: Dataset, learner: str, settings: dict[str, Any]) -> Any:
    """Return the environment of the learner, with the others as its opponents if they have names.

    A path or an import path is left out: it would be read wherever the data set is used.
    """
    spec = deepcopy(gymnasium.spec(ENV_ID))
    players = list(source.settings.players)
    first = source.settings.names.index(learner)
    others = [str(player["spec"]) for player in (*players[first + 1 :], *players[:first])]
    known = all(other.partition(":")[0] in (*BOT_NAMES, *AGENT_NAMES) for other in others)
    spec.kwargs = {
        **asdict(source.settings.rules),
        **settings,
        "opponents": others if known else None,
        "seat": "random" if source.settings.rotate else first,
        "skip_forced": False,  # they are in the data
    }
    return spec


def _episodes(
    source: Dataset,
    wanted: Iterable[str],
    reward: RewardName,
    shape: ObservationFormat,
    progress: bool,
) -> Iterator[EpisodeBuffer]:
    with progress_bar(progress) as bar:
        task = bar.add_task("episodes of games", total=source.num_games)
        for game in source.games():
            replayed = game.replay(shape.layout)
            for seat, player in enumerate(game.players):
                if player in wanted and np.any(game.seats == seat):
                    yield _episode(game, replayed, seat, reward, shape)
            bar.advance(task)


def _episode(
    game: RecordedGame, replayed: Replay, seat: int, reward: RewardName, shape: ObservationFormat
) -> EpisodeBuffer:
    """Return a game as one seat saw it."""
    rows = np.flatnonzero(replayed.seats == seat)
    end = shape.layout.observe(replayed.game.states, 0, seat)
    buffers = np.concatenate([replayed.observations[rows], end[None]])
    masks = np.zeros((rows.size + 1, N_ACTIONS), np.int8)
    masks[:-1] = dense_masks(replayed.starts, replayed.legal)[rows]
    to_come = replayed.returns()[reward][rows]
    is_last = np.arange(rows.size) == rows.size - 1
    return EpisodeBuffer(
        seed=game.seed,
        options={"game": game.number, "seat": seat, "player": game.players[seat]},
        observations=shape.show(buffers, masks),
        actions=replayed.actions[rows].astype(np.int64),
        # A return is the sum of all rewards from there on.
        rewards=to_come - np.append(to_come[1:], np.float32(0)),
        terminations=is_last,
        truncations=np.zeros(rows.size, np.bool_),
        infos={"action_mask": masks},
    )
