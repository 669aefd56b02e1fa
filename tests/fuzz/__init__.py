"""Fuzzing: `make fuzz SECONDS=300`.

Each module attacks one thing that takes input from outside. A case is a number: the same number
gives the same attack, so a failure is repeated with `python -m tests.fuzz KIND --case NUMBER`.
`tests/test_fuzz.py` replays the first cases of each kind, and those that once failed.
"""
