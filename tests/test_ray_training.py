"""The fast way: compiled games, RLlib's learners, a league, and an agent that plays."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray", reason="needs Ray: the extra `ray`")

from ray import tune
from ray.rllib.core.columns import Columns

from alhambra_env.arena import duel
from tests.ray_runs import build, iterations, ray_here, saved, tiny
from training.ray.algorithm import LeaguePPO, league_config
from training.ray.rollout import MASK_BITS, unpack_masks
from training.ray.storage import Storage
from training.ray.train import main, train

# Ray Data, which RLlib imports for remote learners, warns about its own settings.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.data.context")


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    with ray_here(cpus=4):
        yield


@pytest.fixture
def algorithm(local_ray: None) -> Iterator[LeaguePPO]:
    built = build()
    yield built
    built.stop()


def test_training_changes_the_policy_and_the_league_grows(algorithm: LeaguePPO) -> None:
    before = algorithm.weights()
    losses = []
    for iteration in range(1, 5):
        result = algorithm.train()
        assert result["training_iteration"] == iteration
        assert result["env_runners"]["num_env_steps_sampled"] == 128
        learnt = result["learners"]["default_policy"]
        assert learnt["num_module_steps_trained"] == 3 * 128
        losses.append(float(learnt["vf_loss"]))
    assert algorithm.steps == 4 * 128
    assert len(set(losses)) == len(losses)
    changed = [name for name, value in algorithm.weights().items() if (value != before[name]).any()]
    assert len(changed) == len(before)
    # One snapshot at the start, and one for every 256 decisions
    assert algorithm.league.version == 3


def test_the_loss_of_the_values_falls(local_ray: None) -> None:
    """PPO learns the values of a game that ends after a few turns."""
    algorithm = build("game.max_turns=6", "ppo.learning_rate=3e-3", "ppo.num_envs=32")
    results = [algorithm.train()["learners"]["default_policy"] for _ in range(12)]
    losses = [float(result["vf_loss"]) for result in results]
    assert np.mean(losses[-4:]) < np.mean(losses[:2])
    algorithm.stop()


def test_a_rollout_has_legal_actions_of_all_games(algorithm: LeaguePPO) -> None:
    (rollout,) = algorithm.env_runner.sample()
    columns = rollout.columns
    assert len(rollout) == 128
    counts = unpack_masks(columns[MASK_BITS]).sum(axis=1)
    places = columns[Columns.ACTIONS]
    assert ((places >= 0) & (places < counts)).all()
    log_probs = columns[Columns.ACTION_DIST_INPUTS]
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, rtol=1e-4)
    chosen = log_probs[np.arange(128), places]
    np.testing.assert_allclose(chosen, columns[Columns.ACTION_LOGP], rtol=1e-5)


def test_averaged_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="averaged must be 0 with Ray"):
        tiny("ppo.averaged=0.1")


def test_a_runner_without_weights_refuses_to_play(local_ray: None) -> None:
    algorithm = build()
    runner = type(algorithm.env_runner)(config=algorithm.config, worker_index=0)
    with pytest.raises(RuntimeError, match="no weights"):
        runner.sample()
    runner.set_state(algorithm.env_runner.get_state())
    assert len(runner.sample()[0]) == 128
    algorithm.stop()


def test_a_restarted_runner_plays_other_games(algorithm: LeaguePPO) -> None:
    config, kind = algorithm.config, type(algorithm.env_runner)
    seen = []
    for updates in (1, 2, 1):
        runner = kind(config=config, worker_index=0)
        runner.set_state({**algorithm.env_runner.get_state(), "weights_seq_no": updates})
        seen.append(runner.sample()[0].columns[Columns.OBS])
    assert (seen[0] == seen[2]).all()
    assert (seen[0] != seen[1]).any()


def test_two_learners_share_a_batch(local_ray: None) -> None:
    algorithm = build("cluster.learners=2", "ppo.batch_size=32")
    result = algorithm.train()
    assert result["learners"]["default_policy"]["num_module_steps_trained"] == 3 * 128
    algorithm.stop()


def test_tune_tries_settings(local_ray: None, tmp_path: Path) -> None:
    config = league_config(tiny())
    config.training(lr=tune.grid_search([1e-3, 1e-4]))
    stop = tune.RunConfig(stop={"training_iteration": 2}, storage_path=str(tmp_path), verbose=0)
    results = tune.Tuner(LeaguePPO, param_space=config, run_config=stop).fit()
    assert not results.errors
    assert {result.metrics["config"]["lr"] for result in results} == {1e-3, 1e-4}
    assert {result.metrics["training_iteration"] for result in results} == {2}


def test_a_saved_algorithm_continues_where_it_was(
    algorithm: LeaguePPO, tmp_path: Path, local_ray: None
) -> None:
    for _ in range(3):
        algorithm.train()
    algorithm.save_to_path(str(tmp_path))
    twin = build("cluster.runners=1")  # the cluster may differ
    twin.restore_from_path(str(tmp_path))
    assert (twin.iteration, twin.steps) == (3, 3 * 128)
    assert twin.league.version == algorithm.league.version == 2
    for name, value in algorithm.weights().items():
        np.testing.assert_array_equal(twin.weights()[name], value)
    learners = [each.learner_group._learner for each in (algorithm, twin)]
    first, second = (learner.entropy_coeff_schedulers_per_module for learner in learners)
    entropy = second["default_policy"].get_current_value()
    assert entropy == pytest.approx(first["default_policy"].get_current_value())
    assert entropy < algorithm.settings.ppo.entropy
    rates = [learner.get_optimizer("default_policy").param_groups[0]["lr"] for learner in learners]
    assert rates[0] == rates[1]
    assert twin.train()["training_iteration"] == 4
    twin.stop()


# --- a whole run ----------------------------------------------------------------------------------


def test_a_run_exports_an_agent_that_plays_and_can_be_resumed(
    local_ray: None, in_a_folder: None
) -> None:
    config = tiny("imitation.decisions=2000", "imitation.chunk=2048", "ppo.steps=384")
    assert train(config, is_shown=False) == 3
    assert saved(config) == ["000002", "000003"]
    assert iterations("tiny") == ["", "1", "2", "3"]
    result = duel("ppo:checkpoints/tiny", "random", 3, deals=2)
    assert result.seats.shape == (2, 3, 3)  # two deals, the agent at each of three seats
    with pytest.raises(ValueError, match="already: resume it"):
        train(config, is_shown=False)
    longer = tiny("ppo.steps=640", "cluster.keep=1")
    assert train(longer, keep_going=True, is_shown=False) == 5
    assert saved(config) == ["000005"]
    assert iterations("tiny") == ["", "1", "2", "3", "4", "5"]
    own = Storage(config).folder / "000009" / "own.txt"
    own.parent.mkdir()
    own.write_text("not a checkpoint")
    assert train(tiny("ppo.steps=128"), overwrite=True, is_shown=False) == 1
    assert saved(config) == ["000000", "000001", "000009"]
    assert own.exists()


@pytest.mark.parametrize("keep_going", [False, True])
def test_the_agent_of_another_run_is_not_replaced(
    copy: Path, local_ray: None, keep_going: bool
) -> None:
    before = (copy / "meta.json").read_bytes()
    with pytest.raises(ValueError, match="there is an agent in checkpoints/tiny already"):
        train(tiny(), keep_going, is_shown=False)
    assert (copy / "meta.json").read_bytes() == before


def test_a_run_does_not_wait_for_cpus_that_are_not_there(
    local_ray: None, in_a_folder: None
) -> None:
    with pytest.raises(ValueError, match="need 9 CPUs, but Ray has 4"):
        train(tiny("cluster.runners=9"), is_shown=False)


def test_a_checkpoint_that_does_not_fit_is_refused(local_ray: None, in_a_folder: None) -> None:
    train(tiny("ppo.steps=128"), is_shown=False)
    with pytest.raises(ValueError, match="cannot be resumed"):
        train(tiny("network.table_width=8"), keep_going=True, is_shown=False)
    state = Storage(tiny()).folder / "000001" / "algorithm_state.pkl"
    state.write_bytes(state.read_bytes()[:100])
    with pytest.raises(ValueError, match="cannot be resumed"):
        train(tiny(), keep_going=True, is_shown=False)


def test_a_signal_stops_a_run_after_its_iteration_is_saved(
    local_ray: None, in_a_folder: None
) -> None:
    config = tiny("save_every=256")  # every second iteration

    def stop_soon() -> None:
        while "000002" not in saved(config):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    stopper = threading.Thread(target=stop_soon)
    stopper.start()
    with pytest.raises(KeyboardInterrupt):
        train(config, is_shown=False)
    stopper.join()
    last = int(saved(config)[-1])
    assert last >= 2
    assert train(tiny(f"ppo.steps={128 * (last + 2)}"), keep_going=True, is_shown=False) == last + 2
    assert iterations("tiny") == ["", *(str(number) for number in range(1, last + 3))]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.yaml"], "cannot be read"),
        (["x.yaml", "cluster.runner=3"], "runners"),
        (["x.yaml", "cluster.runners=-1"], "cluster.runners"),
    ],
)
def test_the_command_line_explains_errors(
    words: list[str], message: str, in_a_folder: None, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("x.yaml").write_text("seed: 1\n")
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
