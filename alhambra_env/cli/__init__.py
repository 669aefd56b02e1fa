"""The command `alhambra`: matches, the ladder of bots, games to watch."""

import sys
from pathlib import Path
from typing import Final

EXTRAS: Final = ("matplotlib", "openskill", "rich", "scipy", "typer")
MISSING: Final = 'is not installed; the command needs: pip install "alhambra-env[arena]"'


def main() -> None:
    """Run the command line."""
    # Players of one's own are named by import path, and lie where the command is run.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        print(f"alhambra: {error.name} {MISSING}", file=sys.stderr)
        raise SystemExit(2) from None
    app()
