"""Functions that compiled code calls by number, each compiled when it is first called.

Compiled code holds everything that it may call. A loop that could call any of several large
functions would be compiled with all of them. Here it looks up an address in a table, and asks
Python to compile a function whose address is missing.
"""

import ctypes
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils

_PREFIX: Final = "alhambra_env_"
_NOWHERE: Final = 0


class OnDemand:
    """Compiled functions with the same types of arguments and of result.

    An intrinsic of Numba whose code comes from `generate_call` calls them.
    """

    def __init__(
        self,
        name: str,
        functions: Sequence[Any],
        arguments: tuple[Any, ...],
        returned: Any,
        around: Callable[[int], AbstractContextManager[None]],
    ) -> None:
        """Compile nothing yet.

        Args:
            name: of this table; compiled code in the cache refers to it, so it must be unique.
            functions: those of `jit`.
            arguments: Numba's types of their arguments.
            returned: Numba's type of their result.
            around: for the number of a function, the context in which it is compiled.
        """
        self._functions = functions
        self._arguments = arguments
        self._returned = returned
        self._around = around
        self._addresses = np.full(len(functions), _NOWHERE, np.uintp)
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self.compile)
        self._table_name, self._compile_name = f"{_PREFIX}{name}", f"{_PREFIX}compile_{name}"
        binding.add_symbol(self._table_name, self._addresses.ctypes.data)
        pointer = ctypes.cast(self._callback, ctypes.c_void_p).value
        binding.add_symbol(self._compile_name, pointer)

    def compile(self, number: int) -> None:
        """Compile a function, if that has not been done."""
        if self._addresses[number] != _NOWHERE:
            return
        function = self._functions[number]
        with self._around(number):
            function.compile(self._arguments)
        result = function.overloads[self._arguments]
        if result.signature.return_type != self._returned:
            raise TypeError(f"{function} returns {result.signature.return_type}")
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        self._addresses[number] = address

    def generate_call(self, context: Any, builder: Any, number: Any, *given: Any) -> Any:
        """Generate the code that calls a function, and return its result."""
        place = self._generate_place(builder, number)
        with cgutils.if_unlikely(builder, _is_nowhere(builder, builder.load(place))):
            callback_type = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
            callback = cgutils.get_or_insert_function(
                builder.module, callback_type, self._compile_name
            )
            builder.call(callback, [number])
        address = builder.load(place)
        calls = context.call_conv
        with cgutils.if_unlikely(builder, _is_nowhere(builder, address)):
            # An error in a callback is printed and goes no further.
            message = "a function could not be compiled; the reason was printed above"
            calls.return_user_exc(builder, RuntimeError, (message,))
        function_type = calls.get_function_type(self._returned, self._arguments)
        function = builder.inttoptr(address, function_type.as_pointer())
        status, result = calls.call_function(
            builder, function, self._returned, self._arguments, given
        )
        with cgutils.if_unlikely(builder, status.is_error):
            calls.return_status_propagate(builder, status)
        return result

    def _generate_place(self, builder: Any, number: Any) -> Any:
        """Generate the place of an address in the table."""
        word = ir.IntType(8 * self._addresses.itemsize)
        table = builder.module.globals.get(self._table_name)
        if table is None:
            table_type = ir.ArrayType(word, self._addresses.size)
            table = ir.GlobalVariable(builder.module, table_type, self._table_name)
        return cgutils.gep_inbounds(builder, table, 0, number)


def _is_nowhere(builder: Any, address: Any) -> Any:
    return builder.icmp_unsigned("==", address, address.type(_NOWHERE))
