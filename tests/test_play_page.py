"""The page in a browser: whole games by clicks, the keyboard, two tabs, and accessibility."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="needs the extra `play`")
pytest.importorskip("uvicorn", reason="needs the extra `play`")

from alhambra_env import Game
from alhambra_env.play.choices import choices_of
from alhambra_env.record import load_record
from tests.browser import grave_faults
from tests.play_tables import SECRET_TEXT, Served, play_on, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

HERE = "tests.play_tables"
SETTLED = "body:not([data-busy]):is([data-state=yours], [data-state=over], [data-state=failed])"
HIGHLIGHTED = "g.can:has(> .legal), #options button:not([data-key=cancel])"
SITES = "#mine g.can:has(> .site)"


def open_page(page: "Page", table: Served) -> None:
    page.goto(table.address)
    settle(page)


def settle(page: "Page") -> str:
    """Wait until the others have played; return what the page waits for."""
    page.wait_for_selector(SETTLED, state="attached", timeout=240_000)
    return page.locator("body").get_attribute("data-state") or ""


def highlighted(page: "Page") -> "Locator":
    return page.locator(HIGHLIGHTED)


def play_by_clicks(page: "Page", rng: random.Random, clicks: int = 2000) -> str:
    """Click what is highlighted until the game is over."""
    for _ in range(clicks):
        state = settle(page)
        if state != "yours":
            return state
        found = highlighted(page)
        found.nth(rng.randrange(found.count())).click()
    return settle(page)


def play_until(page: "Page", there: str) -> None:
    """Click what is highlighted until there is something."""
    rng = random.Random(1)
    for _ in range(400):
        settle(page)
        if page.locator(there).count():
            return
        play_by_clicks(page, rng, 1)
    raise AssertionError(f"no {there} in a game")


@pytest.fixture(scope="module")
def table() -> Iterator[Served]:
    """A table for tests that do not care how far the game is."""
    with served("human", "saver") as table:
        yield table


@pytest.mark.parametrize("players", [("human", "builder"), ("turns", "human", "builder", "turns")])
def test_a_whole_game_is_played_by_clicks_alone_and_its_record_replays(
    page: "Page", players: tuple[str, ...], tmp_path: Path
) -> None:
    with served(*players, folder=tmp_path, seed=11) as table:
        open_page(page, table)
        assert play_by_clicks(page, random.Random(7)) == "over"
        (saved,) = tmp_path.glob("*.json")
        scores = load_record(saved).scores
        rows = [text.split() for text in page.locator(".result tr").all_inner_texts()]
        assert sorted(int(re.findall(r"(\d+) points", " ".join(row))[0]) for row in rows) == sorted(
            scores
        )
        assert "seed 11" in page.locator("#options").inner_text()
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the record").click()
        assert load_record(download.value.path()).scores == scores
        page.get_by_role("button", name="Play again").click()
        page.wait_for_selector("body:not([data-state=over])", state="attached")
        assert settle(page) == "yours"
        assert table.session.table.game.seed != 11


def test_payments_are_offered_and_cards_of_the_hand_choose_among_them(page: "Page") -> None:
    with served("human", "saver", seed=seed_with_choice_of_payments()) as table:
        open_page(page, table)
        page.locator("#table g[data-slot].can:has(> .legal)").first.click()
        offered = page.locator(".list button")
        assert offered.count() >= 1
        assert "keeps" in offered.first.inner_text()
        cards = page.locator("#mine g[data-hand].can:has(> .legal)")
        while cards.count():
            cards.first.click()
        page.locator(".list button.primary").click()
        page.wait_for_selector("body[data-busy]", state="detached")
        assert re.search(r"Human: Buy", page.locator("#log").inner_text())
        page.get_by_role("button", name="Undo").click()
        settle(page)
        assert "Human: Buy" not in page.locator("#log").inner_text()


def seed_with_choice_of_payments() -> int:
    for seed in range(1000):
        game = Game(2, seed=seed)
        if game.to_play == 0 and len([a for a in game.legal_actions() if 15 <= a < 1167]) > 2:
            return seed
    raise AssertionError


def test_a_tile_is_dragged_to_its_cell(page: "Page") -> None:
    with served("human", "saver", seed=4) as table:
        open_page(page, table)
        play_until(page, SITES)
        tile = page.locator("#mine g[data-in=picked]")
        built = page.locator("#mine g[data-cell]:not(:has(> .site))").count()
        tile.hover()
        page.mouse.down()
        page.locator(SITES).first.hover()
        page.mouse.up()
        page.wait_for_selector(f"{SETTLED}:not(:has({SITES}))", state="attached")
        assert page.locator("#mine g[data-cell]:not(:has(> .site))").count() == built + 1


def test_a_tile_is_dragged_from_the_reserve(page: "Page") -> None:
    reserve = "#mine g[data-in=reserve].can"
    with served("human", "saver", seed=4) as table:
        open_page(page, table)
        play_until(page, reserve)
        page.locator(reserve).first.hover()
        page.mouse.down()
        page.mouse.move(5, 5, steps=3)
        page.wait_for_selector("#mine g[data-in=picked]")
        cell = page.locator("#mine g[data-cell].can").first
        cell.hover()
        page.mouse.up()
        page.wait_for_selector("#mine g[data-in=picked]", state="detached")
        assert re.search(r"Human: (Put|Swap) [^\n]*$", human_lines(page)[-1])


def human_lines(page: "Page") -> list[str]:
    lines = page.locator("#log > li").all_inner_texts()
    return [line for line in lines if line.startswith("Human")]


def test_a_tile_is_bought_and_placed_card_by_card_with_overpaying(page: "Page") -> None:
    overpay = "#options button[data-key^=hand]"
    with served("human", "saver", seed=seed_with_overpaying()) as table:
        open_page(page, table)
        page.locator("#table g[data-slot].can").first.click()
        page.locator(".list button", has_text="exact").first.click()
        page.locator(overpay).first.click()
        page.wait_for_selector("#mine g[data-in=picked]")
        assert "no further action" in human_lines(page)[-1]
        page.get_by_role("button", name="To Dirk").click()
        page.wait_for_selector("#mine g[data-in=picked]", state="detached")
        assert "to Dirk" in human_lines(page)[-1]


def seed_with_overpaying() -> int:
    """Return a seed whose first slot that the person can buy from can be paid exactly, and more."""
    for seed in range(10_000):
        game = Game(2, seed=seed)
        if game.to_play:
            continue
        for choice in choices_of(game):
            if choice.keys[0].startswith("slot:"):
                if choice.note.startswith("exact") and "keeps no" not in choice.note:
                    return seed
                break
    raise AssertionError


def test_turns_are_played_with_the_keyboard_alone(page: "Page") -> None:
    with served("human", "saver", seed=4) as table:
        open_page(page, table)
        history = table.session.table.game.history
        for _ in range(3):
            settle(page)
            before = len(history)
            press_until_focused(page, "g.can[data-open]")
            page.keyboard.press("ArrowRight")
            assert focused_is(page, "g.can[data-open]")
            page.keyboard.press("Space")
            if page.locator(".list button.primary").count():
                press_until_focused(page, ".list button.primary", "Shift+Tab")
                page.keyboard.press("Enter")
            settle(page)
            page.wait_for_timeout(50)
            settle(page)
            history = table.session.table.game.history
            assert len(history) > before
        press_until_focused(page, "g.can[data-open]")
        outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"


def focused_is(page: "Page", selector: str) -> bool:
    found: bool = page.evaluate("(selector) => document.activeElement.matches(selector)", selector)
    return found


def press_until_focused(page: "Page", selector: str, key: str = "Tab") -> None:
    for _ in range(60):
        if focused_is(page, selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{selector} cannot be reached with {key}")


def test_a_hint_is_told_and_marked(page: "Page") -> None:
    with served("human", "saver") as table:
        open_page(page, table)
        page.get_by_role("button", name="Hint").click()
        page.wait_for_selector("#advice ol")
        assert 1 <= page.locator("#advice li").count() <= 3
        assert "margin" in page.locator("#advice").inner_text()
        assert page.locator("g.can > .hinted").count() >= 1


def test_a_second_tab_sees_the_same_game_and_a_stale_one_is_told(
    page: "Page", browser: "Browser"
) -> None:
    with served("human", "saver") as table, browser.new_context() as context:
        open_page(page, table)
        # A tab that hears nothing of changes.
        stale = context.new_page()
        stale.route(re.compile(r"/state\?after=[1-9]"), lambda route: route.abort())
        open_page(stale, table)
        same = [each.locator("#mine svg").inner_html() for each in (page, stale)]
        assert same[0] == same[1]
        play_by_clicks(page, random.Random(0), 6)
        settle(page)
        version = table.session.version
        stale.get_by_text("All legal moves").click()
        stale.locator("#every button").first.click()
        stale.wait_for_selector("#problem:has-text('has changed in another tab')")
        assert stale.locator("body").get_attribute("data-version") == str(version)
        assert table.session.version == version
        page.reload()
        settle(page)
        assert page.locator("#mine svg").inner_html() == stale.locator("#mine svg").inner_html()


def test_a_new_game_is_started_from_the_dialog(page: "Page") -> None:
    with served("human", "saver") as table:
        open_page(page, table)
        page.get_by_role("button", name="New game").click()
        page.locator("#many").select_option("4")
        page.locator("#seats select").nth(2).select_option("human")
        page.locator("#seats select").nth(0).select_option("random")
        page.locator("#edition").select_option("polish")
        page.locator("#seed").fill("x")
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("#wrong:not(:empty)")
        assert "seed must be a whole number" in page.locator("#wrong").inner_text()
        page.locator("#seed").fill("77")
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("dialog:not([open])", state="attached")
        assert settle(page) == "yours"
        game = table.session.table.game
        assert (game.num_players, game.edition, game.seed) == (4, "polish", 77)
        assert table.session.table.seats.human == 2
        assert table.session.table.seats.specs[0] == "random"


def test_a_player_that_raises_is_shown_and_replaced(page: "Page") -> None:
    with served("human", f"{HERE}:Raising", seed=4) as table:
        open_page(page, table)
        assert play_by_clicks(page, random.Random(0), 40) == "failed"
        text = page.locator("main").inner_text()
        assert "raised an error (ZeroDivisionError)" in text
        assert SECRET_TEXT not in page.content()
        page.get_by_role("button", name="Let builder play on").click()
        page.wait_for_selector("body:not([data-state=failed])", state="attached")
        assert settle(page) == "yours"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_no_serious_fault(browser: "Browser", width: int, scheme: str) -> None:
    # The page allows no scripts but its own, and axe-core is one.
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,
    )
    with served("human", "saver", "builder", seed=4) as table, context:
        page = context.new_page()
        open_page(page, table)
        assert grave_faults(page) == []
        play_until(page, SITES)
        page.get_by_role("button", name="Hint").click()
        page.wait_for_selector("#advice ol")
        assert grave_faults(page) == []
        page.get_by_role("button", name="New game").click()
        assert grave_faults(page) == []
        page.get_by_role("button", name="Cancel").click()
        play_on(table.session, random.Random(1))
        page.wait_for_selector("body[data-state=over]", state="attached")
        assert grave_faults(page) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_of_the_page(page: "Page", table: Served, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    open_page(page, table)
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= width
