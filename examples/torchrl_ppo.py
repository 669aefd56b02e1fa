"""TorchRL: masked PPO, against bots or on all seats: pip install "alhambra-env[arena,torchrl]".

python examples/torchrl_ppo.py --decisions 500000 --opponent builder
python examples/torchrl_ppo.py --self-play
"""

import torch
from report import FORM, Run
from tensordict.nn import TensorDictModule
from torch import as_tensor, nn
from torchrl.collectors import Collector
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from alhambra_env.adapters.torchrl import OpponentsEnv, SelfPlayEnv, seat_trajectories

run = Run(__doc__, "--self-play")
games, steps = 64, 64
if run.args.self_play:
    env = SelfPlayEnv(games, num_players=3, reward="margin", **FORM)
else:
    env = OpponentsEnv(games, [run.args.opponent] * 2, reward="margin", **FORM)
env.set_seed(0)

size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
network = MLP(size, actions, num_cells=[256, 256])
actor = ProbabilisticActor(
    TensorDictModule(network, ["observation"], ["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = ValueOperator(MLP(size, 1, num_cells=[256, 256]))
loss = ClipPPOLoss(actor, critic, normalize_advantage=True, critic_coeff=0.5)
estimator = GAE(gamma=1, lmbda=0.95, value_network=critic)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
collector = Collector(
    env, actor, frames_per_batch=games * steps, auto_register_policy_transforms=False
)
rollouts = iter(collector)
while run.goes_on():
    data = next(rollouts)
    data["next", "reward"] *= 0.02  # points to numbers of about 1
    rollout = seat_trajectories(data) if run.args.self_play else data
    rollout = estimator(rollout).reshape(-1)
    for rows in torch.cat([torch.randperm(len(rollout)) for _ in range(3)]).split(1024):
        terms = loss(rollout[rows])
        optimizer.zero_grad()
        (terms["loss_objective"] + terms["loss_critic"] + terms["loss_entropy"]).backward()
        nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
        optimizer.step()
    run.show(data.numel(), policy=terms["loss_objective"].item(), value=terms["loss_critic"].item())
collector.shutdown()
run.evaluate(
    lambda seen, mask: int(network(as_tensor(seen)).where(as_tensor(mask > 0), -1e9).argmax())
)
