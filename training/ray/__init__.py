"""Training with Ray RLlib: PPO with a league of frozen policies, on any number of machines."""

from alhambra_env.extras import check_command

check_command("ray")
