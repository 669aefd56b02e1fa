"""Makes the pictures of the documentation, in `docs/gallery`: `make docs`.

Figures are drawn from games that are played here; pages are photographed in Chromium. Without a
browser, the pictures of pages stay as they are.
"""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from PIL import Image

from alhambra_env import Game, actions
from alhambra_env.files import write_whole
from alhambra_env.pages import replay_page
from alhambra_env.pages.replay import DEFAULT_CHANCES
from alhambra_env.pages.story import positions_of
from alhambra_env.play.session import Session
from alhambra_env.players import as_player
from alhambra_env.record import Record, save_record
from alhambra_env.render.picture import as_png
from alhambra_env.render.theme import Theme
from tests.browser import FLAGS, find_browser, missing
from tests.play_tables import served, settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

FOLDER: Final = Path(__file__).resolve().parent / "gallery"
SEED: Final = 11
PLAYERS: Final = ("turns", "lookahead", "planner", "builder")
_COLOURS: Final = 128  # of a picture: plenty for flat areas, and a third of the size
_SHOWN: Final = 96  # the action that the pictures of the replay page show
_PURCHASE_AFTER: Final = 40  # turns, in the pictures of the page to play on


class Screen(NamedTuple):
    """How a page is photographed."""

    width: int
    height: int
    scheme: Literal["light", "dark"]


SCREENS: Final = (Screen(1280, 860, "light"), Screen(390, 844, "dark"))


class Figure(NamedTuple):
    """A picture of a position."""

    name: str
    players: int
    share: float
    """Of the game's actions that have been played."""
    theme: Theme = "light"
    observer: int | None = None


FIGURES: Final = (
    Figure("position", 4, 0.8),
    Figure("opening", 3, 0.03),
    Figure("dirk", 2, 0.7),
    Figure("six_players", 6, 0.9),
    Figure("observer_dark", 4, 0.6, "dark", 0),
)


def play_game(num_players: int) -> Record:
    """Play a game of the shipped agent and bots."""
    names = [PLAYERS[seat % len(PLAYERS)] for seat in range(num_players)]
    players = [as_player(name) for name in names]
    for seat, player in enumerate(players):
        player.begin(seat)
    game = Game(num_players, seed=SEED)
    while not game.over:
        game.step(players[game.to_play].choose(game.clone()))
    return Record(game, names)


def save_picture(name: str, png: bytes) -> None:
    """Write a picture with few colours, which makes it small."""
    out = BytesIO()
    with Image.open(BytesIO(png)) as picture:
        picture.convert("RGB").quantize(_COLOURS).save(out, "PNG", optimize=True)
    write_whole(FOLDER / f"{name}.png", out.getvalue())


def draw_figures(games: dict[int, Record]) -> None:
    """Draw all figures."""
    for figure in FIGURES:
        game, names = games[figure.players]
        position = positions_of(game)[round(figure.share * len(game.history))]
        svg = position.svg(figure.observer, names=names, theme=figure.theme)
        save_picture(figure.name, as_png(svg))


def open_tab(browser: "Browser", screen: Screen) -> "Page":
    """Return an empty tab with the size and the colours of a screen."""
    size: ViewportSize = {"width": screen.width, "height": screen.height}
    return browser.new_page(viewport=size, color_scheme=screen.scheme)


def photograph_replay(browser: "Browser", page: Path) -> None:
    """Photograph the replay page in the middle of its game."""
    for screen in SCREENS:
        tab = open_tab(browser, screen)
        tab.goto(f"{page.as_uri()}#ply={_SHOWN}")
        tab.wait_for_selector("html:not(.loading)")
        save_picture(f"replay_{screen.width}", tab.screenshot())
        tab.close()


def slot_of(action: int) -> int | None:
    """Return the slot that an action buys from, if it does."""
    kind, args = actions.decode(action)
    return int(args[0]) if kind == "buy" else None


def play_to_purchase(session: Session) -> int:
    """Play a person's game like `turns`, up to a purchase in the middle; return its slot."""
    adviser = as_player("turns")
    adviser.begin(SEED)
    while settle(session)["state"] == "yours":
        game = session.table.game
        action = adviser.choose(game.clone())
        slot = slot_of(action)
        payments = [each for each in game.legal_actions() if slot_of(each) == slot]
        if slot is not None and len(payments) > 2 and game.state.turn > _PURCHASE_AFTER:
            return slot
        session.act(session.version, action)
    raise AssertionError(f"seed {SEED} has no such purchase")


def photograph_play(browser: "Browser") -> None:
    """Photograph the page to play on, with a purchase under way."""
    with served("Ada=human", "turns", "lookahead", seed=SEED) as table:
        slot = play_to_purchase(table.session)
        for screen in SCREENS:
            tab = open_tab(browser, screen)
            tab.goto(table.address)
            tab.locator(f"g[data-slot='{slot}'].can").click()
            tab.wait_for_selector(".list button")
            save_picture(f"play_{screen.width}", tab.screenshot())
            tab.close()


def main() -> None:
    """Make all pictures, the record of a game and its replay."""
    FOLDER.mkdir(exist_ok=True)
    games = {players: play_game(players) for players in {each.players for each in FIGURES}}
    draw_figures(games)
    record = games[4]
    save_record(record.game, FOLDER / "game.json", record.players)
    replay = FOLDER / "replay.html"
    write_whole(replay, replay_page(record, chances=DEFAULT_CHANCES))
    if parts := missing():
        print(f"The pictures of pages stay as they are: there is no {', '.join(parts)}")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        photograph_replay(browser, replay)
        photograph_play(browser)
        browser.close()


if __name__ == "__main__":
    main()
