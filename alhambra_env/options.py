"""The options that users choose by name, and the rules of a game: types, names and checks."""

from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

from .engine.editions import EDITION_NAMES, EDITIONS
from .engine.editions import EditionName as EditionName  # for users, beside the other options
from .engine.material import MAX_PLAYERS, MIN_PLAYERS
from .engine.rewards import REWARDS
from .engine.setup import RuleNumbers
from .validation import one_of, whole_number

Hands = Literal["secret", "open"]
"""Whether the other players' hands are hidden, or observed as by a perfect memory (E4)."""

RewardName = Literal["outcome", "score", "margin"]
"""What is paid to a player; `REWARDS` explains them."""

ObservationForm = Literal["flat", "dict"]
"""One array, or one array for each piece."""

RenderMode = Literal["ansi", "human"]
"""`render` returns text, or prints it."""

HANDS: Final[tuple[Hands, ...]] = get_args(Hands)
REWARD_NAMES: Final[tuple[RewardName, ...]] = get_args(RewardName)
OBSERVATION_FORMS: Final[tuple[ObservationForm, ...]] = get_args(ObservationForm)
RENDER_MODES: Final[tuple[RenderMode, ...]] = get_args(RenderMode)

assert get_args(RewardName) == tuple(REWARDS), "compiled code counts rewards by this table"

DEFAULT_NUM_PLAYERS: Final = 3
DEFAULT_EDITION: Final[EditionName] = "german"
DEFAULT_HANDS: Final[Hands] = "secret"
DEFAULT_REWARD: Final[RewardName] = "outcome"
DEFAULT_FORM: Final[ObservationForm] = "flat"
DEFAULT_MAX_TURNS: Final = 1000
"""Turns after which a game is cut short (E3); games end by the rules long before."""

LARGEST_MAX_TURNS: Final = 2**31 - 1
TURN_LIMIT: Final = "max_turns"
"""What `info["truncated_by"]` says of a game that reached `max_turns`."""


@dataclass(frozen=True)
class GameRules:
    """The rules that a game is played by; making one checks them.

    Raises:
        ValueError: for a value that is not allowed; the message lists what is.
    """

    num_players: int = DEFAULT_NUM_PLAYERS
    edition: EditionName = DEFAULT_EDITION
    max_turns: int = DEFAULT_MAX_TURNS

    def __post_init__(self) -> None:
        players = whole_number(self.num_players, "num_players", MIN_PLAYERS, MAX_PLAYERS)
        edition = EDITIONS[edition_number(self.edition)]
        if players < edition.min_players:
            others = ", ".join(e.name for e in EDITIONS if e.min_players <= players)
            raise ValueError(
                f"the {edition.name} edition does not describe a game for {players} players; "
                f"play it with {edition.min_players} to {MAX_PLAYERS}, or choose one of: {others}"
            )
        turns = whole_number(self.max_turns, "max_turns", 1, LARGEST_MAX_TURNS)
        # Plain numbers, whatever kind of whole number was given
        object.__setattr__(self, "num_players", players)
        object.__setattr__(self, "max_turns", turns)

    @property
    def numbers(self) -> RuleNumbers:
        """The rules as compiled code takes them."""
        return RuleNumbers(self.num_players, edition_number(self.edition), self.max_turns)


def edition_name(name: Any) -> EditionName:
    """Return the name of an edition, or raise `ValueError` with the names there are."""
    return cast(EditionName, one_of(name, EDITION_NAMES, "edition"))


def edition_number(name: Any) -> int:
    """Return an edition's number, or raise `ValueError` with the names there are."""
    return EDITION_NAMES.index(edition_name(name))


def reward_number(name: Any) -> int:
    """Return the number of a kind of reward, or raise `ValueError` with the names there are."""
    return REWARD_NAMES.index(cast(RewardName, one_of(name, REWARD_NAMES, "reward")))


def hands_name(name: Any) -> Hands:
    """Return one of `HANDS`, or raise `ValueError` with the names there are."""
    return cast(Hands, one_of(name, HANDS, "hands"))


def form_name(name: Any) -> ObservationForm:
    """Return one of `OBSERVATION_FORMS`, or raise `ValueError` with the names there are."""
    return cast(ObservationForm, one_of(name, OBSERVATION_FORMS, "form of observation"))


def check_render_mode(mode: Any) -> None:
    """Raise `ValueError` unless this is one of `RENDER_MODES`, or None."""
    if mode is not None:
        one_of(mode, RENDER_MODES, "render_mode (if not None)")
