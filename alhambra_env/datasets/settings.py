"""The settings of a data set, and its file `meta.json`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from .. import __version__
from ..agents.checkpoint import read_file, read_json
from ..arena.deal import deal_seed
from ..arena.results import CODE
from ..engine.action_ranges import ENCODING_VERSION
from ..errors import DamagedRecord
from ..files import write_whole
from ..observation.layout import Layout
from ..observation.pieces import OBSERVATION_VERSION
from ..options import GameRules, hands_name
from ..validation import printable_name, shortened, shown, whole_number

META: Final = "meta.json"
"""The file that makes a folder a data set."""

FORMAT: Final = "alhambra data set 1"
MOST_GAMES: Final = 1_000_000_000
LARGEST_META: Final = 1 << 28
LARGEST_FILE: Final = 1 << 31
"""Bytes of one file of a shard."""

_DIGITS: Final = 64  # of a digest


@dataclass(frozen=True)
class Settings:
    """All that the games of a data set depend on, except their number."""

    players: tuple[dict[str, Any], ...]
    """Name, spec and settings of each player, in the order of the seats of game 0."""
    rotate: bool
    """Does everybody move on by one seat after each game?"""
    rules: GameRules
    seed: int
    shard_games: int
    """Games in a shard; the last one may have fewer."""
    layout: Layout | None
    """The observations that are stored, or None."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players, in the order of the seats of game 0."""
        return tuple(player["name"] for player in self.players)

    def seated(self, game: int) -> tuple[int, ...]:
        """Return the players of a game by seat, as indices of `players`."""
        count = len(self.players)
        shift = game % count if self.rotate else 0
        return tuple((seat + shift) % count for seat in range(count))

    def names_in(self, game: int) -> tuple[str, ...]:
        """Return the names of the players of a game by seat."""
        return tuple(self.names[player] for player in self.seated(game))

    def seed_of(self, game: int) -> int:
        """Return the seed of a game."""
        return deal_seed(self.seed, game)

    def header(self) -> dict[str, Any]:
        """Return the settings as `meta.json` has them."""
        layout = self.layout
        header = {
            "format": FORMAT,
            "encoding_version": ENCODING_VERSION,
            "observation_version": OBSERVATION_VERSION,
            "package_version": __version__,
            "code": CODE,
            "players": self.players,
            "rotate": self.rotate,
            **asdict(self.rules),
            "seed": self.seed,
            "shard_games": self.shard_games,
            "observations": layout and {"hands": layout.hands, "pieces": layout.pieces},
        }
        read: dict[str, Any] = json.loads(json.dumps(header))
        return read

    @classmethod
    def read(cls, header: dict[str, Any]) -> Self:
        """Return the settings of a `meta.json`, checked."""
        rules = GameRules(header["num_players"], header["edition"], header["max_turns"])
        players = tuple(header["players"])
        for player in players:
            printable_name(player["name"], "the name of a player")
        if len(players) != rules.num_players:
            raise ValueError(f"there are {len(players)} players on {rules.num_players} seats")
        if not isinstance(header["rotate"], bool):
            raise ValueError(f"rotate must be true or false, not {shown(header['rotate'])}")
        stored = header["observations"]
        layout = None
        if stored is not None:
            hands, pieces = hands_name(stored["hands"]), list(stored["pieces"])
            layout = Layout(rules.num_players, hands, pieces)
        return cls(
            players,
            header["rotate"],
            rules,
            whole_number(header["seed"], "seed", 0),
            whole_number(header["shard_games"], "shard_games", 1, MOST_GAMES),
            layout,
        )


class File(NamedTuple):
    """A file of a shard."""

    bytes: int
    sha256: str


class Shard(NamedTuple):
    """What `meta.json` says of a shard: two files with the same games."""

    number: int
    games: int
    decisions: int
    games_file: File
    decisions_file: File

    @property
    def games_name(self) -> str:
        """The name of the file of games."""
        return f"games-{self.number:05d}.parquet"

    @property
    def decisions_name(self) -> str:
        """The name of the file of decisions."""
        return f"decisions-{self.number:05d}.parquet"


@dataclass(frozen=True)
class Meta:
    """The content of `meta.json`."""

    header: dict[str, Any]
    """The settings and versions, as in the file."""
    settings: Settings
    shards: tuple[Shard, ...] = ()

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(shard.games for shard in self.shards)

    @property
    def decisions(self) -> int:
        """How many decisions there are."""
        return sum(shard.decisions for shard in self.shards)

    def with_shards(self, shards: Sequence[Shard]) -> "Meta":
        """Return the same with other shards."""
        return replace(self, shards=tuple(shards))

    def write(self, folder: Path) -> None:
        """Write the file; it is never half written."""
        shards = [
            {
                "games": shard.games,
                "decisions": shard.decisions,
                "files": {
                    shard.games_name: shard.games_file._asdict(),
                    shard.decisions_name: shard.decisions_file._asdict(),
                },
            }
            for shard in self.shards
        ]
        content = self.header | {"games": self.games, "decisions": self.decisions, "shards": shards}
        write_whole(folder / META, json.dumps(content, indent=1) + "\n")


def read_meta(folder: Path) -> Meta:
    """Return the content of `meta.json`, checked.

    Raises:
        DamagedRecord: there is no data set in the folder, it is damaged, or of another version.
    """
    path = folder / META
    if not path.exists():
        raise DamagedRecord(f"there is no data set in {folder}: it has no {META}")
    try:
        content = read_json(read_file(path, LARGEST_META))
        _check_versions(content, folder)
        settings = Settings.read(content)
        shards = _read_shards(content["shards"], settings)
        header = {key: content[key] for key in settings.header()}
    except DamagedRecord:
        raise
    except KeyError as error:
        raise DamagedRecord(f"{path} is damaged: no {shortened(str(error))}") from None
    except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        reason = shortened(str(error) or type(error).__name__)
        raise DamagedRecord(f"{path} is damaged: {reason}") from None
    return Meta(header, settings, shards)


def _check_versions(content: Any, folder: Path) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else None
        raise DamagedRecord(
            f"{folder} is not a data set of this version: its format is {shown(found)}, "
            f"not {FORMAT!r}"
        )
    for key, version in (
        ("encoding_version", ENCODING_VERSION),
        ("observation_version", OBSERVATION_VERSION),
    ):
        if content[key] != version:
            raise DamagedRecord(
                f"the data set {folder} has {key} {shown(content[key])}; "
                f"this package reads {version}"
            )


def _read_shards(given: Any, settings: Settings) -> tuple[Shard, ...]:
    shards: list[Shard] = []
    for number, each in enumerate(list(given)):
        if shards and shards[-1].games < settings.shard_games:
            raise ValueError(f"shard {number - 1} is not full, and not the last one")
        games = whole_number(each["games"], "games", 1, settings.shard_games)
        decisions = whole_number(each["decisions"], "decisions", games, LARGEST_FILE)
        empty = File(0, "")
        shard = Shard(number, games, decisions, empty, empty)
        files = {name: _read_file_entry(file) for name, file in each["files"].items()}
        if set(files) != {shard.games_name, shard.decisions_name}:
            raise ValueError(f"shard {number} has the files {shown(sorted(files))}")
        shards.append(
            shard._replace(
                games_file=files[shard.games_name], decisions_file=files[shard.decisions_name]
            )
        )
    return tuple(shards)


def _read_file_entry(given: Any) -> File:
    size = whole_number(given["bytes"], "bytes", 1, LARGEST_FILE)
    sha256 = given["sha256"]
    if not isinstance(sha256, str) or len(sha256) != _DIGITS:
        raise ValueError(f"a digest has {_DIGITS} digits, not {shown(sha256)}")
    return File(size, sha256)
