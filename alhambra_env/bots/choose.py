"""The compiled switch between bots, for loops that play whole games.

A bot is compiled when it is first asked for an action. A loop that called the bots directly would
be compiled with all of them, which takes longer than the rest of the package.
"""

from contextlib import AbstractContextManager
from typing import Any, Final

from numba import from_dtype, int8, int64, uint32
from numba.extending import intrinsic, overload

from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.notice import compiling
from ..engine.on_demand import OnDemand
from ..engine.plain import is_plain_python
from ..engine.state import STATE, State
from .builder import choose_like_builder
from .chance import choose_by_kind, choose_uniform
from .kinds import BOT_NAMES, BOTS, CANDIDATES_SETTING, HANDS_SETTING, PLAYOUTS_SETTING
from .lookahead import choose_like_lookahead
from .planner import choose_like_planner
from .rollout import choose_by_rollout
from .saver import choose_like_saver
from .weights import LOOKAHEAD_WEIGHTS, PLANNER_WEIGHTS, ROLLOUT_WEIGHTS

# --- the bots, all with the same arguments --------------------------------------------------------


@jit
def _ask_random(settings: Array, state: State, mask: Array, rng: Array) -> int:
    return choose_by_kind(mask, rng)


@jit
def _ask_uniform(settings: Array, state: State, mask: Array, rng: Array) -> int:
    return choose_uniform(mask, rng)


@jit
def _ask_saver(settings: Array, state: State, mask: Array, rng: Array) -> int:
    return choose_like_saver(state, mask)


@jit
def _ask_builder(settings: Array, state: State, mask: Array, rng: Array) -> int:
    return choose_like_builder(state, mask)


@jit
def _ask_planner(settings: Array, state: State, mask: Array, rng: Array) -> int:
    return choose_like_planner(state, mask, PLANNER_WEIGHTS)


@jit
def _ask_lookahead(settings: Array, state: State, mask: Array, rng: Array) -> int:
    knows_hands = settings[HANDS_SETTING] == 1
    return choose_like_lookahead(state, mask, knows_hands, LOOKAHEAD_WEIGHTS)


@jit
def _ask_rollout(settings: Array, state: State, mask: Array, rng: Array) -> int:
    knows_hands = settings[HANDS_SETTING] == 1
    playouts, candidates = settings[PLAYOUTS_SETTING], settings[CANDIDATES_SETTING]
    return choose_by_rollout(state, mask, knows_hands, playouts, candidates, rng, ROLLOUT_WEIGHTS)


_CHOOSERS: Final = {
    "random": _ask_random,
    "uniform": _ask_uniform,
    "saver": _ask_saver,
    "builder": _ask_builder,
    "planner": _ask_planner,
    "lookahead": _ask_lookahead,
    "rollout": _ask_rollout,
}

# --- the switch -----------------------------------------------------------------------------------

_ARGUMENTS: Final = (int64[::1], from_dtype(STATE), int8[::1], uint32[::1])


def say_compiling(bot: int) -> AbstractContextManager[None]:
    """Say that a bot is compiled, if anything is compiled in the block."""
    return compiling(f"the bot {BOTS[bot].name!r}", BOTS[bot].compiles)


_on_demand: Final = OnDemand(
    "bots", [_CHOOSERS[name] for name in BOT_NAMES], _ARGUMENTS, int64, say_compiling
)


def compile_bot(bot: int) -> None:
    """Compile a bot, unless that was done or everything runs as plain Python."""
    if not is_plain_python():
        _on_demand.compile(bot)


def choose_action(bot: int, settings: Array, state: State, mask: Array, rng: Array) -> int:
    """Return the action that a bot chooses for the seat to play.

    `settings` is its row of `kinds.SETTINGS`, `mask` the mask of the state, and `rng` the
    bot's random words, which are changed in place. Compiled code calls compiled bots.
    """
    return _CHOOSERS[BOT_NAMES[bot]](settings, state, mask, rng)


@intrinsic
def _call_bot(typing_context: Any, bot: Any, settings: Any, state: Any, mask: Any, rng: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _on_demand.generate_call(context, builder, *arguments)

    return int64(int64, *_ARGUMENTS), generate


@overload(choose_action)
def _compile_choose_action(bot: Any, settings: Any, state: Any, mask: Any, rng: Any) -> Any:
    def implementation(bot: Any, settings: Any, state: Any, mask: Any, rng: Any) -> Any:
        return _call_bot(bot, settings, state, mask, rng)  # type: ignore[call-arg]  # Numba adds the first one

    return implementation


@jit
def choose_action_of(
    bot: int, settings: Array, states: Array, game: int, masks: Array, rng: Array
) -> int:
    """`choose_action` for one game of a batch; for callers from Python (see `try_step`)."""
    return choose_action(bot, settings, states[game], masks[game], rng)
