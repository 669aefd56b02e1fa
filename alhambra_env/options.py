"""The options that users choose by name, and the rules of a game: types, names and checks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, cast, get_args

from .engine.editions import EDITION_NAMES, EDITIONS, NO, POINTS, YES, Edition
from .engine.editions import EditionName as EditionName  # for users, beside the other options
from .engine.material import MAX_PLAYERS, MIN_PLAYERS
from .engine.rewards import REWARDS
from .engine.setup import RuleNumbers
from .validation import one_of, read_whole_number, shown, whole_number

AnyEdition = EditionName | Edition | str
"""A rulebook's name, an `Edition`, or one as text: `"german:may_decline=yes"`."""

Hands = Literal["secret", "open"]
"""Whether the other players' hands are hidden, or observed as by a perfect memory (E4)."""

RewardName = Literal["outcome", "score", "margin"]
"""What is paid to a player; `REWARDS` explains them."""

ObservationForm = Literal["flat", "dict"]
"""One array, or one array for each piece."""

ObservationType = Literal["uint8", "float32"]
"""The bytes of the pieces, or numbers from 0 to 1: each piece divided by its largest value."""

MaskPlace = Literal["info", "observation"]
"""Whether the mask of legal actions is only in the info, or also a part of the observation."""

IllegalRule = Literal["raise", "end", "random"]
"""An illegal action raises `IllegalAction`, ends the episode, or is replaced by a random one."""

AutoresetName = Literal["next_step", "same_step", "disabled"]
"""When a vector environment resets a game that has ended, as in `gymnasium.vector`."""

RenderMode = Literal["ansi", "human", "rgb_array", "svg"]
"""`render` returns text, prints it, or returns a picture as pixels or as a file of SVG."""

HANDS: Final[tuple[Hands, ...]] = get_args(Hands)
REWARD_NAMES: Final[tuple[RewardName, ...]] = get_args(RewardName)
OBSERVATION_FORMS: Final[tuple[ObservationForm, ...]] = get_args(ObservationForm)
OBSERVATION_TYPES: Final[tuple[ObservationType, ...]] = get_args(ObservationType)
MASK_PLACES: Final[tuple[MaskPlace, ...]] = get_args(MaskPlace)
ILLEGAL_RULES: Final[tuple[IllegalRule, ...]] = get_args(IllegalRule)
AUTORESET_NAMES: Final[tuple[AutoresetName, ...]] = get_args(AutoresetName)
RENDER_MODES: Final[tuple[RenderMode, ...]] = get_args(RenderMode)

assert get_args(RewardName) == tuple(REWARDS), "compiled code counts rewards by this table"

DEFAULT_NUM_PLAYERS: Final = 3
DEFAULT_EDITION: Final[EditionName] = "german"
DEFAULT_HANDS: Final[Hands] = "secret"
DEFAULT_REWARD: Final[RewardName] = "outcome"
DEFAULT_FORM: Final[ObservationForm] = "flat"
DEFAULT_TYPE: Final[ObservationType] = "uint8"
DEFAULT_ILLEGAL: Final[IllegalRule] = "raise"
DEFAULT_AUTORESET: Final[AutoresetName] = "next_step"
DEFAULT_OBSERVATION_KEY: Final = "observation"
DEFAULT_MASK_KEY: Final = "action_mask"
ILLEGAL_REWARD: Final = -1.0
"""The reward for an illegal action that ends the episode."""

DEFAULT_MAX_TURNS: Final = 1000
"""Turns after which a game is cut short (E3); games end by the rules long before."""

LARGEST_MAX_TURNS: Final = 2**31 - 1
TURN_LIMIT: Final = "max_turns"
"""What `info["truncated_by"]` says of a game that reached `max_turns`."""


@dataclass(frozen=True, init=False)
class GameRules:
    """The rules that a game is played by; making one checks them."""

    num_players: int
    edition: str
    """As text, which `read_edition` reads."""
    max_turns: int

    def __init__(
        self,
        num_players: int = DEFAULT_NUM_PLAYERS,
        edition: AnyEdition = DEFAULT_EDITION,
        max_turns: int = DEFAULT_MAX_TURNS,
    ) -> None:
        """Check the rules.

        Raises:
            ValueError: for a value that is not allowed; the message lists what is.
        """
        players = whole_number(num_players, "num_players", MIN_PLAYERS, MAX_PLAYERS)
        wanted = read_edition(edition)
        if players < wanted.min_players:
            others = ", ".join(e.text for e in EDITIONS if e.min_players <= players)
            raise ValueError(
                f"the {wanted.text} edition does not describe a game for {players} players; "
                f"play it with {wanted.min_players} to {MAX_PLAYERS}, or choose one of: {others}"
            )
        turns = whole_number(max_turns, "max_turns", 1, LARGEST_MAX_TURNS)
        # Plain numbers and text, whatever was given
        object.__setattr__(self, "num_players", players)
        object.__setattr__(self, "edition", wanted.text)
        object.__setattr__(self, "max_turns", turns)

    @cached_property
    def numbers(self) -> RuleNumbers:
        """The rules as compiled code takes them."""
        edition = read_edition(self.edition)
        return RuleNumbers(
            num_players=self.num_players,
            max_turns=self.max_turns,
            book=EDITION_NAMES.index(edition.book),
            min_players=edition.min_players,
            scoring_card_on_top=int(edition.scoring_card_on_top),
            leftovers_by_cards=int(edition.leftovers_by_cards),
            may_decline=int(edition.may_decline),
        )

    @classmethod
    def of(cls, numbers: RuleNumbers) -> "GameRules":
        """Return the rules of a record, from its fields."""
        edition = Edition(
            EDITION_NAMES[numbers.book],
            scoring_card_on_top=bool(numbers.scoring_card_on_top),
            leftovers_by_cards=bool(numbers.leftovers_by_cards),
            may_decline=bool(numbers.may_decline),
            min_players=int(numbers.min_players),
        )
        return cls(numbers.num_players, edition, numbers.max_turns)


def read_edition(edition: Any) -> Edition:
    """Return an edition from its name, from its text, or as it is.

    Text is a rulebook and what differs from it: `"german:may_decline=yes"`,
    `"polish:leftovers_by_cards=no,scoring_card_on_top=yes"`.

    Raises:
        ValueError: it cannot be read; the message says what there is.
    """
    if isinstance(edition, Edition):
        return edition
    if not isinstance(edition, str):
        one_of(edition, EDITION_NAMES, "edition")
    name, colon, changes = edition.partition(":")
    book = cast(EditionName, one_of(name, EDITION_NAMES, "edition"))
    given: dict[str, Any] = {}
    for change in changes.split(",") if colon else ():
        key, _, value = change.partition("=")
        one_of(key, POINTS, f"setting of the edition {book!r}")
        if key in given:
            raise ValueError(f"the edition {shown(edition)} says {key} twice")
        given[key] = _read_point(key, value)
    return Edition(book, **given)


def _read_point(key: str, value: str) -> bool | int:
    if key == "min_players":
        return read_whole_number(value, key, MIN_PLAYERS, MAX_PLAYERS)
    if value not in (YES, NO):
        raise ValueError(f"{key} must be {YES} or {NO}, not {shown(value)}")
    return value == YES


def reward_number(name: Any) -> int:
    """Return the number of a kind of reward, or raise `ValueError` with the names there are."""
    return REWARD_NAMES.index(cast(RewardName, one_of(name, REWARD_NAMES, "reward")))


def hands_name(name: Any) -> Hands:
    """Return one of `HANDS`, or raise `ValueError` with the names there are."""
    return cast(Hands, one_of(name, HANDS, "hands"))


def form_name(name: Any) -> ObservationForm:
    """Return one of `OBSERVATION_FORMS`, or raise `ValueError` with the names there are."""
    return cast(ObservationForm, one_of(name, OBSERVATION_FORMS, "form of observation"))


def type_name(name: Any) -> ObservationType:
    """Return one of `OBSERVATION_TYPES`, or raise `ValueError` with the names there are."""
    return cast(ObservationType, one_of(name, OBSERVATION_TYPES, "dtype"))


def mask_place(name: Any) -> MaskPlace:
    """Return one of `MASK_PLACES`, or raise `ValueError` with the names there are."""
    return cast(MaskPlace, one_of(name, MASK_PLACES, "place of the mask"))


def illegal_rule(name: Any) -> IllegalRule:
    """Return one of `ILLEGAL_RULES`, or raise `ValueError` with the names there are."""
    return cast(IllegalRule, one_of(name, ILLEGAL_RULES, "rule for illegal actions"))


def autoreset_name(name: Any) -> AutoresetName:
    """Return one of `AUTORESET_NAMES`, or raise `ValueError` with the names there are."""
    return cast(AutoresetName, one_of(name, AUTORESET_NAMES, "autoreset_mode"))


def check_render_mode(mode: Any) -> None:
    """Raise `ValueError` unless this is one of `RENDER_MODES`, or None."""
    if mode is not None:
        one_of(mode, RENDER_MODES, "render_mode (if not None)")
