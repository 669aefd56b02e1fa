"""AgileRL: PPO with action masks: pip install -c examples/constraints-agilerl.txt agilerl peft.

python examples/agilerl_ppo.py --decisions 200000 --opponent builder
"""

from typing import Any

import gymnasium
import numpy as np
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts
from gymnasium.wrappers.vector import TransformReward
from report import FORM, Run

run = Run(__doc__)
np.random.seed(0)  # AgileRL shuffles with it
games, steps = 64, 64
env = gymnasium.make_vec(
    "alhambra_env:alhambra_env/Alhambra-v0",
    num_envs=games,
    opponents=[run.args.opponent] * 2,
    reward="margin",
    autoreset_mode="same_step",  # so that no step is without an action
    **FORM,
)
agent = PPO(
    env.single_observation_space,
    env.single_action_space,
    net_config={"encoder_config": {"hidden_size": [256]}, "head_config": {"hidden_size": [256]}},
    num_envs=games,
    learn_step=games * steps,
    batch_size=1024,
    lr=1e-3,
    gamma=1.0,
    update_epochs=3,
)
scaled = TransformReward(env, lambda points: 0.02 * points)  # numbers of about 1
last: dict[str, Any] = {}  # where the games are; nothing: reset them
while run.goes_on():
    _, *state = collect_rollouts(agent, scaled, steps, **last)
    last = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), state, strict=True))
    run.show(games * steps, loss=agent.learn())
agent.set_training_mode(False)
run.evaluate(lambda seen, mask: int(agent.get_action(seen[None], action_mask=mask[None])[0].item()))
