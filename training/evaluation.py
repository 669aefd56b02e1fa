"""Evaluation during training: matches in the arena, always on the same deals."""

from alhambra_env.agents.player import TrainedPlayer
from alhambra_env.arena import duel
from alhambra_env.arena.ladder import Rung, rung_of

from .checkpoint import Row
from .config import Config
from .networks import ChoiceNetwork, weights_of


def evaluate(network: ChoiceNetwork, config: Config, opponent: str) -> Rung:
    """Play the most likely actions of a network against copies of a bot, from every seat.

    The deals come from the run's seed, so evaluations differ only by the network.
    """
    game = config.game
    return rung_of(
        duel(
            TrainedPlayer(network.layout, weights_of(network), game.num_players, "learner"),
            opponent,
            game.num_players,
            config.evaluation.deals,
            config.seed,
            game.rules().edition,
            max_turns=game.max_turns,
            workers=1,
        )
    )


def evaluate_all(network: ChoiceNetwork, config: Config) -> Row:
    """Evaluate against each opponent of the settings; return columns of the learning curve."""
    row: Row = {}
    for opponent in config.evaluation.opponents:
        rung = evaluate(network, config, opponent)
        measured = {"wins": rung.win_share, "margin": rung.margin, "score": rung.score}
        for key, value in measured.items():
            row[f"{key} against {opponent}"] = round(value.mean, 4)
        row[f"lowest wins against {opponent}"] = round(rung.win_share.low, 4)
        row[f"highest wins against {opponent}"] = round(rung.win_share.high, 4)
    return row
