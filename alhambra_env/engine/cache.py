"""Where compiled code is kept between processes, and what happens if that fails.

Numba unpickles what it finds in its cache, which runs code. So a folder is used only if nobody else
can write to it, and a file only if it is the user's own, nobody else can write to it and its digest
is right. A cache that is full, damaged or refused costs time, never a crash: the code is compiled
again, in memory.

Every change of the sources gives a folder with a new name. Folders that were not used for
`KEPT_DAYS` days are removed when a new one is made.
"""

import glob
import hashlib
import multiprocessing
import os
import re
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from numba.core import caching
from platformdirs import user_cache_path

from .plain import is_plain_python

PRIVATE: Final = 0o700
"""The mode of folders made here."""

KEPT_DAYS: Final = 30
"""Days without use after which the compiled code of other sources is removed."""

_CHOICE: Final = "NUMBA_CACHE_DIR"
_ADVICE: Final = f"set {_CHOICE} to a folder that only you can write to"
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_ROOT: Final = 0
_DIGEST: Final = hashlib.sha256
_DIGEST_BYTES: Final = _DIGEST().digest_size
_SHARED_NAME: Final = "alhambra_env-"  # among the temporary files of all users
_OWN_NAME: Final = re.compile(r"engine-[0-9a-f]{16}-numba-.+")  # the names that `jit` gives
_DAY: Final = 24 * 60 * 60
_told: Final[set[str]] = set()


def find_folder(name: str) -> Path | None:
    """Return a folder of this name that only this user can write to; made if needed.

    It is in `NUMBA_CACHE_DIR`, else in the user's cache folder; if that cannot be used, in the
    folder for temporary files. None if that cannot be used either, or if nothing is compiled. A
    warning says what was refused.
    """
    if is_plain_python():
        return None
    refused: list[str] = []
    found = None
    for base in _bases():
        try:
            folder, is_new = _make_private(base, name)
            with tempfile.TemporaryFile(dir=folder):
                found = folder
            _mark_used(folder)
            if is_new:
                _remove_unused(folder.parent)
            break
        except UnsafePath as error:
            refused.append(str(error))
        except (OSError, RuntimeError):  # it cannot be written to; or its links go in a circle
            continue
    if refused or found is None:
        why = "; ".join(refused) or "no folder can be written to"
        then = (
            f"{found} is used instead" if found else "every process compiles for about 20 seconds"
        )
        _warn_once("folder", f"a compile cache was not used: {why}. So {then}; {_ADVICE}")
    return found


class UnsafePath(ValueError):
    """Somebody else may have written what is there."""


def _bases() -> Iterator[Path]:
    """Give the folders to try, the best first."""
    chosen = os.environ.get(_CHOICE)
    if chosen:
        yield Path(chosen)
    else:
        caches = _user_caches()
        if caches is not None:
            yield caches
    user = os.environ.get("USERNAME", "") if _user() is None else _user()
    with suppress(FileNotFoundError):  # where nothing can be written at all
        yield Path(tempfile.gettempdir(), f"{_SHARED_NAME}{user}")


def _user_caches() -> Path | None:
    """Return the folder of this package among the user's caches; None without a home directory."""
    try:
        caches = user_cache_path("alhambra_env", appauthor=False)
    except RuntimeError:
        return None
    return caches if caches.is_absolute() else None  # older platformdirs leave "~" as it is


def _user() -> int | None:
    """Return the number of this user; None on systems without."""
    return os.getuid() if hasattr(os, "getuid") else None


def _make_private(base: Path, name: str) -> tuple[Path, bool]:
    """Return the folder `name` in `base`, and whether it is new; both are made if missing.

    Raises:
        UnsafePath: others can write to one of them, or own it.
    """
    base.parent.mkdir(parents=True, exist_ok=True)
    # Others can make a folder of that name first: a link is not followed, so that it is seen.
    is_known = base.name.startswith(_SHARED_NAME)
    base = base.parent.resolve() / base.name if is_known else base.resolve()
    folder = base / name
    is_new = not folder.exists()
    for path in (base, folder):
        with suppress(FileExistsError):
            path.mkdir(PRIVATE)
        _check_folder(path, is_parent=path is base)
    return folder, is_new


def _check_folder(folder: Path, is_parent: bool) -> None:
    """Raise `UnsafePath` if others could put something there.

    A parent may also be root's, or be for everybody if it is sticky, as `/tmp` is: nobody can
    rename what belongs to others there.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise UnsafePath(f"{folder} is a link or a file, not a folder")
    user = _user()
    if user is None:
        return
    if status.st_uid != user and not (is_parent and status.st_uid == _ROOT):
        raise UnsafePath(f"{folder} belongs to another user ({status.st_uid}, not {user})")
    is_sticky = is_parent and status.st_mode & stat.S_ISVTX
    if status.st_mode & _OTHERS_WRITE and not is_sticky:
        mode = stat.S_IMODE(status.st_mode)
        raise UnsafePath(f"others can write to {folder} (mode {mode:o}; mend it with chmod go-w)")


def _check_file(path: Path) -> None:
    """Raise `UnsafePath` if others own a file or its folder, or can write to one of them.

    A missing one is all right.
    """
    user = _user()
    for each in (path.parent, path):
        try:
            status = each.lstat()
        except FileNotFoundError:
            return
        if user is None:
            continue
        if status.st_uid != user:
            raise UnsafePath(f"{each} belongs to another user ({status.st_uid}, not {user})")
        if status.st_mode & _OTHERS_WRITE:
            raise UnsafePath(f"others can write to {each} (mode {stat.S_IMODE(status.st_mode):o})")


def _close(folder: Path) -> None:
    """Let nobody else into a folder that Numba made, whatever the umask was.

    If others could write to it, they may have exchanged files there: these are removed.

    Raises:
        UnsafePath: it belongs to another user.
    """
    user, status = _user(), folder.lstat()
    if user is None:
        return
    if status.st_uid != user:
        raise UnsafePath(f"{folder} belongs to another user ({status.st_uid}, not {user})")
    folder.chmod(PRIVATE)
    if status.st_mode & _OTHERS_WRITE:
        for path in folder.glob("*.nb[ci]"):
            path.unlink(missing_ok=True)


def _mark_used(folder: Path) -> None:
    """Set the time of a folder, once a day: file systems may not note when files are read."""
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime > _DAY:
            os.utime(folder)


def _remove_unused(base: Path) -> None:
    """Remove the folders with compiled code in `base` that were not used for `KEPT_DAYS` days."""
    with suppress(OSError):
        for folder in list(base.iterdir()):
            with suppress(OSError):
                if _OWN_NAME.fullmatch(folder.name) and _is_unused(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_unused(folder: Path) -> bool:
    """Is this a folder of this user, and are all signs of use older than `KEPT_DAYS` days?"""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or _user() not in (None, status.st_uid):
        return False
    used = status.st_mtime  # not st_atime, which changes when the folder is searched here
    for index in folder.rglob("*.nbi"):
        status = index.lstat()
        used = max(used, status.st_mtime, status.st_atime)
    return time.time() - used > KEPT_DAYS * _DAY


def keep(function: Any, folder: Path, on_miss: Callable[[], None] | None = None) -> None:
    """Let Numba keep what it compiles of a function in a folder of `find_folder`.

    This reaches into Numba. Where it finds something else than it expects, nothing is kept.

    Args:
        function: a function of `numba.njit`.
        folder: its name must say which sources the function is made from.
        on_miss: called before something is compiled that is not there.
    """
    before = getattr(function, "_cache", None)
    try:
        cache = _kept_by_module(function.py_func, folder)
        # Where Numba cannot write it takes a folder beside the sources, whose code may be stale.
        if not Path(cache.cache_path).is_relative_to(folder):
            raise OSError("Numba cannot write to it")
        _close(Path(cache.cache_path))
        function._cache = CarefulCache(cache, folder, on_miss)
    except Exception as error:
        if before is not None:
            function._cache = before
        _warn_not_kept(folder, error)


def _kept_by_module(function: Any, folder: Path) -> Any:
    """Return Numba's cache of a function, in a folder that is named after its module.

    Numba's own locators name it after the path of the file, so that a second virtual environment
    would compile the same sources again.
    """

    class Locator(caching._CacheLocator):
        _py_file = function.__code__.co_filename

        def get_cache_path(self) -> str:
            return str(folder / function.__module__)

        def get_source_stamp(self) -> str:
            return folder.name

        def get_disambiguator(self) -> str:
            return str(function.__code__.co_firstlineno)

        @classmethod
        def from_function(cls, py_func: Any, py_file: Any) -> "Locator":
            (folder / function.__module__).mkdir(PRIVATE, exist_ok=True)
            return cls()

    class Results(caching.CompileResultCacheImpl):
        _locator_classes = cast(Any, [Locator])

    class Cache(caching.FunctionCache):
        _impl_class = Results

    return cast(Any, Cache)(function)


class CarefulCache:
    """Numba's cache of a function; one that fails counts as empty."""

    def __init__(self, cache: Any, folder: Path, on_miss: Callable[[], None] | None = None) -> None:
        """Take the place of a cache that keeps its files somewhere in a folder."""
        self._cache = cache
        self._folder = folder
        self._on_miss = on_miss
        self._files: Any = getattr(cache, "_cache_file", None)
        _seal(self._files)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return compiled code, or None if there is none that can be used."""
        found = self._load(signature, context)
        if found is None and self._on_miss is not None:
            self._on_miss()
        return found

    def _load(self, signature: Any, context: Any) -> Any:
        try:
            return self._cache.load_overload(signature, context)
        except Exception as error:  # a damaged pickle raises anything
            self._remove_files()
            _warn_once(
                "load",
                f"compiled code in {self._folder} cannot be used ({_short(error)}); it is "
                "compiled again and replaced. If you see this often, remove the folder",
            )
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep compiled code, if possible."""
        try:
            self._cache.save_overload(signature, compiled)
            self._close_files()
        except Warning:  # what cannot be cached at all, where warnings are errors
            raise
        except Exception as error:
            # The index is written first: it may name a file that is missing or an older one.
            self._remove_files()
            _warn_not_kept(self._folder, error)

    def _close_files(self) -> None:
        """Let nobody else write to the files, which nobody else could reach so far (`_close`)."""
        with suppress(AttributeError, FileNotFoundError):
            for path in self._paths():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS_WRITE)

    def _remove_files(self) -> None:
        with suppress(AttributeError, OSError):  # what is left is refused again next time
            for path in self._paths():
                path.unlink(missing_ok=True)

    def _paths(self) -> list[Path]:
        """Return the files of this function; `AttributeError` with another Numba."""
        index = Path(self._files._index_path)
        return [index, *index.parent.glob(f"{glob.escape(index.stem)}.*.nbc")]


def _seal(files: Any) -> None:
    """Let the files of a cache be refused if others may have written them, or they are damaged.

    Numba has no digests: with a byte of machine code changed, it runs that.
    """
    try:
        dump, load_index, load_data = files._dump, files._load_index, files._load_data
        index, path_of = Path(files._index_path), files._data_path
    except AttributeError:
        return  # another Numba; errors are still caught

    def dump_with_digest(value: Any) -> bytes:
        data: bytes = dump(value)
        return data + _DIGEST(data).digest()  # which unpickling does not look at

    def load_own_index() -> Any:
        _check_file(index)
        return load_index()

    def load_checked_data(name: str) -> Any:
        path = Path(path_of(name))
        _check_file(path)
        data = path.read_bytes()
        if _DIGEST(data[:-_DIGEST_BYTES]).digest() != data[-_DIGEST_BYTES:]:
            raise ValueError(f"{path.name}: its digest does not match")
        return load_data(name)

    files._dump = dump_with_digest
    files._load_index = load_own_index
    files._load_data = load_checked_data


def _warn_not_kept(folder: Path, error: Exception) -> None:
    _warn_once(
        "save",
        f"compiled code cannot be kept in {folder} ({_short(error)}); every process "
        f"compiles for about 20 seconds. Make room there, or {_ADVICE}",
    )


def _short(error: Exception) -> str:
    return str(error) or type(error).__name__


def _warn_once(kind: str, message: str) -> None:
    """Warn, once for each kind; the workers of a match leave it to the process they serve."""
    if kind not in _told and multiprocessing.current_process().name == "MainProcess":
        _told.add(kind)
        warnings.warn(f"alhambra_env: {message}", RuntimeWarning, stacklevel=2)
