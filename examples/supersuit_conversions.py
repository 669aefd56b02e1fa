"""PettingZoo and SuperSuit: conversions, then REINFORCE for all seats: pip install supersuit.

python examples/supersuit_conversions.py --decisions 50000
"""

from typing import Any

import supersuit
import torch
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from report import PIECES, Run
from torch import Tensor, nn, tensor

from alhambra_env import alhambra_v0

run = Run(__doc__)
env = alhambra_v0.env(mask="info", pieces=PIECES, reward="margin")  # SuperSuit wants arrays
env = supersuit.dtype_v0(env, "float32")
env = supersuit.normalize_obs_v0(env)  # as dtype="float32" of the environment does it
env = supersuit.reward_lambda_v0(env, lambda points: 0.02 * points)

# All seats at once: the actions of those that are not to play are ignored.
vector = supersuit.pettingzoo_env_to_vec_env_v1(turn_based_aec_to_parallel(env))
observations, infos = vector.reset(seed=0)
legal = [int(info["action_mask"].sum()) for info in infos]
print(f"vector environment {observations.shape}, legal actions of each seat {legal}")

size, actions = env.observation_space("player_0").shape[0], env.action_space("player_0").n
network = nn.Sequential(nn.Linear(size, 256), nn.Tanh(), nn.Linear(256, actions))
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)


def log_probs(seen: Any, mask: Any) -> Tensor:
    """Return log-probabilities, those of illegal actions being very low."""
    scores: Tensor = network(torch.as_tensor(seen))
    return scores.where(tensor(mask) > 0, -1e9).log_softmax(dim=-1)


while run.goes_on():
    env.reset()
    chosen: dict[str, list[Tensor]] = {agent: [] for agent in env.agents}
    earned: dict[str, list[float]] = {agent: [] for agent in env.agents}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        earned[agent].append(reward)  # since its last decision; of the first decision, nothing
        if terminated or truncated:
            env.step(None)
            continue
        options = log_probs(seen, info["action_mask"])
        action = int(torch.multinomial(options.exp(), 1))
        chosen[agent].append(options[action])
        env.step(action)
    decisions = torch.cat([torch.stack(each) for each in chosen.values()])
    returns = torch.cat([tensor(each[:0:-1]).cumsum(0).flip(0) for each in earned.values()])
    loss = -(decisions * (returns - returns.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    run.show(len(decisions), loss=loss.item())
run.evaluate(lambda seen, mask: int(log_probs(seen, mask).argmax()))
