"""OpenSpiel: Alhambra as a game of `pyspiel`, for its search and learning algorithms.

>>> register()  # doctest: +SKIP
>>> game = pyspiel.load_game("alhambra(num_players=3,hands=open)")  # doctest: +SKIP

The first node is a chance node that draws the deal: outcome `d` is the game of `Game(seed=d)`. A
deal determines all later randomness, so there are no other chance nodes. A search that steps the
state itself, such as OpenSpiel's MCTS, therefore sees the order of deck and bag. IS-MCTS does not:
it searches states of `resample_from_infostate`.
"""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from json import dumps
from typing import Any, Final

import numpy as np

from ..actions import N_ACTIONS, name
from ..engine.editions import EDITION_NAMES
from ..engine.material import MAX_PLAYERS, MIN_PLAYERS, N_ROUNDS, N_SLOTS, PRIZES
from ..engine.rewards import step_rewards
from ..extras import extras_explained
from ..game import Game
from ..notation import to_text
from ..observation.format import ObservationFormat
from ..observation.layout import Layout
from ..options import (
    DEFAULT_EDITION,
    DEFAULT_HANDS,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    DEFAULT_REWARD,
    GameRules,
    Hands,
    hands_name,
    reward_number,
)
from ..validation import one_of, whole_number

with extras_explained():
    import pyspiel

NAME: Final = "alhambra"
DEFAULT_DEALS: Final = 10_000
MOST_DEALS: Final = 10_000_000
PARAMETERS: Final = {
    "num_players": DEFAULT_NUM_PLAYERS,
    "edition": DEFAULT_EDITION,
    "hands": DEFAULT_HANDS,
    "max_turns": DEFAULT_MAX_TURNS,
    "reward": DEFAULT_REWARD,
    "deals": DEFAULT_DEALS,
}
"""The parameters of the game and their defaults."""

_NAMES: Final = tuple(map(name, range(N_ACTIONS)))
_LONGEST_WALL: Final = 127
_MOST_POINTS: Final = int(PRIZES[:, 0].sum()) + N_ROUNDS * _LONGEST_WALL
# Buy from each slot, rebuild by pick and put, then pick and put each bought tile
_MOST_DECISIONS: Final = N_SLOTS + 2 + 2 * N_SLOTS
_LARGEST_INT: Final = 2**31 - 1
_SEEDS: Final = 2**53  # a float from 0 to 1 has as many values


def register() -> None:
    """Register the game in OpenSpiel, so that `pyspiel.load_game("alhambra")` finds it."""
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(_game_type(DEFAULT_HANDS, DEFAULT_REWARD), _load)


def _load(params: Mapping[str, Any]) -> "AlhambraGame":
    # OpenSpiel does not read a parameter with an equals sign, not even one that it has written.
    one_of(params["edition"], EDITION_NAMES, "edition")
    return AlhambraGame(params)


def _game_type(hands: Hands, reward: str) -> Any:
    kinds = pyspiel.GameType
    return kinds(
        short_name=NAME,
        long_name="Alhambra",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.GENERAL_SUM if reward == "score" else kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=MIN_PLAYERS,
        # OpenSpiel means perfect recall by it.
        provides_information_state_string=hands == "open",
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


class AlhambraGame(pyspiel.Game):
    """Alhambra with some settings, as a `pyspiel.Game`.

    Parameters:
        num_players, max_turns: as in `Game`.
        edition: the name of a rulebook, or an edition as text. OpenSpiel cannot write games with
            the latter as text and back, so `pyspiel.load_game` takes names only.
        hands: `"secret"` or `"open"` (E4); what a player observes and knows.
        reward: `"outcome"`, `"score"` or `"margin"`; all of it is paid at the end.
        deals: how many deals there are. OpenSpiel lists all of them at the start of a game, which
            takes time in proportion.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Check the parameters.

        Raises:
            ValueError: for a value that is not allowed; the message says what is.
        """
        settings = {**PARAMETERS, **(params or {})}
        self.rules = GameRules(settings["num_players"], settings["edition"], settings["max_turns"])
        self.hands = hands_name(settings["hands"])
        self.reward = reward_number(settings["reward"])
        self.deals = whole_number(settings["deals"], "deals", 1, MOST_DEALS)
        self.layout = Layout(self.rules.num_players, self.hands)
        self._outcomes: list[tuple[int, float]] = []
        low, high = _bounds(settings["reward"], self.rules.num_players)
        longest = _MOST_DECISIONS * (self.rules.max_turns + 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=N_ACTIONS,
            max_chance_outcomes=self.deals,
            num_players=self.rules.num_players,
            min_utility=low,
            max_utility=high,
            utility_sum=None if settings["reward"] == "score" else 0.0,
            max_game_length=min(longest, _LARGEST_INT),
        )
        kind = _game_type(self.hands, settings["reward"])
        super().__init__(kind, info, dict(params or {}))

    def new_initial_state(self) -> "AlhambraState":
        """Return the chance node that draws the deal."""
        return AlhambraState(self)

    def state_of(self, position: Game) -> "AlhambraState":
        """Return the state of a position, which is copied. It has no history of its own.

        Raises:
            ValueError: the position has other rules than this game.
        """
        if position.rules != self.rules:
            raise ValueError(f"the position has the rules {position.rules}, not {self.rules}")
        state = self.new_initial_state()
        state.begin(position.clone())
        return state

    def returns_of(self, position: Game) -> list[float]:
        """Return what each player gets in a position that is over."""
        return step_rewards(position.states, self.reward, [0] * position.num_players)

    def outcomes(self) -> list[tuple[int, float]]:
        """Return all deals with their probabilities."""
        if not self._outcomes:
            self._outcomes = [(deal, 1 / self.deals) for deal in range(self.deals)]
        return self._outcomes

    def max_chance_nodes_in_history(self) -> int:
        """Return 1: only the deal is drawn."""
        return 1

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> "AlhambraObserver":
        """Return an observer of states.

        Raises:
            ValueError: for parameters, or parts of an observation; there are none.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params:
            raise ValueError(f"an observer of Alhambra has no parameters, not {dict(params)}")
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("Alhambra is observed as a whole: public and private information")
        return AlhambraObserver(self, kind.perfect_recall)


class AlhambraState(pyspiel.State):
    """A state of the game; OpenSpiel copies and pickles its attributes."""

    def __init__(self, game: AlhambraGame) -> None:
        """Start at the chance node; `AlhambraGame.new_initial_state` calls this."""
        super().__init__(game)
        self.position: Game | None = None
        """The position, or None before the deal."""
        self.seen = ""
        """With open hands, all that was seen since the deal; else empty."""

    def begin(self, position: Game) -> None:
        """Go on from a position, and forget what came before."""
        self.position = position
        if self.get_game().hands == "open":
            hands = position.states["hands"][0, : position.num_players].ravel().tolist()
            self.seen = f"hands {''.join(map(str, hands))}{_table(position)}"

    # --- what OpenSpiel calls ---------------------------------------------------------------------

    def current_player(self) -> int:
        """Return the seat to play, or a number for chance or for the end."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.position.over else self.position.to_play

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions() if self.position else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return all deals with their probabilities."""
        outcomes: list[tuple[int, float]] = self.get_game().outcomes()
        return outcomes

    def _apply_action(self, action: int) -> None:
        position = self.position
        if position is None:
            rules = self.get_game().rules
            self.begin(Game(rules.num_players, rules.edition, action, rules.max_turns))
            return
        if not self.seen:
            position.step(action)
            return
        before = _table(position)
        self.seen += f" {position.to_play}:{_NAMES[action]}"
        position.step(action)
        after = _table(position)
        if after != before:
            self.seen += after

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal:{action}" if player == pyspiel.PlayerId.CHANCE else _NAMES[action]

    def is_terminal(self) -> bool:
        """Is the game over?"""
        return self.position is not None and self.position.over

    def returns(self) -> list[float]:
        """Return what each player gets; 0 until the game is over."""
        game: AlhambraGame = self.get_game()
        if self.position is None or not self.position.over:
            return [0.0] * game.rules.num_players
        return game.returns_of(self.position)

    def __str__(self) -> str:
        return "before the deal" if self.position is None else to_text(self.position)

    # --- search -----------------------------------------------------------------------------------

    def resample_from_infostate(
        self, player_id: int, sampler: Callable[[], float]
    ) -> "AlhambraState":
        """Return a state in which all that a player does not know is drawn again.

        See `Game.resample`. The history is that of this state, so its first entry is still the
        number of the true deal.

        Args:
            player_id: the seat that does not know.
            sampler: returns a random number from 0 to 1.
        """
        twin: AlhambraState = self.clone()
        if self.position is not None:
            seed = int(sampler() * _SEEDS)
            twin.position = self.position.resample(player_id, seed, self.get_game().hands)
        return twin


class AlhambraObserver:
    """What a player sees, as arrays and as text: the interface of OpenSpiel's observers."""

    def __init__(self, game: AlhambraGame, perfect_recall: bool) -> None:
        """Make the arrays.

        Args:
            game: the game to observe.
            perfect_recall: whether the text is the information state, which has no arrays.
        """
        self._layout = game.layout
        self._format = ObservationFormat(game.layout, dtype="float32")
        self._hands = game.hands
        self._is_recalling = perfect_recall
        self.tensor = None if perfect_recall else np.zeros(game.layout.size, np.float32)
        """All pieces, from 0 to 1, as with `dtype="float32"` in the environments."""
        self.dict = {} if self.tensor is None else game.layout.split(self.tensor)
        """The pieces by name: views of `tensor`."""

    def set_from(self, state: AlhambraState, player: int) -> None:
        """Write what a player sees into `tensor`."""
        if self.tensor is None:
            raise ValueError("the information state of Alhambra has no tensor")
        if state.position is None:
            self.tensor.fill(0)
            return
        buffer = self._layout.observe(state.position.states, 0, player)
        self.tensor[:] = self._format.show(buffer, state.position.masks[0])

    def string_from(self, state: AlhambraState, player: int) -> str:
        """Return what a player sees as text, or its information state.

        With open hands that is all that it has seen; with secret hands it is a hash of what it sees
        now, since such a player does not remember the cards that others took (E4).
        """
        if state.position is None:
            return "before the deal"
        if self._is_recalling and state.seen:
            return f"player {player} {state.seen}"
        if self._is_recalling:
            # Search looks it up several times at every node, and the text below takes 100 us.
            buffer = self._layout.observe(state.position.states, 0, player)
            return f"player {player} sees {blake2b(buffer.tobytes(), digest_size=16).hexdigest()}"
        return dumps({"player": player, **_known(state.position, player, self._hands)})


def _bounds(reward: str, num_players: int) -> tuple[float, float]:
    """Return bounds of what a player can get; points stay well within theirs."""
    if reward == "outcome":
        return -1 / (num_players - 1), 1.0
    return (0.0 if reward == "score" else -float(_MOST_POINTS)), float(_MOST_POINTS)


def _table(position: Game) -> str:
    """Return what chance brings to the table: cards, tiles, Dirk's tiles, scoring cards."""
    states = position.states
    shown = [states[field][0].tolist() for field in ("display", "market")]
    dirk = states["dirk"][0].nonzero()[0].tolist() if position.num_players == MIN_PLAYERS else []
    return f" {shown} {dirk} {position.rounds_scored}"


def _known(position: Game, seat: int, hands: Hands) -> dict[str, Any]:
    """Return the snapshot of a position without what a seat does not know."""
    picture = position.snapshot()
    picture["first_seat"] = int(position.state.first_seat)
    picture["bag"] = sorted(picture["bag"])
    picture["deck"] = len(picture["deck"])
    if hands == "secret":
        picture["hands"] = [
            hand if owner == seat else int(np.sum(hand))
            for owner, hand in enumerate(picture["hands"])
        ]
    return picture
