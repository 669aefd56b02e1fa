"""OpenSpiel's IS-MCTS against random players: pip install "alhambra-env[openspiel]".

python examples/openspiel_ismcts.py --simulations 100 --players 3 --deal 7
"""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot

from alhambra_env.adapters.ismcts import PlayoutEvaluator
from alhambra_env.adapters.openspiel import register


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="OpenSpiel's IS-MCTS against random players.")
    parser.add_argument("--simulations", type=int, default=50, help="for one decision")
    parser.add_argument("--players", type=int, default=2, help="2 to 6; IS-MCTS is player 0")
    parser.add_argument("--deal", type=int, default=0, help="the outcome of the chance node")
    parser.add_argument("--playouts", default="builder", help="the bot that plays to the end")
    return parser.parse_args()


def main() -> None:
    """Play a game, and print its moves and returns."""
    arguments = read_arguments()
    register()
    game = pyspiel.load_game("alhambra", {"num_players": arguments.players, "reward": "margin"})
    search = ISMCTSBot(
        game,
        PlayoutEvaluator(arguments.playouts),  # or mcts.RandomRolloutEvaluator, which is slower
        uct_c=20,  # points
        max_simulations=arguments.simulations,
        random_state=np.random.RandomState(0),
    )
    others = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(1, arguments.players)]
    bots = [search, *others]

    state = game.new_initial_state()
    state.apply_action(arguments.deal)
    while not state.is_terminal():
        player = state.current_player()
        action = bots[player].step(state)
        if player == 0:
            print(state.action_to_string(player, action), end=" ", flush=True)
        state.apply_action(action)
    print(f"\npoints {state.position.scores}, returns {state.returns()}")


if __name__ == "__main__":
    main()
