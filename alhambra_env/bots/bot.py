"""A bot as an object, for Python code that plays games."""

from typing import Any

from ..engine.arrays import Array
from ..engine.rng import seed_words
from ..explanation import Candidate, check_explainable
from ..game import Game
from ..validation import shown, whole_number
from .candidates import candidates_of
from .choose import choose_action_of, compile_bot
from .kinds import BOTS, bot_number, settings_row


class Bot:
    """A scripted player.

    >>> from alhambra_env import Game, bots
    >>> game, builder = Game(seed=1), bots.make("builder")
    >>> game.step(builder.choose(game))
    """

    # A bot gets the game itself, and its numbers go to compiled code unchecked. So methods cannot
    # be replaced by attributes, and the numbers are read-only.
    __slots__ = ("_number", "_rng", "_row", "name")

    def __init__(self, name: str, **settings: Any) -> None:
        """Choose a bot by name; `kinds.BOTS` says which settings it has.

        Raises:
            ValueError: for a name or a setting that does not exist; the message lists what does.
        """
        self._number = bot_number(name)
        kind = BOTS[self._number]
        self._row = settings_row(kind, settings)
        shown = ",".join(f"{key}={settings[key]}" for key in kind.settings if key in settings)
        self.name = f"{name}:{shown}" if shown else name
        """The name and settings that `make` turns into the same bot."""
        self.begin(0)

    @property
    def number(self) -> int:
        """Its index in `kinds.BOTS`, for compiled code."""
        return self._number

    @property
    def row(self) -> Array:
        """A copy of its settings, for compiled code."""
        return self._row.copy()

    @property
    def rng(self) -> Array:
        """Its four random words, which compiled code changes in place."""
        return self._rng

    def begin(self, seed: int) -> None:
        """Seed its random numbers. The same seed and positions give the same choices."""
        self._rng: Array = seed_words(whole_number(seed, "seed", 0))

    def compile(self) -> None:
        """Compile it now, or load it from the cache, instead of at its first decision."""
        compile_bot(self._number)

    def choose(self, game: Game) -> int:
        """Return its action for the seat to play. The game must not be over."""
        if game.over:
            raise ValueError("the game is over: there is nothing to choose")
        return int(choose_action_of(self._number, self._row, game.states, 0, game.masks, self._rng))

    def explain(self, game: Game) -> list[Candidate] | None:
        """Return what it weighs for the seat to play, best first; None if it weighs nothing.

        The first is what `choose` plays. The game must not be over; the random words stay as they
        are.
        """
        check_explainable(game)
        return candidates_of(self._number, self._row, game, self._rng)

    def __repr__(self) -> str:
        return f"Bot({self.name!r})"


def make(name: str, **settings: Any) -> Bot:
    """Return a bot by name, such as `"builder"`, with settings.

    Settings can also be part of the name: `"rollout:playouts=100,hands=open"`.

    Raises:
        ValueError: for a name or a setting that does not exist; the message lists what does.
    """
    plain, _, rest = name.partition(":") if isinstance(name, str) else (name, "", "")
    named: dict[str, Any] = {}
    for part in rest.split(",") if rest else ():
        key, sign, value = part.partition("=")
        if not sign:
            raise ValueError(f"the settings of a bot are written name=value, not {shown(part)}")
        named[key] = value
    if named:
        settings_row(BOTS[bot_number(plain)], named)  # also refuses names such as "self"
    return Bot(plain, **named | settings)
