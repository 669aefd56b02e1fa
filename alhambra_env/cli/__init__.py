"""The command `alhambra`: matches, the ladder of bots, games to watch, and data sets."""

import sys
from pathlib import Path

from ..extras import MissingExtra, extras_explained


def main() -> None:
    """Run the command line."""
    # Users name their own players by import path, relative to the current folder.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        with extras_explained():
            from .app import app
    except MissingExtra as error:
        print(f"alhambra: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    app()
