"""Training agents with Stable-Baselines3."""

import os

# PyTorch and Numba have threads of their own. Those that wait must not keep a core from the others;
# it has to be said before PyTorch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from alhambra_env.extras import check_command  # see above

check_command("train")
