"""One recorded game: its decisions, and playing it again."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import DamagedRecord
from ..game import Game
from ..observation.layout import Layout
from ..options import GameRules, RewardName
from .replaying import Replay, dense_masks, replay


@dataclass(frozen=True)
class RecordedGame:
    """A game of a data set; the arrays have one row for each decision."""

    number: int
    seed: int
    rules: GameRules
    players: tuple[str, ...]
    """The names of the players by seat."""
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    truncated: bool
    seats: np.ndarray
    """`int8 [row]`: the seat that decided."""
    actions: np.ndarray
    """`int16 [row]`"""
    starts: np.ndarray
    """`int64 [row + 1]`: where the legal actions of each decision start in `legal`."""
    legal: np.ndarray
    """`int16`: the legal actions of all decisions."""
    returns: dict[RewardName, np.ndarray]
    """`float32 [row]` for each kind of reward: what the seat gets from there to the end."""
    observations: np.ndarray | None
    """`uint8 [row, byte]` if they were stored."""

    def masks(self) -> np.ndarray:
        """Return `int8 [row, action]`: 1 for the legal actions."""
        return dense_masks(self.starts, self.legal)

    def replay(self, layout: Layout | None = None) -> Replay:
        """Play the game again, with the observations of a layout.

        Raises:
            DamagedRecord: it does not end as recorded.
        """
        try:
            again = replay(self.rules, self.seed, self.actions, layout)
        except DamagedRecord as error:
            raise DamagedRecord(f"game {self.number} is damaged: {error}") from None
        game = again.game
        for what, found, recorded in (
            ("scores", tuple(game.scores), self.scores),
            ("winners", tuple(game.winners), self.winners),
            ("truncated", game.truncated, self.truncated),
        ):
            if found != recorded:
                raise DamagedRecord(
                    f"game {self.number} does not end as recorded: {what} {found}, not {recorded}"
                )
        return again

    def positions(self) -> Iterator[tuple[Game, int]]:
        """Play the game again; yield it before each action, with the action.

        It is always the same `Game`: clone it to keep a position.
        """
        end = self.replay().game  # refuses a damaged game before the first position
        game = Game(self.rules.num_players, self.rules.edition, self.seed, self.rules.max_turns)
        for action in end.history:
            yield game, action
            game.step(action)

    def verify(self, layout: Layout | None = None) -> None:
        """Raise `DamagedRecord` unless every row is what playing the game again gives."""
        again = self.replay(layout)
        same = {
            "seats": np.array_equal(again.seats, self.seats),
            "legal actions": np.array_equal(again.starts, self.starts)
            and np.array_equal(again.legal, self.legal),
            "observations": self.observations is None
            or np.array_equal(again.observations, self.observations),
        }
        for name, values in again.returns().items():
            same[f"returns ({name})"] = np.array_equal(values, self.returns[name])
        wrong = [what for what, is_same in same.items() if not is_same]
        if wrong:
            raise DamagedRecord(f"game {self.number} is damaged: wrong {', '.join(wrong)}")
