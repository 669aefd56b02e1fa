"""What the PettingZoo environments print and draw."""

import pytest

from tests.aec_games import Maker, both, ended, play_some, started


@both
def test_ansi_returns_the_table_as_text(make: Maker, capsys: pytest.CaptureFixture[str]) -> None:
    env = started(make, seed=2, steps=30, render_mode="ansi")
    assert env.render_mode == "ansi"
    assert env.render() == str(env.game)
    assert "Market" in env.render()
    assert capsys.readouterr().out == ""


@both
def test_human_prints_the_table_after_each_step(
    make: Maker, capsys: pytest.CaptureFixture[str]
) -> None:
    env = started(make, seed=2, render_mode="human")
    capsys.readouterr()
    play_some(env, 1)
    assert capsys.readouterr().out == f"{env.game}\n"
    assert env.render() is None
    assert capsys.readouterr().out == f"{env.game}\n"


@both
def test_nothing_is_rendered_without_a_mode(
    make: Maker, capsys: pytest.CaptureFixture[str]
) -> None:
    env = started(make, seed=2, steps=3)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    assert capsys.readouterr().out == ""


@both
def test_every_render_mode_in_the_metadata_works(make: Maker) -> None:
    for mode in make().metadata["render_modes"]:
        env = ended(make, seed=2, render_mode=mode, max_turns=3)
        env.render()
        env.close()
