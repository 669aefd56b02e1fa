"""OpenSpiel's IS-MCTS as a player: `openspiel_ismcts`, with playouts in compiled code."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from ..bots import BOT_NAMES, Bot
from ..engine.material import MAX_PLAYERS
from ..extras import extras_explained
from ..game import Game
from ..loops.bot_games import play_bots
from ..options import DEFAULT_HANDS, Hands, hands_name
from ..validation import one_of, read_whole_number, shown
from .openspiel import AlhambraGame, AlhambraState

with extras_explained():
    from open_spiel.python.algorithms import ismcts, mcts

NAME: Final = "openspiel_ismcts"
DEFAULT_SIMULATIONS: Final = 100
DEFAULT_PLAYOUTS: Final = "builder"
MOST_SIMULATIONS: Final = 1_000_000

# The margin, not the outcome: a few playouts that are all lost do not tell actions apart.
_REWARD: Final = "margin"
_UCT: Final = 20.0  # points
_PART: Final = 1000
"""Actions that are played in one compiled call."""


class PlayoutEvaluator(mcts.Evaluator):
    """Evaluates a state by one game that bots play to the end, for OpenSpiel's MCTS and IS-MCTS.

    It is what `mcts.RandomRolloutEvaluator` does step by step in Python, in one compiled call.
    """

    def __init__(self, bot: str = DEFAULT_PLAYOUTS, seed: int = 0) -> None:
        """Choose the bot that plays all seats.

        Raises:
            ValueError: there is no such bot.
        """
        bots = [Bot(bot) for _ in range(MAX_PLAYERS)]
        for seat, each in enumerate(bots):
            each.begin(seed * MAX_PLAYERS + seat)
        self._bots = (
            np.array([each.number for each in bots]),
            np.array([each.row for each in bots]),
            np.array([each.rng for each in bots]),
        )

    def evaluate(self, state: AlhambraState) -> np.ndarray:
        """Return what each player gets in one playout."""
        if state.position is None:
            raise ValueError("there is no deal yet: evaluate states after the chance node")
        end = state.position.clone()
        actions, decisions = np.zeros(_PART, np.int64), np.zeros(MAX_PLAYERS, np.int64)
        while not end.over:
            play_bots(end.states, end.masks, self._bots, actions, decisions)
        game: AlhambraGame = state.get_game()
        return np.array(game.returns_of(end))

    def prior(self, state: AlhambraState) -> list[tuple[int, float]]:
        """Return the same probability for all legal actions."""
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


class IsmctsPlayer:
    """A `Player` that chooses by OpenSpiel's IS-MCTS.

    It maximises its margin. It does not cheat: each simulation starts from a position in which all
    that the seat does not know is drawn again.
    """

    def __init__(
        self,
        simulations: int = DEFAULT_SIMULATIONS,
        playouts: str = DEFAULT_PLAYOUTS,
        hands: Hands = DEFAULT_HANDS,
        name: str = NAME,
    ) -> None:
        """Choose the search.

        Args:
            simulations: for one decision. It should be several times the number of legal actions,
                since each is tried once before any is tried again.
            playouts: the bot that plays a simulation to its end.
            hands: whether it knows the other players' cards (E4).
            name: shown in tables and files.

        Raises:
            ValueError: for a setting that is not allowed; the message says what is.
        """
        self._simulations = _read_simulations(simulations)
        self._playouts = _read_playouts(playouts)
        self._hands = hands_name(hands)
        self.name = name
        """Its name in tables and files."""
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Start an episode. The same seed and positions give the same actions."""
        # OpenSpiel asks for the older kind of generator.
        self._rng = np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed)))
        self._evaluator = PlayoutEvaluator(self._playouts, seed)
        self._game: AlhambraGame | None = None

    def choose(self, game: Game) -> int:
        """Return its action for the seat to play.

        Raises:
            ValueError: the game is over.
        """
        if game.over:
            raise ValueError("the game is over: there is nothing to choose")
        rules = game.rules
        if self._game is None or self._game.rules != rules:
            settings = {"hands": self._hands, "reward": _REWARD, "deals": 1}
            self._game = AlhambraGame(asdict(rules) | settings)
        bot = ismcts.ISMCTSBot(
            self._game, self._evaluator, _UCT, self._simulations, random_state=self._rng
        )
        bot.set_resampler(self._resample)
        return int(bot.step(self._game.state_of(game)))

    def _resample(self, state: AlhambraState, seat: int) -> AlhambraState:
        """Resample with this player's random numbers: OpenSpiel would take the time as a seed."""
        return state.resample_from_infostate(seat, self._rng.random_sample)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_game": None}  # OpenSpiel copies only games that are registered

    def __repr__(self) -> str:
        return f"IsmctsPlayer({self.name!r})"


def _read_simulations(value: Any) -> int:
    return read_whole_number(value, "simulations", 2, MOST_SIMULATIONS)


def _read_playouts(value: Any) -> str:
    return one_of(value, BOT_NAMES, "bot for playouts")


_SETTINGS: Final[dict[str, Callable[[Any], Any]]] = {
    "simulations": _read_simulations,
    "playouts": _read_playouts,
    "hands": hands_name,
}


def load_player(text: str) -> IsmctsPlayer:
    """Return the player with settings written as `"simulations=100,playouts=builder,hands=open"`.

    Raises:
        ValueError: for a setting that does not exist or is not allowed.
    """
    given: dict[str, Any] = {}
    for part in text.split(",") if text else ():
        key, sign, value = part.partition("=")
        if not sign:
            raise ValueError(f"the settings of {NAME} are written name=value, not {shown(part)}")
        read = _SETTINGS[one_of(key, _SETTINGS, f"setting of {NAME}")]
        given[key] = read(value)
    return IsmctsPlayer(**given, name=f"{NAME}:{text}" if text else NAME)
