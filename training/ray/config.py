"""The settings of a run with Ray: those of every run, and the cluster."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from ..config import Config, Count, RunConfig, Section
from ..config_file import load_config, make_config


class ClusterSettings(Section):
    """The processes of a run, and its checkpoints."""

    runners: Annotated[int, Field(ge=0, le=10_000)] = 2
    """Processes that play, on any node; each has `ppo.num_envs` games. 0: the driver plays."""
    cpus_per_runner: Annotated[int, Field(ge=1, le=256)] = 1
    """Threads of each runner."""
    learners: Annotated[int, Field(ge=0, le=1000)] = 0
    """Processes that learn, each from a part of the batch. 0: the driver learns."""
    cpus_per_learner: Annotated[int, Field(ge=1, le=256)] = 1
    """Threads of each learner process; the driver has `threads`."""
    storage: str = "runs/ray"
    """Checkpoints are written to `STORAGE/NAME`; on a cluster, a folder that all nodes share."""
    keep: Annotated[int, Field(ge=1, le=1_000_000)] = 2
    """How many checkpoints are kept."""
    probe_seconds: Annotated[float, Field(gt=0, le=3600)] = 1.0
    """How long an iteration waits for each restarting runner before it goes on without it."""

    @property
    def cpus(self) -> int:
        """CPUs that Ray must have; the driver needs none of them."""
        return self.runners * self.cpus_per_runner + self.learners * self.cpus_per_learner


class RayConfig(Config):
    """A training run with Ray."""

    save_every: Count = 1
    """Decisions between checkpoints; 1 saves after every iteration, so that none is lost."""
    cluster: ClusterSettings = ClusterSettings()

    @model_validator(mode="after")
    def _check_ray(self) -> Self:
        if self.ppo.averaged:
            raise ValueError("ppo.averaged must be 0 with Ray")
        return self

    def plain(self) -> Config:
        """Return the settings without those of the cluster, as in the checkpoint of an agent."""
        return Config.model_validate(self.model_dump(include=set(Config.model_fields)))

    @property
    def batch(self) -> int:
        """Decisions in an iteration."""
        return self.ppo.num_envs * self.ppo.rollout * max(self.cluster.runners, 1)


def load_ray_config(path: str | Path, overrides: Iterable[str] = ()) -> RayConfig:
    """Read settings from a file; `overrides` are `key=value` or `section.key=value`.

    Raises:
        ValueError: the file cannot be read, or a setting is not allowed; the message says which.
    """
    return _checked(load_config(path, overrides, RayConfig))


def make_ray_config(given: dict[str, Any], overrides: Iterable[str] = ()) -> RayConfig:
    """Return the settings in a dictionary; `overrides` are `key=value` or `section.key=value`.

    Raises:
        ValueError: a setting is not allowed; the message says which, and suggests the nearest.
    """
    return _checked(make_config(given, overrides, RayConfig))


def _checked(config: RunConfig) -> RayConfig:
    assert isinstance(config, RayConfig)
    return config
