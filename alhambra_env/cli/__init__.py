"""The command `alhambra`: matches, the ladder of bots, games to watch."""

import sys
from pathlib import Path

from ..extras import MissingExtra, extras_explained


def main() -> None:
    """Run the command line."""
    # Players of one's own are named by import path, and lie where the command is run.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        with extras_explained():
            from .app import app
    except MissingExtra as error:
        print(f"alhambra: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    app()
