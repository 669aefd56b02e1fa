"""Evaluation during training: matches in the arena, always on the same deals."""

from alhambra_env.agents.player import TrainedPlayer
from alhambra_env.arena import duel
from alhambra_env.arena.ladder import Rung, rung_of
from alhambra_env.options import GameRules
from alhambra_env.players import Player

from .checkpoint import Row
from .config import Config, RunConfig
from .networks import ChoiceNetwork, weights_of


def evaluate(player: Player, config: RunConfig, rules: GameRules, opponent: str) -> Rung:
    """Play against copies of a bot, from every seat.

    The deals come from the run's seed, so evaluations differ only by the player.
    """
    return rung_of(
        duel(
            player,
            opponent,
            rules.num_players,
            config.evaluation.deals,
            config.seed,
            rules.edition,
            max_turns=rules.max_turns,
            workers=1,
        )
    )


def evaluate_player(player: Player, config: RunConfig, rules: GameRules) -> Row:
    """Evaluate against each opponent of the settings; return columns of the learning curve."""
    row: Row = {}
    several = len(config.player_counts) > 1
    for opponent in config.evaluation.opponents:
        rung = evaluate(player, config, rules, opponent)
        against = f"{opponent} ({rules.num_players} players)" if several else opponent
        measured = {"wins": rung.win_share, "margin": rung.margin, "score": rung.score}
        for key, value in measured.items():
            row[f"{key} against {against}"] = round(value.mean, 4)
        row[f"lowest wins against {against}"] = round(rung.win_share.low, 4)
        row[f"highest wins against {against}"] = round(rung.win_share.high, 4)
    return row


def evaluate_all(network: ChoiceNetwork, config: Config) -> Row:
    """Evaluate the most likely actions of a network; return columns of the learning curve."""
    players = config.game.num_players
    player = TrainedPlayer(network.layout, weights_of(network), players, "learner")
    return evaluate_player(player, config, config.game.rules())
