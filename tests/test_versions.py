"""What pyproject.toml promises about versions, and which of them the tests run with."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def lowest() -> Any:
    """Return the module that makes the constraints of `make test-lowest`."""
    spec = importlib.util.spec_from_file_location("lowest", ROOT / ".ci" / "lowest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_exact_versions_are_within_what_is_promised(lowest: Any) -> None:
    exact = lowest.read_pins("constraints.txt")
    bounds = lowest.read_bounds()
    assert {"gymnasium", "scipy", "torch", "pytest"} <= set(bounds)
    for name, bound in bounds.items():
        assert Version(exact[name]) >= Version(bound), name


def test_the_lowest_versions_are_the_lower_bounds_and_nothing_is_left_open(lowest: Any) -> None:
    printed = subprocess.run(
        [sys.executable, ".ci/lowest.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    versions = dict(line.split("==") for line in printed.stdout.splitlines())
    assert set(versions) >= set(lowest.read_pins("constraints.txt"))
    others = {name for name, bound in lowest.read_bounds().items() if versions[name] != bound}
    assert others == {"torch"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("scipy", "'scipy' should be name>=version"),
        ("scipy>=1.15,<2", "'scipy>=1.15,<2' should be name>=version"),
        ("numpy>=2.1", "numpy has two lower bounds"),
    ],
)
def test_a_promise_without_one_lower_bound_is_refused(
    lowest: Any, line: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        f'[project]\nname = "x"\ndependencies = ["numpy>=2.0", "{line}"]\n'
        "[project.optional-dependencies]\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(lowest, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=complaint):
        lowest.read_bounds()


def test_tensorboard_starts() -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    command = [sys.executable, "-m", "tensorboard.main", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
