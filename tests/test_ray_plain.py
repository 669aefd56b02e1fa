"""The plain way: PettingZoo's environment in RLlib."""

import pytest

pytest.importorskip("ray", reason="needs Ray: the extra `ray`")

from tests.ray_runs import ray_here
from training.ray.plain import POLICY, plain_config


def test_rllib_trains_on_the_pettingzoo_environment_with_legal_actions_only() -> None:
    config = plain_config(num_players=2, pieces=("hand", "market", "display"), max_turns=10)
    config.env_runners(num_env_runners=0)
    config.training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
    with ray_here():
        algorithm = config.build_algo()
        result = algorithm.train()
        assert result["env_runners"]["num_env_steps_sampled"] >= 128
        assert result["env_runners"]["num_episodes"] >= 1
        assert result["learners"][POLICY]["num_module_steps_trained"] >= 128
        episodes = algorithm.env_runner.sample(num_timesteps=100)
        decisions = 0
        for episode in episodes:
            for agent in episode.agent_episodes.values():
                masks = agent.get_observations(slice(0, len(agent)))["action_mask"]
                for mask, action in zip(masks, agent.get_actions(), strict=True):
                    assert mask[action]
                    decisions += 1
        assert decisions >= 90
        algorithm.stop()
