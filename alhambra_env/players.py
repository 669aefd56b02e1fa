"""Whoever can sit at the table: bots, functions, and classes of the user's.

A player is asked `choose(game)` whenever its seat is to play. `as_player` makes one from a name, an
import path or a function, `ask` asks it. An import path runs code: it imports the module and calls
what is named, so never take one from somebody you do not trust.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from importlib import import_module
from inspect import signature
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .agents.player import PREFIX, load_player, load_shipped
from .agents.shipped import AGENT_NAMES, wrong_player_count
from .bots import BOT_NAMES, Bot, make
from .errors import IllegalAction
from .game import Game
from .observation.layout import Layout
from .options import DEFAULT_FORM, DEFAULT_HANDS, Hands, ObservationForm
from .validation import as_list, one_of, shortened, shown

Policy = Callable[[Any, np.ndarray], int]
"""A function from observation and mask to an action."""


@runtime_checkable
class Player(Protocol):
    """What can sit at the table. `bots.Bot` is one.

    A player that is made for games of one size only also has `num_players`, the number of players
    in them. Others do without, or have None.
    """

    name: str
    """How it is called in tables and files."""

    def begin(self, seed: int) -> None:
        """Begin a game; all randomness of the player must come from this seed."""

    def choose(self, game: Game) -> int:
        """Return a legal action for the seat to play. `ask` hands over a copy of the game."""


class PolicyPlayer:
    """A function `(observation, mask) -> action` as a player."""

    def __init__(
        self,
        policy: Policy,
        name: str | None = None,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        observation: ObservationForm = DEFAULT_FORM,
    ) -> None:
        """Say what the function observes; the settings are those of the environments."""
        self.name = str(name or getattr(policy, "__name__", type(policy).__name__))
        self._policy = policy
        self._hands = hands
        self._pieces = pieces if pieces is None else as_list(pieces, "pieces")
        self._is_flat = observation == "flat"
        self._layouts: dict[int, Layout] = {}

    def begin(self, seed: int) -> None:
        """Nothing: its randomness, if any, is the function's own affair."""

    def choose(self, game: Game) -> int:
        """Ask the function."""
        layout = self._layouts.get(game.num_players)
        if layout is None:
            layout = Layout(game.num_players, self._hands, self._pieces)
            self._layouts[game.num_players] = layout
        buffer = layout.observe(game.states, 0, game.to_play)
        return self._policy(buffer if self._is_flat else layout.split(buffer), game.action_mask())


def check_player_count(player: Player, num_players: int) -> None:
    """Raise `ValueError` if a player is made for games with another number of players only."""
    wanted = getattr(player, "num_players", None)
    if wanted is not None and wanted != num_players:
        raise ValueError(wrong_player_count(shortened(str(player.name)), wanted, num_players))


def as_player(given: Any) -> Player:
    """Return the player that is meant.

    Args:
        given: a bot's name, with settings if it has any (`"rollout:playouts=100"`); a shipped agent
            (`"ppo_3p"`, `"ppo_3p:search=240"`); a checkpoint (`"ppo:checkpoints/NAME"`); the import
            path of a class or an object (`"package.module:Name"`); a function `(observation, mask)
            -> action`; or a player.

    Raises:
        ValueError: nothing of the kind is known; the message says what there is.
        DamagedCheckpoint: a checkpoint cannot be read.
    """
    if isinstance(given, str):
        prefix, _, rest = given.partition(":")
        if prefix == PREFIX:
            return load_player(rest)
        if prefix in AGENT_NAMES:
            return load_shipped(given)
        if ":" in given and prefix not in BOT_NAMES:
            return _import_player(given)
        one_of(prefix, (*BOT_NAMES, *AGENT_NAMES), "player")
        return make(given)
    if isinstance(given, type):
        given = _make(given)
    if isinstance(given, Player):
        return given
    if callable(given):
        return PolicyPlayer(given)
    raise ValueError(
        f"{shown(given)} is not a player: give a name ({', '.join((*BOT_NAMES, *AGENT_NAMES))}), "
        'an import path "package.module:Name", or a function (observation, mask) -> action'
    )


def ask(player: Player, game: Game) -> int:
    """Return a player's action for the seat to play.

    A bot reads the game itself. Every other player, also one derived from `Bot`, gets a copy:
    whatever it does to that, the game stays as it is.
    """
    if type(player) is Bot:
        return Bot.choose(player, game)
    return player.choose(game.clone())


def blame(error: Exception, who: str, advice: str = "") -> None:
    """Say in an error whose it was, before it is raised again.

    An illegal action becomes an `IllegalAction` that begins with `who` and ends with `advice`; any
    other error gets a note.
    """
    if isinstance(error, IllegalAction):
        raise IllegalAction(f"{who}: {error}{advice}") from None
    error.add_note(f"This was {who}{advice}.")


def copy_of(player: Player) -> Player:
    """Return a player that shares nothing that changes with another one.

    Raises:
        ValueError: it is an object that cannot be copied.
    """
    try:
        return deepcopy(player)
    except Exception as error:
        raise ValueError(
            f"the player {shown(player.name)} is needed more than once at a time and cannot be "
            f"copied ({shortened(str(error))}); give its class instead"
        ) from None


def _import(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _make(kind: type) -> Any:
    """Return an object of a class; `ValueError` if it cannot be made without arguments."""
    try:
        signature(kind).bind()
    except TypeError as error:
        raise ValueError(
            f"the class {kind.__name__} cannot be made without arguments ({error}); give an object"
        ) from None
    except ValueError:  # some built-in types do not tell
        pass
    return kind()


def _import_player(path: str) -> Player:
    module, _, name = path.partition(":")
    try:
        if not all(map(str.isidentifier, [*module.split("."), name])):
            raise ImportError("not an import path")
        found = _import(path)
        if isinstance(found, str):
            raise ImportError("that is a string")
    except (ImportError, AttributeError) as error:
        raise ValueError(
            f"no player {shown(path)}: {shortened(str(error))}. Bots are: {', '.join(BOT_NAMES)}; "
            'players of your own are named "package.module:Name"'
        ) from None
    return as_player(found)
