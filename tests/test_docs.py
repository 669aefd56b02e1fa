"""Generated tables in the documentation are up to date, and its code blocks run."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.generate import PAGES, TABLES, fill_in

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
TRAINING = re.compile(
    r"^(?:from|import) (?:sb3_contrib|stable_baselines3|training)\b", re.MULTILINE
)
DATA = re.compile(r"^(?:from|import) (?:alhambra_env\.datasets|minari|pyarrow)\b", re.MULTILINE)

# Libraries of docs/libraries.md, which has a block for each.
LIBRARY = re.compile(
    r"^(?:from|import) (agilerl|pyspiel|ray|supersuit|tianshou|torchrl)\b", re.MULTILINE
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_generated_tables_are_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "<!-- table: dataset_" in text:
        pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `data`")
    assert fill_in(text) == text, "run `make docs`"


def test_every_table_is_used() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert set(re.findall(r"<!-- table: (\w+) -->", text)) == set(TABLES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_documentation_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    names: dict[str, object] = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if TRAINING.search(block):
            pytest.importorskip("torch", reason="needs PyTorch")
        library = LIBRARY.search(block)
        if library and not find_spec(library[1]):
            continue  # `make test-libraries` installs it and runs this block
        if DATA.search(block):
            pytest.importorskip("minari", reason="needs Minari, of the extra `data`")
        if "rgb_array" in block:
            pytest.importorskip("resvg_py", reason="needs resvg-py, of the extra `render`")
            pytest.importorskip("moviepy", reason="needs moviepy, which writes videos")
        exec(compile(block, page.name, "exec"), names)


def test_the_readme_shows_code() -> None:
    assert len(BLOCK.findall(PAGES[0].read_text(encoding="utf-8"))) >= 2
