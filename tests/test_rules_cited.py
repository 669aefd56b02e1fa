"""Every rule has a test that cites it.

A citation is a comment with the number of a rule in a test that asserts something, in its
decorators, or directly above it.
"""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RULES = TESTS.parent / "docs" / "rules.md"
FEWEST_RULES = 34
EXPECTATIONS = ("pytest.raises", "pytest.warns")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def numbered_rules() -> list[str]:
    """The numbers that the rules define, in bold: `R1`, `E4`."""
    text = RULES.read_text(encoding="utf-8")
    return list(dict.fromkeys(re.findall(r"\*\*([RE]\d+)", text)))


def expects_something(function: Function, checkers: frozenset[str] = frozenset()) -> bool:
    """Does a function assert something, expect an error, or call one of the `checkers`?"""
    calls = {ast.unparse(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)}
    return bool(calls & {*EXPECTATIONS, *checkers}) or any(
        isinstance(node, ast.Assert) for node in ast.walk(function)
    )


def lines_of_tests(source: str) -> set[int]:
    """The lines of the tests that expect something, with their decorators."""
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, Function)]
    helpers = (f for f in functions if not f.name.startswith("test_"))
    checkers = frozenset(f.name for f in helpers if expects_something(f))
    lines: set[int] = set()
    for function in functions:
        if function.name.startswith("test_") and expects_something(function, checkers):
            first = min(node.lineno for node in (function, *function.decorator_list))
            lines.update(range(first, (function.end_lineno or first) + 1))
    return lines


def citations(source: str) -> set[str]:
    """The numbers of rules that the comments of the tests in a file name."""
    lines = lines_of_tests(source)
    rows = source.splitlines()
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    cited: set[str] = set()
    for token in reversed(tokens):  # so that the lowest of several comments above a test is first
        line = token.start[0]
        if token.type != tokenize.COMMENT:
            continue
        if line + 1 in lines and rows[line - 1].lstrip().startswith("#"):
            lines.add(line)
        if line in lines:
            cited.update(re.findall(r"\b[RE]\d+\b", token.string))
    return cited


def test_the_rules_are_numbered() -> None:
    assert len(numbered_rules()) >= FEWEST_RULES


def test_every_rule_is_cited_by_a_test() -> None:
    files = sorted(TESTS.glob("test_*.py"))
    cited = {rule for path in files for rule in citations(path.read_text(encoding="utf-8"))}
    missing = [rule for rule in numbered_rules() if rule not in cited]
    assert not missing, f"no test in tests/test_*.py that asserts something cites {missing}"


@pytest.mark.parametrize(
    ("source", "cited"),
    [
        ("def test_a():\n    # R1\n    assert x", {"R1"}),
        ("def test_a():\n    assert x  # E2: why", {"E2"}),
        ("# R1\n# and more\n@mark(\n    1,  # R2\n)\ndef test_a():\n    assert x", {"R1", "R2"}),
        ("def test_a():\n    with pytest.raises(E):  # R3\n        x()", {"R3"}),
        ("def check():\n    assert x\n\n\ndef test_a():\n    check()  # R4", {"R4"}),
        ("class TestA:\n    # R5\n    def test_a(self):\n        assert x", {"R5"}),
        ("# R1\n\ndef test_a():\n    assert x", set()),  # not directly above
        ("x = 1  # R1\ndef test_a():\n    assert x", set()),  # of another statement
        ("def test_a():\n    # R1\n    pass", set()),  # asserts nothing
        ("def helper():\n    # R1\n    assert x", set()),  # not a test
        ("def test_a():\n    '''R1'''\n    assert '# R2'", set()),  # not a comment
    ],
)
def test_only_tests_that_assert_something_can_cite_a_rule(source: str, cited: set[str]) -> None:
    assert citations(source) == cited
