"""`alhambra watch`."""

import sys
import time
from typing import Annotated

import typer
from rich.console import Console

from .. import actions
from ..arena.roster import Contestant, check_counts, enter
from ..bots import BOT_NAMES
from ..errors import IllegalAction
from ..game import Game
from ..options import edition_name
from ..players import Player, ask, blame
from ..validation import real_number
from .tidy import GERMAN, INTERRUPTED, Edition, Seed, console, fail

LONGEST_DELAY = 86_400  # seconds


def watch(
    players: Annotated[
        list[str] | None,
        typer.Argument(help="One for each seat; three of the strongest bot, unless given."),
    ] = None,
    seed: Seed = 0,
    edition: Edition = GERMAN,
    delay: Annotated[float, typer.Option(help="Seconds between two actions.")] = 0.5,
    step: Annotated[bool, typer.Option(help="Wait for Enter after each action.")] = False,
    table: Annotated[
        bool | None,
        typer.Option(help="Show the whole table after each action; in a terminal, unless given."),
    ] = None,
) -> None:
    """Watch a game, action by action.

    Example: alhambra watch builder saver random --seed 7 --delay 1
    """
    real_number(delay, "delay", 0, LONGEST_DELAY)
    screen = console()
    shows_table = screen.is_terminal if table is None else table
    entered = [enter(each) for each in players or [BOT_NAMES[-1]] * 3]
    game = Game(len(entered), edition_name(edition), seed)
    check_counts(entered, len(entered))
    seated = _seat(entered, seed)
    names = [each.name for each in entered]
    try:
        while not game.over:
            _play_one(game, seated, names, screen, shows_table)
            if step:
                screen.print("[dim]Enter: next action, Ctrl-C: stop[/dim]", end=" ")
                sys.stdin.readline()
            elif delay > 0:
                time.sleep(delay)
    except KeyboardInterrupt:
        fail(f"stopped; with --seed {seed} it is the same game again", INTERRUPTED)
    screen.print(str(game), markup=False)
    screen.print()
    for seat, (name, score) in enumerate(zip(names, game.scores, strict=True)):
        wins = " wins" if seat in game.winners else ""
        screen.print(f"Seat {seat} {name}: {score} points{wins}", markup=False)


def _seat(entered: list[Contestant], seed: int) -> list[Player]:
    """Return the players, each with randomness of its own, even if several are the same."""
    seated = []
    for seat, contestant in enumerate(entered):
        player = contestant.copies(2)[-1]
        player.begin(seed * len(entered) + seat)
        seated.append(player)
    return seated


def _play_one(
    game: Game, seated: list[Player], names: list[str], screen: Console, shows_table: bool
) -> None:
    """Play one action and say what it does."""
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
