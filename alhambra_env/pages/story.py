"""What happened in a game: its positions, moves in words, scores and scored rounds."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from .. import actions
from ..engine.material import N_ROUNDS
from ..game import Game


class Change(NamedTuple):
    """Something that is as `value` says from a position on, until the next change."""

    ply: int
    """How many actions were played before."""
    value: Any


def positions_of(game: Game) -> list[Game]:
    """Return all positions of a game, from the first to the present one.

    Raises:
        ValueError: the game was loaded or resampled, so its first actions are not known.
    """
    if game.seed is None:
        raise ValueError("only a game played from its start can be replayed; this one was loaded")
    positions = [Game(game.num_players, game.edition, game.seed, game.rules.max_turns)]
    for action in game.history:
        positions.append(positions[-1].clone())
        positions[-1].step(action)
    return positions


def titles_of(names: Sequence[str]) -> list[str]:
    """Return the players' names with the seats of those who have the same name."""
    return [
        f"{name} (seat {seat})" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    ]


def moves_of(positions: Sequence[Game]) -> list[dict[str, Any]]:
    """Return the seat, the turn and the words of every action."""
    return [
        {
            "seat": before.to_play,
            "turn": int(before.state.turn),
            "isEnding": bool(before.state.ending),
            "text": actions.describe(after.history[-1], before),
        }
        for before, after in pairwise(positions)
    ]


def scores_of(positions: Sequence[Game]) -> list[Change]:
    """Return the scores of all seats, whenever they change."""
    return changes([position.scores for position in positions])


def changes(values: Sequence[Any]) -> list[Change]:
    """Return the values of all positions as changes from one to the next."""
    return [
        Change(ply, value)
        for ply, value in enumerate(values)
        if ply == 0 or value != values[ply - 1]
    ]


def scorings_of(positions: Sequence[Game]) -> list[dict[str, Any]]:
    """Return when rounds were scored, which ones, and what each seat gained."""
    found = []
    for ply, (before, after) in enumerate(pairwise(positions), start=1):
        rounds = [str(n + 1) for n in range(before.rounds_scored, after.rounds_scored)]
        if not rounds:
            continue
        if after.over:
            rounds[-1] = str(N_ROUNDS)  # also if the game was stopped before the other rounds (E3)
        gained = [new - old for old, new in zip(before.scores, after.scores, strict=True)]
        found.append({"ply": ply, "rounds": " and ".join(rounds), "gained": gained})
    return found


def result_of(game: Game, names: Sequence[str]) -> str:
    """Return the result of a game in a sentence."""
    if not game.over:
        return "The game is not over"
    titles = titles_of(names)
    winners = [titles[seat] for seat in game.winners]
    *others, last = winners
    who = f"{', '.join(others)} and {last} share the win" if others else f"{last} wins"
    end = f", when the limit of {game.rules.max_turns} turns was reached" if game.truncated else ""
    return f"{who} with {game.scores[game.winners[0]]} points{end}"
