"""What bots weigh (`Bot.explain`): their candidates, best first, with what they are worth."""

from collections.abc import Callable
from typing import Final

import numpy as np

from ..engine.action_ranges import N_ACTIONS, REMOVE
from ..engine.arrays import Array
from ..engine.material import NONE
from ..engine.state import PHASES, TURN
from ..explanation import Candidate
from ..game import Game
from .best_turns import new_turns
from .choose import say_compiling
from .kinds import BOTS, CANDIDATES_SETTING, HANDS_SETTING, PLAYOUTS_SETTING
from .lookahead import write_best_turns
from .planner import NEVER, write_values_of
from .rollout import best_of_given, playouts_by_place, write_prior_of

MOST_TURNS: Final = 16
"""The most turns that the lookahead lists."""

MOST_OF_A_CLASS: Final = 4
"""The most of them that buy the same tiles and end with the same kind of action."""


def candidates_of(bot: int, settings: Array, game: Game, rng: Array) -> list[Candidate] | None:
    """Return what a bot weighs for the seat to play, best first; None if it weighs nothing.

    `settings` is its row of `kinds.SETTINGS`, and `rng` its random words, which stay as they are.
    The game must not be over.
    """
    weigh = _WEIGH.get(BOTS[bot].name)
    if weigh is None:
        return None
    with say_compiling(bot):
        return weigh(settings, game, rng)


def _weigh_actions(settings: Array, game: Game, rng: Array) -> list[Candidate]:
    """What the planner weighs: every legal action."""
    values = np.empty(N_ACTIONS, np.float64)
    write_values_of(game.states, 0, game.masks, values)
    is_turn = game.phase == PHASES[TURN]
    # Whatever it is worth, it takes money, buys or rebuilds before it does anything else in a turn.
    order = sorted(
        game.legal_actions(), key=lambda action: (is_turn and action >= REMOVE, -values[action])
    )
    return [
        Candidate((action,), float(values[action]), "points")
        if values[action] > NEVER
        else Candidate((action,))
        for action in order
    ]


def _weigh_turns(settings: Array, game: Game, rng: Array) -> list[Candidate]:
    """What the lookahead weighs: the best turns of each class."""
    turns = new_turns(MOST_OF_A_CLASS)
    order = np.empty(MOST_TURNS, np.int64)
    knows_hands = bool(settings[HANDS_SETTING])
    count = write_best_turns(game.states, 0, game.masks, knows_hands, turns, order)
    if count == 0:  # then it plays any action
        return [Candidate((game.legal_actions()[0],))]
    found = []
    for group, place in (divmod(int(number), MOST_OF_A_CLASS) for number in order[:count]):
        actions = turns.actions[group, place, : turns.lengths[group, place]]
        found.append(
            Candidate(tuple(actions.tolist()), float(turns.values[group, place]), "margin")
        )
    return found


def _weigh_playouts(settings: Array, game: Game, rng: Array) -> list[Candidate]:
    """What the rollout weighs: the actions that it tries."""
    tried = np.full(settings[CANDIDATES_SETTING], NONE, np.int64)
    totals = np.zeros(tried.size, np.float64)
    count = write_prior_of(game.states, 0, game.masks, tried, totals)
    knows_hands = bool(settings[HANDS_SETTING])
    playouts = int(settings[PLAYOUTS_SETTING])
    return try_actions(game, tried[:count], totals[:count], knows_hands, playouts, rng)


def try_actions(
    game: Game, tried: Array, totals: Array, knows_hands: bool, playouts: int, rng: Array
) -> list[Candidate]:
    """Return actions, best first by playouts (`rollout.best_by_playouts`), with the mean results.

    `totals` are those that the actions start with. No argument is changed.
    """
    ranked, sums = tried.copy(), totals.copy()
    best_of_given(game.states, 0, ranked, sums, knows_hands, playouts, rng.copy())
    start = dict(zip(tried.tolist(), totals.tolist(), strict=True))
    made = playouts_by_place(playouts, ranked.size)
    found = []
    for action, total, samples in zip(ranked.tolist(), sums.tolist(), made, strict=True):
        if samples == 0:  # the only candidate
            found.append(Candidate((action,)))
            continue
        mean = (total - start[action]) / samples
        found.append(Candidate((action,), mean, "result", samples=samples))
    return found


_WEIGH: Final[dict[str, Callable[[Array, Game, Array], list[Candidate]]]] = {
    "planner": _weigh_actions,
    "lookahead": _weigh_turns,
    "rollout": _weigh_playouts,
}
