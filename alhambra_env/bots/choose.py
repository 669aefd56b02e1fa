"""The compiled switch between bots, for loops that play whole games."""

from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.state import State
from .builder import choose_like_builder
from .chance import choose_by_kind, choose_uniform
from .kinds import CANDIDATES_SETTING, HANDS_SETTING, PLAYOUTS_SETTING, bot_number
from .lookahead import choose_like_lookahead
from .planner import choose_like_planner
from .rollout import choose_by_rollout
from .saver import choose_like_saver
from .weights import LOOKAHEAD_WEIGHTS, PLANNER_WEIGHTS, ROLLOUT_WEIGHTS

_RANDOM = bot_number("random")
_UNIFORM = bot_number("uniform")
_SAVER = bot_number("saver")
_BUILDER = bot_number("builder")
_PLANNER = bot_number("planner")
_LOOKAHEAD = bot_number("lookahead")


@jit
def choose_action(bot: int, settings: Array, state: State, mask: Array, rng: Array) -> int:
    """Return the action that a bot chooses for the seat to play.

    `settings` is its row of `kinds.SETTINGS`, `mask` the mask of the state, and `rng` the
    bot's random words, which are changed in place.
    """
    if bot == _RANDOM:
        return choose_by_kind(mask, rng)
    if bot == _UNIFORM:
        return choose_uniform(mask, rng)
    if bot == _SAVER:
        return choose_like_saver(state, mask)
    if bot == _BUILDER:
        return choose_like_builder(state, mask)
    if bot == _PLANNER:
        return choose_like_planner(state, mask, PLANNER_WEIGHTS)
    knows_hands = settings[HANDS_SETTING] == 1
    if bot == _LOOKAHEAD:
        return choose_like_lookahead(state, mask, knows_hands, LOOKAHEAD_WEIGHTS)
    playouts, candidates = settings[PLAYOUTS_SETTING], settings[CANDIDATES_SETTING]
    return choose_by_rollout(state, mask, knows_hands, playouts, candidates, rng, ROLLOUT_WEIGHTS)


@jit
def choose_action_of(
    bot: int, settings: Array, states: Array, game: int, masks: Array, rng: Array
) -> int:
    """`choose_action` for one game of a batch; for callers from Python (see `try_step`)."""
    return choose_action(bot, settings, states[game], masks[game], rng)
