"""Builds the environments of the libraries in examples/libraries.toml and runs their examples.

    python -m tests.libraries torchrl tianshou     # or `make test-libraries LIBRARIES=...`

Only the standard library is imported here: this runs before anything is installed.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
import tomllib
import venv
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
TABLE: Final = ROOT / "examples" / "libraries.toml"
SHARED: Final = "constraints.txt"
LOGS: Final = ROOT / "runs" / "libraries"

PAGE: Final = ROOT / "docs" / "libraries.md"

_ONLY_HERE: Final = ("--decisions", "--deals", "--games", "--simulations", "--overwrite")
"""Arguments that make a run short, or able to be repeated."""
_BLOCK: Final = re.compile(r"```python\n(.*?)```", re.DOTALL)
_PROGRESS: Final = re.compile(r"^ *([\d,]+) decisions +([\d,]+)/s +(.+)$", re.MULTILINE)
_LOSS: Final = re.compile(r"(\w+) ([+-]?(?:[\d.]+(?:e[+-]\d+)?|nan|inf))\b")
_SHARE: Final = re.compile(r"^(\w+) ([\d.]+)% \(", re.MULTILINE)


@dataclass(frozen=True)
class Library:
    """One entry of the table, whose comment explains the fields."""

    name: str
    title: str
    package: str
    requirements: tuple[str, ...]
    constraints: str
    command: tuple[str, ...]
    use: str
    modules: tuple[str, ...] = ()
    prints: str = ""
    speed: int | None = None

    @property
    def environment(self) -> Path:
        """Its virtual environment."""
        return ROOT / (".venv-libraries" if self.constraints == SHARED else f".venv-{self.name}")

    @property
    def example(self) -> str:
        """The example as one would call it, without numbers: a file, or a module after `-m`."""
        words = (word for word in self.command if word not in _ONLY_HERE and not word.isdigit())
        return " ".join(word for word in words if "=" not in word)

    @property
    def python(self) -> Path:
        """The Python of its environment."""
        folder, name = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        return self.environment / folder / name


def read_table() -> dict[str, Library]:
    """Return all libraries, by name."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: _read_entry(name, entry) for name, entry in entries.items()}


def _read_entry(name: str, entry: dict[str, Any]) -> Library:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    return Library(name=name, **fields)


def pin_of(library: Library) -> str:
    """Return the version of the library in its constraints.

    Raises:
        ValueError: there is none.
    """
    for line in (ROOT / library.constraints).read_text(encoding="utf-8").splitlines():
        name, _, version = line.partition("==")
        if name.lower().replace("_", "-") == library.package:
            return version
    raise ValueError(f"{library.constraints} has no version of {library.package}")


def code_of(library: Library) -> list[str]:
    """Return the code in the documentation that imports the library."""
    blocks: list[str] = _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    imports = re.compile(rf"^(?:from|import) (?:{'|'.join(library.modules)})\b", re.MULTILINE)
    return [block for block in blocks if library.modules and imports.search(block)]


class Report(NamedTuple):
    """What an example printed."""

    decisions: int
    speed: int
    """Decisions a second, of the whole training."""
    losses: dict[str, list[float]]
    """By name, in the order of the updates."""
    shares: dict[str, float]
    """Win shares in percent, by opponent."""


def read_report(printed: str) -> Report:
    """Return what is in the lines that a training example prints."""
    lines = _PROGRESS.findall(printed)
    losses: dict[str, list[float]] = {}
    for _, _, rest in lines:
        for name, loss in _LOSS.findall(rest):
            losses.setdefault(name, []).append(float(loss))
    decisions, speed = (int(number.replace(",", "")) for number in (lines or [("0", "0")])[-1][:2])
    shares = {bot: float(share) for bot, share in _SHARE.findall(printed)}
    return Report(decisions, speed, losses, shares)


def find_fault(library: Library, printed: str) -> str | None:
    """Return what is wrong with the output of an example that ended well, or None.

    That all its actions were legal need not be looked for: an environment and the arena raise
    `IllegalAction`, so the example would not have ended well.
    """
    if library.prints:
        found = re.search(library.prints, printed)
        return None if found else f"it did not print {library.prints!r}"
    report = read_report(printed)
    if not report.losses:
        return "no losses were printed"
    for name, losses in report.losses.items():
        if not all(map(isfinite, losses)):
            return f"the loss {name} is not finite: {losses}"
    if all(len(set(losses)) < 2 for losses in report.losses.values()):
        return f"no loss has moved: {report.losses}"
    if set(report.shares) != {"random", "saver", "builder"}:
        return f"the evaluation is missing: {sorted(report.shares)}"
    return None


def build(library: Library) -> None:
    """Install a library into its environment, unless that was done already."""
    wanted = hashlib.sha256()
    for path in ("pyproject.toml", library.constraints):
        wanted.update((ROOT / path).read_bytes())
    wanted.update(repr(library.requirements).encode())
    mark = library.environment / f".installed-{library.name}"
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted.hexdigest():
        return
    print(f"{library.name}: installing into {library.environment.name} ...", flush=True)
    if not library.python.exists():
        venv.create(library.environment, with_pip=True)
    pip = [str(library.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["-c", library.constraints]
    subprocess.run([*pip, "setuptools"], cwd=ROOT, check=True)
    packages = [word for each in library.requirements for word in _as_arguments(each)]
    subprocess.run([*pip, "--no-build-isolation", *packages], cwd=ROOT, check=True)
    mark.write_text(wanted.hexdigest(), encoding="utf-8")


def _as_arguments(requirement: str) -> tuple[str, ...]:
    return ("-e", requirement) if requirement.startswith(".") else (requirement,)


def version_of(library: Library) -> str:
    """Return the version of the library in its environment."""
    script = f"from importlib.metadata import version; print(version({library.package!r}))"
    done = subprocess.run(
        [library.python, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


class Result(NamedTuple):
    """A row of the table at the end."""

    name: str
    version: str
    seconds: float
    speed: int
    verdict: str


def run(library: Library, python: Path | str, *, checks: bool = True) -> tuple[str, str | None]:
    """Run an example; return what it printed, and what is wrong with it or None.

    Without `checks`, it only has to end well.
    """
    done = subprocess.run(
        [str(python), *library.command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    if done.returncode != 0:
        last = done.stdout.strip().splitlines()[-1:] or [""]
        return done.stdout, f"it ended with {done.returncode}: {last[0]}"
    return done.stdout, find_fault(library, done.stdout) if checks else None


def try_library(library: Library) -> Result:
    """Build and run a library."""
    try:
        build(library)
    except subprocess.CalledProcessError:
        return Result(library.name, "", 0, 0, "FAILED: it cannot be installed, see above")
    print(f"{library.name}: python {' '.join(library.command)}", flush=True)
    begin = time.perf_counter()
    printed, fault = run(library, library.python)
    for block in code_of(library):
        shown = replace(library, command=("-c", block))
        printed_too, fault_too = run(shown, library.python, checks=False)
        fault = fault or (f"code in the documentation: {fault_too}" if fault_too else None)
        printed += printed_too
    seconds = time.perf_counter() - begin
    log = LOGS / f"{library.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(printed, encoding="utf-8")
    verdict = "works" if fault is None else f"FAILED: {fault} ({log.relative_to(ROOT)})"
    speed = read_report(printed).speed
    return Result(library.name, version_of(library), seconds, speed, verdict)


def main() -> int:
    """Try the libraries that are named, or all; return 1 if one of them failed."""
    table = read_table()
    parser = argparse.ArgumentParser(description="Build and run the examples of other libraries.")
    parser.add_argument(
        "libraries", nargs="*", metavar="LIBRARY", help=f"of: {', '.join(table)}; default: all"
    )
    names = parser.parse_args().libraries or list(table)
    unknown = [name for name in names if name not in table]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(table)}")
    results = [try_library(table[name]) for name in names]
    print(f"\n{'library':<20}{'version':<10}{'seconds':>8}{'decisions/s':>13}  verdict")
    for each in results:
        speed = f"{each.speed:,}" if each.speed else "-"
        print(f"{each.name:<20}{each.version:<10}{each.seconds:>8.0f}{speed:>13}  {each.verdict}")
    return int(any(each.verdict != "works" for each in results))


if __name__ == "__main__":
    sys.exit(main())
