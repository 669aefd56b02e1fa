"""Playing matches: deals over processes, kept in a file that a later run goes on with."""

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..options import (
    DEFAULT_EDITION,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    EditionName,
    GameRules,
)
from ..players import LOADERS, as_player
from ..validation import whole_number
from .deal import Dealer
from .line_ups import all_line_ups, duel_line_up, read_line_ups
from .results import CODE, DealResult, Match, Results, append, keep
from .roster import Contestant, by_name, check_counts, describe, enter_all

PATIENCE: Final = 2.0
"""Seconds that a match may take before other processes, which take as long to start, are asked."""

AHEAD: Final = 8
"""Deals for each worker that are under way or wait for an earlier one to be written."""

DEFAULT_DEALS: Final = 100
MOST_DEALS: Final = 1_000_000_000
MOST_WORKERS: Final = 1024

Kept = AbstractContextManager[tuple[IO[bytes] | None, list[DealResult]]]


def match(
    players: Iterable[Any],
    num_players: int = DEFAULT_NUM_PLAYERS,
    deals: int = DEFAULT_DEALS,
    seed: int = 0,
    edition: EditionName = DEFAULT_EDITION,
    *,
    line_ups: Iterable[Sequence[int]] | None = None,
    max_turns: int = DEFAULT_MAX_TURNS,
    workers: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> Results:
    """Let players meet, each on every seat of every deal.

    With more players than seats all combinations meet; with fewer, players sit there several times.

    Args:
        players: two or more of what `as_player` takes; `"name=spec"` gives one a name.
        num_players: seats at the table, 2 to 6.
        deals: how many; each is played once for every rotation of every line-up.
        seed: of the whole match; the same seed and players give the same results.
        edition: whose rulebook to follow.
        line_ups: who meets at a table, as places in `players`; `[(0, 1, 1)]` is the first player
            against two copies of the second. None lets all combinations meet.
        max_turns: after this many turns a game is cut short (E3).
        workers: processes. None takes as many as there are cores, if the match takes long enough.
            Players that are not given as strings are only played by this process.
        out: a file to keep the results in. If it exists, the match goes on from there.
        progress: whether to show a progress bar, if there is a terminal.

    Raises:
        ValueError: for a setting that is not allowed or a file of another match.
        IllegalAction: a player chose one. The deals before it are in the file.
    """
    entered = enter_all(players)
    roster = by_name(entered)
    rules = GameRules(num_players, edition, max_turns)
    check_counts(roster, rules.num_players)
    if line_ups is None:
        tables = all_line_ups(len(roster), rules.num_players)
    else:
        tables = read_line_ups(line_ups, [roster.index(each) for each in entered], rules)
    check_amounts(deals, workers)
    settings = Match(tuple(map(describe, roster)), tables, rules, whole_number(seed, "seed", 0))
    dealer = Dealer(settings, roster)
    kept: Kept = nullcontext((None, [])) if out is None else keep(out, settings)
    with kept as (file, played), _progress_bar(progress) as bar:
        games = settings.games_per_deal
        what = f"{rules.num_players} players: deals"
        task = bar.add_task(what, total=deals, completed=min(deals, len(played)), games=games)
        missing = range(len(played), deals)
        for deal in _play_deals(dealer, settings, roster, missing, workers):
            if file is not None:
                append(file, deal)
            played.append(deal)
            bar.advance(task)
    return Results(settings, tuple(played[:deals]))


def duel(
    player: Any,
    other: Any,
    num_players: int = DEFAULT_NUM_PLAYERS,
    deals: int = DEFAULT_DEALS,
    seed: int = 0,
    edition: EditionName = DEFAULT_EDITION,
    *,
    max_turns: int = DEFAULT_MAX_TURNS,
    workers: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> Results:
    """Let one player meet copies of another, on every seat of every deal.

    If they play equally well, the player wins one game in `num_players`. The other arguments are
    those of `match`.
    """
    rules = GameRules(num_players, edition, max_turns)
    return match(
        [player, other],
        num_players,
        deals,
        seed,
        edition,
        line_ups=[duel_line_up(rules.num_players)],
        max_turns=max_turns,
        workers=workers,
        out=out,
        progress=progress,
    )


def check_amounts(deals: int, workers: int | None) -> None:
    """Raise `ValueError` unless so many deals and processes are allowed."""
    whole_number(deals, "deals", 1, MOST_DEALS)
    if workers is not None:
        whole_number(workers, "workers", 1, MOST_WORKERS)


def _progress_bar(shown: bool) -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("of {task.fields[games]} games each"),
        TimeRemainingColumn(),
        console=console,
        disable=not (shown and console.is_terminal),
        transient=True,
    )


# --- over processes ---------------------------------------------------------------------------


def _play_deals(
    dealer: Dealer,
    settings: Match,
    roster: tuple[Contestant, ...],
    deals: range,
    workers: int | None,
) -> Iterator[DealResult]:
    """Play deals and give them back in their order, whoever played them."""
    can_spread = all(contestant.spec for contestant in roster)
    most = (os.cpu_count() or 1) if workers is None else workers
    begin = time.monotonic()
    for deal in deals:
        left = range(deal, deals.stop)
        is_long = workers is not None or time.monotonic() - begin > PATIENCE
        if can_spread and is_long and min(most, len(left)) > 1:
            yield from _spread(settings, roster, left, min(most, len(left)))
            return
        yield dealer.play(deal)


def _spread(
    settings: Match, roster: tuple[Contestant, ...], deals: range, workers: int
) -> Iterator[DealResult]:
    entries = [(contestant.name, str(contestant.spec)) for contestant in roster]
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("spawn"),
        initializer=_sit_down,
        initargs=(settings, entries, dict(LOADERS)),
    )
    under_way: deque[Future[DealResult]] = deque()
    try:
        for deal in deals:
            under_way.append(pool.submit(_play_one, deal, CODE))
            if len(under_way) >= workers * AHEAD:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except BaseException:
        # A deal can take minutes; nobody wants to wait for it who has pressed Ctrl-C.
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown()


_dealer: Dealer | None = None  # of a worker


def _sit_down(
    settings: Match,
    entries: list[tuple[str, str]],
    loaders: dict[str, str],
) -> None:
    """Make the players anew, in a process of its own."""
    global _dealer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent will see to it
    LOADERS.update(loaders)
    roster = [Contestant(name, spec, as_player(spec)) for name, spec in entries]
    _dealer = Dealer(settings, roster)


def _play_one(deal: int, code: str) -> DealResult:
    assert _dealer is not None
    if code != CODE:
        raise ValueError("the code of this package was changed after the match had begun")
    return _dealer.play(deal)
