"""Trained players: features of a position, compiled inference, checkpoints. No PyTorch."""
