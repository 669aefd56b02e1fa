"""What the training examples share: arguments, progress, and evaluation against bots."""

import argparse
import time
from typing import Any

import torch

from alhambra_env.arena import duel, standings
from alhambra_env.players import Policy, PolicyPlayer

PIECES = (
    *("market", "display", "hand", "hand_sizes", "picked", "buildings", "walls", "scores"),
    *("progress", "exact_slot", "standing", "offers", "wall_gain"),
)
FORM: Any = {"pieces": PIECES, "dtype": "float32"}
"""What the learners observe: small pieces, as numbers from 0 to 1."""


class Run:
    """The arguments of an example, its clock, and what it prints."""

    def __init__(self, description: str | None, *flags: str) -> None:
        """Read the command line; `flags` are further arguments that are on or off."""
        parser = argparse.ArgumentParser(
            description=description, formatter_class=argparse.RawTextHelpFormatter
        )
        parser.add_argument("--decisions", type=int, default=200_000, help="of all learners")
        parser.add_argument(
            "--minutes", type=float, default=1e9, help="of CPU time, then training ends"
        )
        parser.add_argument("--opponent", default="random", help="the bot on the other two seats")
        parser.add_argument("--deals", type=int, default=30, help="of the evaluation at the end")
        for flag in flags:
            parser.add_argument(flag, action="store_true")
        self.args = parser.parse_args()
        torch.set_num_threads(1)  # more are slower on a busy machine
        torch.manual_seed(0)
        self.made, self.begin, self.cpu_begin = 0, 0.0, 0.0

    def goes_on(self) -> bool:
        """Is there time left, and are there decisions left to make? The first call starts it."""
        self.begin = self.begin or time.perf_counter()
        self.cpu_begin = self.cpu_begin or time.process_time()
        minutes = (time.process_time() - self.cpu_begin) / 60
        return bool(self.made < self.args.decisions and minutes < self.args.minutes)

    def show(self, decisions: int, **losses: float) -> None:
        """Print how many decisions there were, these included, and the losses."""
        self.made += decisions
        speed = self.made / (time.perf_counter() - self.begin)
        shown = "  ".join(f"{name} {loss:+.3e}" for name, loss in losses.items())
        print(f"{self.made:>10,} decisions  {speed:>7,.0f}/s  {shown}", flush=True)

    def evaluate(self, policy: Policy) -> None:
        """Print the win share of a policy against copies of each of some bots."""
        player = PolicyPlayer(policy, "learner", **FORM)
        for bot in ("random", "saver", "builder"):
            share = standings(duel(player, bot, deals=self.args.deals)).row("learner").win_share
            print(f"{bot} {share.mean:.1%} ({share.low:.1%} to {share.high:.1%})", flush=True)
