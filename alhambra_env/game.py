"""`Game`: one game with convenient methods, for people, bots, search and tests."""

import operator
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, Self

import numpy as np

from . import actions
from .engine.action_ranges import ENCODING_VERSION, N_ACTIONS
from .engine.check import check, explain
from .engine.grid import true_offsets
from .engine.legal import write_masks
from .engine.material import N_TILES, NONE, SCORE_1, SCORE_2, split_card
from .engine.resample import resample
from .engine.rewards import find_winners
from .engine.rng import seed_words
from .engine.setup import RuleNumbers, set_up
from .engine.state import OVER, PHASES, STATE, STATE_BYTES, TURN, new_states, states_from
from .engine.step import try_step
from .errors import DamagedRecord, IllegalAction
from .observation.layout import Layout
from .options import (
    DEFAULT_EDITION,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    AnyEdition,
    GameRules,
    Hands,
    hands_name,
)
from .render.aid import draw_aid, draw_standing
from .render.svg import LastAction, Marks, Theme, draw_position
from .render.text import draw_table
from .validation import shown, whole_number

_NAMED: Final = 8  # legal actions that an error message lists by name
_MAGIC: Final = b"ALHG"
_HEADER_BYTES: Final = len(_MAGIC) + 1 + 4


class Game:
    """A game of Alhambra.

    >>> game = Game(num_players=3, seed=7)
    >>> while not game.over:
    ...     game.step(game.legal_actions()[0])
    >>> len(game.scores)
    3
    """

    state: Any
    """The record (see `engine.state`). Read it freely; change it only through `step`."""

    states: np.ndarray
    """An array of that one record, for compiled functions that work on several games."""

    masks: np.ndarray
    """An array of the one action mask. Do not change it; `action_mask` returns a copy."""

    seed: int | None
    """The seed of the game, or None if it was loaded or resampled."""

    history: list[int]
    """The actions played since the start of the game, or since it was loaded."""

    def __init__(
        self,
        num_players: int = DEFAULT_NUM_PLAYERS,
        edition: AnyEdition = DEFAULT_EDITION,
        seed: int | None = None,
        max_turns: int = DEFAULT_MAX_TURNS,
    ) -> None:
        """Set up a new game.

        Args:
            num_players: 2 to 6; the Italian edition does not describe a game for 2.
            edition: the rulebook to follow: its name, an `Edition`, or one as text.
            seed: 0 or more; the same seed and actions give the same game. None draws one.
            max_turns: after this many turns the game is truncated (E3).

        Raises:
            ValueError: for a setting that is not allowed; the message says what is allowed.
        """
        rules = GameRules(num_players, edition, max_turns)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        seed = whole_number(seed, "seed", 0)
        states = new_states(1)
        set_up(states[0], rules.numbers, seed_words(seed))
        self._hold(states, seed, [])

    def _hold(
        self,
        states: np.ndarray,
        seed: int | None,
        history: list[int],
        masks: np.ndarray | None = None,
    ) -> None:
        if masks is None:
            masks = np.zeros((1, N_ACTIONS), np.int8)
            write_masks(states, masks)
        self.states = states
        self.masks = masks
        self.state = states[0]
        self.seed = seed
        self.history = history

    # Fields are read from the array, which is 20 times faster than an attribute of a record.

    # --- reading the position ---------------------------------------------------------------------

    @property
    def num_players(self) -> int:
        """How many players there are, 2 to 6."""
        return int(self.states["num_players"].item())

    @property
    def rules(self) -> GameRules:
        """The rules that the game is played by."""
        numbers = (int(self.states[name].item()) for name in RuleNumbers._fields)
        return GameRules.of(RuleNumbers(*numbers))

    @property
    def edition(self) -> str:
        """The rulebook that the game follows, and what differs from it (`Edition.text`)."""
        return self.rules.edition

    @property
    def to_play(self) -> int:
        """The seat that decides; after the end of the game, the seat that decided last."""
        return int(self.states["to_play"].item())

    @property
    def phase(self) -> str:
        """What that seat decides: one of `engine.state.PHASES`."""
        return PHASES[self.states["phase"].item()]

    @property
    def over(self) -> bool:
        """Has the game ended, by the rules or by truncation?"""
        return bool(self.states["phase"].item() == OVER)

    @property
    def truncated(self) -> bool:
        """Was the game stopped after `max_turns` turns (E3)?"""
        return bool(self.states["truncated"].item())

    @property
    def scores(self) -> list[int]:
        """Points of each seat, so far."""
        scores: list[int] = self.states["scores"][0, : self.num_players].tolist()
        return scores

    @property
    def rounds_scored(self) -> int:
        """How many rounds have been scored, 0 to 3."""
        return int(self.states["rounds_scored"].item())

    @property
    def winners(self) -> list[int]:
        """The seats that share the win (R28); empty until the game is over."""
        if not self.over:
            return []
        winners: list[int] = find_winners(np.array(self.scores)).nonzero()[0].tolist()
        return winners

    @property
    def last_action(self) -> LastAction | None:
        """The seat that played the last action of `history`, and the action.

        None without a history; and for a loaded game while leftover tiles are placed (R26), where
        it cannot be seen who placed the last one.
        """
        if not self.history:
            return None
        state = self.state
        if self.over or not state.ending:
            has_begun = self.over or state.phase != TURN or state.actions > 0
            seat = self.to_play - (not has_begun)
            return seat % self.num_players, self.history[-1]
        if self.seed is None:
            return None
        earlier = Game(self.num_players, self.edition, self.seed, self.rules.max_turns)
        for action in self.history[:-1]:
            earlier.step(action)
        return earlier.to_play, self.history[-1]

    # --- playing ------------------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; empty when the game is over."""
        legal: list[int] = self.masks[0].view(np.bool_).nonzero()[0].tolist()
        return legal

    def action_mask(self) -> np.ndarray:
        """Return a new int8 array over all actions: 1 if legal, else 0."""
        mask: np.ndarray = self.masks[0].copy()
        return mask

    def step(self, action: int) -> None:
        """Play an action.

        Raises:
            IllegalAction: the action is not legal here, or not an action. Nothing has changed.
        """
        try:
            if isinstance(action, bool | np.bool_):  # Python counts True as 1, old NumPy too
                raise TypeError
            number = operator.index(action)
        except (TypeError, ValueError):
            hint = " (`actions.parse` turns a name into a number)" * isinstance(action, str)
            raise IllegalAction(f"an action is a whole number, not {shown(action)}{hint}") from None
        if not 0 <= number < N_ACTIONS or not try_step(self.states, 0, number, self.masks):
            raise IllegalAction(self._why_illegal(number))
        self.history.append(number)

    def _why_illegal(self, action: int) -> str:
        if self.over:
            return f"the game is over; action {shown(action)} cannot be played"
        if not 0 <= action < N_ACTIONS:
            what = f"no action has the number {shown(action)}: they are 0 to {N_ACTIONS - 1}"
        else:
            what = f"{actions.name(action)} (action {action}) is not legal"
        legal = self.legal_actions()
        names = ", ".join(map(actions.name, legal[:_NAMED]))
        more = f" and {len(legal) - _NAMED} more" if len(legal) > _NAMED else ""
        return f"{what}; seat {self.to_play} in phase {self.phase!r} may play {names}{more}"

    def observe(
        self, seat: int, hands: Hands = DEFAULT_HANDS, pieces: Iterable[str] | None = None
    ) -> dict[str, np.ndarray]:
        """Return what a seat observes, as named pieces (`observation.PIECES`).

        If you call this often, make one `Layout` and call its `observe`, which is faster.
        """
        self._check_seat(seat)
        layout = Layout(self.num_players, hands, pieces)
        return layout.split(layout.observe(self.states, 0, seat))

    def _check_seat(self, seat: int) -> None:
        whole_number(seat, "seat", 0, self.num_players - 1)

    # --- copies -------------------------------------------------------------------------------

    def clone(self) -> Self:
        """Return an independent copy of the game."""
        twin = self.__class__.__new__(self.__class__)
        states = states_from(self.states.tobytes())
        twin._hold(states, self.seed, self.history.copy(), self.masks.copy())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def resample(self, seat: int, seed: int, hands: Hands = DEFAULT_HANDS) -> Self:
        """Return a copy in which everything that a seat cannot know is drawn again at random.

        That is the order of deck and bag and, with `hands="secret"`, which cards the other players
        hold; with `hands="open"` they keep their cards, which a perfect memory knows (E4). All else
        is the same, so search can use the copy without seeing more than the seat does.
        """
        knows_hands = hands_name(hands) == "open"
        self._check_seat(seat)
        states = states_from(self.states.tobytes())
        resample(states[0], seat, knows_hands, seed_words(whole_number(seed, "seed", 0)))
        twin = self.__class__.__new__(self.__class__)
        twin._hold(states, None, self.history.copy())
        return twin

    def to_bytes(self) -> bytes:
        """Return the position as bytes, with a checksum and the encoding version."""
        body = self.states.tobytes()
        return _MAGIC + bytes([ENCODING_VERSION]) + zlib.crc32(body).to_bytes(4, "little") + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the game of `to_bytes`, without its history.

        Raises:
            DamagedRecord: the bytes are truncated, altered or from another version.
        """
        return cls.from_state(_read_bytes(data))

    @classmethod
    def from_state(cls, states: np.ndarray) -> Self:
        """Return the game of an array of one record, which is copied and checked.

        Raises:
            DamagedRecord: it is not such an array, or not a valid position.
        """
        if not isinstance(states, np.ndarray) or states.dtype != STATE or states.shape != (1,):
            raise DamagedRecord("states must be an array of one record (dtype engine.state.STATE)")
        if broken := check(states[0]):
            raise DamagedRecord(f"this is not a valid position. {explain(broken)}")
        game = cls.__new__(cls)
        game._hold(states_from(states.tobytes()), None, [])
        return game

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.__class__, self.to_bytes(), self.seed, self.history)

    # --- showing -----------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the whole state as a plain dictionary of numbers, strings and lists.

        Tiles are indices into `material.TILES`; currencies and seats count from 0. `turn` counts
        finished turns, `rounds_scored` scored rounds. Cities are lists of `[tile, dy, dx]` with
        offsets from the fountain that do not wrap around; bag and deck list the next draw first.
        `exact_slot` is the slot of the exact purchase just made in this turn, or None.
        """
        state = self.state
        seats = range(self.num_players)
        return {
            "edition": self.edition,
            "num_players": self.num_players,
            "phase": self.phase,
            "ending": bool(state.ending),
            "to_play": self.to_play,
            "turn": int(state.turn),
            "rounds_scored": int(state.rounds_scored),
            "scores": self.scores,
            "market": [_tile_or_null(tile) for tile in state.market],
            "display": [None if card == NONE else _card(card) for card in state.display],
            "hands": state.hands[: self.num_players].tolist(),
            "cities": [self._city(seat) for seat in seats],
            "reserves": [_flagged(state.reserves[seat]) for seat in seats],
            "bought": _flagged(state.bought),
            "picked": _tile_or_null(state.picked),
            "exact_slot": None if state.exact_slot == NONE else int(state.exact_slot),
            "awards": [
                [int(seat), int(tile)]
                for seat, tile in zip(state.award_seats, state.award_tiles, strict=True)
                if tile != NONE
            ],
            "dirk": self._dirk(),
            "bag": state.bag[: state.bag_size][::-1].tolist(),
            "deck": [_card(card) for card in state.deck[: state.deck_size][::-1]],
            "discards": state.discards.tolist(),
        }

    def _city(self, seat: int) -> list[list[int]]:
        built = int(self.state.built[seat])
        tiles = [tile for tile in range(N_TILES) if built >> tile & 1]
        offsets = true_offsets([int(self.state.cell[tile]) for tile in tiles])
        return [[tile, dy, dx] for tile, (dy, dx) in zip(tiles, offsets, strict=True)]

    def _dirk(self) -> dict[str, Any] | None:
        if self.num_players > 2:
            return None
        return {"tiles": _flagged(self.state.dirk), "score": int(self.state.dirk_score)}

    def text(self, *, aid: bool = False) -> str:
        """Return the table as text, as `print(game)` shows it.

        Args:
            aid: add the player's aid: the points that there are to win, and who would win them if
                the next round were scored now.
        """
        snapshot, walls = self.snapshot(), self.state.walls[: self.num_players].tolist()
        parts = [draw_table(snapshot, walls)]
        if aid:
            parts += [draw_aid(), draw_standing(snapshot, walls)]
        return "\n\n".join(parts)

    def svg(
        self,
        observer: int | None = None,
        *,
        names: Sequence[str] | None = None,
        hands: Hands = DEFAULT_HANDS,
        last: LastAction | Literal["history"] | None = "history",
        marks: Marks | None = None,
        theme: Theme = "light",
        width: int | None = None,
    ) -> str:
        """Return the table as a drawing, a file of SVG. A notebook shows it without being asked.

        Args:
            observer: the seat that looks; the drawing has nothing that it may not know. None shows
                all hands. The order of deck and bag is never drawn.
            names: of the players; without, they are `Seat 0`, ...
            hands: `"open"` shows an observer the hands of the others too.
            last: the seat that played the last action, and the action, to mark what it changed;
                `"history"` takes them from `last_action`, None marks nothing.
            marks: what else is marked, see `render.marks`.
            theme: `"light"`, `"dark"`, or `"page"` for a web page that sets the colours.
            width: in pixels; without, the drawing has its natural size.

        Raises:
            ValueError: for an argument that does not fit; the message says what does.
        """
        return draw_position(
            self.snapshot(),
            observer,
            names=names,
            hands=hands,
            last=self.last_action if last == "history" else last,
            marks=marks,
            theme=theme,
            width=width,
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return (
            f"<Game {self.edition}, {self.num_players} players, turn {self.state.turn}, "
            f"seat {self.to_play} to play, phase {self.phase!r}>"
        )


def _read_bytes(data: bytes) -> np.ndarray:
    """Return the record of `to_bytes`, or raise `DamagedRecord`."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise DamagedRecord(f"a game must be given as bytes, not {type(data).__name__}")
    if data[: len(_MAGIC)] != _MAGIC or len(data) < _HEADER_BYTES:
        raise DamagedRecord("these bytes are not a game: they do not start like one")
    if data[len(_MAGIC)] != ENCODING_VERSION:
        raise DamagedRecord(
            f"these bytes have encoding version {data[len(_MAGIC)]}; "
            f"this package reads version {ENCODING_VERSION}"
        )
    body = bytes(data[_HEADER_BYTES:])
    if len(body) != STATE_BYTES:
        raise DamagedRecord(f"a game has {_HEADER_BYTES + STATE_BYTES} bytes, not {len(data)}")
    if zlib.crc32(body).to_bytes(4, "little") != data[len(_MAGIC) + 1 : _HEADER_BYTES]:
        raise DamagedRecord("these bytes were altered: the checksum does not match")
    return states_from(body)


def _rebuild(cls: type[Game], data: bytes, seed: int | None, history: list[int]) -> Game:
    game = cls.__new__(cls)
    game._hold(_read_bytes(data), seed, list(history))
    return game


def _tile_or_null(tile: int) -> int | None:
    return None if tile == NONE else int(tile)


def _card(card: int) -> list[int] | str:
    if card in (SCORE_1, SCORE_2):
        return "score1" if card == SCORE_1 else "score2"
    return list(split_card(int(card)))


def _flagged(flags: Iterable[int]) -> list[int]:
    return [tile for tile, flag in enumerate(flags) if flag]
