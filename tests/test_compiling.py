"""What is compiled, and when: each function once, bots only when they play, and not in silence."""

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from typer.testing import CliRunner

from alhambra_env import Game
from alhambra_env.bots import BOT_NAMES, BOTS, choose, make
from alhambra_env.bots.lookahead import SEARCH_COMPILES
from alhambra_env.cli.app import app
from alhambra_env.engine import jit, notice
from alhambra_env.engine.jit import Constant
from alhambra_env.engine.on_demand import OnDemand
from alhambra_env.engine.plain import is_plain_python

compiled_only = pytest.mark.skipif(
    is_plain_python(), reason="NUMBA_DISABLE_JIT=1: there is no compiled code to look at"
)


def run(code: str, folder: Path, cwd: Path) -> tuple[str, str]:
    """Run code in a new process with a compile cache in a folder; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(cwd)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


# --- one version of each function -----------------------------------------------------------------


def add(number: int, flag: bool) -> int:
    return number if not flag else number + number


def sum_up(numbers: np.ndarray, count: Constant) -> int:
    total = 0
    for i in range(count):
        total += numbers[i]
    return total


def keep(number: int) -> int:
    return number


def compiled(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Decorate a function. What is found in the cache would not be compiled, so there is none."""
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    return jit.jit(function)


@compiled_only
def test_a_function_is_compiled_once_for_all_widths_and_constants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twice, total = compiled(add, monkeypatch), compiled(sum_up, monkeypatch)

    @numba.njit
    def call(numbers: np.ndarray) -> Any:
        doubled = twice(numbers[0], True) + twice(3, True) + twice(int(numbers[1]), True)
        return doubled + total(numbers, 1) + total(numbers, 2)

    assert call(np.array([1, 2], np.int8)) == 2 + 6 + 4 + 1 + 3
    assert len(twice.overloads) == 1
    assert len(total.overloads) == 2, "compiled for each constant"
    twice(np.int16(5), False)
    assert len(twice.overloads) == 2, "compiled for a flag that is not a constant"


@compiled_only
def test_unsigned_numbers_of_64_bits_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    largest = np.iinfo(np.uint64).max
    same = compiled(keep, monkeypatch)

    @numba.njit
    def call(numbers: np.ndarray) -> Any:
        return same(numbers[0])

    assert call(np.array([largest], np.uint64)) == largest


@compiled_only
def test_functions_of_the_engine_have_one_version() -> None:
    from alhambra_env.observation.writers import seat_at

    seats: Any = seat_at
    for seat in (types.int8, types.int32, types.int64, types.literal(1)):
        seats.compile((seat, types.int64, types.int8))
    assert list(seats.overloads) == [(types.int64,) * 3]


# --- bots, only when they play --------------------------------------------------------------------

WHICH = """
import gymnasium, alhambra_env
from alhambra_env.bots import BOT_NAMES, choose
env = gymnasium.make_vec("alhambra_env/Alhambra-v0", num_envs=2, opponents={opponents})
_, infos = env.reset(seed=0)
for _ in range(20):
    *_, infos = env.step(infos["action_mask"].argmax(axis=1))
print([name for name, at in zip(BOT_NAMES, choose._on_demand._addresses) if at])
"""


@compiled_only
@pytest.mark.parametrize("opponents", [["random", "random"], ["saver", "builder"]])
def test_only_the_bots_that_play_are_compiled(opponents: list[str]) -> None:
    code = WHICH.format(opponents=opponents)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(sorted(set(opponents), key=BOT_NAMES.index))


@compiled_only
def test_every_bot_has_a_compiled_function() -> None:
    assert list(choose._CHOOSERS) == list(BOT_NAMES)
    game = Game(seed=3)
    for name in ("random", "uniform", "saver", "builder"):
        bot = make(name)
        bot.compile()
        bot.compile()
        again = make(name)
        assert bot.choose(game) == again.choose(game)


@compiled_only
def test_a_bot_that_does_not_compile_is_an_error_and_no_crash() -> None:
    code = """
import numba
from numba import int64
from numba.extending import intrinsic
from contextlib import nullcontext
from alhambra_env.engine.jit import jit
from alhambra_env.engine.on_demand import OnDemand
from alhambra_env.engine.plain import is_plain_python

@jit
def broken(number: int) -> int:
    return number.no_such_attribute

table = OnDemand("broken", [broken], (int64,), int64, lambda number: nullcontext())

@intrinsic
def call(typing_context, number, argument):
    def generate(context, builder, signature, arguments):
        return table.generate_call(context, builder, *arguments)
    return int64(int64, int64), generate

@numba.njit(nogil=True)
def use(number):
    return call(0, number)

try:
    use(1)
except RuntimeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "could not be compiled" in done.stdout
    assert "no_such_attribute" in done.stderr


@compiled_only
def test_a_function_with_another_result_is_refused() -> None:
    from contextlib import nullcontext

    @jit.jit
    def half(number: int) -> float:
        return number / 2

    table = OnDemand("halves", [half], (numba.int64,), numba.int64, lambda _: nullcontext())
    with pytest.raises(TypeError, match="returns float64"):
        table.compile(0)


# --- a line that says so --------------------------------------------------------------------------

DRAW = """
from alhambra_env.engine.rng import next_word, seed_words
print(next_word(seed_words(1)), next_word.stats.cache_hits, len(next_word.overloads))
next_word(seed_words(2))
"""
LINE = "alhambra_env: compiling the engine, about 20 seconds; later runs start at once\n"


@compiled_only
def test_the_first_process_says_once_that_it_compiles(tmp_path: Path) -> None:
    first, said = run(DRAW, tmp_path, jit.PACKAGE.parent)
    assert said == LINE
    second, said = run(DRAW, tmp_path, jit.PACKAGE.parent)
    assert said == ""
    assert first.split()[0] == second.split()[0]
    assert "{" in second, "the statistics show a hit"


@compiled_only
def test_another_installation_finds_the_same_cache(tmp_path: Path) -> None:
    elsewhere = tmp_path / "site-packages"
    shutil.copytree(
        jit.PACKAGE, elsewhere / "alhambra_env", ignore=shutil.ignore_patterns("__pycache__")
    )
    for file in elsewhere.rglob("*.py"):
        os.utime(file, (0, 0))  # a wheel is unpacked at another time
    where = "import alhambra_env; print(alhambra_env.__file__)\n"
    folder = tmp_path / "cache"
    printed, said = run(where + DRAW, folder, jit.PACKAGE.parent)
    assert said == LINE
    printed_there, said = run(where + DRAW, folder, elsewhere)
    assert printed_there.splitlines()[0] != printed.splitlines()[0]
    assert said == ""


def test_a_line_is_said_once_for_each_subject_and_not_for_short_ones(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notice, "_told", set())
    with caplog.at_level(logging.WARNING, "alhambra_env"):
        for _ in range(2):
            notice.tell_compiling()
            with notice.compiling("the bot 'planner'", 5):
                notice.tell_compiling(is_kept=False)
            with notice.compiling("the bot 'random'", 1):
                notice.tell_compiling()
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        LINE.strip(),
        "alhambra_env: compiling the bot 'planner', about 5 seconds; every process does that",
    ]


def test_bots_that_take_long_say_how_long() -> None:
    slow = {kind.name for kind in BOTS if kind.compiles > 2}
    assert slow == {"planner", "rollout"}
    assert SEARCH_COMPILES > 2  # for lookahead, too


# --- alhambra compile -----------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["--bots", "saver", "builder"], ["saver", "builder"]])
def test_the_command_compiles_what_is_named(words: list[str]) -> None:
    text = CliRunner().invoke(app, ["compile", *words]).output
    bots = [line.split()[1] for line in text.splitlines() if line.strip().startswith("bot ")]
    assert bots == ["saver", "builder"]
    assert "PettingZoo" in text
    assert str(jit.CACHE_FOLDER) in text or "there is no cache" in text


def test_the_command_can_do_without_bots() -> None:
    result = CliRunner().invoke(app, ["compile", "--bots", "none"])
    assert result.exit_code == 0
    assert "bot " not in result.output


def test_the_command_refuses_an_unknown_bot_before_it_compiles() -> None:
    result = CliRunner().invoke(app, ["compile", "--bots", "plannr"])
    assert result.exit_code == 2
    assert "plannr" in result.output
    assert "seconds" not in result.output
