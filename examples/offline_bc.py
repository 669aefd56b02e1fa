"""Behaviour cloning in plain PyTorch, from a data set of recorded games.

alhambra dataset planner planner planner --games 200 -o data
python examples/offline_bc.py data
"""

import argparse

import numpy as np
import torch
from torch import nn

from alhambra_env.datasets import open_dataset

# Small pieces; `wall_gain` shows where the picked tile can lie.
PIECES = ("market", "display", "hand", "picked", "buildings", "progress", "offers", "wall_gain")


def main() -> None:
    """Train a network to choose as the recorded player did."""
    parser = argparse.ArgumentParser(description="Behaviour cloning from a data set.")
    parser.add_argument("folder", help="the folder of the data set")
    parser.add_argument("--player", help="imitate only this player")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(0)

    batches = list(open_dataset(args.folder).batches(players=args.player, pieces=PIECES))
    observations = torch.from_numpy(np.concatenate([batch.observations for batch in batches]))
    masks = torch.from_numpy(np.concatenate([batch.masks for batch in batches])).bool()
    actions = torch.from_numpy(np.concatenate([batch.actions for batch in batches]))
    # Decisions of one game are neighbours: the last tenth has games that were not trained on.
    train, test = torch.arange(len(actions)).tensor_split([len(actions) * 9 // 10])

    network = nn.Sequential(
        nn.Linear(observations.shape[1], 256), nn.ReLU(), nn.Linear(256, masks.shape[1])
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

    def logits(rows: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = network(observations[rows] / 16)  # bytes become numbers of about 1
        return scores.masked_fill(~masks[rows], -torch.inf)

    for epoch in range(1, args.epochs + 1):
        losses = []
        for rows in train[torch.randperm(len(train))].split(256):
            loss = nn.functional.cross_entropy(logits(rows), actions[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        with torch.no_grad():
            agreement = (logits(test).argmax(dim=1) == actions[test]).float().mean()
        print(f"epoch {epoch}: loss {np.mean(losses):.3f}, agreement {agreement:.1%}")


if __name__ == "__main__":
    main()
