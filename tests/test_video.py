"""Gymnasium's wrappers that collect pictures work on a made environment."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo, RenderCollection

from alhambra_env import ENV_ID

pytest.importorskip("resvg_py", reason="needs resvg-py, of the extra `render`")


def play(env: gymnasium.Env[Any, Any]) -> int:
    """Play a game; return how many decisions it took."""
    _, info = env.reset(seed=0)
    steps, done = 0, False
    while not done:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        steps, done = steps + 1, terminated or truncated
    return steps


def make(**settings: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(ENV_ID, render_mode="rgb_array", max_turns=9, **settings)


def test_every_picture_of_an_episode_has_the_same_size() -> None:
    env = RenderCollection(make(), pop_frames=False)
    steps = play(env)
    frames: Any = env.render()
    assert len(frames) == steps + 1
    assert {frame.shape for frame in frames} == {frames[0].shape}
    assert frames[0].dtype == np.uint8
    assert frames[0].shape[2] == 3
    assert (frames[0] != frames[-1]).any()


def test_a_video_is_recorded(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="needs moviepy, which writes the files")
    env = RecordVideo(
        make(), str(tmp_path / "videos"), episode_trigger=lambda episode: True, disable_logger=True
    )
    for _ in range(2):
        play(env)
    env.close()  # type: ignore[no-untyped-call]  # Gymnasium gives it no types
    videos = sorted((tmp_path / "videos").glob("*.mp4"))
    assert len(videos) == 2
    assert all(video.stat().st_size > 1000 for video in videos)
