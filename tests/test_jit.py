"""The compiler's cache: nothing stale is ever run."""

import ast
import shutil
from pathlib import Path

import pytest

from alhambra_env.engine import jit

NOT_COMPILED = ("game.py", "settings.py")
"""Imported beside compiled code, for callers from Python: it reads nothing of theirs."""


def imported_modules(path: Path) -> set[Path]:
    """Return the files of this package that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1]
            target = folder.joinpath(*(node.module or "").split("."))
            found.add(target.with_suffix(".py"))
    return {file for file in found if file.exists()}


def test_all_that_compiled_code_imports_is_part_of_the_hash() -> None:
    sources = set(jit.compiled_sources())
    assert jit.PACKAGE / "data" / "tiles.csv" in sources
    compiled = [path for path in sources if "\n@jit" in path.read_text(encoding="utf-8")]
    assert len(compiled) > 30
    for path in compiled:
        missing = imported_modules(path) - sources - {jit.PACKAGE / name for name in NOT_COMPILED}
        assert not missing, f"{path.name} imports {missing}, which the cache does not know"


@pytest.mark.parametrize("name", ["engine/scoring.py", "bots/weights.py", "data/tiles.csv"])
def test_a_changed_source_gives_another_cache_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "alhambra_env"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "PACKAGE", package)
    before = jit.source_hash()
    assert before in str(jit.CACHE_FOLDER)
    with (package / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert jit.source_hash() != before
