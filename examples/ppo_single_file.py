"""PPO in one file of plain PyTorch: every seat of every game learns from self-play.

`GameBatch` steps many games in compiled code. Each seat of a game has its own trajectory: the
reward of a decision is all that its seat earns until its next decision. Runs on a laptop:

    python examples/ppo_single_file.py --decisions 500000
"""

import argparse
import time
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from alhambra_env import GameBatch
from alhambra_env.actions import N_ACTIONS
from alhambra_env.arena import duel, standings
from alhambra_env.observation import Layout
from alhambra_env.players import PolicyPlayer

PIECES = (
    *("market", "display", "hand", "hand_sizes", "picked", "buildings", "walls", "scores"),
    *("progress", "exact_slot", "standing", "offers", "wall_gain"),
)


class Network(nn.Module):
    """A score for each action, and the value of the position for the seat to play."""

    def __init__(self, layout: Layout, width: int) -> None:
        super().__init__()
        self.register_buffer("high", torch.as_tensor(layout.high(), dtype=torch.float32).clamp(1))
        self.body = nn.Sequential(
            nn.Linear(layout.size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, N_ACTIONS), nn.Linear(width, 1)
        nn.init.normal_(self.policy.weight, std=0.01)

    def forward(self, seen: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities, those of illegal actions being very low, and values."""
        hidden = self.body(seen.float() / self.get_buffer("high"))
        scores = self.policy(hidden).masked_fill(masks == 0, -1e9)
        return scores.log_softmax(dim=1), self.value(hidden).squeeze(1)


class Rollout(NamedTuple):
    """Decisions in the order in which they were made: `[step, game, ...]`."""

    seen: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    log_probs: np.ndarray
    values: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    """Earned by the seat from its decision to its next one, or to the end."""
    ends: np.ndarray
    """1 if the game ended before the seat decided again."""
    is_open: np.ndarray
    """1 if neither has happened yet: what it is worth is not known."""


def collect(batch: GameBatch, network: Network, steps: int, rng: torch.Generator) -> Rollout:
    """Let all games make some decisions."""
    games, players = batch.num_games, batch.num_players
    shape = (steps, games)
    out = Rollout(
        seen=np.zeros((*shape, batch.observations.shape[1]), np.uint8),
        masks=np.zeros((*shape, N_ACTIONS), np.int8),
        actions=np.zeros(shape, np.int64),
        log_probs=np.zeros(shape, np.float32),
        values=np.zeros(shape, np.float32),
        seats=np.zeros(shape, np.int64),
        rewards=np.zeros(shape, np.float32),
        ends=np.zeros(shape, np.float32),
        is_open=np.ones(shape, np.float32),
    )
    every = np.arange(games)
    last = np.full((games, players), -1)  # the step of each seat's last decision
    for step in range(steps):
        seat = batch.to_play.astype(np.int64)
        out.seen[step], out.masks[step] = batch.observations, batch.masks
        with torch.no_grad():
            log_probs, values = network(
                torch.as_tensor(batch.observations), torch.as_tensor(batch.masks)
            )
            actions = torch.multinomial(log_probs.exp(), 1, generator=rng).squeeze(1)
        out.actions[step], out.values[step] = actions, values
        out.log_probs[step] = log_probs.gather(1, actions[:, None]).squeeze(1)
        out.seats[step] = seat
        before = last[every, seat]
        out.is_open[before[before >= 0], every[before >= 0]] = 0
        last[every, seat] = step
        rewards, done = batch.step(out.actions[step])
        game, other = np.nonzero(last >= 0)
        out.rewards[last[game, other], game] += rewards[game, other]
        game, other = np.nonzero((last >= 0) & done[:, None])
        out.ends[last[game, other], game] = 1
        out.is_open[last[game, other], game] = 0
        last[done] = -1
    return out


def advantages(rollout: Rollout, players: int, smoothing: float) -> np.ndarray:
    """Return generalised advantages, following each seat's own trajectory (no discount)."""
    games = rollout.seats.shape[1]
    every = np.arange(games)
    value, advantage = np.zeros((games, players)), np.zeros((games, players))
    result = np.zeros_like(rollout.values)
    for step in reversed(range(len(result))):
        seat, goes_on = rollout.seats[step], 1 - rollout.ends[step]
        now = rollout.values[step]
        delta = rollout.rewards[step] + goes_on * value[every, seat] - now
        result[step] = delta + smoothing * goes_on * advantage[every, seat]
        # The last decision of a seat, if it is still open, says nothing about those before it.
        result[step] *= 1 - rollout.is_open[step]
        value[every, seat], advantage[every, seat] = now, result[step]
    return result


def learn(
    network: Network,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    gains: np.ndarray,
    settings: argparse.Namespace,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Update the network; return the mean losses of policy and value."""
    rows = np.flatnonzero(rollout.is_open.reshape(-1) == 0)
    seen, masks = (a.reshape(-1, a.shape[-1]) for a in (rollout.seen, rollout.masks))
    actions, old, values, gained = (
        torch.as_tensor(array.reshape(-1))
        for array in (rollout.actions, rollout.log_probs, rollout.values, gains)
    )
    losses = []
    for _ in range(settings.epochs):
        rng.shuffle(rows)
        for chosen in np.array_split(rows, max(1, len(rows) // settings.minibatch)):
            log_probs, now = network(torch.as_tensor(seen[chosen]), torch.as_tensor(masks[chosen]))
            ratio = (log_probs.gather(1, actions[chosen, None]).squeeze(1) - old[chosen]).exp()
            gain = gained[chosen]
            scaled = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            policy_loss = -torch.min(ratio * scaled, clipped * scaled).mean()
            value_loss = (now - (values[chosen] + gain)).square().mean()
            entropy = -(log_probs.exp() * log_probs.clamp(min=-50)).sum(dim=1).mean()
            optimizer.zero_grad()
            (policy_loss + 0.5 * value_loss - settings.entropy * entropy).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            losses.append((policy_loss.item(), value_loss.item()))
    policy_mean, value_mean = np.mean(losses, axis=0)
    return float(policy_mean), float(value_mean)


def evaluate(network: Network, players: int, opponent: str, deals: int) -> str:
    """Return how the network does against copies of a bot, playing its likeliest actions."""

    def policy(seen: np.ndarray, mask: np.ndarray) -> int:
        with torch.no_grad():
            scores, _ = network(torch.as_tensor(seen)[None], torch.as_tensor(mask)[None])
        return int(scores.argmax())

    player = PolicyPlayer(policy, "ppo", pieces=PIECES)
    share = standings(duel(player, opponent, num_players=players, deals=deals)).row("ppo").win_share
    return f"{opponent} {share.mean:.1%} ({share.low:.1%} to {share.high:.1%})"


def main() -> None:
    """Train, print how it goes, and evaluate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--decisions", type=int, default=500_000, help="of all seats together")
    parser.add_argument("--minutes", type=float, default=1e9, help="of CPU time, then it ends")
    parser.add_argument("--games", type=int, default=128, help="games in lockstep")
    parser.add_argument("--steps", type=int, default=96, help="decisions of each game in a rollout")
    parser.add_argument("--width", type=int, default=256, help="of the two hidden layers")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--minibatch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate, falling to 0")
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.01)
    parser.add_argument("--smoothing", type=float, default=0.95, help="lambda of the advantages")
    parser.add_argument("--margin", type=float, default=0.02, help="reward for a point of margin")
    parser.add_argument("--deals", type=int, default=30, help="of the evaluation at the end")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; more help if idle")
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args()
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    generator = torch.Generator().manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    batch = GameBatch(
        settings.games, settings.players, seed=settings.seed, pieces=PIECES, reward="margin"
    )
    assert batch.layout is not None
    network = Network(batch.layout, settings.width)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate)
    begin, cpu_begin = time.perf_counter(), time.process_time()
    made, used, shown = 0, 0.0, 0.0
    while used < 1:
        optimizer.param_groups[0]["lr"] = settings.rate * (1 - used)
        rollout = collect(batch, network, settings.steps, generator)
        rollout.rewards[:] *= settings.margin
        gains = advantages(rollout, settings.players, settings.smoothing)
        losses = learn(network, optimizer, rollout, gains, settings, rng)
        made += settings.games * settings.steps
        seconds = time.perf_counter() - begin
        cpu_minutes = (time.process_time() - cpu_begin) / 60
        used = max(made / settings.decisions, cpu_minutes / settings.minutes)
        if used >= min(shown, 1):
            shown += 0.05
            points = batch.final_scores.mean() if batch.final_states["num_players"].all() else 0
            print(
                f"{made:>10,} decisions  {made / seconds:>7,.0f}/s  "
                f"policy {losses[0]:+.4f}  value {losses[1]:.4f}  points a game {points:.1f}",
                flush=True,
            )
    for opponent in ("random", "saver", "builder"):
        print(evaluate(network, settings.players, opponent, settings.deals), flush=True)


if __name__ == "__main__":
    main()
