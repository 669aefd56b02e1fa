"""The progress display of a training run."""

from types import TracebackType
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .checkpoint import Row
from .config import ImitationSettings, RunConfig

_LINES: Final = 0.1
"""Without a terminal, a line is printed for each such share of the imitation."""


class Display:
    """A progress bar with the latest win rates, and a line for each evaluation."""

    def __init__(self, config: RunConfig, is_shown: bool = True) -> None:
        """Create the display of a run; nothing is printed unless `is_shown`."""
        self._config = config
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[news]}", markup=False),
            console=Console(quiet=not is_shown),
        )
        self._next_line = _LINES
        self._imitation = self._bar.add_task("imitate", total=None, visible=False, news="")
        self._learning = self._bar.add_task("learn", total=None, visible=False, news="")

    def __enter__(self) -> "Display":
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._bar.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def imitated(
        self, settings: ImitationSettings, decisions: int, agreement: float, error: float
    ) -> None:
        """Show the progress of imitation."""
        total = settings.decisions
        news = f"as {settings.teacher}: {agreement:.1%}, error of values {error:.2f}"
        if not self._bar.console.is_terminal and decisions >= self._next_line * total:
            self.say(f"{min(decisions, total):>10,} decisions copied, {news}")
            self._next_line += _LINES
        self._bar.update(
            self._imitation, completed=min(decisions, total), total=total, visible=True, news=news
        )

    def learnt(self, row: Row) -> None:
        """Show a row of the learning curve."""
        rates = [
            f"{row[key]:.1%} {key.removeprefix('wins ')}" for key in row if key.startswith("wins a")
        ]
        if rates:
            when = f"{row['steps']:>10,} decisions, {row['seconds']:,.0f} s"
            self.say(f"{when}: won {', '.join(rates)}")
        steps = self._config.ppo.steps
        news = f"wins {row['wins']:.1%}" if "wins" in row else ""
        self._bar.update(
            self._learning, completed=min(row["steps"], steps), total=steps, visible=True, news=news
        )
