"""Trains an agent with Ray: `python -m training.ray.train configs/rllib.yaml`.

python -m training.ray.train configs/rllib.yaml name=mine cluster.runners=4
python -m training.ray.train configs/rllib.yaml --continue --address auto
"""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import ray

from alhambra_env.agents.checkpoint import find_folder

from ..checkpoint_folder import check_target, hold
from ..commands import run_training
from ..progress import Display
from ..run import folder_of
from .config import RayConfig, load_ray_config
from .run import RayRun
from .storage import Storage


def train(
    config: RayConfig,
    keep_going: bool = False,
    is_shown: bool = True,
    overwrite: bool = False,
) -> int:
    """Train an agent; return the number of the last iteration. Ray must be initialised.

    Args:
        config: the settings. Checkpoints are written to `cluster.storage`, and the agent to
            `checkpoints/NAME`.
        keep_going: resume from the newest checkpoint of this name if there is one.
        is_shown: whether to show the progress.
        overwrite: replace an existing run of this name.

    Raises:
        ValueError: there is a run of that name, its checkpoint does not fit the settings, or the
            cluster has too few CPUs.
        SaveFailed: a checkpoint could not be written. The previous one is unchanged.
        KeyboardInterrupt: the run was stopped by a signal, after it had saved its last iteration.
    """
    _check_cpus(config)
    storage = Storage(config)
    with hold(folder_of(config)), hold(storage.folder):
        _check_free(config, storage, keep_going, overwrite)
        if not keep_going:
            storage.clear()
        with _stop_requests() as stop, closing(RayRun(config)) as run:
            with Display(config, is_shown) as display:
                _learn(run, display, stop)
            return run.iteration


def _learn(run: RayRun, display: Display, stop: list[int]) -> None:
    config = run.config
    if run.resume():
        display.say(f"Resumed after iteration {run.iteration}, at {run.steps:,} decisions")
    else:
        run.imitate(display)
        run.evaluate()
        display.learnt(run.note())
        run.save()
    runners = config.cluster.runners
    while run.steps < config.ppo.steps and not stop:
        run.learn()
        if run.runners != runners:
            runners = run.runners
            display.say(f"{runners} of {config.cluster.runners} runners are there")
        if run.is_due(config.evaluation.every):
            run.evaluate()
            run.export()
        display.learnt(run.note())
        if run.is_due(config.save_every):
            run.save()
    if run.saved != run.iteration:
        run.save()
    run.export()
    if stop:
        display.say(f"Stopped after iteration {run.iteration}, which is saved")
        raise KeyboardInterrupt


def _check_cpus(config: RayConfig) -> None:
    """Raise `ValueError` if the runners would wait for CPUs that the cluster does not have."""
    there = int(ray.cluster_resources().get("CPU", 0))
    if config.cluster.cpus > there:
        raise ValueError(
            f"cluster.runners and cluster.learners need {config.cluster.cpus} CPUs, but Ray has "
            f"{there}: choose fewer, or add nodes"
        )


def _check_free(config: RayConfig, storage: Storage, keep_going: bool, overwrite: bool) -> None:
    """Raise `ValueError` if a run would replace another one, or its agent."""
    folder = folder_of(config)
    check_target(folder)
    is_there = storage.newest() is not None
    if overwrite or (keep_going and is_there):
        return
    ways = "choose another name (name=...), or replace it (--overwrite)"
    if is_there:
        raise ValueError(
            f"there is a run in {storage.folder} already: resume it (--continue), {ways}"
        )
    if find_folder(folder):
        raise ValueError(f"there is an agent in {folder} already: {ways}")


@contextmanager
def _stop_requests() -> Iterator[list[int]]:
    """Yield a list that gets the number of a signal which asks the run to stop.

    The run then ends after the present iteration. A second signal ends it at once.
    """
    requests: list[int] = []

    def ask(number: int, frame: Any) -> None:
        if requests:
            raise KeyboardInterrupt
        requests.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield requests
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start_ray(address: str | None, cpus: int | None = None, **settings: Any) -> None:
    """Connect to a cluster, or start Ray on this machine.

    Args:
        address: of the cluster, or "auto"; None starts Ray on this machine.
        cpus: how many CPUs Ray counts on this machine, if it is started; None for all.
        settings: others of `ray.init`.
    """
    if address is None:
        settings |= {"address": "local", "num_cpus": cpus, "include_dashboard": False}
    else:
        settings["address"] = address
    # All processes need alhambra_env; they get this package from here.
    package = str(Path(__file__).resolve().parents[1])
    variables = {"OMP_WAIT_POLICY": os.environ["OMP_WAIT_POLICY"]}
    settings["runtime_env"] = {"py_modules": [package], "env_vars": variables}
    ray.init(log_to_driver=False, logging_level=logging.ERROR, **settings)
    for name in ("ray", "ray.rllib"):  # their warnings are about RLlib's own code
        logging.getLogger(name).setLevel(logging.ERROR)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and train."""
    given = _make_parser().parse_intermixed_args(arguments)

    def work() -> str:
        config = load_ray_config(given.config, given.overrides)
        # On one machine, Ray may count more CPUs than there are: runners and learner take turns.
        start_ray(given.address, max(config.cluster.cpus, 1))
        try:
            iteration = train(config, given.keep_going, overwrite=given.overwrite)
        finally:
            ray.shutdown()
        return f"The agent is in {folder_of(config)}, after {iteration} iterations"

    return run_training(work, to_continue="--continue")


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.ray.train",
        description="Train an agent with Ray RLlib. The agent is written to checkpoints/NAME.",
        epilog="example: python -m training.ray.train configs/rllib.yaml cluster.runners=4",
    )
    parser.add_argument("config", help="a config file, such as configs/rllib.yaml")
    parser.add_argument(
        "overrides", nargs="*", metavar="key=value", help="overrides, such as ppo.steps=1_000_000"
    )
    parser.add_argument(
        "--address", help='the address of a cluster, such as "auto"; default: this machine alone'
    )
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument(
        "--continue",
        dest="keep_going",
        action="store_true",
        help="continue from the newest checkpoint if there is one, otherwise start",
    )
    existing.add_argument(
        "--overwrite", action="store_true", help="replace an existing run of this name"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
