"""Trained agents: features, compiled inference, checkpoints. No PyTorch."""
