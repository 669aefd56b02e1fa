"""How trained players are named."""

import shutil
from pathlib import Path

import pytest

from alhambra_env.agents.loading import load_player
from alhambra_env.agents.player import TrainedPlayer

AGENT = Path("checkpoints/ppo_2p")


@pytest.mark.parametrize("name", ["host,x", "host,sample", "a,b,c", "x,search=3"])
@pytest.mark.parametrize("option", ["", ",sample", ",search=2"])
def test_a_folder_may_have_commas_in_its_name(name: str, option: str, tmp_path: Path) -> None:
    shutil.copytree(AGENT, tmp_path / name)
    player = load_player(f"{tmp_path / name}{option}")
    assert isinstance(player, TrainedPlayer)
    assert player.num_players == 2
    with pytest.raises(ValueError, match="unknown option of a trained player 'y'"):
        load_player(f"{tmp_path / name},y")


@pytest.mark.parametrize("option", ["x", "sampel", "sample,search=3", ""])
def test_an_option_that_does_not_exist_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match="unknown option of a trained player"):
        load_player(f"{AGENT},{option}")


@pytest.mark.parametrize("option", ["search=3", "search=0.2s", "sample"])
def test_an_option_after_a_colon_is_refused_with_what_to_write(option: str) -> None:
    with pytest.raises(ValueError, match=f"comes after a comma: ppo:{AGENT},{option}"):
        load_player(f"{AGENT}:{option}")


@pytest.mark.parametrize("name", ["z" * 10_000, "a\0b"])
def test_a_name_that_no_folder_can_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="checkpoint"):
        load_player(name)
