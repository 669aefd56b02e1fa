"""The shipped agents: found by name, and played without PyTorch."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from alhambra_env import Game
from alhambra_env.agents.shipped import AGENT_NAMES, shipped_agent, trained_for
from alhambra_env.arena import match
from alhambra_env.envs.single import SingleEnv
from alhambra_env.players import as_player

CHECKPOINTS = Path(__file__).resolve().parent.parent / "checkpoints"

WITHOUT_TORCH = """
import sys
for name in ("torch", "stable_baselines3", "pydantic", "tensorboard", "yaml", "training"):
    sys.modules[name] = None
from alhambra_env import Game
from alhambra_env.players import as_player
player, game = as_player("ppo_2p"), Game(2, seed=1)
player.begin(0)
for _ in range(20):
    game.step(player.choose(game))
print(game.history)
"""


def test_the_names_are_those_of_the_checkpoints_in_the_repository() -> None:
    shipped = {*CHECKPOINTS.glob("ppo_?p"), *CHECKPOINTS.glob("turns*")}
    assert tuple(sorted(path.name for path in shipped)) == AGENT_NAMES
    assert {trained_for(name) for name in AGENT_NAMES} == {2, 3, 4, None}


@pytest.mark.parametrize("name", AGENT_NAMES)
@pytest.mark.parametrize("option", ["", "sample", "search=2"])
def test_a_name_means_the_same_agent_as_its_path(name: str, option: str) -> None:
    by_name = as_player(f"{name}:{option}" if option else name)
    by_path = as_player(f"ppo:{shipped_agent(name)}{',' if option else ''}{option}")
    game = Game(trained_for(name) or 5, seed=3)
    for player in (by_name, by_path):
        player.begin(4)
    for _ in range(25):
        action = by_name.choose(game)
        assert by_path.choose(game) == action
        game.step(action)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_the_agent_of_turns_plays_with_any_number(num_players: int) -> None:
    results = match(["turns", "builder"], num_players=num_players, deals=1)
    assert set(results.match.names) == {"turns", "builder"}


def test_agents_play_where_players_are_named() -> None:
    env = SingleEnv(num_players=3, opponents=["ppo_3p", "planner"], max_turns=30)
    _, info = env.reset(seed=1)
    while not env.game.over:
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    results = match(["ppo_2p", "random"], num_players=2, deals=1)
    assert results.match.names == ("ppo_2p", "random")


def test_another_number_of_players_is_refused_with_the_agents_that_fit() -> None:
    wrong = "ppo_3p was trained for 3 players, not for 4; shipped agents for 4: ppo_4p, turns"
    with pytest.raises(ValueError, match=re.escape(wrong)):
        SingleEnv(num_players=4, opponents=["ppo_3p", "planner", "planner"])
    with pytest.raises(ValueError, match="shipped agents for 6: turns"):
        match(["ppo_3p", "random"], num_players=6, deals=1)


def test_an_unknown_name_is_refused_with_bots_and_agents() -> None:
    with pytest.raises(ValueError, match=r"unknown player 'ppo_33p'; did you mean 'ppo_3p'\?"):
        as_player("ppo_33p")
    with pytest.raises(ValueError, match="unknown option of a trained player 'fast'"):
        as_player("ppo_3p:fast")


def test_agents_play_without_pytorch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    player, game = as_player("ppo_2p"), Game(2, seed=1)
    player.begin(0)
    for _ in range(20):
        game.step(player.choose(game))
    assert done.stdout.strip() == str(game.history)
