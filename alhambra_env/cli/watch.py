"""`alhambra watch`."""

import sys
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import actions
from ..arena.entrants import Entrant, check_player_counts, enter
from ..arena.outputs import check_output
from ..bots import BOT_NAMES
from ..errors import IllegalAction
from ..explanation import Candidate
from ..game import Game
from ..options import DEFAULT_EDITION
from ..players import Player, ask, blame, explain
from ..record import save_record
from ..render.aid import draw_aid, draw_standing
from ..validation import real_number
from .command import INTERRUPTED, Edition, Seed, console, fail

LONGEST_DELAY = 86_400  # seconds
STRONGEST_BOT = BOT_NAMES[-1]
MOST_CANDIDATES = 3
"""How many ways to play are shown of those that a player weighs."""


def watch(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help="A player for each seat, as in evaluate.",
            show_default=f"three times {STRONGEST_BOT}",
        ),
    ] = None,
    seed: Seed = 0,
    edition: Edition = DEFAULT_EDITION,
    delay: Annotated[float, typer.Option(help="Seconds between two actions.")] = 0.5,
    step: Annotated[bool, typer.Option(help="Wait for Enter after each action.")] = False,
    table: Annotated[
        bool | None,
        typer.Option(
            help="Show the whole table after each action.", show_default="only in a terminal"
        ),
    ] = None,
    aid: Annotated[
        bool,
        typer.Option(
            help="Show the points to win and who would win them now: with every table, or "
            "after each scored round."
        ),
    ] = False,
    explained: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show what each player weighs before it decides, if it can tell: the best ways to "
            "play with their values and probabilities.",
        ),
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the record of the game, for alhambra replay; when it is stopped, of "
            "what was played.",
        ),
    ] = None,
) -> None:
    """Watch a game, action by action.

    Example: alhambra watch builder saver random --seed 7 --delay 1

    Example: alhambra watch turns lookahead planner --step --aid

    Example: alhambra watch turns lookahead planner --explain

    Example: alhambra watch turns lookahead --delay 0 --save game.json
    """
    real_number(delay, "delay", 0, LONGEST_DELAY)
    if save is not None:
        check_output(save)
    terminal = console()
    screen = _Screen(terminal, terminal.is_terminal if table is None else table, aid)
    entrants = [enter(each) for each in players or [STRONGEST_BOT] * 3]
    game = Game(len(entrants), edition, seed)
    check_player_counts(entrants, len(entrants))
    seated = _seat(entrants, seed)
    names = [each.name for each in entrants]
    try:
        if aid:
            screen.say(f"{draw_aid()}\n")
            _wait(screen, step, delay)
        thoughts = _Thoughts() if explained else None
        while not game.over:
            _play_one(game, seated, names, screen, thoughts)
            _wait(screen, step, delay)
    except KeyboardInterrupt:
        _save(game, names, save, screen)
        fail(f"stopped; --seed {seed} shows the same game again", INTERRUPTED)
    screen.say(f"{screen.picture_of(game)}\n")
    for seat, (name, score) in enumerate(zip(names, game.scores, strict=True)):
        wins = " wins" if seat in game.winners else ""
        screen.say(f"Seat {seat} {name}: {score} points{wins}")
    _save(game, names, save, screen)


class _Screen(NamedTuple):
    """Where a game is shown, and what is shown of it."""

    console: Console
    table: bool
    aid: bool

    def say(self, text: str) -> None:
        """Print text as it is."""
        self.console.print(text, markup=False)

    def picture_of(self, game: Game) -> str:
        """Return the table and, with the aid, the standing."""
        return f"{game}\n\n{_standing(game)}" if self.aid else str(game)


def _standing(game: Game) -> str:
    return draw_standing(game.snapshot(), game.state.walls[: game.num_players].tolist())


def _save(game: Game, names: list[str], path: Path | None, screen: _Screen) -> None:
    """Write the record of a game, if it is wanted, and say so."""
    if path is None:
        return
    save_record(game, path, names)
    screen.console.print(
        f"The record is in {path}; alhambra replay shows it", markup=False, soft_wrap=True
    )


def _wait(screen: _Screen, step: bool, delay: float) -> None:
    """Wait for Enter, or some seconds."""
    if step:
        screen.console.print("[dim]Enter: next action, Ctrl-C: stop[/dim]", end=" ")
        sys.stdin.readline()
    elif delay > 0:
        time.sleep(delay)


def _seat(entrants: list[Entrant], seed: int) -> list[Player]:
    """Return a player for each seat, with its own seed even if several are the same bot."""
    seated = []
    for seat, entrant in enumerate(entrants):
        player = entrant.copies(2)[-1]
        player.begin(seed * len(entrants) + seat)
        seated.append(player)
    return seated


class _Thoughts:
    """What the players weigh, as a table for each decision."""

    def __init__(self) -> None:
        """Nothing has been shown yet."""
        self._rest: tuple[int, ...] = ()  # of the turn that was shown as the best

    def of(self, player: Player, game: Game) -> Table | None:
        """Return the best of what a player weighs.

        None if it does not say, if there is nothing to decide, or if the best is to go on with the
        turn that was shown before.
        """
        legal = game.legal_actions()
        found = explain(player, game) if len(legal) > 1 else None
        if not found:
            self._rest = self._rest[1:] if self._rest[:1] == tuple(legal) else ()
            return None
        is_known = found[0].actions == self._rest
        self._rest = found[0].actions[1:]
        return None if is_known else _table_of(found[:MOST_CANDIDATES], game)


def _table_of(candidates: list[Candidate], game: Game) -> Table:
    """Return ways to play with their values and probabilities; columns without any are left out."""
    rows = [
        (
            each.probability_text,
            each.value_text,
            each.samples_text,
            "; ".join(each.describe(game)),
        )
        for each in candidates
    ]
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=1)  # indents
    for column in columns:
        is_text = column is columns[-1]
        table.add_column(justify="left" if is_text else "right", no_wrap=not is_text)
    for row in zip(*columns, strict=True):
        table.add_row("", *map(Text, row))
    return table


def _play_one(
    game: Game,
    seated: list[Player],
    names: list[str],
    screen: _Screen,
    thoughts: _Thoughts | None,
) -> None:
    """Play one action and print what it does."""
    seat, scores = game.to_play, game.scores
    before = game.clone()
    try:
        weighed = thoughts and thoughts.of(seated[seat], game)
        game.step(ask(seated[seat], game))
    except IllegalAction as error:
        blame(error, f"{names[seat]} on seat {seat}")
        raise
    sentence = actions.describe(game.history[-1], before)
    if screen.table:
        screen.console.clear()
        screen.say(f"{screen.picture_of(game)}\n")
    if weighed:
        screen.console.print(f"Seat {seat} {names[seat]} weighs:", markup=False)
        screen.console.print(weighed)
    screen.say(f"Seat {seat} {names[seat]}: {sentence}")
    if game.scores != scores:
        gained = (f"{a}+{b - a}" for a, b in zip(scores, game.scores, strict=True))
        screen.say(f"Round {game.rounds_scored} is scored: {', '.join(gained)}")
        if screen.aid and not screen.table and not game.over:  # else it is shown anyway
            screen.say(f"\n{_standing(game)}\n")
