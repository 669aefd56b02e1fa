"""Reads the settings of a training run from files and the command line, and writes them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from alhambra_env.agents.checkpoint import ACTIONS_LEVEL, TURNS_LEVEL
from alhambra_env.validation import one_of, shortened, shown

from .config import Config, RunConfig, TurnConfig
from .plain_yaml import BadYaml, read_yaml

LARGEST_FILE: Final = 1 << 16
"""The largest config file in bytes, fifty times a file with all settings."""

LEVELS: Final[dict[str, type[RunConfig]]] = {ACTIONS_LEVEL: Config, TURNS_LEVEL: TurnConfig}
"""The kinds of settings, by what the agent chooses."""


def kind_of(given: Any) -> type[RunConfig]:
    """Return the kind of settings in a dictionary; `ValueError` for a level there is not."""
    level = given.get("level", ACTIONS_LEVEL) if isinstance(given, dict) else ACTIONS_LEVEL
    return LEVELS[one_of(level, LEVELS, "level")]


_HOW: Final = "settings are written key=value or section.key=value"

_MOST_PROBLEMS: Final = 5
"""The most problems that an error message lists."""

_LONGEST: Final = 600
"""The most characters of a problem that a validator of this module describes."""

_EXPECTED: Final = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "a word",
    "tuple": "a list, such as [a, b]",
    "dict": "names with numbers, such as {a: 1, b: 2}",
    "model": "a section, whose settings are written SECTION.key=value",
}
"""Expected values, by the first word of the type of pydantic's error."""


def load_config(
    path: str | Path, overrides: Iterable[str] = (), kind: type[RunConfig] | None = None
) -> RunConfig:
    """Read settings from a file; `overrides` are `key=value` or `section.key=value`.

    `kind` is the kind of settings; None for the one that `level` says.

    Raises:
        ValueError: the file cannot be read, or a setting is not allowed; the message says which.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"the settings in {path} cannot be read: {error.strerror}") from None
    return parse_config(data, str(path), overrides, kind)


def parse_config(
    data: bytes, where: str, overrides: Iterable[str] = (), kind: type[RunConfig] | None = None
) -> RunConfig:
    """Return the settings in the content of a file; `where` is its name in messages.

    Raises:
        ValueError: it cannot be read, or a setting is not allowed; the message says which.
    """
    if len(data) > LARGEST_FILE:
        raise ValueError(
            f"{where} is too large for settings: it has more than {LARGEST_FILE:,} bytes"
        )
    try:
        given = read_yaml(data.decode("utf-8"))
    except (UnicodeDecodeError, BadYaml) as error:
        raise ValueError(f"the settings in {where} cannot be read: {error}") from None
    if given is not None and not isinstance(given, dict):
        raise ValueError(f"{where} has no settings: {_HOW.replace('=', ': ')}")
    return make_config(given or {}, overrides, kind)


def make_config(
    given: dict[str, Any], overrides: Iterable[str] = (), kind: type[RunConfig] | None = None
) -> RunConfig:
    """Return the settings in a dictionary; `overrides` are `key=value` or `section.key=value`.

    Raises:
        ValueError: a setting is not allowed; the message says which, and suggests the nearest.
    """
    if kind is None:
        kind = kind_of(given)
    for text in overrides:
        key, sign, value = text.partition("=")
        if not sign:
            raise ValueError(f"{shown(text)} is not a setting: {_HOW}")
        path = key.split(".")
        try:
            # A name may look like a number.
            given = _with(given, path, value if _is_text(path, kind) else read_yaml(value))
        except BadYaml as error:
            raise ValueError(f"the value in {shown(text)} cannot be read: {error}") from None
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        problems = [_explain(dict(problem), kind) for problem in error.errors(include_url=False)]
        more = len(problems) - _MOST_PROBLEMS
        rest = [f"and {more} more"] if more > 0 else []
        raise ValueError("; ".join(problems[:_MOST_PROBLEMS] + rest)) from None


def _is_text(path: list[str], kind: type[RunConfig]) -> bool:
    """Is the type of this setting `str`?"""
    section: Any = kind
    for key in path[:-1]:
        field = getattr(section, "model_fields", {}).get(key)
        section = field.annotation if field else None
    field = getattr(section, "model_fields", {}).get(path[-1])
    return field is not None and field.annotation is str


_DEFAULTS: Final = {"opponents": Config().opponents}
"""Dictionaries in which an override changes one entry and keeps the default of the others."""


def _with(given: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    """Return settings with one of them changed."""
    key, *rest = path
    if not rest:
        return {**given, key: value}
    inner = given.get(key) or (_DEFAULTS.get(key, {}) if key not in given else {})
    if not isinstance(inner, dict):
        raise ValueError(f"{key} is not a section, so it has no setting {shown('.'.join(rest))}")
    return {**given, key: _with(inner, rest, value)}


def _explain(problem: dict[str, Any], kind: type[RunConfig]) -> str:
    """Return the message for an error of pydantic."""
    path = [str(part) for part in problem["loc"]]
    name = shortened(".".join(path))
    if problem["type"] == "extra_forbidden":
        section: Any = kind
        for part in path[:-1]:
            section = section.model_fields[part].annotation
        where = f"setting of {'.'.join(path[:-1])}" if path[:-1] else "setting"
        try:
            one_of(path[-1], section.model_fields, where)
        except ValueError as error:
            return str(error)
    if problem["type"] == "value_error":
        message = shortened(str(problem["msg"]).removeprefix("Value error, "), _LONGEST)
        return f"{name}: {message}" if path else message
    what = str(problem["type"]).partition("_")[0]
    if what in _EXPECTED:
        message = f"must be {_EXPECTED[what].replace('SECTION', name)}"
    else:
        message = shortened(str(problem["msg"]))
    return f"{name}: {message}, not {shown(problem['input'])}"


def dump_config(config: RunConfig) -> str:
    """Return all settings as YAML."""
    text: str = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
    return text
