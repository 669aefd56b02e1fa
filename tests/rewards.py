"""The rewards by their definitions, from the scores alone."""

from alhambra_env import Game


def worth(reward: str, scores: list[int]) -> list[float]:
    """Return what points are worth to each seat, for the rewards `score` and `margin`."""
    if reward == "score":
        return [float(score) for score in scores]
    others = len(scores) - 1
    return [score - (sum(scores) - score) / others for score in scores]


def outcome(scores: list[int]) -> list[float]:
    """Return what the end of a game is worth to each seat."""
    players, winners = len(scores), scores.count(max(scores))
    won = (players / winners - 1) / (players - 1)
    return [won if score == max(scores) else -1 / (players - 1) for score in scores]


def step_rewards(reward: str, before: list[int], game: Game) -> list[float]:
    """Return the rewards of the last step of a game, from the scores before it."""
    if reward == "outcome":
        return outcome(game.scores) if game.over else [0.0] * game.num_players
    old, new = worth(reward, before), worth(reward, game.scores)
    return [b - a for a, b in zip(old, new, strict=True)]
