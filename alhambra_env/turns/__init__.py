"""Whole turns as choices: the best few ways to play a turn, each described by numbers. Compiled."""
