"""Errors of this package that callers may want to catch."""


class IllegalAction(ValueError):
    """The action is not legal in this position; the game is as it was before."""


class DamagedRecord(ValueError):
    """Bytes, a position or a game record that was cut, altered or made by another version."""


def one_line(error: Exception) -> str:
    """Return what a command prints about an error that its user can mend."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
