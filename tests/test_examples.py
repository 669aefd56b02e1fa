"""The examples run, with small settings, and the check of their output can fail."""

import ast
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests import libraries

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LIBRARIES = libraries.read_table()
LONG = {"ppo_single_file.py"}
"""Examples that are longer than 60 lines, because they are whole programs."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert path.name in LONG or len(text.splitlines()) <= 60


# --- other libraries ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_trains_and_is_evaluated(name: str) -> None:
    library = LIBRARIES[name]
    try:
        version(library.package)
    except PackageNotFoundError:
        pytest.skip(f"needs {library.package}; `make test-libraries LIBRARIES={name}` installs it")
    printed, fault = libraries.run(library, sys.executable)
    assert fault is None, printed


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_versions_of_a_library_are_pinned(name: str) -> None:
    library = LIBRARIES[name]
    for package in (library.package, "torch", "setuptools"):
        assert libraries.pin_of(replace(library, package=package))[0].isdigit()
    assert library.command[0] == "-m" or (ROOT / library.command[0]).exists()
    if library.modules:
        assert libraries.code_of(library), "docs/libraries.md does not show it"


def test_no_example_hides_illegal_actions() -> None:
    # With `illegal`, they would not be errors, and the examples could not show that there are none.
    for path in EXAMPLES:
        assert "illegal=" not in path.read_text(encoding="utf-8"), path.name


GOOD = """
     4,096 decisions    2,100/s  policy -2.9e-02  value +9.5e-04
     8,192 decisions    1,900/s  policy -2.6e-02  value +7.7e-03
random 91.7% (83.3% to 100.0%)
saver 0.0% (0.0% to 0.0%)
builder 0.0% (nan% to nan%)
"""


def test_the_output_of_an_example_is_read() -> None:
    report = libraries.read_report(GOOD)
    assert (report.decisions, report.speed) == (8192, 1900)
    assert report.losses == {"policy": [-0.029, -0.026], "value": [0.00095, 0.0077]}
    assert report.shares == {"random": 91.7, "saver": 0.0, "builder": 0.0}


@pytest.mark.parametrize(
    ("printed", "complaint"),
    [
        (GOOD, None),
        ("", "no losses"),
        (GOOD.replace("-2.6e-02", "nan"), "not finite"),
        (GOOD.replace("-2.6e-02", "-inf"), "not finite"),
        (GOOD.replace("-2.6e-02", "-2.9e-02").replace("+7.7e-03", "+9.5e-04"), "no loss has moved"),
        (GOOD.replace("saver", ""), "evaluation is missing"),
    ],
)
def test_an_example_that_does_not_learn_is_found_out(printed: str, complaint: str | None) -> None:
    fault = libraries.find_fault(LIBRARIES["torchrl"], printed)
    assert (fault is None) if complaint is None else (complaint in str(fault))


def test_an_example_without_losses_has_to_print_what_it_promises() -> None:
    library = LIBRARIES["openspiel"]
    assert libraries.find_fault(library, "points [1, 2], returns [-1.0, 1.0]") is None
    assert "did not print" in str(libraries.find_fault(library, GOOD))


def test_an_example_that_fails_is_found_out() -> None:
    failing = replace(LIBRARIES["torchrl"], command=("-c", "raise SystemExit('IllegalAction')"))
    _, fault = libraries.run(failing, sys.executable)
    assert fault == "it ended with 1: IllegalAction"
