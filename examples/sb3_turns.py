"""Stable-Baselines3 on whole turns: MaskablePPO with MlpPolicy: pip install "alhambra-env[train]".

python examples/sb3_turns.py --decisions 200000 --opponent planner
"""

import numpy as np
from gymnasium.wrappers import TransformReward
from report import Run
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from alhambra_env.arena import duel, standings
from alhambra_env.turns.format import TurnFormat
from alhambra_env.turns.player import TurnFunctionPlayer

run = Run(__doc__)
games, steps = 8, 512
env = make_vec_env(
    "alhambra_env:alhambra_env/AlhambraTurns-v0",  # with the module, which registers the name
    n_envs=games,
    seed=0,
    env_kwargs={"opponents": [run.args.opponent] * 2, "reward": "margin"},
    wrapper_class=lambda game: TransformReward(game, lambda points: 0.02 * float(points)),
)
model = MaskablePPO(
    "MlpPolicy",
    env,
    learning_rate=3e-4,
    n_steps=steps,
    batch_size=512,
    n_epochs=4,
    gamma=1,
    gae_lambda=0.8,
    ent_coef=0.003,
    policy_kwargs={"net_arch": [128, 128]},
    seed=0,
    device="cpu",
)


def choose(seen: np.ndarray, mask: np.ndarray) -> int:
    """Return the most likely choice."""
    return int(model.predict(seen, None, None, True, mask)[0])


def evaluate() -> None:
    """Print the win share against copies of each of some bots."""
    player = TurnFunctionPlayer(choose, TurnFormat())
    for bot in ("builder", "planner", "lookahead"):
        share = standings(duel(player, bot, deals=run.args.deals)).row("choose").win_share
        print(f"{bot} {share.mean:.1%} ({share.low:.1%} to {share.high:.1%})", flush=True)


while run.goes_on():
    model.learn(games * steps, reset_num_timesteps=False)  # one rollout and update
    seen = model.logger.name_to_value
    losses = {name: seen[f"train/{name}_loss"] for name in ("policy_gradient", "value")}
    run.show(games * steps, **losses)
    if run.made % (10 * games * steps) == 0 or run.made == games * steps:
        evaluate()
