"""The learner's seat and its opponents, for the single and the vector environment."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ..bots import BOT_NAMES
from ..engine.rewards import find_winners, margins
from ..game import Game
from ..observation.format import ObservationFormat
from ..players import Player, Policy, as_player, ask, blame, check_player_count
from ..validation import as_list, shown, whole_number

Opponent = str | Policy | Player
"""A bot's or agent's name, a function from observation and mask to an action, or a player."""

RANDOM_SEAT: Final = "random"
RESET_FIRST: Final = "call reset first: no game has started, or an error interrupted the last one"
RESET_AFTER: Final = ". Call reset to continue"
TOO_SHORT: Final = "with this max_turns, games end before the learner can act"


def choose_opponents(
    opponents: Sequence[Opponent] | None, num_players: int
) -> list[Policy | Player]:
    """Return the opponents, clockwise from the learner.

    None means random bots. A function is returned unchanged; it gets observations like the
    learner's.

    Raises:
        ValueError: for a wrong number of opponents, an unknown name, or an agent that was trained
            for another number of players.
    """
    if opponents is None:
        opponents = [BOT_NAMES[0]] * (num_players - 1)
    others: list[Opponent] = as_list(opponents, "opponents")
    if isinstance(opponents, str) or len(others) != num_players - 1:
        raise ValueError(
            f"a game for {num_players} players has {num_players - 1} opponents, "
            f"as a list; not {shown(opponents)}"
        )
    chosen = [_read_opponent(given) for given in others]
    for opponent in chosen:
        if isinstance(opponent, Player):
            check_player_count(opponent, num_players)
    return chosen


def _read_opponent(given: Opponent) -> Policy | Player:
    if callable(given) and not isinstance(given, type | Player):
        return given
    return as_player(given)


def ask_opponent(opponent: Policy | Player, game: Game, shape: ObservationFormat) -> int:
    """Return an opponent's action; `shape` is the format of the observations for functions."""
    if isinstance(opponent, Player):
        return ask(opponent, game)
    buffer = shape.layout.observe(game.states, 0, game.to_play)
    return opponent(shape.show(buffer, game.action_mask()), game.action_mask())


def final_values(scores: np.ndarray, seats: np.ndarray) -> dict[str, np.ndarray]:
    """Return what infos say of games that are over, one row for each.

    Args:
        scores: points at the end, `[game, seat]`.
        seats: the learner's seat, `[game]`.
    """
    points = scores.astype(np.int64)
    return {
        "scores": points,
        "winners": find_winners(points).astype(np.int8),
        "seat": seats,
        "margin": margins(points)[np.arange(len(seats)), seats],
    }


def begin_opponent(opponent: Player, seed: int, seat: str) -> None:
    """Start an opponent's episode; an error names its seat."""
    try:
        opponent.begin(seed)
    except Exception as error:
        blame(error, f"the opponent on {seat}", RESET_AFTER)
        raise


def choose_seat(seat: int | str, num_players: int) -> int | None:
    """Return the learner's seat, None for a random one, or raise `ValueError`."""
    if isinstance(seat, str) and seat == RANDOM_SEAT:
        return None
    return whole_number(seat, f'seat (if not "{RANDOM_SEAT}")', 0, num_players - 1)
