"""The attacks of `make fuzz`: the first of each kind, and those that once found a bug."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="attacks on training need PyTorch")
pytest.importorskip("minari", reason="attacks on data sets need the extra `data`")

from tests.fuzz import arguments
from tests.fuzz.attack import ACCEPTED, REFUSED, Broken, case_rng, refuses
from tests.fuzz.kinds import KINDS, kind_called
from tests.fuzz.runner import CRASH, HANG, Process, Tally, attack_for
from tests.fuzz.worker import outcome_of

FOUND = json.loads((Path(__file__).parent / "fuzz" / "found.json").read_text())
"""Cases that failed when they were first made: kind, number, and what was wrong."""


@pytest.mark.filterwarnings("default")  # warnings of NumPy about nonsense are no crash
@pytest.mark.parametrize("name", [kind.name for kind in KINDS])
def test_attacks_are_refused_or_do_no_harm(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    kind = kind_called(name)
    for case in range(kind.replayed):
        outcome, trace = outcome_of(kind, case)
        assert outcome in (REFUSED, ACCEPTED), f"case {case}: {trace}"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("found", FOUND, ids=lambda found: f"{found[0]} {found[1]}")
def test_what_was_found_once_is_fixed(found: tuple[str, int, str]) -> None:
    name, case, _ = found
    outcome, trace = outcome_of(kind_called(name), case)
    assert outcome in (REFUSED, ACCEPTED), trace


def test_a_case_passes_the_same_settings_whenever_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def settings_of(case: int) -> Any:
        return arguments.calls(case_rng("arguments", case))["SingleEnv"]()

    arguments.calls(case_rng("arguments", 0))  # makes what is attacked
    monkeypatch.setattr(arguments, "SingleEnv", dict)
    # Both are kept, so that objects of the one lie elsewhere in memory than those of the other.
    once, again = [[settings_of(case) for case in range(500)] for _ in range(2)]
    assert [list(settings) for settings in once] == [list(settings) for settings in again]


def test_an_alarm_within_an_attack_is_not_taken_for_a_refusal() -> None:
    def alarm() -> None:
        raise Broken("a promise does not hold")

    with pytest.raises(Broken):
        refuses(alarm, ValueError, TypeError, AssertionError, KeyError)


def test_processes_attack_and_are_counted() -> None:
    *_, tally = attack_for(2, ["names", "players, copies"], first=1, workers=1)
    assert not tally.failures
    assert tally.cases > 20
    assert tally.counts["names", REFUSED] > tally.counts["names", ACCEPTED] > 0


class BadProcess(Process):
    module = "tests.fuzz.bad_worker"

    def _patience(self) -> float:
        return 0.5


def test_crashes_and_hangs_are_noticed_and_the_next_case_follows() -> None:
    tally = Tally()
    process = BadProcess(["names"], first=1, stride=1, has_bounds_check=False)
    end = time.monotonic() + 60
    while len(tally.failures) < 2 and time.monotonic() < end:
        process.look(tally)
        time.sleep(0.05)
    process.end()
    assert [(each.case, each.outcome) for each in tally.failures] == [(1, CRASH), (2, HANG)]
