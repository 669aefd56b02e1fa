"""Reads data sets, shard by shard."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_TYPE,
    REWARD_NAMES,
    Hands,
    ObservationForm,
    ObservationType,
    RewardName,
    reward_number,
)
from ..validation import as_list, one_of, whole_number
from .games import RecordedGame
from .replaying import dense_masks
from .settings import Settings, read_meta
from .shards import ShardReader

BATCH_SIZE: Final = 1024


class Batch(NamedTuple):
    """Some decisions, one in each row."""

    observations: Any
    """`[row, byte]`, or a dictionary of pieces."""
    masks: np.ndarray
    """`int8 [row, action]`: 1 for the legal actions."""
    actions: np.ndarray
    """`int64 [row]`"""
    returns: np.ndarray
    """`float32 [row]`: what the seat gets from there to the end."""


class Dataset:
    """A data set in a folder. It is read shard by shard, never as a whole."""

    def __init__(self, folder: str | Path) -> None:
        """Read `meta.json`.

        Raises:
            DamagedRecord: there is no data set, it is damaged, or of another version.
        """
        self.folder = Path(folder)
        self._meta = read_meta(self.folder)

    @property
    def settings(self) -> Settings:
        """The players, the rules and the seed."""
        return self._meta.settings

    @property
    def num_games(self) -> int:
        """How many games there are."""
        return self._meta.games

    @property
    def num_decisions(self) -> int:
        """How many decisions there are."""
        return self._meta.decisions

    @property
    def bytes(self) -> int:
        """The size of all shards on disk."""
        files = [(shard.games_file, shard.decisions_file) for shard in self._meta.shards]
        return sum(file.bytes for pair in files for file in pair)

    def __len__(self) -> int:
        return self.num_games

    def __repr__(self) -> str:
        return f"<Dataset {self.folder}: {self.num_games} games, {self.num_decisions} decisions>"

    def games(self) -> Iterator[RecordedGame]:
        """Yield all games in order.

        Raises:
            DamagedRecord: a file is damaged. No game of its shard has been yielded.
        """
        for shard in self._meta.shards:
            yield from ShardReader(self.folder, shard, self.settings).games()

    def batches(
        self,
        size: int = BATCH_SIZE,
        *,
        players: str | Iterable[str] | None = None,
        reward: RewardName = "outcome",
        skip_forced: bool = True,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        observation: ObservationForm = DEFAULT_FORM,
        dtype: ObservationType = DEFAULT_TYPE,
    ) -> Iterator[Batch]:
        """Yield decisions with observations and masks, in order; the last batch may be smaller.

        Observations are computed by playing each game again. Decisions of one game follow each
        other, so a learner should shuffle the rows of several batches.

        Args:
            size: rows of a batch.
            players: names of the players whose decisions are wanted; None for all.
            reward: the kind of the returns.
            skip_forced: leave out decisions with only one legal action.
            hands: `"secret"` or `"open"` (E4).
            pieces: names of observation pieces; None for the default.
            observation: `"flat"` or `"dict"`.
            dtype: `"uint8"`, or `"float32"` for numbers from 0 to 1.

        Raises:
            ValueError: for a setting that is not allowed.
            DamagedRecord: a file is damaged, or a game does not end as recorded.
        """
        whole_number(size, "size", 1)
        kind = REWARD_NAMES[reward_number(reward)]
        wanted = self.chosen_players(players)
        layout = Layout(self.settings.rules.num_players, hands, pieces, observation)
        shape = ObservationFormat(layout, dtype=dtype)

        def rows() -> Iterator[tuple[np.ndarray, ...]]:
            for game in self.games():
                again = game.replay(layout)
                chosen = np.isin(again.seats, _seats_of(game, wanted))
                if skip_forced:
                    chosen &= np.diff(again.starts) > 1
                masks = dense_masks(again.starts, again.legal)
                parts = (again.observations, masks, again.actions, again.returns()[kind])
                yield tuple(part[chosen] for part in parts)

        for buffers, masks, actions, returns in _regrouped(rows(), size):
            seen = shape.show(buffers, masks)
            yield Batch(seen, masks, actions.astype(np.int64), returns)

    def chosen_players(self, players: str | Iterable[str] | None) -> list[str]:
        """Return names of players, checked; None stands for all."""
        names = self.settings.names
        wanted = list(names) if players is None else as_list(players, "players")
        if not wanted:
            raise ValueError(f"players must name some of: {', '.join(dict.fromkeys(names))}")
        return [one_of(name, dict.fromkeys(names), "player of this data set") for name in wanted]

    def verify(self) -> None:
        """Play every game again and compare all that is recorded.

        Raises:
            DamagedRecord: something differs; the message says what.
        """
        for game in self.games():
            game.verify(self.settings.layout)


def open_dataset(folder: str | Path) -> Dataset:
    """Return the data set in a folder.

    Raises:
        DamagedRecord: there is none, it is damaged, or of another version.
    """
    return Dataset(folder)


def _seats_of(game: RecordedGame, players: Collection[str]) -> list[int]:
    return [seat for seat, name in enumerate(game.players) if name in players]


def _regrouped(
    parts: Iterator[tuple[np.ndarray, ...]], size: int
) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the rows of arrays in groups of `size`."""
    waiting: list[tuple[np.ndarray, ...]] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part[0])
        while count >= size:
            whole = tuple(np.concatenate(arrays) for arrays in zip(*waiting, strict=True))
            yield tuple(array[:size] for array in whole)
            waiting = [tuple(array[size:] for array in whole)]
            count -= size
    if count:
        yield tuple(np.concatenate(arrays) for arrays in zip(*waiting, strict=True))
