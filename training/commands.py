"""Exit codes and one-line errors of the commands in this package."""

import sys
from collections.abc import Callable
from typing import Final

from alhambra_env.errors import one_line
from alhambra_env.extras import MissingExtra, extras_explained

from .checkpoint import SaveFailed

NOT_SAVED: Final = 1
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
        return _fail(one_line(error), BAD_INPUT)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    return 0


def run_training(train: Callable[[], str], to_continue: str) -> int:
    """Train and return the exit code; print what `train` returns, or an error as one line.

    Args:
        train: trains, and returns a line about the result.
        to_continue: how to continue a run that was interrupted.
    """
    try:
        print(train())
        return 0
    except SaveFailed as error:
        return _fail(f"{error.strerror}. The last checkpoint is unchanged", NOT_SAVED)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", NOT_SAVED)
    except MemoryError as error:
        return _fail(f"there is not enough memory for these settings: {error}", BAD_INPUT)
    except ValueError as error:
        return _fail(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        print(f"Stopped. To continue from the last checkpoint: {to_continue}", file=sys.stderr)
        return INTERRUPTED


def _fail(message: str, code: int) -> int:
    print(f"error: {message}", file=sys.stderr)
    return code
