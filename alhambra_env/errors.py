"""The errors of this package that callers may want to catch."""


class IllegalAction(ValueError):
    """The action is not legal in this position. The game is unchanged."""


class DamagedRecord(ValueError):
    """Bytes, a position or a game record is invalid: truncated, altered or from another version."""


def one_line(error: Exception) -> str:
    """Return the line that a command prints for an error that its user can fix."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
