"""Pictures of the table, for render modes and wrappers that want pixels."""

import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

from alhambra_env import ENV_ID, Game, alhambra_v0
from alhambra_env.render import bitmap


def test_a_picture_shows_the_table_in_black_and_white() -> None:
    picture = bitmap.text_as_picture(str(Game(6, seed=1)))
    assert picture.shape == bitmap.SHAPE
    assert picture.dtype == np.uint8
    assert set(np.unique(picture)) <= {0, 255}
    assert 0.01 < (picture == 0).mean() < 0.5
    assert (bitmap.text_as_picture("") == 255).all()


def test_without_pillow_it_is_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert (bitmap.text_as_picture("text") == 255).all()


def test_the_environments_return_pictures() -> None:
    single: Any = gymnasium.make(ENV_ID, render_mode="rgb_array")
    single.reset(seed=1)
    env = alhambra_v0.env(render_mode="rgb_array")
    env.reset(seed=1)
    for picture in (single.render(), env.render()):
        assert picture.shape == bitmap.SHAPE
        assert (picture == 0).any()


def test_gymnasium_collects_frames() -> None:
    env = gymnasium.wrappers.RenderCollection(gymnasium.make(ENV_ID, render_mode="rgb_array"))
    _, info = env.reset(seed=1)
    for _ in range(3):
        *_, info = env.step(info["action_mask"].argmax())
    frames: Any = env.render()
    assert len(frames) == 4
