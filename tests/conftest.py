"""Shared set-up of the tests."""

import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# Importing `training` sets OMP_WAIT_POLICY, which PyTorch reads once, when it is loaded.
import training  # noqa: F401
from alhambra_env import Game
from tests.plain_python import PlainCall, call_in_plain_python

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


# Tests of the render mode `human` open no window; those of the window have a driver of their own.
os.environ["SDL_VIDEODRIVER"] = "offscreen"


def pytest_configure(config: pytest.Config) -> None:
    # Compile once, before parallel workers would all do it.
    if not hasattr(config, "workerinput"):
        game = Game(seed=0)
        game.step(game.legal_actions()[0])
        game.resample(0, seed=0)
        Game.from_bytes(game.to_bytes())


@pytest.fixture
def in_plain_python(pytestconfig: pytest.Config) -> PlainCall:
    """Calls a function without compiling, with the options `-W` of this run of the tests."""
    return partial(call_in_plain_python, pytestconfig.getoption("pythonwarnings") or ())


# --- data sets; imported late, because they need pyarrow and Minari -----------------------------


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of seven games in three shards, with observations; read only."""
    from alhambra_env.datasets import create_dataset
    from tests.data_sets import PLAYERS

    folder = tmp_path_factory.mktemp("recorded") / "data"
    create_dataset(PLAYERS, folder, games=7, seed=5, shard_games=3, observations=True)
    return folder


@pytest.fixture
def recorded_copy(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(recorded, tmp_path / "copy"))


# --- training runs; imported late, because they need PyTorch --------------------------------------


@pytest.fixture
def in_a_folder(tmp_path: Path) -> Iterator[None]:
    """Run a test in an empty folder, where its runs write checkpoints and logs."""
    from tests.tiny_runs import runs_in

    with runs_in(tmp_path):
        yield


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a tiny run; read only."""
    from tests.tiny_runs import train_in

    return train_in(tmp_path_factory.mktemp("trained"))


@pytest.fixture
def copy(trained: Path, in_a_folder: None) -> Path:
    """A copy of that checkpoint that a test may change, in `checkpoints/tiny`."""
    return Path(shutil.copytree(trained, "checkpoints/tiny"))


# --- pages in a browser ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Headless Chromium. Without one, tests are skipped; in CI, they fail."""
    from tests.browser import FLAGS, find_browser, require_browser

    require_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: "Browser") -> "Iterator[Page]":
    """An empty page, 1280 x 800; an error of its scripts is an error of the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(120_000)  # bots may have to be compiled first
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors, errors
