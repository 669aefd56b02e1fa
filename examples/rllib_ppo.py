"""Ray RLlib, the plain way: PPO on all seats of PettingZoo's environment.

pip install "alhambra-env[arena,ray]"
python examples/rllib_ppo.py --decisions 50000
`python -m training.ray.train configs/rllib.yaml` is the fast way, over compiled games.
"""

from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env
from report import FORM, Run

from alhambra_env import alhambra_v0

run = Run(__doc__)
keys: Any = {"mask": "observation", "observation_key": "observations", "mask_key": "action_mask"}
register_env("alhambra", lambda _: PettingZooEnv(alhambra_v0.env(reward="outcome", **keys, **FORM)))
config = (
    PPOConfig()
    .environment("alhambra", disable_env_checking=True)  # the check plays illegal actions
    .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
    .training(train_batch_size_per_learner=2048, minibatch_size=512, num_epochs=3)
    .training(lr=1e-3, gamma=1, lambda_=0.95, entropy_coeff=0.01, use_kl_loss=False)
    .multi_agent(policies={"learner"}, policy_mapping_fn=lambda *_, **__: "learner")
    .rl_module(
        rl_module_spec=RLModuleSpec(
            module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [256, 256]}
        )
    )
    .debugging(seed=0, log_level="ERROR")
)
ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
algorithm = config.build_algo()
while run.goes_on():
    result = algorithm.train()
    losses = {name: result["learners"]["learner"][f"{name}_loss"] for name in ("policy", "vf")}
    run.show(int(result["env_runners"]["num_env_steps_sampled"]), **losses)
module = algorithm.get_module("learner")


def policy(seen: Any, mask: Any) -> int:
    """Return the most likely action."""
    batch = {"observations": torch.tensor(seen[None]), "action_mask": torch.tensor(mask[None])}
    with torch.no_grad():
        scores = module.forward_inference({Columns.OBS: batch})[Columns.ACTION_DIST_INPUTS]
    return int(scores.argmax())


run.evaluate(policy)
algorithm.stop()
