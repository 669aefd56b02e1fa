"""A page on this computer to play against bots and agents: `alhambra play` (extra `play`)."""
