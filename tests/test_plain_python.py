"""Trained agents and the loops that train them: plain Python does the same as compiled code."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from alhambra_env import Game, bots
from alhambra_env.actions import N_ACTIONS
from alhambra_env.agents.loading import load_player
from alhambra_env.agents.network import default_pieces
from alhambra_env.agents.player import TrainedPlayer
from alhambra_env.engine.state import new_states
from alhambra_env.envs.opponents import Opponent
from alhambra_env.envs.vector import VectorSingleEnv
from alhambra_env.loops.teacher import NOISE_RANGE, Decisions, Teacher, record_games
from alhambra_env.observation.layout import Layout
from alhambra_env.options import GameRules
from tests.plain_python import PlainCall
from training.frozen import FrozenPolicy
from training.networks import ChoiceNetwork, list_choices
from training.vec_env import SelfPlayEnv

AGENTS = {num_players: f"checkpoints/ppo_{num_players}p" for num_players in (2, 3, 4)}


def choices_of_agents() -> str:
    """Play a game with each agent; return its most likely and a sampled action at each step."""
    seen = hashlib.sha256()
    made = []
    for num_players, folder in AGENTS.items():
        game = Game(num_players, seed=num_players)
        likeliest, sampling = load_player(folder), load_player(f"{folder},sample")
        sampling.begin(5)
        assert isinstance(likeliest, TrainedPlayer)
        judge, layout = likeliest._policy.log_probabilities, likeliest._policy.layout
        while not game.over:
            _, chances = judge(layout.observe(game.states, 0, game.to_play), game.masks[0])
            seen.update(chances.tobytes())
            made.append((likeliest.choose(game), sampling.choose(game)))
            game.step(made[-1][len(made) % 3 == 0])
    assert len(made) > 250
    assert sum(first != second for first, second in made) > 25
    return f"{seen.hexdigest()} {made}"


def choices_of_searches() -> str:
    """Let each agent search near the end of a game, where playouts are short."""
    made = []
    for num_players, folder in AGENTS.items():
        game, driver = Game(num_players, seed=1), bots.make("builder")
        while not game.over and (game.state.bag_size > 0 or len(game.legal_actions()) < 3):
            game.step(driver.choose(game))
        assert not game.over
        player = load_player(f"{folder},search=2")
        made.append(player.choose(game))
    return str(made)


def first_legal(observation: Any, mask: np.ndarray) -> int:
    return int(mask.argmax())


def digest_of_learners() -> str:
    """Play vector environments for a while and hash all that they showed."""
    seen = hashlib.sha256()
    tables: list[list[Opponent]] = [["builder", "random"], ["planner", first_legal]]
    for opponents in tables:
        env = VectorSingleEnv(2, opponents=opponents, seat="random", reward="margin", max_turns=30)
        observations, infos = env.reset(seed=4)
        for _ in range(25):
            seen.update(observations.tobytes() + infos["action_mask"].tobytes())
            observations, rewards, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
            seen.update(rewards.tobytes())
    return seen.hexdigest()


def digest_of_self_play() -> str:
    """Play among bots and a frozen policy for a while and hash all that was shown and described."""
    seen = hashlib.sha256()
    for hands in ("secret", "open"):
        env = SelfPlayEnv(
            3, 3, {"saver": 1.0, "pool": 1.0}, hands=hands, max_turns=30, seed=2, margin_weight=0.3
        )
        network = ChoiceNetwork(env.layout, table_width=4, choice_width=4)
        for number, parameter in enumerate(network.parameters()):
            size = parameter.numel()
            values = np.random.default_rng(number).normal(size=size).astype(np.float32)
            parameter.data.view(-1).numpy()[:] = values
        env.set_policies([FrozenPolicy(network)])
        observations = env.reset()
        for _ in range(25):
            masks = env.action_masks()
            choices = list_choices(observations, masks, env.layout)
            seen.update(observations.tobytes() + choices.features.numpy().tobytes())
            env.step_async(masks.argmax(axis=1))
            stepped, rewards, _, _ = env.step_wait()
            observations = np.asarray(stepped)
            seen.update(rewards.tobytes())
        seen.update(env.load(env.save())[0].tobytes())
    return seen.hexdigest()


def digest_of_a_teacher() -> str:
    """Record short games of a teacher, with random moves between, and hash what was written."""
    layout = Layout(2, "secret", default_pieces("secret"))
    teacher = bots.make("planner")
    rows, workers = 160, 2
    out = Decisions(
        np.zeros((rows, layout.size), np.uint8),
        np.zeros((rows, N_ACTIONS), np.int8),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.float32),
    )
    counts = record_games(
        Teacher(teacher.number, teacher.row, NOISE_RANGE // 5, outcome=1.0, margin=0.3),
        GameRules(2, "german", 15).numbers,
        np.arange(1, 9, dtype=np.uint32).reshape(workers, 4),
        new_states(workers),
        layout.bounds,
        out,
    )
    assert min(counts) > 15
    return hashlib.sha256(b"".join(array.tobytes() for array in (*out, counts))).hexdigest()


@pytest.mark.parametrize(
    "play",
    [
        choices_of_agents,
        choices_of_searches,
        digest_of_learners,
        digest_of_self_play,
        digest_of_a_teacher,
    ],
)
def test_plain_python_does_as_compiled_code_does(
    play: Callable[[], str], in_plain_python: PlainCall
) -> None:
    assert in_plain_python(play) == play()
