"""Runs compiled code as plain Python, for comparison."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def call_in_plain_python(function: Callable[[], str]) -> str:
    """Return what a function of a test module returns when nothing is compiled."""
    script = (
        "import numba; assert numba.config.DISABLE_JIT\n"
        f"from {function.__module__} import {function.__name__} as function\n"
        "print(function())"
    )
    run = subprocess.run(
        # Warnings are errors, because in plain NumPy an overflow is only a warning.
        [sys.executable, "-W", "error", "-c", script],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parent.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    return run.stdout.strip()
