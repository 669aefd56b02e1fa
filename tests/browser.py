"""What tests of the pages need: headless Chromium, and axe-core, which checks accessibility.

`python -m tests.browser` installs what is missing: Chromium on Debian and Ubuntu as root, axe-core
by npm. `make test` does so first. Where they cannot be had, the tests are skipped, but never in CI.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / ".venv-browser"
AXE: Final = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
AXE_VERSION: Final = "4.14.1"

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_BROWSER_PATHS: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)

FLAGS: Final = (
    "--no-sandbox",  # which Chromium needs as root
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
"""Chromium asks nobody on the network for anything that a page does not ask for."""

_GRAVE: Final = ("serious", "critical")


def find_browser() -> str | None:
    """Return the path of a browser that Playwright can drive, or None."""
    found = (shutil.which(name) for name in _BROWSERS)
    there = (path for path in _BROWSER_PATHS if Path(path).exists())
    return next((path for path in (*found, *there) if path), None)


def missing() -> list[str]:
    """Return what tests of the pages need and is not there."""
    parts = []
    if find_spec("playwright") is None:
        parts.append("the Python package playwright (extra dev)")
    if find_browser() is None:
        parts.append("Chromium (Debian: apt-get install chromium)")
    if not AXE.exists():
        parts.append("axe-core (python -m tests.browser, which needs npm)")
    return parts


def require_browser() -> None:
    """Skip a test if there is no browser for it; in CI, fail."""
    parts = missing()
    if not parts:
        return
    message = f"tests of the pages need {', '.join(parts)}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def grave_faults(page: "Page") -> list[str]:
    """Return the serious and critical faults that axe-core finds in a page, in words."""
    # Not as a script of the page, which its policy may forbid.
    page.evaluate(f"() => {{{AXE.read_text(encoding='utf-8')}\n}}")
    found: dict[str, Any] = page.evaluate("() => axe.run()")
    return [
        f"{fault['id']}: {fault['help']} ({node['html'][:200]})"
        for fault in found["violations"]
        if fault["impact"] in _GRAVE
        for node in fault["nodes"]
    ]


# --- installing -----------------------------------------------------------------------------------


def install() -> bool:
    """Install what is missing, if this machine can. Is everything there now?"""
    if find_browser() is None and shutil.which("apt-get") and _is_root():
        print("Installing Chromium for the tests of the pages ...", flush=True)
        _run("apt-get", "update", "-qq")
        _run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")
    npm = shutil.which("npm")
    if not AXE.exists() and npm:
        FOLDER.mkdir(exist_ok=True)
        _run(
            npm,
            "install",
            *("--prefix", str(FOLDER), "--no-audit", "--no-fund", "--loglevel=error"),
            f"axe-core@{AXE_VERSION}",
        )
    parts = missing()
    if parts:
        line = "=" * 78
        print(f"{line}\nTHE TESTS OF THE PAGES ARE SKIPPED: {'; '.join(parts)}\n{line}", flush=True)
    return not parts


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _run(*command: str) -> None:
    """Run a command whose failure `missing` reports; print what it says only then."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    )
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(not install())
