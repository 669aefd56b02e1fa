"""Prints constraints for pip: the lowest versions that pyproject.toml promises.

What pyproject.toml does not name is as in constraints.txt; exceptions are in
constraints-lowest.txt.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read_pins(file: str) -> dict[str, str]:
    """Return the versions that a file of constraints pins, by normalized name."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    pins = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins}


def read_bounds() -> dict[str, str]:
    """Return the lower bounds of the package and its extras in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["dependencies"]
    for extra in project["optional-dependencies"].values():
        lines += [line for line in extra if not line.startswith(f"{project['name']}[")]
    bounds: dict[str, str] = {}
    for line in lines:
        match = re.fullmatch(r"([a-z\d-]+)>=([\d.]+)", line)
        if match is None:
            raise SystemExit(f"pyproject.toml: {line!r} should be name>=version")
        if bounds.setdefault(match[1], match[2]) != match[2]:
            raise SystemExit(f"pyproject.toml: {match[1]} has two lower bounds")
    return bounds


if __name__ == "__main__":
    versions = read_pins("constraints.txt") | read_bounds() | read_pins("constraints-lowest.txt")
    for name, version in sorted(versions.items()):
        print(f"{name}=={version}")
