"""How good is a network while it learns? The arena says, from deals that are always the same."""

from alhambra_env.agents.player import TrainedPlayer
from alhambra_env.arena import duel
from alhambra_env.arena.ladder import Rung, rung_of

from .config import Config
from .networks import ChoiceNetwork, weights_of


def evaluate(network: ChoiceNetwork, config: Config, opponent: str) -> Rung:
    """Let a network play its likeliest actions, on every seat of each deal, among copies of a bot.

    The deals are those of the run's seed, so that what changes from one evaluation to the next is
    the network.
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
