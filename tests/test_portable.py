"""The package imports and runs on systems other than Linux."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "alhambra_env"
POSIX_MODULES = {"fcntl", "grp", "pwd", "resource", "termios"}
POSIX_CALLS = {"getegid", "geteuid", "getgid", "getuid"}


def imported_names(node: ast.AST) -> set[str]:
    """The top-level modules that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return {node.module.split(".")[0]}
    return set()


def guarded_names(node: ast.AST) -> set[str]:
    """The names that the condition of a branch looks for with `hasattr(os, ...)`."""
    if not isinstance(node, ast.If | ast.IfExp):
        return set()
    return {
        call.args[1].value
        for call in ast.walk(node.test)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "hasattr"
        and ast.unparse(call.args[0]) == "os"
        and isinstance(call.args[1], ast.Constant)
        and isinstance(call.args[1].value, str)
    }


def find_posix(node: ast.AST, guarded: frozenset[str] = frozenset()) -> Iterator[str]:
    """Give what a tree uses that Windows does not have, unless a `hasattr` stands around it."""
    for name in sorted(imported_names(node) & POSIX_MODULES):
        yield f"line {getattr(node, 'lineno', 0)}: import of {name}"
    if (
        isinstance(node, ast.Attribute)
        and ast.unparse(node.value) == "os"
        and node.attr in POSIX_CALLS - guarded
    ):
        yield f"line {node.lineno}: os.{node.attr} without hasattr(os, {node.attr!r})"
    inside = guarded | guarded_names(node)
    for child in ast.iter_child_nodes(node):
        is_else = child in getattr(node, "orelse", []) if isinstance(node, ast.If) else False
        yield from find_posix(child, guarded if is_else else inside)


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_no_module_needs_what_only_posix_systems_have(path: Path) -> None:
    found = list(find_posix(ast.parse(path.read_text(encoding="utf-8"))))
    assert not found, f"{path.name}: {'; '.join(found)}"


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("import fcntl", True),
        ("from pwd import getpwuid", True),
        ("def f():\n    import resource", True),
        ("import os\nos.getuid()", True),
        ("import os\nx = os.getuid() if hasattr(os, 'getuid') else None", False),
        ("import os\nif hasattr(os, 'geteuid'):\n    x = os.geteuid()", False),
        ("import os\nif hasattr(os, 'getuid'):\n    pass\nelse:\n    x = os.getuid()", True),
        ("import os\nx = os.geteuid() if hasattr(os, 'getuid') else None", True),
    ],
)
def test_the_search_finds_what_it_should(source: str, is_found: bool) -> None:
    assert bool(list(find_posix(ast.parse(source)))) == is_found
