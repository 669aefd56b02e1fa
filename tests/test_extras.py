"""A missing package is named, with the command that installs it."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from alhambra_env.extras import EXTRAS, MissingExtra, check_installed, extras_explained

ROOT = Path(__file__).parent.parent
NEEDS = 'is not installed; it needs: pip install "alhambra-env[{}]"'


def plain(name: str) -> str:
    return re.split(r"[<>=\[]", name)[0].lower().replace("_", "-")


def test_the_packages_of_each_extra_are_those_of_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = packages_distributions()
    for extra, packages in EXTRAS.items():
        declared = {plain(name) for name in project["optional-dependencies"][extra]}
        if extra not in ("arena", "train") and not set(packages) <= set(names):
            continue  # not installed by `make test`
        found = {plain(each) for package in packages for each in names[package]}
        assert found == declared - {project["name"]}


def run_without(package: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python where a package cannot be imported."""
    script = (
        "import runpy, sys\n"
        f"sys.modules[{package!r}] = None\n"
        "command = sys.argv[1:]\n"
        "if command[0] == '-c':\n"
        "    exec(command[1])\n"
        "else:\n"
        "    sys.argv = ['-m', *command[2:]]\n"  # as it is while Python looks for a module
        "    runpy.run_module(command[1], run_name='__main__', alter_sys=True)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [
        ("torch", ["-m", "training.train", "configs/quickstart.yaml"], "train"),
        ("yaml", ["-m", "training.train", "configs/quickstart.yaml"], "train"),
        ("tensorboard", ["-m", "training.train", "configs/quickstart.yaml"], "train"),
        ("rich", ["-m", "training.evaluate", "checkpoints/ppo_3p"], "train"),
        ("sb3_contrib", ["-m", "training.plot", "checkpoints/ppo_3p"], "train"),
        ("pydantic", ["-m", "training.share", "checkpoints/ppo_3p", "x"], "train"),
        ("ray", ["-m", "training.ray.train", "configs/rllib.yaml"], "ray"),
        ("rich", ["-m", "alhambra_env.cli", "bots"], "arena"),
        ("starlette", ["-m", "alhambra_env.cli", "play"], "play"),
        ("uvicorn", ["-m", "alhambra_env.cli", "play"], "play"),
        (
            "pyspiel",
            ["-m", "alhambra_env.cli", "evaluate", "openspiel_ismcts", "random"],
            "openspiel",
        ),
    ],
)
def test_a_command_without_an_extra_prints_one_line(
    package: str, words: list[str], extra: str
) -> None:
    run = run_without(package, *words)
    assert run.returncode == 2, run.stderr
    assert run.stderr.endswith(f": {package} {NEEDS.format(extra)}\n")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("package", "code", "extra"),
    [
        ("filelock", "import alhambra_env.arena", "arena"),
        ("rich", "import alhambra_env.arena", "arena"),
        ("pyspiel", "import alhambra_env.adapters.openspiel", "openspiel"),
        (
            "pyspiel",
            "from alhambra_env.players import as_player; as_player('openspiel_ismcts')",
            "openspiel",
        ),
        ("pyarrow", "import alhambra_env.datasets", "data"),
        ("minari", "import alhambra_env.datasets", "data"),
    ],
)
def test_python_code_without_an_extra_gets_an_error_that_names_it(
    package: str, code: str, extra: str
) -> None:
    last = run_without(package, "-c", code).stderr.splitlines()[-1]
    assert last == f"alhambra_env.extras.MissingExtra: {package} {NEEDS.format(extra)}"


def test_the_arena_can_be_imported_where_fcntl_is_missing_as_on_windows() -> None:
    run = run_without("fcntl", "-c", "import alhambra_env.arena")
    assert run.returncode == 0, run.stderr


def test_what_is_no_extra_is_left_alone() -> None:
    missing = pytest.raises(ModuleNotFoundError, match="No module named 'nowhere'")
    with missing as error, extras_explained():
        importlib.import_module("nowhere")
    assert not isinstance(error.value, MissingExtra)


def test_all_that_is_missing_is_found_without_importing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_installed("train")
    monkeypatch.setitem(sys.modules, "openskill", None)
    with pytest.raises(MissingExtra, match=re.escape(f"openskill {NEEDS.format('arena')}")):
        check_installed("arena")
