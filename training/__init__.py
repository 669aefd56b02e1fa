"""Training of agents with Stable-Baselines3: imitation of a bot, then self-play with PPO."""

import os

# PyTorch and Numba have separate threads. Idle ones must not spin on a core that the others need.
# This must be set before PyTorch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from alhambra_env.extras import check_command  # see above

check_command("train")
