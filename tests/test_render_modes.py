"""Pictures of the table, for render modes, wrappers and videos."""

import sys
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np
import pytest

from alhambra_env import ENV_ID, Game, alhambra_turns_v0, alhambra_v0
from alhambra_env.envs.registration import TURNS_ENV_ID
from alhambra_env.extras import MissingExtra
from alhambra_env.render.frames import FRAME_WIDTH, draw_frame
from alhambra_env.render.picture import as_array, as_pdf, as_png
from tests.drawings import late, moments, tree

needs_resvg = pytest.mark.skipif(
    find_spec("resvg_py") is None, reason="needs resvg-py, of the extra `render`"
)


def environments(mode: str) -> list[Any]:
    """Return a started environment of each kind."""
    made: list[Any] = [gymnasium.make(name, render_mode=mode) for name in (ENV_ID, TURNS_ENV_ID)]
    for kind in (alhambra_v0, alhambra_turns_v0):
        made.append(kind.env(render_mode=mode))
    for env in made:
        env.reset(seed=1)
    return made


@needs_resvg
def test_all_environments_return_pixels() -> None:
    for env in environments("rgb_array"):
        picture = env.render()
        assert picture.dtype == np.uint8
        assert picture.shape[1:] == (FRAME_WIDTH, 3)
        assert picture.shape[0] % 2 == 0
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100


def test_all_environments_return_svg_with_all_hands() -> None:
    for env in environments("svg"):
        drawn = env.render()
        assert tree(drawn).tag == "svg"
        assert "face down" not in drawn


@needs_resvg
def test_a_frame_shows_what_a_figure_shows() -> None:
    game = late(4)
    frame = draw_frame(game.snapshot(), last=game.last_action).astype(int)
    figure = as_array(game.svg(width=FRAME_WIDTH)).astype(int)
    assert abs(frame.shape[0] - figure.shape[0]) <= 1
    rows = min(len(frame), len(figure))
    # Panels are placed on whole pixels, so edges differ a little.
    assert np.abs(frame[:rows] - figure[:rows]).mean() < 4
    other = draw_frame(late(4, seed=1).snapshot()).astype(int)
    assert np.abs(frame - other).mean() > 8


@needs_resvg
@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_all_frames_of_a_game_have_the_same_even_size(num_players: int) -> None:
    frames = [draw_frame(game.snapshot()) for game in moments(num_players, every=150)]
    (shape,) = {frame.shape for frame in frames}
    assert shape[0] % 2 == shape[1] % 2 == 0
    assert (frames[0] != frames[-1]).any()


@needs_resvg
@pytest.mark.parametrize("width", [400, 800, 1280])
def test_a_frame_is_as_wide_as_asked_for(width: int) -> None:
    height, wide, _ = draw_frame(late(3).snapshot(), width=width).shape
    assert wide == width
    assert height % 2 == 0


@needs_resvg
def test_text_is_drawn_without_the_fonts_of_the_system() -> None:
    game = Game(2, seed=1)
    plain = as_array(game.svg()).astype(int)
    named = as_array(game.svg(names=["Ada", "Zoë"])).astype(int)
    other = as_array(game.svg(names=["Ada", "Ли"])).astype(int)
    assert 20 < (plain != named).any(axis=2).sum() < 3000
    assert (named != other).any()


def test_without_resvg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtra, match=r"alhambra-env\[render\]"):
        as_png(Game(2, seed=1).svg())


def test_without_svglib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "svglib", None)
    with pytest.raises(MissingExtra, match=r"alhambra-env\[render\]"):
        as_pdf(Game(2, seed=1).svg())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_pdf_has_vectors_and_its_own_font_and_no_picture(theme: Any) -> None:
    pytest.importorskip("svglib", reason="needs svglib, of the extra `render`")
    pdf = as_pdf(late(3).svg(theme=theme))
    assert pdf.startswith(b"%PDF")
    assert b"Roboto" in pdf
    assert b"/FontFile2" in pdf
    assert b"/Subtype /Image" not in pdf


@needs_resvg
def test_gymnasium_collects_frames() -> None:
    env = gymnasium.wrappers.RenderCollection(gymnasium.make(ENV_ID, render_mode="rgb_array"))
    _, info = env.reset(seed=1)
    for _ in range(3):
        *_, info = env.step(info["action_mask"].argmax())
    frames: Any = env.render()
    assert len(frames) == 4


@needs_resvg
def test_pettingzoo_renders() -> None:
    from pettingzoo.test import render_test

    render_test(alhambra_v0.env)
