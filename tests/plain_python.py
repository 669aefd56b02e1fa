"""Runs compiled code as plain Python, for comparison."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

PlainCall = Callable[..., str]
"""Takes a function of a test module and its arguments, and returns what it returns."""


def call_in_plain_python(
    warning_filters: Sequence[str], function: Callable[..., str], *given: object
) -> str:
    """Return what a function of a test module returns when nothing is compiled.

    Warnings are errors, because in plain NumPy an overflow is only a warning. The filters are
    exceptions from that, as for the option `-W` of Python.
    """
    script = (
        "import numba; assert numba.config.DISABLE_JIT\n"
        f"from {function.__module__} import {function.__name__} as function\n"
        f"print(function(*{given!r}))"
    )
    run = subprocess.run(
        [sys.executable, *(f"-W{each}" for each in ("error", *warning_filters)), "-c", script],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parent.parent,
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()
