"""What the page's log says: a sentence for every action, and what each round brought whom."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import actions
from ..engine.material import BUILDINGS, N_ROUNDS
from ..game import Game
from ..render.aid import standing


class Entry(NamedTuple):
    """A line of the log."""

    seat: int | None
    """Who acted; None if it is about all."""
    text: str
    details: tuple[str, ...] = ()
    """A line for each player."""


def tell(action: int, before: Game, after: Game, names: Sequence[str]) -> list[Entry]:
    """Return the entries for an action, which everybody at the table saw.

    Args:
        action: what was played.
        before: the position before it.
        after: the position after it.
        names: of the players, by seat.
    """
    entries = [Entry(before.to_play, _sentence(action, before))]
    entries += _tell_scoring(action, before, after, names)
    if after.over:
        entries.append(_tell_end(after, names))
    elif after.state.ending and not before.state.ending:
        entries.append(_tell_leftovers(after, names))
    return entries


def _sentence(action: int, before: Game) -> str:
    """Return what is done. In a log, no picture shows which tile has been picked."""
    sentence = actions.describe(action, before)
    if before.snapshot()["picked"] is None:
        return sentence
    return sentence.replace("the picked tile", actions.tile_text(before.snapshot()["picked"]))


def _tell_end(after: Game, names: Sequence[str]) -> Entry:
    winners = [names[seat] for seat in after.winners]
    verb = "win" if len(winners) > 1 else "wins"
    why = "Too many turns: the game is stopped. " if after.truncated else ""
    return Entry(None, f"{why}{' and '.join(winners)} {verb} the game")


def _tell_leftovers(after: Game, names: Sequence[str]) -> Entry:
    """Tell who wins what is left in the market (R25); the first winner has the tiles already."""
    snapshot = after.snapshot()
    picked = [] if snapshot["picked"] is None else [snapshot["picked"]]
    won = [[after.to_play, tile] for tile in (*picked, *snapshot["bought"])] + snapshot["awards"]
    return Entry(
        None,
        "The market cannot be filled: the last turn is over. The tiles left go to those with the "
        "most money",
        tuple(f"{names[seat]}: {actions.tile_text(tile)}" for seat, tile in won),
    )


def _tell_scoring(action: int, before: Game, after: Game, names: Sequence[str]) -> list[Entry]:
    """Return an entry if points were scored, with what they were for."""
    gains = [new - old for old, new in zip(before.scores, after.scores, strict=True)]
    rounds = list(range(before.rounds_scored, after.rounds_scored))
    if not rounds and not any(gains):
        return []
    if not rounds:  # the last one, whose number may have been reached before
        rounds = [N_ROUNDS - 1]
    reasons = _reasons(action, before, after, rounds[0]) if len(rounds) == 1 else None
    # When two rounds are scored at once, Dirk draws tiles in between, and the sum is not known.
    is_known = reasons is not None and [total for total, _ in reasons[: len(gains)]] == gains
    lines = []
    for seat, gain in enumerate(gains):
        why = f" ({reasons[seat][1]})" if reasons and is_known and gain else ""
        lines.append(f"{names[seat]} +{gain}{why}")
    if is_known and reasons and len(reasons) > len(gains) and reasons[-1][0]:
        lines.append(f"Dirk +{reasons[-1][0]} ({reasons[-1][1]})")
    numbers = " and ".join(str(number + 1) for number in rounds)
    is_are = "are" if len(rounds) > 1 else "is"
    return [Entry(None, f"Round {numbers} {is_are} scored", tuple(lines))]


def _reasons(action: int, before: Game, after: Game, scoring: int) -> list[tuple[int, str]]:
    """Return for everybody, Dirk last, the points of a round and what they are for."""
    snapshot = after.snapshot() | {"phase": "turn", "rounds_scored": scoring}
    if snapshot["dirk"]:  # who draws tiles right after the scoring
        snapshot["dirk"] = snapshot["dirk"] | {"tiles": _tiles_of_dirk(action, before)}
    walls = after.state.walls[: after.num_players].tolist()
    now = standing(snapshot, walls)
    told = []
    for number, (player, total) in enumerate(zip(now.players, now.totals, strict=True)):
        parts = [
            f"{building} {points[number]}"
            for building, points in zip(BUILDINGS, now.points, strict=True)
            if points[number]
        ]
        parts += [f"wall {player.wall}"] if player.wall else []
        told.append((total, ", ".join(parts)))
    return told


def _tiles_of_dirk(action: int, before: Game) -> list[int]:
    snapshot: dict[str, Any] = before.snapshot()
    given = [snapshot["picked"]] if actions.decode(action).kind == "give" else []
    return [*snapshot["dirk"]["tiles"], *given]
