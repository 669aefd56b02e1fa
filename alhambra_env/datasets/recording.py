"""Plays games and records them as a data set; an interrupted recording can be resumed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
from filelock import FileLock, Timeout

from ..agents.checkpoint import digest
from ..arena.deal import play_game, player_seed, warm_up
from ..arena.entrants import Entrant, check_player_counts, describe, enter_all
from ..arena.outputs import check_output_folder
from ..arena.processes import (
    NamedSpecs,
    can_spread,
    check_workers,
    in_processes,
    made_from,
    named_specs,
    spread,
)
from ..arena.progress import progress_bar
from ..arena.results import CODE
from ..bots import Bot
from ..errors import DamagedRecord
from ..files import write_whole
from ..game import Game
from ..observation.layout import Layout
from ..options import (
    DEFAULT_EDITION,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    AnyEdition,
    GameRules,
    Hands,
)
from ..players import Player
from ..validation import shortened, whole_number
from .reading import Dataset
from .replaying import replay
from .settings import LARGEST_FILE, META, MOST_GAMES, File, Meta, Settings, Shard, read_meta
from .tables import ShardWriter

DEFAULT_GAMES: Final = 1000
DEFAULT_SHARD_GAMES: Final = 250
"""Small enough that an interrupted recording of a slow bot loses little."""

LOCK: Final = ".lock"


def create_dataset(
    players: Iterable[Any],
    folder: str | Path,
    games: int = DEFAULT_GAMES,
    seed: int = 0,
    edition: AnyEdition = DEFAULT_EDITION,
    *,
    rotate: bool = True,
    observations: bool = False,
    hands: Hands = DEFAULT_HANDS,
    pieces: Iterable[str] | None = None,
    shard_games: int = DEFAULT_SHARD_GAMES,
    max_turns: int = DEFAULT_MAX_TURNS,
    workers: int | None = None,
    progress: bool = False,
) -> Dataset:
    """Play games and record every decision, or resume an interrupted recording.

    The same settings give the same files, with any number of processes.

    Args:
        players: one for each seat, of what `as_player` takes; a player may be given several times.
        folder: for the files. Its parent must exist. If there is such a data set in it, the games
            that it lacks are added.
        games: how many; it can be raised later.
        seed: of the whole data set. Each game has its own seed, derived from it.
        edition: the rulebook to follow: its name, an `Edition`, or one as text.
        rotate: everybody moves on by one seat after each game.
        observations: also store what the deciding seat observed. `Dataset.batches` does not need
            it: it computes observations again.
        hands: `"secret"` or `"open"` (E4), for stored observations.
        pieces: names of the pieces of stored observations; None for the default.
        shard_games: games in each pair of files. Games of an incomplete shard are lost when the
            recording is interrupted.
        max_turns: after this many turns a game is scored and ends (E3).
        workers: number of processes. None uses one for each core if it takes longer than some
            seconds. Only players given as strings can play in other processes.
        progress: whether to show a progress bar, if there is a terminal.

    Raises:
        ValueError: for a setting that is not allowed, or a folder that cannot be used or has other
            settings.
        IllegalAction: a player chose one. The shards before it are in the folder.
    """
    entrants = enter_all(players)
    rules = GameRules(len(entrants), edition, max_turns)
    check_player_counts(entrants, rules.num_players)
    _check_names(entrants)
    whole_number(games, "games", 1, MOST_GAMES)
    check_workers(workers)
    layout = Layout(rules.num_players, hands, pieces)  # also checked if it is not used
    settings = Settings(
        tuple(map(describe, entrants)),
        bool(rotate),
        rules,
        whole_number(seed, "seed", 0),
        whole_number(shard_games, "shard_games", 1, MOST_GAMES),
        layout if observations else None,
    )
    target = Path(folder)
    check_output_folder(target)
    with _opened(target, settings, games) as meta:
        _record(meta, target, entrants, games, workers, progress)
    return Dataset(target)


def _check_names(entrants: Sequence[Entrant]) -> None:
    """Raise `ValueError` if two different players have the same name."""
    for one in entrants:
        for other in entrants:
            if one.name == other.name and one.given != other.given:
                raise ValueError(
                    f"two different players are called {one.name!r}: give one another name "
                    f'("other={other.spec or other.name}")'
                )


# --- the folder -------------------------------------------------------------------------------


@contextmanager
def _opened(folder: Path, settings: Settings, games: int) -> Iterator[Meta]:
    """Lock a folder for recording; gives what it already has.

    Raises:
        ValueError: it is not empty, or has a data set with other settings or more games, or another
            process is recording there.
    """
    folder.mkdir(exist_ok=True)
    if not (folder / META).exists() and any(not _is_ours(path.name) for path in folder.iterdir()):
        raise ValueError(f"{folder} is not a data set and not empty: choose another folder")
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ValueError(f"another process is recording to {folder}") from None
    try:
        meta = Meta(settings.header(), settings)
        if (folder / META).exists():
            meta = _check_same(read_meta(folder), settings, games, folder)
        for rest in folder.glob(".*.part"):  # of a process that was killed
            rest.unlink()
        # A shard is first forgotten, then replaced: no file is ever other than `meta.json` says.
        if meta.games < games and meta.shards and meta.shards[-1].games < settings.shard_games:
            meta = meta.with_shards(meta.shards[:-1])
        meta.write(folder)
        yield meta
    finally:
        lock.release()


def _is_ours(name: str) -> bool:
    """Can this file be there before the first `meta.json`, because a process was killed?"""
    return name == LOCK or (name.startswith(f".{META}.") and name.endswith(".part"))


def _check_same(there: Meta, settings: Settings, games: int, folder: Path) -> Meta:
    """Return what a folder has; raise `ValueError` if it is not of this recording."""
    advice = "choose another folder, or remove this one"
    for key, value in settings.header().items():
        found = there.header[key]
        if found != value:
            if key == "code":
                raise ValueError(f"{folder} was recorded by other code of this package: {advice}")
            raise ValueError(
                f"{folder} has a data set with other settings: {key} is {_short(found)} there and "
                f"{_short(value)} here; {advice}"
            )
    if there.games > games:
        raise ValueError(f"{folder} has {there.games} games already, more than {games}: {advice}")
    for shard in there.shards:
        for name, file in (
            (shard.games_name, shard.games_file),
            (shard.decisions_name, shard.decisions_file),
        ):
            path = folder / name
            if not path.is_file() or path.stat().st_size != file.bytes:
                raise DamagedRecord(f"{path} is missing or damaged: {advice}")
    return there


def _short(value: Any) -> str:
    """Return a setting as an error message shows it: players by their names."""
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        value = ", ".join(str(each.get("spec") or each.get("name")) for each in value)
    return shortened(str(value))


# --- playing ----------------------------------------------------------------------------------


class _Table:
    """The players of a data set at their table."""

    def __init__(self, settings: Settings, entrants: Sequence[Entrant]) -> None:
        """Make as many copies of each player as there are."""
        self._settings = settings
        wanted = Counter(settings.names)
        copies = {each.name: each for each in entrants}
        ready = {name: copies[name].copies(count) for name, count in wanted.items()}
        self._players: list[Player] = [ready[name].pop() for name in settings.names]
        if any(type(player) is Bot for player in self._players):
            warm_up(self._players)

    def play(self, number: int) -> np.ndarray:
        """Play a game and return its actions."""
        settings = self._settings
        seats = settings.seated(number)
        game = Game(**asdict(settings.rules), seed=settings.seed_of(number))
        players = [self._players[player] for player in seats]
        seeds = [player_seed(settings.seed, number, 0, seat) for seat in range(len(seats))]
        play_game(game, players, seeds, settings.names_in(number), f"in game {number}")
        return np.array(game.history, np.int16)


def _record(
    meta: Meta,
    folder: Path,
    entrants: Sequence[Entrant],
    games: int,
    workers: int | None,
    progress: bool,
) -> None:
    """Play the games that are missing; write each shard when it is complete."""
    settings = meta.settings
    missing = range(meta.games, games)
    if not missing:
        return

    def elsewhere(numbers: range, workers: int) -> Iterable[np.ndarray]:
        arguments = (settings, named_specs(entrants))
        return in_processes(_play_one, (CODE,), _start_worker, arguments, numbers, workers)

    played = spread(
        _Table(settings, entrants).play,
        elsewhere if can_spread(entrants) else None,
        missing,
        workers,
    )
    with progress_bar(progress) as bar:
        task = bar.add_task("games", total=games, completed=meta.games)
        writer = ShardWriter(settings)
        for number, actions in zip(missing, played, strict=True):
            seed = settings.seed_of(number)
            writer.add(number, replay(settings.rules, seed, actions, settings.layout))
            if writer.games == settings.shard_games or number + 1 == games:
                shard = _write_shard(folder, len(meta.shards), writer)
                meta = meta.with_shards([*meta.shards, shard])
                meta.write(folder)
                writer = ShardWriter(settings)
            bar.advance(task)


def _write_shard(folder: Path, number: int, writer: ShardWriter) -> Shard:
    contents = writer.finish()
    files = [File(len(content), digest(content)) for content in contents]
    shard = Shard(number, writer.games, writer.decisions, *files)
    for name, content in zip((shard.games_name, shard.decisions_name), contents, strict=True):
        if len(content) > LARGEST_FILE:
            raise ValueError(
                f"{name} would have more than {LARGEST_FILE:,} bytes: use smaller shards"
            )
        write_whole(folder / name, content)
    return shard


_table: _Table | None = None  # set in worker processes only


def _start_worker(settings: Settings, specs: NamedSpecs) -> None:
    """Make the players, in a worker process."""
    global _table
    _table = _Table(settings, made_from(specs))


def _play_one(number: int, code: str) -> np.ndarray:
    assert _table is not None
    if code != CODE:
        raise ValueError("the code of this package was changed after the recording started")
    return _table.play(number)
