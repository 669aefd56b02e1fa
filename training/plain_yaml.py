"""Reads YAML from untrusted files: plain values only, in bounded time and memory.

PyYAML's safe loader runs no code, but anchors can expand a few hundred bytes to a billion values,
deep nesting overflows the stack, and duplicate keys are silently dropped. Tags change types, `<<`
merges keys, `010` is 8 and `1:1` is 61. None of that is accepted here.
"""

import re
from collections import Counter
from typing import Any, Final

import yaml

from alhambra_env.validation import shortened, shown

_MERGE: Final = "<<"
_NUMBERS: Final = {
    "tag:yaml.org,2002:int": r"[-+]?(?:0|[1-9][0-9]*(?:_[0-9]+)*)",
    "tag:yaml.org,2002:float": r"(?:[-+]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
}
"""Numbers without quotes. Other YAML 1.1 numbers are read as text."""

DEEPEST: Final = 8
"""The deepest nesting that is read. Settings have three levels."""


class BadYaml(ValueError):
    """The text is not valid YAML, or uses a feature that is not allowed; the reason in one line."""


def read_yaml(text: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        BadYaml: it is not YAML, or has anchors, tags, merge keys, more than `DEEPEST` levels or a
            key twice.
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
    # PyYAML's constructors raise these for values such as `2026-99-99`
    except (ValueError, LookupError, AttributeError, TypeError, OverflowError) as error:
        raise BadYaml(
            f"a value does not have the form of its type ({shortened(str(error))})"
        ) from None


class _PlainLoader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML publishes no types
    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BadYaml(f"anchors and aliases are not read (line {event.start_mark.line + 1})")
        # PyYAML itself refuses the tags that it does not know.
        tag = getattr(event, "tag", None)
        if tag == "!" or (tag and tag in self.yaml_constructors):
            raise BadYaml(f"tags such as !!int are not read (line {event.start_mark.line + 1})")
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadYaml(f"it is nested more than {DEEPEST} levels deep")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if _MERGE in names:
            raise BadYaml(f"the key {_MERGE} is not read (line {node.start_mark.line + 1})")
        for name, count in Counter(names).items():
            if count > 1:
                raise BadYaml(f"{shown(name)} is given twice (line {node.start_mark.line + 1})")
        return super().construct_mapping(node, deep)


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if tag not in _NUMBERS]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _form in _NUMBERS.items():
    _PlainLoader.add_implicit_resolver(_tag, re.compile(f"(?:{_form})$"), list("-+.0123456789"))
