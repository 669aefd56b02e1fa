"""Exit codes and one-line errors of the commands in this package."""

import sys
from collections.abc import Callable
from typing import Final

from alhambra_env.errors import one_line
from alhambra_env.extras import MissingExtra, extras_explained

BAD_INPUT: Final = 2
INTERRUPTED: Final = 130


def run_command(work: Callable[[], None]) -> int:
    """Run a command and return its exit code; an error is printed as one line."""
    try:
        with extras_explained():
            work()
    except (ValueError, OSError, MissingExtra) as error:
        if hasattr(error, "__notes__"):  # raised by the code of a player: show where
            raise
        print(f"error: {one_line(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    return 0
