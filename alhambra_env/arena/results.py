"""Results of a match, and the file that holds them: JSON Lines, one line for each deal.

The first line holds the settings. The number of deals is not one of them, so the file of a shorter
match is the beginning of the file of a longer one.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Self

import numpy as np
from filelock import lock_descriptor

from ..engine.action_ranges import ENCODING_VERSION
from ..engine.jit import source_hash
from ..errors import DamagedRecord
from ..options import GameRules
from ..validation import printable_name, shortened, whole_number
from .outputs import check_output
from .seating import LineUp

FORMAT: Final = "alhambra match"
LARGEST_SCORE: Final = 2**15 - 1
LARGEST_COUNT: Final = 2**31 - 1
CODE: Final = source_hash()
"""Hash of the compiled code that this process plays with."""


@dataclass(frozen=True)
class Match:
    """The settings of a match: all that its results depend on, except the number of deals."""

    players: tuple[dict[str, Any], ...]
    """Name, spec and settings of each player, in order of the names."""
    line_ups: tuple[LineUp, ...]
    """Which of them meet in a game."""
    rules: GameRules
    seed: int

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return self.rules.num_players

    @property
    def edition(self) -> str:
        """The edition of the rules."""
        return self.rules.edition

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players."""
        return tuple(player["name"] for player in self.players)

    @property
    def games_per_deal(self) -> int:
        """Games played with one deal: every line-up in every rotation of the seats."""
        return len(self.line_ups) * self.num_players

    def header(self) -> dict[str, Any]:
        """Return the first line of a results file, as parsed from JSON."""
        header = {
            "format": FORMAT,
            "encoding_version": ENCODING_VERSION,
            "code": CODE,
            "players": self.players,
            "line_ups": self.line_ups,
            **asdict(self.rules),
            "seed": self.seed,
        }
        read: dict[str, Any] = json.loads(json.dumps(header))
        return read


class GameResult(NamedTuple):
    """How one game ended. All fields are by seat."""

    seats: tuple[int, ...]
    """The players by number."""
    scores: tuple[int, ...]
    decisions: tuple[int, ...]


class DealResult(NamedTuple):
    """The games that were played with one deal."""

    deal: int
    seed: int
    """`Game(seed=...)` with this seed has the same deal."""
    games: tuple[GameResult, ...]

    def line(self) -> bytes:
        """Return the deal as a line of a results file."""
        games = [game._asdict() for game in self.games]
        return _line({"deal": self.deal, "seed": self.seed, "games": games})

    @classmethod
    def read(cls, line: Any, match: Match, deal: int) -> Self:
        """Return the deal of a parsed line, or raise `DamagedRecord`."""
        try:
            games = tuple(
                GameResult(
                    _numbers(game["seats"], "a player", len(match.players) - 1),
                    _numbers(game["scores"], "a score", LARGEST_SCORE),
                    _numbers(game["decisions"], "decisions", LARGEST_COUNT),
                )
                for game in line["games"]
            )
            read = cls(line["deal"], whole_number(line["seed"], "a seed", 0), games)
        except (KeyError, TypeError, ValueError) as error:
            reason = shortened(str(error))
            raise DamagedRecord(f"the line of deal {deal} is damaged: {reason}") from None
        sizes = {len(part) for game in games for part in game}
        seated = Counter(tuple(sorted(game.seats)) for game in games)
        wanted = Counter({tuple(sorted(each)): match.num_players for each in match.line_ups})
        if read.deal != deal or sizes != {match.num_players} or seated != wanted:
            raise DamagedRecord(f"the line of deal {deal} does not fit the settings of its file")
        return read


@dataclass(frozen=True)
class Results:
    """The deals of a match that were played so far."""

    match: Match
    deals: tuple[DealResult, ...]

    @property
    def seats(self) -> np.ndarray:
        """`[deal, game, seat]`: the players by number."""
        return np.array([[game.seats for game in deal.games] for deal in self.deals], np.int64)

    @property
    def scores(self) -> np.ndarray:
        """`[deal, game, seat]`: points."""
        return np.array([[game.scores for game in deal.games] for deal in self.deals], np.int64)


# --- files ------------------------------------------------------------------------------------


def load(path: str | Path) -> Results:
    """Return the results in a file; an incomplete last line is ignored.

    Raises:
        DamagedRecord: it is not a results file, or it is damaged.
    """
    header, *lines = _read_lines(Path(path).read_bytes(), path)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise DamagedRecord(f"{path} is not a file of results: its format is not {FORMAT!r}")
    try:
        match = _read_match(header)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = shortened(str(error))
        raise DamagedRecord(f"the first line of {path} is damaged: {reason}") from None
    return Results(match, _read_deals(lines, match))


def _read_match(header: dict[str, Any]) -> Match:
    """Return the settings in the first line of a file."""
    players = tuple(header["players"])
    names = [printable_name(player["name"], "the name of a player") for player in players]
    if len(set(names)) < len(names):
        raise ValueError("each player needs a different name")
    rules = GameRules(header["num_players"], header["edition"], header["max_turns"])
    line_ups = tuple(_numbers(each, "a player", len(names) - 1) for each in header["line_ups"])
    if {player for each in line_ups for player in each} != set(range(len(names))):
        raise ValueError("a player is in no line-up")
    if {len(each) for each in line_ups} != {rules.num_players}:
        raise ValueError(f"a line-up has {rules.num_players} players")
    return Match(players, line_ups, rules, whole_number(header["seed"], "the seed", 0))


def _numbers(given: Any, what: str, high: int) -> tuple[int, ...]:
    return tuple(whole_number(number, what, 0, high) for number in given)


@contextmanager
def open_results(path: str | Path, match: Match) -> Iterator[tuple[IO[bytes], list[DealResult]]]:
    """Open a results file to add deals; yields the file and the deals that it already has.

    The file itself is locked, so no lock file lies beside it. The operating system drops the lock
    when the file is closed or the process dies, however it dies. On Windows, which enforces locks,
    nobody else can read the file while a match writes to it.

    Raises:
        ValueError: the file cannot be written, is not of this match, or another match is writing
            to it.
    """
    check_output(path)
    with Path(path).open("a+b") as file:
        if not lock_descriptor(file.fileno(), blocking=False):
            raise ValueError(f"another match is writing to {path}")
        file.seek(0)
        data = file.read()
        header = _line(match.header())
        deals: list[DealResult] = []
        if header.startswith(data):  # a new file, or one cut within its first line
            file.truncate(0)
            file.write(header)
        else:
            _check_header(data, match, path)
            deals = list(_read_deals(_read_lines(data, path)[1:], match))
            file.truncate(data.rindex(b"\n") + 1)
        file.flush()
        yield file, deals


def append_deal(file: IO[bytes], deal: DealResult) -> None:
    """Write a deal and flush it, so that it is kept if the process dies."""
    file.write(deal.line())
    file.flush()


def _check_header(data: bytes, match: Match, path: str | Path) -> None:
    """Raise `ValueError` if a file is not of this match; the message names the difference."""
    advice = "choose another file, or remove this one"
    try:
        there = json.loads(data.split(b"\n", 1)[0])
        if b"\n" not in data or there["format"] != FORMAT:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path} is not a file of results: {advice}") from None
    for key, value in match.header().items():
        if there.get(key) != value:
            if key == "code":
                raise ValueError(f"{path} was played by other code of this package: {advice}")
            raise ValueError(
                f"{path} is of a match with other settings: {key} is {_short(there.get(key))} "
                f"there and {_short(value)} here; {advice}"
            )


def _short(value: Any) -> str:
    """Return a setting as an error message shows it: players by their names."""
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        value = ", ".join(str(each.get("spec") or each.get("name")) for each in value)
    return shortened(str(value))


def _read_lines(data: bytes, path: str | Path) -> list[Any]:
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    if not lines:
        raise DamagedRecord(f"{path} is not a file of results: it has no complete line")
    try:
        return [json.loads(line) for line in lines]
    except (ValueError, RecursionError) as error:
        raise DamagedRecord(f"{path} is damaged: {error}") from None


def _read_deals(lines: list[Any], match: Match) -> tuple[DealResult, ...]:
    return tuple(DealResult.read(line, match, deal) for deal, line in enumerate(lines))


def _line(value: Any) -> bytes:
    return (json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n").encode()
