"""The window of the render mode `human`."""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from alhambra_env import ENV_ID, alhambra_v0
from alhambra_env.envs import rendering
from alhambra_env.envs.window import _Window
from alhambra_env.render.frames import draw_frame

pygame = pytest.importorskip("pygame", reason="needs the extra `window`")
pytest.importorskip("resvg_py", reason="needs the extra `render`")


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Window]:
    """A window that nobody sees, without a limit of frames a second."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = _Window()
    monkeypatch.setattr(rendering, "WINDOW", window)
    monkeypatch.setattr(rendering, "RENDER_FPS", 1000)
    yield window
    window.close()


def pixels() -> np.ndarray:
    return np.asarray(pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1))


def test_it_shows_the_drawing_after_each_step(
    window: _Window, capsys: pytest.CaptureFixture[str]
) -> None:
    env: Any = gymnasium.make(ENV_ID, render_mode="human")
    _, info = env.reset(seed=1)
    for _ in range(2):
        *_, info = env.step(int(info["action_mask"].argmax()))
        game = env.unwrapped.game
        assert np.array_equal(pixels(), draw_frame(game.snapshot(), last=game.last_action))
    assert capsys.readouterr().out == ""
    env.close()
    assert pygame.display.get_surface() is None


def test_environments_with_a_window_can_be_copied_and_pickled(window: _Window) -> None:
    env = alhambra_v0.env(render_mode="human")
    env.reset(seed=1)
    env.step(int(env.last()[4]["action_mask"].argmax()))
    assert pygame.display.get_surface() is not None
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        twin.step(int(twin.last()[4]["action_mask"].argmax()))
    env.close()


def test_a_window_that_was_closed_stays_closed_until_the_environment_is(window: _Window) -> None:
    env: Any = alhambra_v0.env(render_mode="human")
    env.reset(seed=1)
    env.render()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert pygame.display.get_surface() is None
    env.render()
    assert pygame.display.get_surface() is None
    env.close()
    env.render()
    assert pygame.display.get_surface() is not None


def test_tables_of_another_size_get_a_window_of_theirs(window: _Window) -> None:
    sizes = set()
    for players in (2, 6):
        env = alhambra_v0.env(num_players=players, render_mode="human")
        env.reset(seed=1)
        env.render()
        sizes.add(pygame.display.get_surface().get_size())
    assert len(sizes) == 2


def test_frames_are_shown_no_faster_than_asked(window: _Window) -> None:
    waited: list[float] = []
    frame = np.zeros((20, 20, 3), np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", waited.append)
        for _ in range(2):
            assert window.show(lambda: frame, 0.1)
    assert waited[0] == 0
    assert 5 < waited[1] <= 10


def test_without_a_screen_the_text_is_printed(
    window: _Window, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")
    env = alhambra_v0.env(render_mode="human")
    env.reset(seed=1)
    env.render()
    assert capsys.readouterr().out == f"{env.game}\n"
