"""The one decorator of compiled code, and the name of the folder that its results are kept in.

Numba looks only at the file of a function to tell whether its cached machine code is stale, not at
the files of the functions and constants that it uses. Here the cache folder is named after a hash
of everything that compiled code is made from, so a change anywhere gives a new folder.
"""

import hashlib
from collections.abc import Callable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, cast

import numba
import numpy as np
from numba import config, types
from numba.core import cgutils, sigutils
from numba.extending import intrinsic, overload

from . import cache
from .notice import tell_compiling
from .plain import is_plain_python
from .threads import start_threads

PACKAGE: Final = Path(__file__).resolve().parent.parent

_F = TypeVar("_F", bound=Callable[..., Any])

Constant = Annotated[int, "compiled for each value"]
"""A whole number that callers give as a constant, and that is worth compiling a function for."""

COMPILED_ROOMS: Final = ("agents", "bots", "engine", "loops", "observation", "turns")
"""The folders with compiled code, and with all tables that it reads."""


def compiled_sources() -> list[Path]:
    """Return the files that compiled code is made from, in a fixed order."""
    files = (path for room in COMPILED_ROOMS for path in (PACKAGE / room).rglob("*"))
    return sorted(path for path in files if path.suffix in (".py", ".csv"))


def source_hash() -> str:
    """Return a short name for the present content of `compiled_sources()`."""
    digest = hashlib.sha256()
    for path in compiled_sources():
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# Two versions of Numba would overwrite each other's files; and code compiled without checks of
# bounds would be run where they are asked for.
_CHECKED: Final = "-checked" if getattr(config, "BOUNDSCHECK", None) else ""

CACHE_FOLDER: Final = cache.find_folder(
    f"engine-{source_hash()}-numba-{numba.__version__}{_CHECKED}"
)
"""Where compiled code is kept; None if every process has to compile it."""


def jit(function: _F) -> _F:
    """Compile a function on its first call, and keep the result for the next process.

    With the environment variable `NUMBA_DISABLE_JIT=1` the function is left as it is.
    """
    return _compile(function)


def jit_parallel(function: _F) -> _F:
    """Like `jit`, for functions with a `numba.prange` that is worth several threads.

    They can be called from Python only.
    """
    compiled = _compile(function, parallel=True)

    @wraps(function)
    def run(*args: Any) -> Any:
        start_threads()
        return compiled(*args)

    return cast(_F, run)


@intrinsic
def _without_owner(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _disown(context, builder, signature.args[0], arguments[0])

    return value(value), generate


def _disown(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        view = context.make_array(kind)(context, builder, value)
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()
    if isinstance(kind, types.BaseTuple):
        for i, part in enumerate(kind):  # type: ignore[var-annotated, arg-type]  # Numba has no types
            item = _disown(context, builder, part, builder.extract_value(value, i))
            value = builder.insert_value(value, item, i)
    return value


_Borrowed = TypeVar("_Borrowed")


def borrow(value: _Borrowed) -> _Borrowed:
    """Return an array, or a tuple with arrays; in compiled code, views that are not counted.

    Counting references is an atomic operation on memory that all threads share, at every slice and
    every call. A loop over rows of an array that its caller holds anyway can do without. The caller
    must hold it: a function borrows its own arguments, never what it has allocated itself.
    """
    return value


@overload(borrow)
def _compile_borrow(value: Any) -> Any:
    def implementation(value: Any) -> Any:
        return _without_owner(value)  # type: ignore[call-arg]  # Numba adds the first one

    return implementation


@intrinsic
def _in_one_row(typing_context: Any, array: Any) -> Any:
    row = array.copy(ndim=1)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        flat = context.make_array(row)(context, builder)
        context.populate_array(
            flat,
            data=view.data,
            shape=[view.nitems],
            strides=[view.itemsize],
            itemsize=view.itemsize,
            meminfo=None,
        )
        return flat._getvalue()

    return row(array), generate


def flat(array: np.ndarray) -> np.ndarray:
    """Return the elements of a contiguous array in one row, without copying, and as `borrow` does.

    A loop over a row whose length is not a constant becomes vector instructions; nested loops over
    short axes do not. `reshape` would do the same with a call that costs more than the loop.
    """
    return array.reshape(-1)


@overload(flat)
def _compile_flat(array: Any) -> Any:
    def implementation(array: Any) -> Any:
        return _in_one_row(array)  # type: ignore[call-arg]  # Numba adds the first one

    return implementation


def _compile(function: _F, **options: Any) -> _F:
    # Wrappers for callers in C are not needed, and take a tenth of the time.
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    decorate: Callable[[_F], Any] = numba.njit(**options)
    compiled: _F = decorate(function)
    if is_plain_python():
        return compiled
    if CACHE_FOLDER is not None:
        cache.keep(compiled, CACHE_FOLDER, tell_compiling)
    _widen_numbers(compiled, function)
    return compiled


def _widen_numbers(compiled: Any, function: Callable[..., Any]) -> None:
    """Let a function be compiled once for whole numbers of any width, constants included.

    Numba would compile it for each width and for each constant that a caller gives, with all that
    it calls: that was half of the time. Flags are left as they are, since there are only two, and
    what depends on them is worth compiling apart.
    """
    compile_exactly = compiled.compile
    names = signature(function).parameters
    is_constant = [function.__annotations__.get(name) is Constant for name in names]

    def compile_widely(given: Any) -> Any:
        arguments, _ = sigutils.normalize_signature(given)
        wide = tuple(
            argument if kept else _widened(argument)
            for argument, kept in zip(arguments, is_constant, strict=True)
        )
        if CACHE_FOLDER is None and wide not in compiled.overloads:
            tell_compiling(is_kept=False)
        return compile_exactly(wide)

    compiled.compile = compile_widely


_NARROW: Final = types.integer_domain - {types.int64, types.uint64}


def _widened(argument: Any) -> Any:
    if isinstance(argument, types.BooleanLiteral):
        return argument
    argument = types.unliteral(argument)
    return types.int64 if argument in _NARROW else argument
