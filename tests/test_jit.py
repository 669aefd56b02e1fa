"""The compile cache: stale, damaged or untrusted files are never run, and errors are harmless."""

import ast
import errno
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from alhambra_env.engine import cache, jit

NOT_COMPILED = ("explanation.py", "game.py", "options.py", "validation.py")
"""Imported beside compiled code, for callers from Python: it reads nothing of theirs."""


def imported_modules(path: Path) -> set[Path]:
    """Return the files of this package that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1]
            target = folder.joinpath(*(node.module or "").split("."))
            found.add(target.with_suffix(".py"))
    return {file for file in found if file.exists()}


def test_all_that_compiled_code_imports_is_part_of_the_hash() -> None:
    sources = set(jit.compiled_sources())
    assert jit.PACKAGE / "engine" / "data" / "tiles.csv" in sources
    compiled = [path for path in sources if "\n@jit" in path.read_text(encoding="utf-8")]
    assert len(compiled) > 30
    for path in compiled:
        missing = imported_modules(path) - sources - {jit.PACKAGE / name for name in NOT_COMPILED}
        assert not missing, f"{path.name} imports {missing}, which the cache does not know"


@pytest.mark.parametrize("name", ["engine/scoring.py", "bots/weights.py", "engine/data/tiles.csv"])
def test_a_changed_source_gives_another_cache_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "alhambra_env"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "PACKAGE", package)
    before = jit.source_hash()
    assert before in str(jit.CACHE_FOLDER)
    with (package / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert jit.source_hash() != before


# --- keeping compiled code ------------------------------------------------------------------------

SOMEBODY_ELSE = 4_000_000_000

posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs the users and modes of POSIX")


def add_up(numbers: np.ndarray) -> Any:
    total = 0.0
    for i in numba.prange(numbers.size):
        total += numbers[i]
    return total


@pytest.fixture(autouse=True)
def _nothing_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_told", set())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty, private cache folder."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    found = cache.find_folder("engine")
    assert found == tmp_path / "cache" / "engine"
    return found


def loads(folder: Path, parallel: bool = False) -> bool:
    """Call a freshly decorated function, as a new process would; return whether the cache hit."""
    compiled = numba.njit(add_up, parallel=parallel)
    cache.keep(compiled, folder)
    assert compiled(np.ones(5)) == 5
    return bool(compiled.stats.cache_hits)


@posix
@pytest.mark.parametrize("parallel", [False, True])
def test_compiled_code_is_kept_in_a_folder_that_only_the_user_can_write_to(
    folder: Path, parallel: bool
) -> None:
    assert not loads(folder, parallel)
    assert loads(folder, parallel)
    assert [path.stat().st_mode & 0o777 for path in (folder.parent, folder)] == [0o700, 0o700]


def cut_short(data: bytes) -> bytes:
    return data[: len(data) // 2]


def emptied(data: bytes) -> bytes:
    return b""


def with_zeros(data: bytes) -> bytes:
    """As after a power failure; in machine code, only a digest tells."""
    third = len(data) // 3
    return data[:third] + bytes(third) + data[2 * third :]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("nbi", cut_short),
        ("nbi", emptied),
        ("nbc", cut_short),
        ("nbc", emptied),
        ("nbc", with_zeros),
    ],
)
def test_a_damaged_file_is_compiled_again_and_replaced(
    folder: Path, kind: str, damage: Callable[[bytes], bytes], parallel: bool
) -> None:
    loads(folder, parallel)
    (file,) = folder.rglob(f"*.{kind}")
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(
        RuntimeWarning, match=f"{re.escape(str(folder))} cannot be used.*remove the folder"
    ):
        assert not loads(folder, parallel)
    assert loads(folder, parallel)


def fill_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", no_space)


@pytest.mark.parametrize("parallel", [False, True])
def test_with_a_full_disk_code_is_compiled_in_memory_and_it_is_said_once(
    folder: Path, parallel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_disk(monkeypatch)
    with pytest.warns(
        RuntimeWarning, match=f"kept in {re.escape(str(folder))} .*No space.* set NUMBA_CACHE_DIR"
    ):
        assert not loads(folder, parallel)
    assert not loads(folder, parallel)  # a second warning would be an error


def test_a_file_that_could_not_be_written_does_not_leave_an_older_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads(folder)
    (index,) = folder.rglob("*.nbi")
    index.unlink()
    fill_disk(monkeypatch)
    with pytest.warns(RuntimeWarning, match="No space"):
        loads(folder)
    assert not list(folder.rglob("*.nb?"))


def test_workers_leave_warnings_to_the_process_they_serve(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_disk(monkeypatch)
    monkeypatch.setattr(multiprocessing.current_process(), "_config", {})
    monkeypatch.setattr(multiprocessing.current_process(), "_name", "SpawnProcess-1")
    assert not loads(folder)


def test_numba_never_takes_a_folder_beside_the_sources(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.touch()
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        assert not loads(no_folder)
    assert not loads(no_folder)


def test_another_numba_costs_the_cache_and_nothing_else(folder: Path) -> None:
    class WithoutCache:
        pass

    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        cache.keep(WithoutCache(), folder)
    assert str(folder) not in str(vars(numba.config)["CACHE_DIR"])


def test_a_cache_with_other_private_names_is_used_as_it_is(folder: Path) -> None:
    class Cache:
        cache_path = str(folder)

        def load_overload(self, signature: Any, context: Any) -> Any:
            raise KeyError(signature)

        def flush(self) -> str:
            return "flushed"

    careful = cache.CarefulCache(Cache(), folder)
    with pytest.warns(RuntimeWarning, match="cannot be used"):
        assert careful.load_overload("signature", None) is None
    assert careful.flush() == "flushed"


# --- whose folder it is ---------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
@pytest.mark.parametrize("which", ["folder", "parent"])
def test_a_folder_that_others_can_write_to_is_not_used(
    folder: Path, temporary: Path, which: str, mode: int
) -> None:
    open_to_others = folder if which == "folder" else folder.parent
    open_to_others.chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"others can write to {open_to_others} .*{mode:o}"):
        found = cache.find_folder("engine")
    assert found == temporary / f"alhambra_env-{os.getuid()}" / "engine"
    assert found.parent.stat().st_mode & 0o777 == 0o700


@posix
def test_a_folder_of_another_user_is_not_used(
    folder: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: SOMEBODY_ELSE)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert cache.find_folder("engine") is None


@posix
def test_a_file_of_another_user_is_not_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads(folder)
    monkeypatch.setattr(os, "getuid", lambda: SOMEBODY_ELSE)
    monkeypatch.setattr(cache.CarefulCache, "save_overload", lambda *_: None)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert not loads(folder)


@posix
def test_a_sticky_folder_for_everybody_is_good_as_a_parent(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(temporary))
    assert cache.find_folder("engine") == temporary / "engine"


@posix
@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_link_in_place_of_the_temporary_folder_is_not_followed(
    temporary: Path, tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "file").touch()
    (temporary / f"alhambra_env-{os.getuid()}").symlink_to(tmp_path / target)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "within"))
    with pytest.warns(RuntimeWarning, match=r"is a link.*every process compiles"):
        assert cache.find_folder("engine") is None


def test_systems_without_user_numbers_have_a_cache(
    folder: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "getuid", raising=False)
    assert cache.find_folder("engine") == folder
    assert not loads(folder)
    assert loads(folder)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(temporary / "file" / "within"))
    (temporary / "file").touch()
    found = cache.find_folder("engine")
    assert found is not None
    assert found.is_relative_to(temporary)


def test_the_cache_is_where_the_system_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    expected = tmp_path / "given" / "alhambra_env"
    monkeypatch.setattr(cache, "user_cache_path", lambda name, appauthor: expected)
    assert cache.find_folder("engine") == expected / "engine"


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is a custom of Linux")
def test_on_linux_the_cache_folder_is_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.find_folder("engine") == tmp_path / ".cache" / "alhambra_env" / "engine"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.find_folder("engine") == tmp_path / "xdg" / "alhambra_env" / "engine"


@posix
def test_a_user_without_a_home_has_a_cache(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    found = cache.find_folder("engine")
    assert found is not None
    assert found.is_relative_to(temporary)


@posix
def test_without_any_folder_to_write_to_code_is_compiled_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> NoReturn:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(circle))
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    # What a circle of links is depends on Python's version.
    why = "(no folder can be written to|is a link).*every process compiles"
    with pytest.warns(RuntimeWarning, match=why):
        assert cache.find_folder("engine") is None


def test_nothing_is_kept_where_nothing_is_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert cache.find_folder("engine") is None


@posix
@pytest.mark.parametrize("umask", [0, 0o002])
def test_code_is_kept_and_closed_to_others_whatever_the_umask_is(folder: Path, umask: int) -> None:
    for each in (folder.parent, folder):
        each.chmod(0o755)  # others can look in
    before = os.umask(umask)
    try:
        assert not loads(folder)
        assert loads(folder)
    finally:
        os.umask(before)
    kept = list(folder.rglob("*"))
    assert len(kept) == 3  # Numba's own folder, an index and code
    assert not any(path.stat().st_mode & 0o022 for path in kept)
    assert [path.stat().st_mode & 0o777 for path in kept if path.is_dir()] == [0o700]


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_file_that_others_can_write_to_is_not_loaded(folder: Path, kind: str, mode: int) -> None:
    loads(folder)
    (file,) = folder.rglob(f"*.{kind}")
    file.chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"others can write to {file} .*{mode:o}"):
        assert not loads(folder)
    assert loads(folder)


@posix
def test_what_others_could_have_exchanged_is_not_loaded(folder: Path) -> None:
    loads(folder)
    (file,) = folder.rglob("*.nbc")
    file.parent.chmod(0o777)
    assert not loads(folder)
    assert loads(folder)


# --- folders of earlier sources ------------------------------------------------------------------

DAY = 24 * 60 * 60
NEW_NAME = f"engine-{'0' * 16}-numba-1.0"
OLD_NAME = f"engine-{'a' * 16}-numba-1.0"


def set_age(path: Path, days: float) -> None:
    """Let a file or folder, and all in it, be as if it was used some days ago."""
    then = time.time() - days * DAY
    for each in (*path.rglob("*"), path):
        os.utime(each, (then, then))


@pytest.fixture
def old(folder: Path) -> Path:
    """A folder with the compiled code of other sources, used 31 days ago."""
    old = folder.parent / OLD_NAME
    (old / "within").mkdir(parents=True)
    (old / "within" / "add_up.nbi").touch()
    (old / "within" / "add_up.1.nbc").touch()
    set_age(old, 31)
    return old


def test_folders_that_were_not_used_for_a_month_are_removed(old: Path) -> None:
    recent = old.with_name(f"engine-{'b' * 16}-numba-1.0-checked")
    recent.mkdir()
    set_age(recent, 29)
    assert cache.find_folder(NEW_NAME) == old.with_name(NEW_NAME)
    assert not old.exists()
    assert recent.exists()


def test_nothing_is_removed_unless_a_new_folder_is_made(old: Path) -> None:
    (old.parent / NEW_NAME).mkdir()
    assert cache.find_folder(NEW_NAME) == old.with_name(NEW_NAME)
    assert old.exists()


@pytest.mark.parametrize("which", [0, 1])
def test_an_index_that_was_read_or_written_lately_is_a_use(old: Path, which: int) -> None:
    (index,) = old.rglob("*.nbi")
    times = [index.stat().st_atime, index.stat().st_mtime]
    times[which] = time.time() - DAY
    os.utime(index, (times[0], times[1]))
    cache.find_folder(NEW_NAME)
    assert old.exists()


@pytest.mark.parametrize("name", ["engine-room", "engine", "other", f"x{OLD_NAME}"])
def test_other_folders_are_never_removed(old: Path, name: str) -> None:
    other = old.rename(old.with_name(f"{name}-kept"))
    cache.find_folder(NEW_NAME)
    assert other.exists()


@posix
def test_a_link_is_not_removed_and_not_followed(old: Path, tmp_path: Path) -> None:
    elsewhere = old.rename(tmp_path / "elsewhere")
    old.symlink_to(elsewhere)
    cache.find_folder(NEW_NAME)
    assert old.is_symlink()
    assert list(elsewhere.rglob("*.nbi"))


def test_a_folder_in_use_is_marked_once_a_day(folder: Path) -> None:
    for days, is_marked in ((0.5, False), (20, True)):
        set_age(folder, days)
        before = folder.stat().st_mtime
        cache.find_folder(folder.name)
        assert (folder.stat().st_mtime > before + 1) == is_marked


def test_folders_that_cannot_be_removed_do_no_harm(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    assert cache.find_folder(NEW_NAME) == old.with_name(NEW_NAME)
    monkeypatch.setattr(Path, "iterdir", refuse)
    assert cache.find_folder(f"{NEW_NAME}1") == old.with_name(f"{NEW_NAME}1")
    assert old.exists()


@posix
def test_old_folders_of_another_user_stay(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: SOMEBODY_ELSE)
    cache._remove_unused(old.parent)
    assert old.exists()
