"""The choices of a turn and their features in one call, by address.

Compiled loops that called the search directly would each be compiled with it, which takes longer
than all the rest.
"""

from contextlib import AbstractContextManager
from typing import Any, Final

from llvmlite import ir
from numba import boolean, float32, float64, from_dtype, int8, int16, int64
from numba.extending import intrinsic, overload

from ..bots.layouts import Scope
from ..engine.arrays import Array
from ..engine.jit import jit
from ..engine.notice import compiling
from ..engine.on_demand import OnDemand
from ..engine.state import STATE, State
from .choices import Choices, new_choices, write_choices
from .features import new_notes, write_features

COMPILES: Final = 10
"""About how many seconds it takes to compile the features, without the search."""


@jit
def _describe(
    state: State,
    mask: Array,
    weights: Array,
    knows_hands: bool,
    with_removals: bool,
    width: int,
    lengths: Array,
    actions: Array,
    values: Array,
    features: Array,
) -> int:
    scope = Scope(weights, knows_hands, with_removals, width)
    found = new_choices()
    choices = Choices(lengths, actions, values, found.classes, found.ends)
    count = write_choices(state, mask, scope, choices)
    notes = new_notes(state)
    write_features(state, scope, choices, count, notes, features)
    return count


def describe_choices(
    state: State,
    mask: Array,
    scope: Scope,
    lengths: Array,
    actions: Array,
    values: Array,
    features: Array,
) -> int:
    """Write the choices of the seat to play, best first; return how many there are, at least one.

    Args:
        state: the position, at the start of a turn or in the middle of it.
        mask: its mask.
        scope: what the search looks at.
        lengths: `int8 [choice]`: how many actions; 0 where there is no choice.
        actions: `int16 [choice, step]`.
        values: `float64 [choice]`: the outlook of `lookahead` at the end.
        features: `float32 [choice, feature]`; zeros where there is no choice.
    """
    return _describe(state, mask, *scope, lengths, actions, values, features)


_ARGUMENTS: Final = (
    from_dtype(STATE),
    int8[::1],
    float64[::1],
    boolean,
    boolean,
    int64,
    int8[::1],
    int16[:, ::1],
    float64[::1],
    float32[:, ::1],
)


def _say_compiling(number: int) -> AbstractContextManager[None]:
    return compiling("the features of turns", COMPILES)


_on_demand: Final = OnDemand("describe_choices", [_describe], _ARGUMENTS, int64, _say_compiling)


@intrinsic
def _call(
    typing_context: Any,
    state: Any,
    mask: Any,
    weights: Any,
    knows_hands: Any,
    with_removals: Any,
    width: Any,
    lengths: Any,
    actions: Any,
    values: Any,
    features: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _on_demand.generate_call(context, builder, ir.IntType(64)(0), *arguments)

    return int64(*_ARGUMENTS), generate


@overload(describe_choices)
def _compile_describe(
    state: Any, mask: Any, scope: Any, lengths: Any, actions: Any, values: Any, features: Any
) -> Any:
    def implementation(
        state: Any, mask: Any, scope: Any, lengths: Any, actions: Any, values: Any, features: Any
    ) -> Any:
        return _call(  # type: ignore[call-arg]  # Numba adds the first one
            state,
            mask,
            scope.weights,
            scope.knows_hands,
            scope.with_removals,
            scope.width,
            lengths,
            actions,
            values,
            features,
        )

    return implementation


@jit
def describe_choices_of(
    states: Array,
    game: int,
    masks: Array,
    scope: Scope,
    lengths: Array,
    actions: Array,
    values: Array,
    features: Array,
) -> int:
    """`describe_choices` for one game of a batch; for callers from Python (see `try_step`)."""
    return describe_choices(states[game], masks[game], scope, lengths, actions, values, features)
