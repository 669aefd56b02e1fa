"""`alhambra watch`."""

import sys
import time
from typing import Annotated

import typer
from rich.console import Console

from .. import actions
from ..arena.entrants import Entrant, check_player_counts, enter
from ..bots import BOT_NAMES
from ..errors import IllegalAction
from ..game import Game
from ..options import DEFAULT_EDITION
from ..players import Player, ask, blame
from ..validation import real_number
from .command import INTERRUPTED, Edition, Seed, console, fail

LONGEST_DELAY = 86_400  # seconds
STRONGEST_BOT = BOT_NAMES[-1]


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
) -> None:
    """Watch a game, action by action.

    Example: alhambra watch builder saver random --seed 7 --delay 1

    Example: alhambra watch ppo_3p planner planner --step
    """
    real_number(delay, "delay", 0, LONGEST_DELAY)
    screen = console()
    shows_table = screen.is_terminal if table is None else table
    entrants = [enter(each) for each in players or [STRONGEST_BOT] * 3]
    game = Game(len(entrants), edition, seed)
    check_player_counts(entrants, len(entrants))
    seated = _seat(entrants, seed)
    names = [each.name for each in entrants]
    try:
        while not game.over:
            _play_one(game, seated, names, screen, shows_table)
            if step:
                screen.print("[dim]Enter: next action, Ctrl-C: stop[/dim]", end=" ")
                sys.stdin.readline()
            elif delay > 0:
                time.sleep(delay)
    except KeyboardInterrupt:
        fail(f"stopped; --seed {seed} shows the same game again", INTERRUPTED)
    screen.print(str(game), markup=False)
    screen.print()
    for seat, (name, score) in enumerate(zip(names, game.scores, strict=True)):
        wins = " wins" if seat in game.winners else ""
        screen.print(f"Seat {seat} {name}: {score} points{wins}", markup=False)


def _seat(entrants: list[Entrant], seed: int) -> list[Player]:
    """Return a player for each seat, with its own seed even if several are the same bot."""
    seated = []
    for seat, entrant in enumerate(entrants):
        player = entrant.copies(2)[-1]
        player.begin(seed * len(entrants) + seat)
        seated.append(player)
    return seated


def _play_one(
    game: Game, seated: list[Player], names: list[str], screen: Console, shows_table: bool
) -> None:
    """Play one action and print what it does."""
    seat, scores = game.to_play, game.scores
    before = game.clone()
    try:
        game.step(ask(seated[seat], game))
    except IllegalAction as error:
        blame(error, f"{names[seat]} on seat {seat}")
        raise
    sentence = actions.describe(game.history[-1], before)
    if shows_table:
        screen.clear()
        screen.print(str(game), markup=False)
        screen.print()
    screen.print(f"Seat {seat} {names[seat]}: {sentence}", markup=False)
    if game.scores != scores:
        gained = (f"{a}+{b - a}" for a, b in zip(scores, game.scores, strict=True))
        screen.print(f"Round {game.rounds_scored} is scored: {', '.join(gained)}", markup=False)
