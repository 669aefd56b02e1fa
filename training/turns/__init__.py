"""Training of agents that choose whole turns: all learners of a game give data."""
