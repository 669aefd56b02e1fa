"""`alhambra bots`."""

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..bots import BOTS
from ..bots.kinds import SETTINGS
from .command import console


def bots() -> None:
    """List the bots and their settings.

    A setting is written after a colon: rollout:playouts=100,hands=open

    Example: alhambra bots
    """
    table = Table("bot", "what it does", "settings", box=SIMPLE_HEAD)
    for kind in BOTS:
        table.add_row(kind.name, kind.does, ", ".join(kind.settings))
    screen = console()
    screen.print(table)
    used = [setting for setting in SETTINGS if any(setting.name in b.settings for b in BOTS)]
    if used:
        settings = Table("setting", "default", "meaning", box=SIMPLE_HEAD)
        for setting in used:
            settings.add_row(setting.name, str(setting.default), setting.meaning)
        screen.print(settings)
