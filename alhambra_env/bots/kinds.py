"""The table of bots: their names, what they do, and their settings."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from ..engine.arrays import Array
from ..options import DEFAULT_HANDS, HANDS
from ..validation import one_of, read_whole_number, shown


class Setting(NamedTuple):
    """A setting of a bot."""

    name: str
    default: str | int
    read: Callable[[Any], int]
    """Returns the number that compiled code gets, or raises `ValueError`."""
    meaning: str


def _read_hands(value: Any) -> int:
    return HANDS.index(one_of(value, HANDS, "hands"))


def read_playouts(value: Any, what: str = "playouts") -> int:
    """Return how many games are played out for a decision, or raise `ValueError`."""
    return read_whole_number(value, what, 1, 1_000_000)


def _read_candidates(value: Any) -> int:
    return read_whole_number(value, "candidates", 1, 64)


SETTINGS: Final = (
    Setting(
        "hands",
        DEFAULT_HANDS,
        _read_hands,
        'whether it knows the others\' cards: "secret", or "open" as with a perfect memory (E4)',
    ),
    Setting("playouts", 240, read_playouts, "games played out for one decision"),
    Setting("candidates", 6, _read_candidates, "actions tried by playouts"),
)
"""All settings; compiled code gets them as a row of numbers in this order."""

HANDS_SETTING, PLAYOUTS_SETTING, CANDIDATES_SETTING = range(len(SETTINGS))


class BotKind(NamedTuple):
    """A bot."""

    name: str
    does: str
    over: str | None = None
    """The bot whose copies it plays against on the ladder."""
    settings: tuple[str, ...] = ()
    compiles: int = 1
    """About how many seconds it takes to compile it."""


BOTS: Final = (
    BotKind("random", "any legal kind of action, and then any action of that kind, at random"),
    BotKind("uniform", "any legal action, all equally likely"),
    BotKind("saver", "takes the most money, and buys only what it can pay exactly", "random"),
    BotKind("builder", "buys and builds whenever it can, for the longest wall", "random"),
    BotKind(
        "planner", "weighs what each action does to all scorings to come", "builder", compiles=5
    ),
    BotKind(
        "lookahead",
        "plays every sequence of its own turn and takes the best",
        "planner",
        ("hands",),
    ),
    BotKind(
        "rollout",
        "plays the planner's best actions out to the end, many times",
        "planner",
        ("hands", "playouts", "candidates"),
        compiles=10,
    ),
)
"""The bots, simplest first. The number of a bot is its index here."""

BOT_NAMES: Final = tuple(kind.name for kind in BOTS)


def bot_number(name: str) -> int:
    """Return the number of a bot, or raise `ValueError` that lists the names."""
    return BOT_NAMES.index(one_of(name, BOT_NAMES, "bot"))


def settings_row(kind: BotKind, given: dict[str, Any]) -> Array:
    """Return the settings of a bot as numbers, or raise `ValueError` for one it does not have."""
    for name in given:
        if not kind.settings:
            raise ValueError(f"the bot {kind.name!r} has no settings, but was given {shown(name)}")
        one_of(name, kind.settings, f"setting of the bot {kind.name!r}")
    values = [setting.read(given.get(setting.name, setting.default)) for setting in SETTINGS]
    return np.array(values, np.int64)
