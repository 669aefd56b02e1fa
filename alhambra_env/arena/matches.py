"""Plays matches: spreads deals over processes, and keeps them in a file that can be resumed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, Final

from ..options import (
    DEFAULT_EDITION,
    DEFAULT_MAX_TURNS,
    DEFAULT_NUM_PLAYERS,
    AnyEdition,
    GameRules,
)
from ..validation import whole_number
from .deal import Dealer
from .entrants import Entrant, check_player_counts, describe, enter_all, sorted_by_name
from .processes import (
    NamedSpecs,
    can_spread,
    check_workers,
    in_processes,
    made_from,
    named_specs,
    spread,
)
from .progress import progress_bar
from .results import CODE, DealResult, Match, Results, append_deal, open_results
from .seating import all_line_ups, duel_line_up, renumbered_line_ups

DEFAULT_DEALS: Final = 100
MOST_DEALS: Final = 1_000_000_000

OpenResults = AbstractContextManager[tuple[IO[bytes] | None, list[DealResult]]]


def match(
    players: Iterable[Any],
    num_players: int = DEFAULT_NUM_PLAYERS,
    deals: int = DEFAULT_DEALS,
    seed: int = 0,
    edition: AnyEdition = DEFAULT_EDITION,
    *,
    line_ups: Iterable[Sequence[int]] | None = None,
    max_turns: int = DEFAULT_MAX_TURNS,
    workers: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> Results:
    """Play a match: every deal is played with each player on every seat.

    With more players than seats, all combinations meet. With fewer, players take several seats.

    Args:
        players: two or more of what `as_player` takes; `"name=player"` gives a player a name.
        num_players: seats at the table, 2 to 6.
        deals: how many; each is played once for every rotation of every line-up.
        seed: of the whole match; the same seed and players give the same results.
        edition: the rulebook to follow: its name, an `Edition`, or one as text.
        line_ups: who meets in a game, as indices of `players`; `[(0, 1, 1)]` is the first player
            against two copies of the second. None lets all combinations meet.
        max_turns: after this many turns a game is scored and ends (E3).
        workers: number of processes. None uses one for each core if the match takes longer than
            `SECONDS_BEFORE_WORKERS`. Only players given as strings can play in other processes.
        out: a file for the results, in a folder that exists. If there is such a file, the match
            resumes from it.
        progress: whether to show a progress bar, if there is a terminal.

    Raises:
        ValueError: for a setting that is not allowed, or a file that cannot be written or is of
            another match.
        IllegalAction: a player chose one. The deals before it are in the file.
    """
    in_given_order = enter_all(players)
    entrants = sorted_by_name(in_given_order)
    rules = GameRules(num_players, edition, max_turns)
    check_player_counts(entrants, rules.num_players)
    if line_ups is None:
        meetings = all_line_ups(len(entrants), rules.num_players)
    else:
        numbers = [entrants.index(entrant) for entrant in in_given_order]
        meetings = renumbered_line_ups(line_ups, numbers, rules)
    check_amounts(deals, workers)
    settings = Match(tuple(map(describe, entrants)), meetings, rules, whole_number(seed, "seed", 0))
    dealer = Dealer(settings, entrants)
    results: OpenResults = nullcontext((None, [])) if out is None else open_results(out, settings)
    bar = progress_bar(progress, f"of {settings.games_per_deal} games each")
    with results as (file, played), bar:
        what = f"{rules.num_players} players: deals"
        task = bar.add_task(what, total=deals, completed=min(deals, len(played)))
        missing = range(len(played), deals)
        for deal in _play_deals(dealer, settings, entrants, missing, workers):
            if file is not None:
                append_deal(file, deal)
            played.append(deal)
            bar.advance(task)
    return Results(settings, tuple(played[:deals]))


def duel(
    player: Any,
    other: Any,
    num_players: int = DEFAULT_NUM_PLAYERS,
    deals: int = DEFAULT_DEALS,
    seed: int = 0,
    edition: AnyEdition = DEFAULT_EDITION,
    *,
    max_turns: int = DEFAULT_MAX_TURNS,
    workers: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> Results:
    """Play a match of one player against copies of another on all other seats.

    If both play equally well, the player's win share is 1/`num_players`. The other arguments are
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
    """Raise `ValueError` unless these numbers of deals and processes are allowed."""
    whole_number(deals, "deals", 1, MOST_DEALS)
    check_workers(workers)


# --- over processes ---------------------------------------------------------------------------


def _play_deals(
    dealer: Dealer,
    settings: Match,
    entrants: tuple[Entrant, ...],
    deals: range,
    workers: int | None,
) -> Iterator[DealResult]:
    """Play deals in this process or in others, and yield them in order."""

    def elsewhere(deals: range, workers: int) -> Iterable[DealResult]:
        return _play_in_processes(settings, entrants, deals, workers)

    return spread(dealer.play, elsewhere if can_spread(entrants) else None, deals, workers)


def _play_in_processes(
    settings: Match, entrants: tuple[Entrant, ...], deals: range, workers: int
) -> Iterator[DealResult]:
    arguments = (settings, named_specs(entrants))
    return in_processes(_play_one, (CODE,), _start_worker, arguments, deals, workers)


_dealer: Dealer | None = None  # set in worker processes only


def _start_worker(settings: Match, specs: NamedSpecs) -> None:
    """Make the players of a match, in a worker process."""
    global _dealer
    _dealer = Dealer(settings, made_from(specs))


def _play_one(deal: int, code: str) -> DealResult:
    assert _dealer is not None
    if code != CODE:
        raise ValueError("the code of this package was changed after the match started")
    return _dealer.play(deal)
