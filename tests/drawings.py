"""Drawings as trees of elements, and positions to draw."""

import random
from collections.abc import Iterator
from functools import cache
from xml.etree import ElementTree

from alhambra_env import Game

SVG = "{http://www.w3.org/2000/svg}"
PLAYERS = [2, 3, 4, 5, 6]


def tree(svg: str) -> ElementTree.Element:
    """Return a drawing as a tree, whose elements have names without a namespace."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
    return root


def fragment(body: str) -> ElementTree.Element:
    """Return the body of a panel as a tree."""
    return ElementTree.fromstring(f"<svg>{body}</svg>")


def tile_of(group: ElementTree.Element) -> int:
    """Return the tile that a group of a drawing shows."""
    (used,) = (each for each in group.iter("use"))
    return int(used.attrib["href"].rpartition("-t")[2])


@cache
def _moments(num_players: int, seed: int, every: int) -> tuple[bytes, ...]:
    """Return positions of a game that builds much, as bytes."""
    game, chooser, found = Game(num_players, seed=seed), random.Random(seed), []
    while not game.over:
        if len(game.history) % every == 0:
            found.append(game.to_bytes())
        legal = game.legal_actions()
        building = [action for action in legal if action >= 15]
        game.step(chooser.choice(building if building and chooser.random() < 0.8 else legal))
    return (*found, game.to_bytes())


def moments(num_players: int, seed: int = 0, every: int = 10) -> Iterator[Game]:
    """Yield positions of a game that builds much, from the first to the last."""
    for data in _moments(num_players, seed, every):
        yield Game.from_bytes(data)


def late(num_players: int, seed: int = 0) -> Game:
    """Return the last position of such a game in which somebody decides."""
    return [game for game in moments(num_players, seed) if not game.over][-1]
