"""The replay page in a browser: a reader goes through a game in every way there is."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from alhambra_env import Game, actions
from alhambra_env.engine.material import BUILDINGS, TILES
from alhambra_env.pages import replay_page
from alhambra_env.record import load_record, save_record
from alhambra_env.render.theme import COLOURS
from tests.browser import grave_faults
from tests.replays import HOSTILE, Thinker, played, positions

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES: Final = ["ann", HOSTILE, "carl", "dora"]

Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A game of four, as its record says."""
    path = tmp_path_factory.mktemp("record") / "game.json"
    save_record(played(4), path, NAMES)
    return load_record(path)


@pytest.fixture(scope="module")
def file(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "game.html"
    html = replay_page(game, NAMES, explainers=[Thinker()] * 4, chances=2)
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture
def replay(page: "Page", file: Path) -> "Iterator[Page]":
    """The page, opened; it asks for nothing but itself, and never scrolls sideways."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(page, file)
    yield page
    assert [url.partition("#")[0] for url in asked if not url.startswith("data:")] == [
        file.as_uri()
    ] * len([url for url in asked if not url.startswith("data:")])


def open_page(page: "Page", file: Path, ply: int | None = None) -> "Page":
    page.goto(file.as_uri() + ("" if ply is None else f"#ply={ply}"))
    page.wait_for_selector("html.ready", state="attached")
    return page


def ply_of(page: "Page") -> int:
    return int(page.locator("#count").inner_text().split(" / ")[0])


def scores_of(page: "Page") -> list[int]:
    return [int(text) for text in page.locator("#standing tbody td:nth-child(2)").all_inner_texts()]


def said(page: "Page") -> str:
    return page.locator("#said").inner_text()


def wait_for_ply(page: "Page", ply: int) -> None:
    page.wait_for_function(
        "ply => document.getElementById('count').textContent.startsWith(ply + ' / ')", arg=ply
    )


# --- a whole game ---------------------------------------------------------------------------------


def test_the_keyboard_goes_through_the_whole_game_to_its_result(replay: "Page", game: Game) -> None:
    steps = positions(game)
    for ply, step in enumerate(steps):
        assert ply_of(replay) == ply
        assert scores_of(replay) == step.scores
        if ply:
            assert actions.describe(game.history[ply - 1], steps[ply - 1]) in said(replay)
        replay.keyboard.press("ArrowRight")
    assert ply_of(replay) == len(game.history)  # there is nothing after the end
    winner = NAMES[game.winners[0]]
    assert f"{winner} wins with {max(game.scores)} points" in said(replay)
    for seat, score in enumerate(game.scores):
        panel = replay.locator(f"[data-panel=seat-{seat}] svg").get_attribute("aria-label") or ""
        assert panel.startswith(f"{NAMES[seat]}: {score} points")
    for expected in reversed(range(len(game.history))):
        replay.keyboard.press("ArrowLeft")
        if expected % 40 == 0:
            assert ply_of(replay) == expected
            assert scores_of(replay) == steps[expected].scores


def test_buttons_and_keys_do_the_same(replay: "Page", game: Game) -> None:
    end = len(game.history)
    for button, key, start, ply in [
        ("Last position", "End", 5, end),
        ("First position", "Home", 5, 0),
        ("Forward", "ArrowRight", 5, 6),
        ("Back", "ArrowLeft", 5, 4),
        ("Back", "ArrowLeft", 0, 0),
        ("Forward", "ArrowRight", end, end),
    ]:
        for is_key in (False, True):
            replay.locator("#slider").fill(str(start))
            replay.locator("#slider").blur()
            if is_key:
                replay.keyboard.press(key)
            else:
                replay.get_by_role("button", name=button, exact=True).click(force=True)
            assert ply_of(replay) == ply


def test_the_slider_and_its_marks_lead_to_a_position(replay: "Page", game: Game) -> None:
    slider = replay.locator("#slider")
    slider.fill("33")
    assert ply_of(replay) == 33
    slider.focus()
    replay.keyboard.press("ArrowRight")
    assert ply_of(replay) == 34
    assert slider.input_value() == "34"
    assert (slider.get_attribute("aria-valuetext") or "").startswith("Move 34 of ")
    steps = positions(game)
    for number in (1, 2, 3):
        replay.get_by_role("button", name=f"Scoring {number}").click()
        assert steps[ply_of(replay)].rounds_scored == number
        assert steps[ply_of(replay) - 1].rounds_scored == number - 1
        assert f"Round {number} scored" in said(replay)


def test_a_link_leads_to_a_position_and_follows_it(page: "Page", file: Path, game: Game) -> None:
    open_page(page, file, 57)
    assert ply_of(page) == 57
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#ply=58")
    page.evaluate("() => { location.hash = '#ply=12' }")
    wait_for_ply(page, 12)
    page.evaluate("() => { location.hash = '#ply=999999' }")
    wait_for_ply(page, len(game.history))
    page.evaluate("() => { location.hash = '#ply=<img>' }")
    assert ply_of(page) == len(game.history)


def test_the_list_shows_the_move_and_leads_to_others(replay: "Page", game: Game) -> None:
    replay.locator("#moves button").nth(80).click()
    assert ply_of(replay) == 80
    current = replay.locator("#moves [aria-current]")
    assert current.count() == 1
    replay.keyboard.press("ArrowDown")  # the list has the focus
    assert ply_of(replay) == 81
    assert current.evaluate("item => item === document.activeElement")
    replay.get_by_role("button", name="Last position").click()
    is_visible = """item => {
        const [a, b] = [item, document.getElementById("moves")].map(e => e.getBoundingClientRect());
        return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
    }"""
    assert current.evaluate(is_visible)
    assert replay.evaluate("() => window.scrollY") == 0  # only the list has scrolled
    turns = {(int(step.state.turn), step.to_play) for step in positions(game)[:-1]}
    assert replay.locator("#moves .turn p").count() >= len(turns)
    assert replay.locator("#moves .scoring").count() == 3


def test_the_chart_leads_to_a_position(replay: "Page", game: Game) -> None:
    assert replay.locator(".plot").count() == 2
    for number in (0, 1):
        plot = replay.locator(".plot").nth(number)
        box = plot.bounding_box()
        assert box is not None
        plot.click(position={"x": box["width"] * (0.25 + 0.5 * number), "y": box["height"] / 2})
        share = ply_of(replay) / len(game.history)
        assert share == pytest.approx(0.2 + 0.55 * number, abs=0.12)
        assert f"at move {ply_of(replay)}: ann " in (plot.get_attribute("aria-label") or "")


# --- playing --------------------------------------------------------------------------------------


def test_play_goes_on_until_it_is_paused(replay: "Page") -> None:
    replay.locator("#speed").select_option("10")
    replay.get_by_role("button", name="Play", exact=True).click()
    wait_for_ply(replay, 3)
    replay.get_by_role("button", name="Pause", exact=True).click()
    stopped = ply_of(replay)
    replay.wait_for_timeout(400)
    assert ply_of(replay) == stopped
    replay.locator("h1").click()
    replay.keyboard.press("Space")
    wait_for_ply(replay, stopped + 2)
    replay.keyboard.press("Space")
    assert replay.get_by_role("button", name="Play", exact=True).count() == 1


def test_play_stops_at_the_end_and_starts_again_from_there(
    page: "Page", file: Path, game: Game
) -> None:
    end = len(game.history)
    open_page(page, file, end - 2).locator("#speed").select_option("10")
    play = page.locator("#play")
    play.click()
    wait_for_ply(page, end)
    page.wait_for_selector("#play[aria-label=Play]")
    play.click()
    wait_for_ply(page, 1)
    page.keyboard.press("End")  # going elsewhere stops the play
    assert play.get_attribute("aria-label") == "Play"


# --- views ----------------------------------------------------------------------------------------


def test_the_view_of_a_seat_has_no_card_of_another_hand_in_the_page(
    replay: "Page", game: Game
) -> None:
    faces = "use[href^='#a-m']"
    replay.locator("#slider").fill("60")
    for seat in range(4):
        assert replay.locator(f"[data-panel=seat-{seat}] {faces}").count() > 0
    for seat in range(4):
        replay.locator("#view").select_option(str(seat))
        for ply in (0, 60, 61, len(game.history)):
            replay.locator("#slider").fill(str(ply))
            hand = sum(map(sum, positions(game)[ply].snapshot()["hands"][seat]))
            assert (replay.locator(f"[data-panel=seat-{seat}] {faces}").count() > 0) == (hand > 0)
            for other in {0, 1, 2, 3} - {seat}:
                assert replay.locator(f"[data-panel=seat-{other}] {faces}").count() == 0


def test_the_view_of_a_seat_has_neither_thoughts_of_others_nor_chances(
    replay: "Page", game: Game
) -> None:
    steps = positions(game)
    replay.locator("#view").select_option("2")
    for ply in range(20, 40):
        replay.locator("#slider").fill(str(ply))
        mine = steps[ply - 1].to_play == 2
        is_shown = replay.locator("#weighed table").count() == 1
        assert is_shown == (mine and len(steps[ply - 1].legal_actions()) > 1)
    assert set(replay.locator("#standing tbody td:nth-child(3)").all_inner_texts()) == {"-"}
    assert replay.locator(".plot").nth(1).is_hidden()
    replay.locator("#view").select_option("")
    assert "-" not in replay.locator("#standing").inner_text()
    assert replay.locator(".plot").nth(1).is_visible()


def test_what_a_player_weighed_is_beside_its_move(replay: "Page", game: Game) -> None:
    steps = positions(game)
    ply = next(n for n in range(30, 60) if len(steps[n - 1].legal_actions()) > 6)
    replay.locator("#slider").fill(str(ply))
    rows = replay.locator("#weighed tbody tr")
    assert rows.count() == 5
    played_row = replay.locator("#weighed tr.played")
    sentence = actions.describe(game.history[ply - 1], steps[ply - 1])
    assert sentence.partition(":")[0] in played_row.inner_text()
    assert "played" in played_row.inner_text()
    count = len(steps[ply - 1].legal_actions())
    assert replay.locator("#thoughts-title").inner_text() == f"thinker weighed {count} ways to play"
    assert f"{100 / count:.1f}%" in rows.first.inner_text()
    assert "Points: points that this is worth" in replay.locator("#weighed").inner_text()


# --- how it looks ---------------------------------------------------------------------------------


def test_tiles_have_the_colours_of_their_types(replay: "Page", game: Game) -> None:
    image = pytest.importorskip("PIL.Image")
    for scheme in ("light", "dark"):
        replay.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        drawn = image.open(BytesIO(replay.locator("[data-panel=table]").screenshot()))
        count = dict(map(reversed, drawn.convert("RGB").getcolors(1 << 24)))
        for tile in positions(game)[0].snapshot()["market"]:
            colour = getattr(COLOURS[f"b{BUILDINGS.index(TILES[tile].building)}"], scheme)
            assert count.get(tuple(bytes.fromhex(colour[1:])), 0) > 500  # pixels


def test_names_are_shown_as_text(replay: "Page") -> None:
    assert HOSTILE in replay.locator("#standing").inner_text()
    assert replay.locator("img").count() == 0
    assert replay.title() == f"Alhambra: {', '.join(NAMES)}"


def test_it_is_dark_if_the_system_is_or_the_reader_says_so(replay: "Page") -> None:
    back = "() => getComputedStyle(document.body).backgroundColor"
    light = replay.evaluate(back)
    replay.emulate_media(color_scheme="dark")
    dark = replay.evaluate(back)
    assert dark != light
    replay.locator("#theme").select_option("light")
    assert replay.evaluate(back) == light
    replay.emulate_media(color_scheme="light")
    replay.locator("#theme").select_option("dark")
    assert replay.evaluate(back) == dark
    replay.locator("#theme").select_option("")
    assert replay.evaluate(back) == light


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 800, 390])
def test_it_is_accessible_and_fits_on_every_screen(
    replay: "Page", width: int, scheme: str, game: Game
) -> None:
    replay.set_viewport_size({"width": width, "height": 800})
    replay.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for ply in (0, 70, len(game.history)):
        replay.locator("#slider").fill(str(ply))
        assert replay.evaluate("() => document.documentElement.scrollWidth") <= width
    assert grave_faults(replay) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_jumps_from_move_to_move(replay: "Page", width: int, game: Game) -> None:
    replay.set_viewport_size({"width": width, "height": 800})
    places = """() => [...document.querySelectorAll(".panel, section, #controls, #slider")]
        .map(e => e.getBoundingClientRect()).map(r => [r.x, r.y, r.width, r.height])"""
    replay.wait_for_function("() => document.querySelectorAll('.marker[d]').length === 2")
    first = replay.evaluate(places)
    for ply in range(1, len(game.history) + 1, 12):
        replay.locator("#slider").fill(str(ply))
        assert replay.evaluate(places) == first


def test_nothing_moves_by_itself_if_the_reader_wants_that(replay: "Page") -> None:
    duration = "() => getComputedStyle(document.getElementById('play')).transitionDuration"
    assert replay.evaluate(duration) != "0s"
    replay.emulate_media(reduced_motion="reduce")
    assert replay.evaluate(duration) == "0s"


def test_moves_are_read_out_but_not_while_it_plays(replay: "Page") -> None:
    live = replay.locator("#said")
    assert live.get_attribute("aria-live") == "polite"
    replay.keyboard.press("Space")
    assert live.get_attribute("aria-live") == "off"
    replay.keyboard.press("Space")
    assert live.get_attribute("aria-live") == "polite"


def test_an_old_browser_is_told_what_it_lacks(page: "Page", file: Path) -> None:
    page.add_init_script("delete window.DecompressionStream")
    page.goto(file.as_uri())
    page.wait_for_selector("#notice", state="visible")
    assert "needs a browser" in page.locator("#notice").inner_text()
    assert page.locator("#result").is_visible()


# --- other games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 5, 6])
def test_every_number_of_players_has_a_page(page: "Page", tmp_path: Path, num_players: int) -> None:
    game = Game(num_players, seed=2)
    for _ in range(30):
        game.step(game.legal_actions()[0])
    file = tmp_path / "game.html"
    file.write_text(replay_page(game), encoding="utf-8")
    open_page(page, file)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.keyboard.press("End")
        assert ply_of(page) == 30
        assert page.locator(".panel").count() == num_players + 2 + (num_players == 2)
        assert page.locator("#thoughts").count() == 0
        assert page.locator(".plot").count() == 1
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_a_game_without_actions_has_a_page(page: "Page", tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(replay_page(Game(3, seed=0)), encoding="utf-8")
    open_page(page, file)
    for key in ("End", "ArrowRight", "ArrowLeft", "Home", "Space"):
        page.keyboard.press(key)
    assert page.locator("#count").inner_text() == "0 / 0"
    assert said(page) == "Set-up: The game begins"
