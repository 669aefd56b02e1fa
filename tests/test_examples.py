"""The examples run, with small settings."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONG = {"ppo_single_file.py"}
"""Examples that are longer than 60 lines, because they are whole programs."""


def run(name: str, *arguments: str) -> str:
    """Return what an example prints."""
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / name, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert path.name in LONG or len(text.splitlines()) <= 60


def test_ppo_in_one_file_learns_and_is_evaluated() -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    settings = ("--decisions", "4096", "--games", "32", "--steps", "64", "--width", "64")
    lines = run("ppo_single_file.py", *settings, "--deals", "1").splitlines()
    assert lines[0].split()[0] == "2,048"
    assert lines[1].split()[0] == "4,096"
    assert [line.split()[0] for line in lines[2:]] == ["random", "saver", "builder"]
