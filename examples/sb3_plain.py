"""Stable-Baselines3: MaskablePPO from `gymnasium.make`: pip install "alhambra-env[train]".

python examples/sb3_plain.py --decisions 200000 --opponent builder
"""

from gymnasium.wrappers import TransformReward
from report import FORM, Run
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

run = Run(__doc__)
games, steps = 8, 512
env = make_vec_env(
    "alhambra_env:alhambra_env/Alhambra-v0",  # with the module, which registers the name
    n_envs=games,
    seed=0,
    env_kwargs={"opponents": [run.args.opponent] * 2, "reward": "margin", **FORM},
    wrapper_class=lambda game: TransformReward(game, lambda points: 0.02 * float(points)),
)
model = MaskablePPO(
    "MlpPolicy",
    env,
    learning_rate=1e-3,
    n_steps=steps,
    batch_size=1024,
    n_epochs=3,
    gamma=1,
    ent_coef=0.01,
    policy_kwargs={"net_arch": [256, 256]},
    seed=0,
    device="cpu",
)
while run.goes_on():
    model.learn(games * steps, reset_num_timesteps=False)  # one rollout and update
    seen = model.logger.name_to_value
    losses = {name: seen[f"train/{name}_loss"] for name in ("policy_gradient", "value")}
    run.show(games * steps, **losses)
run.evaluate(lambda seen, mask: int(model.predict(seen, None, None, True, mask)[0]))
