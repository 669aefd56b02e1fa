"""Players: bots, trained agents, and your own functions and classes.

`as_player` makes a player from a name, an import path or a function. `ask` returns its action, and
`explain` what it weighs. An import path runs code: the module is imported, and the named object is
called. Use only import paths that you trust.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from importlib import import_module
from inspect import signature
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from .agents.loading import PREFIX, load_player, load_shipped
from .agents.shipped import AGENT_NAMES, wrong_player_count
from .bots import BOT_NAMES, Bot, make
from .errors import IllegalAction
from .explanation import Candidate, check_explainable
from .game import Game
from .observation.format import ObservationFormat
from .observation.layout import Layout
from .options import (
    DEFAULT_FORM,
    DEFAULT_HANDS,
    DEFAULT_TYPE,
    Hands,
    ObservationForm,
    ObservationType,
)
from .validation import as_list, one_of, shortened, shown

IMPORTED: Final = {"openspiel_ismcts": "alhambra_env.adapters.ismcts:load_player"}
"""Players that need an extra: the import path of the function that makes one from its settings.

It is imported only when the player is named, so this module does without the extra.
"""

PLAYER_NAMES: Final = (*BOT_NAMES, *AGENT_NAMES, *IMPORTED)

Policy = Callable[[Any, np.ndarray], int]
"""A function from observation and mask to an action."""


@runtime_checkable
class Player(Protocol):
    """The interface of a player; `bots.Bot` is one.

    A player for one number of players only also has an attribute `num_players`. For other players
    it is missing or None. A player that can say what it weighs is also an `Explainer`.
    """

    name: str
    """Its name in tables and files."""

    def begin(self, seed: int) -> None:
        """Start an episode. All randomness of the player must come from this seed."""

    def choose(self, game: Game) -> int:
        """Return a legal action for the seat to play. `ask` passes a copy of the game."""


@runtime_checkable
class Explainer(Player, Protocol):
    """A player with the optional method `explain`; this module's `explain` calls it."""

    def explain(self, game: Game) -> Sequence[Candidate] | None:
        """Return what it weighs for the seat to play, best first; None if it weighs nothing.

        The first should be what `choose` would play. Calling it changes nothing: `choose` plays the
        same afterwards, and only what the seat may know is used.
        """


class PolicyPlayer:
    """A function `(observation, mask) -> action` as a player."""

    def __init__(
        self,
        policy: Policy,
        name: str | None = None,
        hands: Hands = DEFAULT_HANDS,
        pieces: Iterable[str] | None = None,
        observation: ObservationForm = DEFAULT_FORM,
        dtype: ObservationType = DEFAULT_TYPE,
    ) -> None:
        """Choose the function's observation; the settings are those of the environments."""
        self.name = str(name or getattr(policy, "__name__", type(policy).__name__))
        self._policy = policy
        self._hands = hands
        self._pieces = pieces if pieces is None else as_list(pieces, "pieces")
        self._form, self._dtype = observation, dtype
        self._formats: dict[int, ObservationFormat] = {}

    def begin(self, seed: int) -> None:
        """Do nothing: a function has its own randomness, if any."""

    def choose(self, game: Game) -> int:
        """Call the function."""
        shape = self._formats.get(game.num_players)
        if shape is None:
            layout = Layout(game.num_players, self._hands, self._pieces, self._form)
            shape = self._formats[game.num_players] = ObservationFormat(layout, dtype=self._dtype)
        mask = game.action_mask()
        buffer = shape.layout.observe(game.states, 0, game.to_play)
        return self._policy(shape.show(buffer, mask), mask)


def check_player_count(player: Player, num_players: int) -> None:
    """Raise `ValueError` if a player is for another number of players."""
    wanted = getattr(player, "num_players", None)
    if wanted is not None and wanted != num_players:
        raise ValueError(wrong_player_count(shortened(str(player.name)), wanted, num_players))


def as_player(given: Any) -> Player:
    """Return a player from a name, an import path, a function, a class or a player.

    Args:
        given: a bot's name, with settings if it has any (`"rollout:playouts=100"`); a shipped agent
            (`"ppo_3p"`, `"ppo_3p:search=240"`); a checkpoint (`"ppo:checkpoints/NAME"`); one of
            `IMPORTED` (`"openspiel_ismcts:simulations=100"`); the import path of a class or an
            object (`"package.module:Name"`); a function `(observation, mask) -> action`; or a
            player.

    Raises:
        MissingExtra: the player needs an extra that is not installed.
        ValueError: there is no such player; the message lists the names.
        DamagedCheckpoint: a checkpoint cannot be read.
    """
    if isinstance(given, str):
        prefix, _, rest = given.partition(":")
        if prefix == PREFIX:
            return load_player(rest)
        if prefix in AGENT_NAMES:
            return load_shipped(given)
        if prefix in IMPORTED:
            player: Player = _import(IMPORTED[prefix])(rest)
            return player
        if ":" in given and prefix not in BOT_NAMES:
            return _import_player(given)
        one_of(prefix, PLAYER_NAMES, "player")
        return make(given)
    if isinstance(given, type):
        given = _make(given)
    if isinstance(given, Player):
        return given
    if callable(given):
        return PolicyPlayer(given)
    raise ValueError(
        f"{shown(given)} is not a player: give a name ({', '.join(PLAYER_NAMES)}), "
        'an import path "package.module:Name", or a function (observation, mask) -> action'
    )


def ask(player: Player, game: Game) -> int:
    """Return a player's action for the seat to play.

    A bot reads the game itself. Every other player, also a subclass of `Bot`, gets a copy, so it
    cannot change the game.
    """
    if type(player) is Bot:
        return Bot.choose(player, game)
    return player.choose(game.clone())


def explain(player: Player, game: Game) -> list[Candidate] | None:
    """Return what a player weighs for the seat to play, best first; None if it does not say.

    Raises:
        ValueError: the game is over.
    """
    check_explainable(game)
    found = player.explain(game.clone()) if isinstance(player, Explainer) else None
    return None if found is None else list(found)


def blame(error: Exception, who: str, advice: str = "") -> None:
    """Add to an error which player caused it.

    Raises an `IllegalAction` that starts with `who` and ends with `advice` if the error is one. Any
    other error gets a note; the caller raises it again.
    """
    if isinstance(error, IllegalAction):
        raise IllegalAction(f"{who}: {error}{advice}") from None
    error.add_note(f"This was {who}{advice}.")


def copy_of(player: Player) -> Player:
    """Return a copy of a player, without shared mutable state.

    Raises:
        ValueError: it cannot be copied.
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
    """Return an instance of a class; `ValueError` if its constructor needs arguments."""
    try:
        signature(kind).bind()
    except TypeError as error:
        raise ValueError(
            f"the class {kind.__name__} cannot be made without arguments ({error}); give an object"
        ) from None
    except ValueError:  # some built-in types have no signature
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
            'your own players are named "package.module:Name"'
        ) from None
    return as_player(found)
