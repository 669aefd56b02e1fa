"""What a `GameBatch` saves, and the checks of a save before it is loaded."""

from typing import Any, Final

import numpy as np

from .engine.check import check, explain
from .engine.setup import RuleNumbers
from .engine.state import OVER, STATE, STATE_BYTES
from .errors import DamagedRecord
from .validation import shown

FORMAT: Final = "alhambra batch 1"

SETTINGS: Final = RuleNumbers._fields
"""Fields of a record that are the same in all games of a batch."""

_ARRAYS: Final = {
    "begun": np.dtype(np.int64),
    "seeds": np.dtype(np.uint64),
    "next_seeds": np.dtype(np.uint64),
    "states": STATE,
    "final_states": STATE,
}


def pack(states: np.ndarray) -> np.ndarray:
    """Return a copy of records as plain bytes: `[game, byte]`."""
    return np.frombuffer(bytearray(states.tobytes()), np.uint8).reshape(-1, STATE_BYTES)


def unpack(saved: Any, num_games: int, settings: tuple[int, ...]) -> dict[str, Any]:
    """Return the arrays of a save, with bytes turned back into records.

    Raises:
        DamagedRecord: something is missing, has another size, is for other settings, or is not a
            valid position.
    """
    if not isinstance(saved, dict) or not _is(saved.get("format"), FORMAT):
        raise DamagedRecord(f"this is not a saved batch: its format is not {FORMAT!r}")
    missing = [key for key in ("entropy", *SETTINGS, *_ARRAYS) if key not in saved]
    if missing:
        raise DamagedRecord(f"the saved batch lacks {', '.join(missing)}")
    for key, value in zip(SETTINGS, settings, strict=True):
        if not _is(saved[key], value):
            raise DamagedRecord(
                f"{key} is {shown(saved[key])} in the saved batch, {value} in this one"
            )
    entropy = saved["entropy"]
    if type(entropy) is not int or entropy < 0:
        raise DamagedRecord(
            f"the seed of the saved batch must be a whole number, 0 or more, not {shown(entropy)}"
        )
    arrays = {key: _read_array(key, saved[key], num_games) for key in _ARRAYS}
    for game in range(num_games):
        _check_state(game, arrays["states"][game], settings)
        _check_final_state(game, arrays["final_states"][game])
    return arrays | {"entropy": entropy}


def _is(given: Any, expected: str | int) -> bool:
    """Is it this value, of the same type? Comparing other types, such as arrays, may fail."""
    return type(given) is type(expected) and bool(given == expected)


def _read_array(key: str, given: Any, num_games: int) -> np.ndarray:
    dtype = _ARRAYS[key]
    try:
        array = np.asarray(given)
    except (ValueError, TypeError, OverflowError):
        raise DamagedRecord(f"{key} of the saved batch is not an array: {shown(given)}") from None
    shape = (num_games, STATE_BYTES) if dtype == STATE else (num_games,)
    stored = np.dtype(np.uint8) if dtype == STATE else dtype
    if array.shape != shape or array.dtype != stored:
        raise DamagedRecord(
            f"{key} of the saved batch is {array.dtype} {array.shape}, not {stored} {shape}"
        )
    if dtype == STATE:
        array = np.frombuffer(bytearray(array.tobytes()), STATE)
    return array.copy()


def _check_state(game: int, state: Any, settings: tuple[int, ...]) -> None:
    if broken := check(state):
        raise DamagedRecord(f"game {game} of the saved batch: {explain(broken)}")
    if state.phase == OVER or tuple(int(state[key]) for key in SETTINGS) != settings:
        raise DamagedRecord(f"game {game} of the saved batch is over or has other settings")


def _check_final_state(game: int, state: Any) -> None:
    if state.num_players == 0 and not any(state.tobytes()):
        return  # no game has ended yet
    if broken := check(state):
        raise DamagedRecord(f"final state {game} of the saved batch: {explain(broken)}")
    if state.phase != OVER:
        raise DamagedRecord(f"final state {game} of the saved batch is of a game that is not over")
