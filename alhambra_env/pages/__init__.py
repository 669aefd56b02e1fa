"""Web pages of games: single files that load nothing from the network.

    from alhambra_env.pages import replay_page

    html = replay_page(read_record("game.json"))
"""

from .replay import DEFAULT_CHANCES, replay_page

__all__ = ["DEFAULT_CHANCES", "replay_page"]
