"""Search on top of an agent that chooses turns.

Its most likely turns are played on copies of the game in which everything that the seat cannot know
is redrawn (`resample`). The others answer as `lookahead` would, up to the seat's next turn, and the
critic says what that is worth. All turns get the same redraws. After each part of the samples only
the better half of the turns is kept (sequential halving).
"""

import time
from typing import Final, NamedTuple

import numpy as np

from ..bots.best_turns import MOST_STEPS, new_turns, order_turns
from ..bots.layouts import Scope
from ..bots.lookahead import search
from ..engine.action_ranges import N_ACTIONS
from ..engine.arrays import Array
from ..engine.jit import borrow, jit
from ..engine.legal import next_legal, write_mask
from ..engine.material import MAX_PLAYERS
from ..engine.random_play import count_legal
from ..engine.resample import resample
from ..engine.rng import next_word
from ..engine.state import OVER, STATE, State
from ..game import Game
from ..loops.turn_games import TurnOptions, play_action
from ..options import Hands
from ..turns.choices import N_CHOICES
from ..turns.describe import describe_choices
from ..turns.feature_groups import N_FEATURES
from ..turns.listing import TurnChoices, scope_of
from ..validation import read_whole_number, real_number, shown
from .turn_inference import TurnWeights, value_of, write_turn_logits

MOST_TRIED: Final = 8
"""How many of the most likely turns a search tries."""

PRIOR_SAMPLES: Final = 8
"""How many samples the policy's opinion counts for."""

PRIOR_SLOPE: Final = 0.02
"""How much better a turn is expected to be that is e times as likely."""

MOST_SAMPLES: Final = 1_000_000
MOST_SECONDS: Final = 3600.0

_N_WORDS: Final = 4


class Budget(NamedTuple):
    """How long a search may take for a turn: by samples, or by time if `samples` is 0."""

    samples: int
    seconds: float = 0.0

    def __str__(self) -> str:
        return str(self.samples) if self.samples else f"{self.seconds:g}s"


def read_budget(text: str, what: str) -> Budget:
    """Return the budget in a text: `"96"` samples, or `"0.2s"`.

    Raises:
        ValueError: it is neither.
    """
    if not text.endswith("s"):
        return Budget(read_whole_number(text, what, 1, MOST_SAMPLES))
    try:
        seconds = float(text[:-1])
    except ValueError:
        raise ValueError(
            f"{what} is a number of samples, such as 96, or of seconds, such as 0.2s; "
            f"not {shown(text)}"
        ) from None
    return Budget(0, real_number(seconds, what, 1e-3, MOST_SECONDS))


class TriedTurn(NamedTuple):
    """A turn that a search has tried."""

    choice: int
    """Its number."""
    value: float
    """The mean reward that its samples earned and expected."""
    samples: int


class _Room(NamedTuple):
    """Memory for samples."""

    games: Array
    masks: Array
    rewards: Array
    earned: Array
    lengths: Array
    actions: Array
    values: Array
    features: Array
    logits: Array


@jit
def _new_room() -> _Room:
    return _Room(
        np.empty(1, STATE),
        np.zeros(N_ACTIONS, np.int8),
        np.zeros(MAX_PLAYERS, np.float32),
        np.zeros(MAX_PLAYERS, np.float64),
        np.zeros(N_CHOICES, np.int8),
        np.zeros((N_CHOICES, MOST_STEPS), np.int16),
        np.zeros(N_CHOICES, np.float64),
        np.zeros((N_CHOICES, N_FEATURES), np.float32),
        np.zeros(N_CHOICES, np.float32),
    )


@jit
def add_samples(
    states: Array,
    game: int,
    tried: Array,
    lengths: Array,
    actions: Array,
    n_samples: int,
    words: Array,
    options: TurnOptions,
    weights: TurnWeights,
    totals: Array,
) -> None:
    """Add the results of so many samples of each turn to its total.

    Args:
        states: games of a batch; they are not changed.
        game: the one in question.
        tried: numbers of turns.
        lengths: how many actions each turn has.
        actions: `[turn, step]`
        n_samples: redraws of what is unknown; each turn is tried with each of them.
        words: random words, changed in place.
        options: rewards, and what choices are searched with.
        weights: of the network whose critic judges.
        totals: `float64 [place in tried]`, changed in place.
    """
    state = states[game]
    room = _new_room()
    seed = np.empty(_N_WORDS, np.uint32)
    for _ in range(n_samples):
        for i in range(_N_WORDS):
            seed[i] = next_word(words)
        seed[0] |= np.uint32(1)  # random words must not all be 0
        for i in range(tried.size):
            length, row = lengths[tried[i]], actions[tried[i]]
            totals[i] += _sample(state, length, row, seed, options, weights, room)


@jit
def _sample(
    state: State,
    length: int,
    actions: Array,
    seed: Array,
    options: TurnOptions,
    weights: TurnWeights,
    room: _Room,
) -> float:
    """Play a turn after a redraw, then the others; return what the seat has earned and expects."""
    room = borrow(room)
    room.games[0] = state
    game = room.games[0]
    seat = int(state.to_play)
    resample(game, seat, options.knows_hands, seed.copy())
    room.earned[:] = 0
    for i in range(length):
        play_action(game, actions[i], options, room.rewards, room.earned)
    scope = Scope(options.weights, options.knows_hands, options.with_removals, options.width)
    write_mask(game, room.masks)
    while game.phase != OVER and game.to_play != seat:
        _play_best_turn(game, scope, options, room)
        write_mask(game, room.masks)
    expected = 0.0
    if game.phase != OVER:
        count = describe_choices(
            game, room.masks, scope, room.lengths, room.actions, room.values, room.features
        )
        write_turn_logits(room.features, count, weights, room.logits)
        expected = value_of(room.features, count, room.logits, weights)
    return float(room.earned[seat] + expected)


@jit
def _play_best_turn(game: State, scope: Scope, options: TurnOptions, room: _Room) -> None:
    """Play the turn of the seat to play that `lookahead` would think best."""
    if count_legal(room.masks) == 1:
        play_action(game, int(room.masks.argmax()), options, room.rewards, room.earned)
        return
    turns = new_turns(1)
    best = np.empty(1, np.int64)
    search(game, room.masks, scope, turns)
    if order_turns(turns, best) == 0:
        action = next_legal(room.masks, 0, N_ACTIONS)
        play_action(game, action, options, room.rewards, room.earned)
        return
    for i in range(turns.lengths[best[0], 0]):
        action = turns.actions[best[0], 0, i]
        play_action(game, action, options, room.rewards, room.earned)


class TurnSearch:
    """Finds the best of the likely turns by samples."""

    def __init__(
        self, weights: TurnWeights, hands: Hands, outcome: float, margin: float, budget: Budget
    ) -> None:
        """Choose a network, the rewards that its critic was trained with, and the budget."""
        self._weights = weights
        self._budget = budget
        self._options = TurnOptions(*scope_of(hands), outcome=outcome, margin=margin)

    def choose(
        self, game: Game, choices: TurnChoices, logits: np.ndarray, words: np.ndarray
    ) -> int:
        """Return the number of the best turn; `words` are random words, changed in place."""
        return self.rank(game, choices, logits, words)[0].choice

    def rank(
        self, game: Game, choices: TurnChoices, logits: np.ndarray, words: np.ndarray
    ) -> list[TriedTurn]:
        """Return the turns that a search tries, best first; `words` are changed in place."""
        tried = np.argsort(-logits, kind="stable")[:MOST_TRIED].astype(np.int64)
        chances = logits[tried].astype(np.float64)
        prior = PRIOR_SAMPLES * PRIOR_SLOPE * (chances - chances[0])
        totals, samples = prior.copy(), 0
        ranked: list[TriedTurn] = []
        turns = self.turns_of(choices)
        rounds = max(1, (len(tried) - 1).bit_length())
        for _ in range(rounds):
            if self._budget.samples:
                count = max(1, self._budget.samples // (rounds * len(tried)))
                self.add_samples(game, tried, turns, count, words, totals)
                samples += count
            else:
                end = time.perf_counter() + self._budget.seconds / rounds
                self.add_samples(game, tried, turns, 1, words, totals)
                samples += 1
                while time.perf_counter() < end:
                    self.add_samples(game, tried, turns, 1, words, totals)
                    samples += 1
            order = np.argsort(-totals, kind="stable")
            kept = (len(tried) + 1) // 2
            tried, totals, prior = tried[order].copy(), totals[order].copy(), prior[order].copy()
            means = (totals - prior) / samples
            dropped = zip(tried[kept:].tolist(), means[kept:].tolist(), strict=True)
            ranked = [TriedTurn(*each, samples) for each in dropped] + ranked
            tried, totals, prior = tried[:kept].copy(), totals[:kept].copy(), prior[:kept].copy()
        best = zip(tried.tolist(), means.tolist(), strict=False)
        return [TriedTurn(*each, samples) for each in best] + ranked

    @staticmethod
    def turns_of(choices: TurnChoices) -> tuple[np.ndarray, np.ndarray]:
        """Return the lengths and the actions of all choices, for `add_samples`."""
        lengths = np.array([len(turn) for turn in choices.actions], np.int64)
        actions = np.zeros((len(lengths), MOST_STEPS), np.int64)
        for turn, row in zip(choices.actions, actions, strict=True):
            row[: len(turn)] = turn
        return lengths, actions

    def add_samples(
        self,
        game: Game,
        tried: np.ndarray,
        turns: tuple[np.ndarray, np.ndarray],
        count: int,
        words: np.ndarray,
        totals: np.ndarray,
    ) -> None:
        """Add the results of so many redraws with each turn that is tried to its total."""
        add_samples(
            game.states, 0, tried, *turns, count, words, self._options, self._weights, totals
        )
