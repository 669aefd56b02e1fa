"""Data sets of recorded games, for offline reinforcement learning: Parquet files and Minari.

>>> from alhambra_env.datasets import create_dataset
>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> dataset = create_dataset(["builder", "saver", "random"], folder, games=3)
>>> [recorded.players for recorded in dataset.games()][1]
('saver', 'random', 'builder')
"""

from ..extras import extras_explained

with extras_explained():
    from .episodes import to_minari
    from .games import RecordedGame
    from .reading import Batch, Dataset, open_dataset
    from .recording import create_dataset
    from .settings import Settings

__all__ = [
    "Batch",
    "Dataset",
    "RecordedGame",
    "Settings",
    "create_dataset",
    "open_dataset",
    "to_minari",
]
