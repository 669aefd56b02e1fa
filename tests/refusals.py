"""Settings that are refused."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def assert_refused(
    make: Callable[..., Any], settings: dict[str, Any], message: str, allowed: Iterable[str]
) -> None:
    """Assert that settings raise `ValueError` with a message that also lists what is allowed."""
    with pytest.raises(ValueError, match=message) as error:
        make(**settings)
    for word in allowed:
        assert word in str(error.value)
