"""Training agents with Stable-Baselines3."""
