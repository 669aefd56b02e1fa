"""Copies the shipped agents into the package when it is built; pyproject.toml has the rest."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
SHIPPED = ("ppo_?p", "turns")
"""The names of shipped agents; other checkpoints beside them are the user's."""

FILES = ("meta.json", "weights.safetensors")
"""What a checkpoint needs to play."""


class BuildWithAgents(build_py):
    """Builds the package with the agents of `checkpoints/`."""

    def run(self) -> None:
        """Build, then copy the agents, unless the package stays where it is (editable)."""
        super().run()
        if self.editable_mode:
            return
        for agent in [folder for name in SHIPPED for folder in (ROOT / "checkpoints").glob(name)]:
            target = Path(self.build_lib, "alhambra_env", "agents", "shipped", agent.name)
            target.mkdir(parents=True, exist_ok=True)
            for name in FILES:
                shutil.copyfile(agent / name, target / name)


setup(cmdclass={"build_py": BuildWithAgents})
