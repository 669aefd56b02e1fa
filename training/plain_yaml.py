"""YAML from anybody: plain values only, and nothing that takes long.

PyYAML's safe loader runs no code, but a few hundred bytes with anchors can stand for a billion
values, deep nesting overflows the stack, and of two equal keys the first is lost without a word.
"""

from collections import Counter
from typing import Any, Final

import yaml

from alhambra_env.settings import shortened, shown

DEEPEST: Final = 8
"""Levels of nesting. Settings have three."""


class BadYaml(ValueError):
    """A text is no YAML, or none that is read here; the message says why, in one line."""


def read_yaml(text: str) -> Any:
    """Return the value of a text.

    Raises:
        BadYaml: it is no YAML, or has anchors, more than `DEEPEST` levels or a key twice.
    """
    try:
        return yaml.load(text, _PlainLoader)  # a subclass of the safe loader
    except BadYaml:
        raise
    except yaml.MarkedYAMLError as error:
        where = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise BadYaml(f"{shortened(str(error.problem or error.context))}{where}") from None
    except yaml.YAMLError as error:
        raise BadYaml(shortened(" ".join(str(error).split()))) from None
    # What its constructors let through for values such as `!!int ""` and `2026-99-99`
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError) as error:
        raise BadYaml(f"a value is not what its form says ({shortened(str(error))})") from None


class _PlainLoader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML publishes no types
    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BadYaml(f"anchors and aliases are not read (line {event.start_mark.line + 1})")
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadYaml(f"it is nested more than {DEEPEST} levels deep")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for name, count in Counter(names).items():
            if count > 1:
                raise BadYaml(f"{shown(name)} is given twice (line {node.start_mark.line + 1})")
        return super().construct_mapping(node, deep)
