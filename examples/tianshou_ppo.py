"""Tianshou 2: PPO with action masks: pip install -c examples/constraints-tianshou.txt tianshou.

python examples/tianshou_ppo.py --decisions 200000 --opponent builder
"""

from functools import partial
from typing import Any

import gymnasium
import torch
from report import FORM, Run
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteCritic


class Masked(Net):
    """A network of `obs.obs`. If its outputs are scores, those of illegal actions are very low."""

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        """Return outputs and state; Tianshou's PPO does not read `obs.mask` itself."""
        out, state = super().forward(obs.obs, state)
        has_scores = out.shape == obs.mask.shape
        return out.masked_fill(torch.as_tensor(obs.mask == 0), -1e9) if has_scores else out, state


run = Run(__doc__)
games, frames = 16, 4096
keys = {"mask": "observation", "observation_key": "obs", "mask_key": "mask"}  # Tianshou's names
settings = {"opponents": [run.args.opponent] * 2, "reward": "margin", **keys, **FORM}
make = partial(gymnasium.make, "alhambra_env:alhambra_env/Alhambra-v0", **settings)
one: Any = make()
size, actions = one.observation_space["obs"].shape, one.action_space
actor = Masked(state_shape=size, action_shape=actions.n, hidden_sizes=[256, 256])
critic = DiscreteCritic(preprocess_net=Masked(state_shape=size, hidden_sizes=[256, 256]))
policy = DiscreteActorPolicy(actor=actor, action_space=actions, deterministic_eval=True)
adam = AdamOptimizerFactory(lr=1e-3)
ppo = PPO(policy=policy, critic=critic, optim=adam, gamma=1.0, return_scaling=True)
collector = Collector(policy, DummyVectorEnv([make] * games), VectorReplayBuffer(frames, games))
plan = OnPolicyTrainerParams(
    training_collector=collector,
    epoch_num_steps=frames,
    collection_step_num_env_steps=frames,
    batch_size=1024,
    update_step_num_repetitions=3,
    show_progress=False,
)
trainer = ppo.create_trainer(plan)
trainer.reset()
while run.goes_on():
    stats = trainer.execute_epoch().training_stat
    run.show(frames, policy=stats.actor_loss.mean, value=stats.vf_loss.mean)
run.evaluate(
    lambda seen, mask: int(policy(Batch(obs={"obs": seen[None], "mask": mask[None]}, info={})).act)
)
