"""The contributor guide and CI: the files and targets they name exist, and both agree."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDES = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
YAML = [*sorted((ROOT / ".github").rglob("*.yml")), ROOT / ".pre-commit-config.yaml"]
FILE = re.compile(r"`((?:[\w.*-]+/)*[\w*-]+\.(?:cff|csv|md|py|toml|txt|yml))`")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def load(path: Path) -> Any:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def exists(name: str) -> bool:
    """Is there such a file, in the repository or in one of the folders that are left out?"""
    if "NAME" in name:
        return True
    folders = [ROOT, ROOT / "alhambra_env", ROOT / ".github" / "workflows"]
    folders += [path for path in (ROOT / "alhambra_env").iterdir() if path.is_dir()]
    return any(any(folder.glob(name)) for folder in [*folders, ROOT / "training"])


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_files_that_guides_name_exist(page: Path) -> None:
    names = set(FILE.findall(page.read_text(encoding="utf-8")))
    assert len(names) > 15
    missing = sorted(name for name in names if not exists(name))
    assert not missing, f"{page.name} names {missing}"


def test_make_targets_that_are_named_exist() -> None:
    pages = [*GUIDES, *ROOT.glob("docs/*.md"), ROOT / ".ci" / "run", *YAML]
    pages += [ROOT / ".github" / "pull_request_template.md"]
    for page in pages:
        named = re.findall(r"(?:`|run: |entry: |^)make ([a-z-]+)", page.read_text("utf-8"), re.M)
        assert set(named) <= TARGETS, page.name


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml_is_valid(path: Path) -> None:
    assert isinstance(load(path), dict)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_have_jobs_that_can_run(path: Path) -> None:
    workflow = load(path)
    assert workflow["name"] == path.stem
    assert True in workflow  # YAML 1.1 reads the key `on` as a truth value
    for name, job in workflow["jobs"].items():
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file()
            continue
        assert job["runs-on"], name
        assert all(("run" in step) != ("uses" in step) for step in job["steps"]), name
        needed = job.get("needs", [])
        assert set([needed] if isinstance(needed, str) else needed) <= set(workflow["jobs"])


def test_ci_tests_every_python_that_is_promised_on_three_systems() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    matrix = load(ROOT / ".github" / "workflows" / "checks.yml")["jobs"]["tests"]["strategy"][
        "matrix"
    ]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert matrix["python-version"] == promised
    assert {system.split("-")[0] for system in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_hooks_and_ci_run_the_checks_of_make_lint() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (parts,) = re.findall(r"^lint: ([a-z ]+) ##", makefile, re.M)
    hooks = load(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    assert [hook["entry"] for hook in hooks] == [f"make {part}" for part in parts.split()]
    jobs = load(ROOT / ".github" / "workflows" / "checks.yml")["jobs"]
    run = {step.get("run") for job in ("lint", "types") for step in jobs[job]["steps"]}
    recipes = re.findall(rf"^(?:{'|'.join(parts.split())}):.*\n((?:\t.*\n)+)", makefile, re.M)
    commands = [line.strip() for recipe in recipes for line in recipe.splitlines()]
    assert len(commands) == 4
    assert {command.removeprefix("$(BIN)/") for command in commands} <= run
