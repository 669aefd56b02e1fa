"""Puts a page together: template, style, script and data become one file."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any, Final

_SLOT: Final = re.compile(r"\{\{(\w+)\}\}")


def asset(name: str) -> str:
    """Return the text of a file that comes with this package."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def packed(data: Any) -> str:
    """Return data as deflated JSON in base64, which has no characters that HTML would read."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def fill(template: str, script: str, *, markup: Mapping[str, str], text: Mapping[str, str]) -> str:
    """Return a page from a template with slots `{{name}}`.

    The slots `{{script}}` and `{{policy}}` get the script, and a policy by which the browser runs
    nothing else and loads nothing at all.

    Args:
        template: HTML.
        script: JavaScript, trusted.
        markup: what other slots get as it is, trusted.
        text: what other slots get as text; it is escaped.
    """
    slots = {
        **markup,
        **{name: escape(each) for name, each in text.items()},
        "script": script,
        "policy": _policy(script),
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], template)


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
