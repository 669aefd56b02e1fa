"""What a player thinks of a position: the ways to play that it weighs, and what they are worth."""

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from . import actions

if TYPE_CHECKING:
    from .game import Game

Unit = Literal["points", "margin", "chance", "result", "reward"]
"""What a value is measured in; `UNITS` explains them."""


class UnitKind(NamedTuple):
    """How values of a unit are written, and what they mean."""

    form: str
    """For `format`."""
    meaning: str


UNITS: Final[dict[Unit, UnitKind]] = {
    "points": UnitKind("+.1f", "points that this is worth in all scorings to come"),
    "margin": UnitKind("+.1f", "points more than the others that it expects at the end"),
    "chance": UnitKind(".0%", "chance to win"),
    "result": UnitKind(
        ".2f", "how clearly it wins: 1 by far, 0.5 for a draw, 0 if it loses by far"
    ),
    "reward": UnitKind("+.2f", "reward that it expects, as in its training: winning and margin"),
}


class Candidate(NamedTuple):
    """A way to play that a player weighs: an action, or a whole turn.

    `Player.explain` returns a list of them, best first. All values in a list have the same unit.
    """

    actions: tuple[int, ...]
    """One action, or those of a turn up to its end, in order."""
    value: float | None = None
    """What it is worth to the seat to play; None if the player has not found that out."""
    unit: Unit | None = None
    """What `value` is measured in; None without a value."""
    probability: float | None = None
    """How likely the player's policy is to choose it."""
    samples: int | None = None
    """How many games were played on to find `value`; None if it was calculated in another way."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its actions."""
        return tuple(map(actions.name, self.actions))

    @property
    def value_text(self) -> str:
        """Its value with the unit, such as `+12.3 points`; empty without a value."""
        if self.value is None or self.unit is None:
            return ""
        return f"{self.value:{UNITS[self.unit].form}} {self.unit}"

    @property
    def probability_text(self) -> str:
        """Its probability, such as `12.3%`; empty without one."""
        return "" if self.probability is None else f"{self.probability:.1%}"

    @property
    def samples_text(self) -> str:
        """How many samples its value is from, such as `of 30 samples`; empty without any."""
        if self.samples is None:
            return ""
        return f"of {self.samples} sample{'' if self.samples == 1 else 's'}"

    def describe(self, game: "Game") -> tuple[str, ...]:
        """Return a sentence for each of its actions (`actions.describe`).

        `game` is in the position that was explained.
        """
        sentences = []
        for i, action in enumerate(self.actions):
            if i == 1:
                game = game.clone()
            if i > 0:
                game.step(self.actions[i - 1])
            sentences.append(actions.describe(action, game))
        return tuple(sentences)

    def as_dict(self, game: "Game") -> dict[str, Any]:
        """Return it as plain numbers, strings and lists, as JSON has them.

        The fields, `names`, and `sentences`: those of `describe` in the position of `game`.
        """
        return {
            "actions": list(self.actions),
            "names": list(self.names),
            "sentences": list(self.describe(game)),
            "value": self.value,
            "unit": self.unit,
            "probability": self.probability,
            "samples": self.samples,
        }

    def __str__(self) -> str:
        columns = []
        if self.probability_text:
            columns.append(f"{self.probability_text:>6}")
        if self.value_text:
            columns.append(f"{self.value_text:>13}")
        if self.samples_text:
            columns.append(f"{self.samples_text:>14}")
        return "  ".join([*columns, " ".join(self.names)])


def check_explainable(game: "Game") -> None:
    """Raise `ValueError` if the game is over."""
    if game.over:
        raise ValueError("the game is over: there is nothing to explain")
