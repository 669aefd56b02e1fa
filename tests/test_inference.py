"""Compiled inference agrees with the PyTorch network."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs PyTorch")

import torch

from alhambra_env.options import Hands
from training.frozen import FrozenPolicy
from training.networks import ChoiceNetwork, list_choices
from training.vec_env import SelfPlayEnv


def decisions(num_players: int, hands: Hands) -> tuple[ChoiceNetwork, np.ndarray, np.ndarray]:
    """Return a network and decisions of many games, with their masks."""
    env = SelfPlayEnv(8, num_players, {"builder": 1.0}, hands=hands, seed=num_players)
    torch.manual_seed(num_players)
    network = ChoiceNetwork(env.layout, table_width=24, choice_width=16)
    with torch.no_grad():
        for parameter in network.score.parameters():
            parameter.mul_(24)  # so that chances differ
    rng = np.random.default_rng(0)
    seen = env.reset()
    observations, masks = [], []
    for _ in range(60):
        observations.append(seen.copy())
        masks.append(env.action_masks().copy())
        env.step_async((masks[-1] * rng.random(masks[-1].shape)).argmax(axis=1))
        seen, _, _, _ = env.step_wait()  # type: ignore[assignment]  # never a dictionary here
    return network, np.concatenate(observations), np.concatenate(masks)


@pytest.mark.parametrize(("num_players", "hands"), [(2, "secret"), (3, "open"), (5, "secret")])
def test_compiled_chances_are_those_of_the_network(num_players: int, hands: Hands) -> None:
    network, observations, masks = decisions(num_players, hands)
    policy = FrozenPolicy(network)
    choices = list_choices(observations, masks, network.layout)
    with torch.no_grad():
        encoded = network.encode(torch.from_numpy(observations))
        expected = network.log_probs(encoded, choices).numpy()
    for row in range(len(observations)):
        actions, chances = policy.log_probabilities(observations[row], masks[row])
        assert actions.tolist() == np.flatnonzero(masks[row]).tolist()
        np.testing.assert_allclose(chances, expected[row, : actions.size], atol=1e-3)


def test_the_best_is_chosen_however_many_are_asked_about() -> None:
    network, observations, masks = decisions(3, "secret")
    policy = FrozenPolicy(network, deterministic=True)
    rng = np.random.default_rng(0)
    together = policy.choose(observations, masks, rng)
    for row in range(0, len(observations), 7):
        actions, chances = policy.log_probabilities(observations[row], masks[row])
        assert together[row] == actions[chances.argmax()]
        alone = policy.choose(observations[row : row + 1], masks[row : row + 1], rng)
        assert alone[0] == together[row]


def test_actions_are_drawn_by_their_chances() -> None:
    network, observations, masks = decisions(3, "secret")
    policy = FrozenPolicy(network)
    row = int(masks.sum(axis=1).argmax())
    actions, chances = policy.log_probabilities(observations[row], masks[row])
    draws = 20_000
    many = np.repeat(observations[row][None], draws, axis=0)
    drawn = policy.choose(
        many, np.repeat(masks[row][None], draws, axis=0), np.random.default_rng(1)
    )
    shares = np.array([(drawn == action).mean() for action in actions])
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(shares, np.exp(chances), atol=0.015)
    assert chances.max() - chances.min() > 1


def test_a_frozen_policy_does_not_change_with_the_network() -> None:
    network, observations, masks = decisions(2, "secret")
    policy = FrozenPolicy(network, deterministic=True)
    rng = np.random.default_rng(0)
    before = policy.choose(observations, masks, rng)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.neg_()
    assert (policy.choose(observations, masks, rng) == before).all()
    changed = FrozenPolicy(network, deterministic=True).choose(observations, masks, rng)
    assert (changed != before).any()
