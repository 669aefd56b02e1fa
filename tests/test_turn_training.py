"""Training of agents that choose turns: the buffer, resuming, the network and the player."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from alhambra_env import Game, bots
from alhambra_env.agents.loading import load_player
from alhambra_env.agents.turn_inference import turn_logits, value_of
from alhambra_env.agents.turn_network import (
    LEAST_SPREAD,
    LEAST_SPREAD_OF_DIFFERENCES,
    turn_weights,
)
from alhambra_env.agents.turn_player import TurnAgentPlayer
from alhambra_env.arena import duel
from alhambra_env.turns.listing import find_choices
from training.checkpoint import load_checkpoint
from training.config import TurnConfig
from training.config_file import make_config
from training.evaluate import main as evaluate
from training.networks import weights_of
from training.progress import Display
from training.train import main
from training.turns.env import divide
from training.turns.network import TurnNetwork, TurnPolicy
from training.turns.run import TurnRun

from .tiny_runs import assert_same

pytestmark = pytest.mark.usefixtures("in_a_folder")

TINY = (
    "name=tiny",
    "bots=[builder, saver]",
    "game.num_players=[2, 3]",
    "network.width=8",
    "ppo.num_envs=6",
    "ppo.rollout=40",
    "ppo.batch_size=100",
    "ppo.epochs=2",
    "evaluation.deals=2",
    "evaluation.every=1_000_000",
    "evaluation.opponents=[builder]",
)


def tiny(*overrides: str) -> TurnConfig:
    config = make_config({"level": "turns"}, [*TINY, *overrides])
    assert isinstance(config, TurnConfig)
    return config


def random_network(seed: int = 1) -> TurnNetwork:
    torch.manual_seed(seed)
    network = TurnNetwork(16, 0.5)
    for part in network.parameters():
        torch.nn.init.normal_(part, std=0.2)
    torch.nn.init.normal_(network.means)
    torch.nn.init.uniform_(network.spreads, 0.3, 1)
    torch.nn.init.uniform_(network.spreads_of_differences, 0.3, 1)
    return network


def test_advantages_follow_each_seat() -> None:
    run = TurnRun(tiny("ppo.num_envs=8", "ppo.rollout=120", "game.num_players=[3]"))
    run.close()
    steps: list[tuple[np.ndarray, ...]] = []
    play = run.env.step_wait

    def noted() -> Any:
        result = play()
        steps.append(tuple(array.copy() for array in run.env.ledger))
        return result

    run.env.step_wait = noted  # type: ignore[method-assign]
    run.begin()
    model, buffer = run._model, run._model.rollout_buffer
    for part in run.network.judge.parameters():
        torch.nn.init.normal_(part, std=0.1)
    model.collect_rollouts(run.env, run._callback, buffer, 120)
    seats, earned, ended = (np.array(column) for column in zip(*steps, strict=True))
    checked, open_ones = 0, 0
    for game in range(8):
        for step in range(120):
            seat = seats[step, game]
            reward, later = 0.0, None
            has_ended = False
            for then in range(step, 120):
                if then > step and seats[then, game] == seat:
                    later = then
                    break
                reward += earned[then, game, seat]
                if ended[then, game]:
                    has_ended = True
                    break
            value = buffer.values[step, game]
            if has_ended:
                wanted = reward - value
            elif later is not None:
                wanted = reward + buffer.values[later, game] - value
                wanted += model.gae_lambda * buffer.advantages[later, game]
            else:
                open_ones += 1
                assert not buffer._is_usable[step, game]  # type: ignore[attr-defined]
                continue
            assert buffer._is_usable[step, game]  # type: ignore[attr-defined]
            assert buffer.advantages[step, game] == pytest.approx(wanted, abs=1e-4)
            checked += 1
    assert ended.sum() > 5
    assert open_ones <= 8 * 3
    rows = sum(len(batch.actions) for batch in buffer.get(50))
    assert checked - 50 < rows <= checked
    batch = next(iter(buffer.get(50)))
    with torch.no_grad():
        _, log_prob, _ = model.policy.evaluate_actions(
            batch.observations, batch.actions, action_masks=batch.action_masks
        )
        values = model.policy.predict_values(batch.observations)
    assert torch.allclose(log_prob, batch.old_log_prob, atol=1e-5)
    assert torch.allclose(values.flatten(), batch.old_values, atol=1e-5)


def test_the_critic_learns_what_the_chosen_turn_is_worth() -> None:
    run = TurnRun(tiny())
    run.close()
    run.begin()
    policy = run._model.policy
    assert isinstance(policy, TurnPolicy)
    for part in policy.network.judge.parameters():
        torch.nn.init.normal_(part, std=0.3)
    seen, masks = torch.from_numpy(run._model._last_obs), torch.from_numpy(run.env.action_masks())
    with torch.no_grad():
        mean = torch.zeros(len(seen))
        chances = policy.network.log_probs(seen, seen[masks], masks).exp()
        for choice in range(masks.shape[1]):
            chosen = torch.full((len(seen),), choice)
            worth, _, _ = policy.evaluate_actions(seen, chosen, masks)
            mean += chances[:, choice] * worth.squeeze(1)
        assert torch.allclose(policy.predict_values(seen).squeeze(1), mean, atol=1e-5)


def test_features_are_measured_before_training() -> None:
    run = TurnRun(tiny())
    run.close()
    with Display(run.config, is_shown=False) as display:
        run.prepare(display)
    network = run.network
    assert (network.spreads >= LEAST_SPREAD).all()
    assert (network.spreads_of_differences >= LEAST_SPREAD_OF_DIFFERENCES).all()
    assert network.means.abs().max() > 0.5
    assert (network.spreads > LEAST_SPREAD).sum() > 100
    before = weights_of(network)["means"]
    run.begin()
    run.learn()
    assert np.array_equal(weights_of(network)["means"], before)


@pytest.mark.parametrize("averaged", [0, 1])
def test_a_resumed_run_gives_the_same_weights(averaged: int) -> None:
    config = tiny("ppo.steps=960", f"ppo.averaged={averaged}")
    whole = TurnRun(config)
    whole.begin()
    for update in range(4):
        if update == 2:
            whole.save()
        whole.learn()
    resumed = TurnRun(config)
    assert resumed.load(load_checkpoint("checkpoints/tiny")) == []
    assert resumed.steps == 480
    for _ in range(2):
        resumed.learn()
    for run in (whole, resumed):
        run.close()
    assert_same(weights_of(whole.network), weights_of(resumed.network))
    assert_same(weights_of(whole.agent), weights_of(resumed.agent))


def test_the_agent_is_the_mean_of_the_weights_after_each_update() -> None:
    run = TurnRun(tiny("ppo.steps=960", "ppo.averaged=1"))
    run.begin()
    assert run.agent is run.network
    seen = []
    for _ in range(3):
        run.learn()
        seen.append(weights_of(run.network))
    run.save()
    run.close()
    saved = load_checkpoint("checkpoints/tiny").weights
    assert_same(saved, weights_of(run.agent))
    for name, weights in saved.items():
        mean = sum(update[name] for update in seen) / len(seen)
        assert np.allclose(weights, mean, atol=1e-6), name
    assert not np.allclose(saved["judge.1.weight"], seen[-1]["judge.1.weight"], atol=1e-6)


def test_without_averaging_the_agent_is_the_learner() -> None:
    run = TurnRun(tiny("ppo.averaged=0"))
    run.begin()
    run.learn()
    run.close()
    assert run.agent is run.network


def test_games_go_on_exactly_from_a_save() -> None:
    run = TurnRun(tiny())
    run.close()
    run.begin()
    run.learn()
    saved = run.env.save()
    other = TurnRun(tiny("seed=5"))
    other.close()
    seen, replaced = other.env.load(saved)
    assert replaced == 0
    assert np.array_equal(seen, np.asarray(run._model._last_obs))
    for _ in range(60):
        chosen = np.array([np.flatnonzero(mask)[-1] for mask in run.env.action_masks()])
        for env in (run.env, other.env):
            env.step_async(chosen)
        first, second = run.env.step_wait(), other.env.step_wait()
        for one, two in zip(first[:3], second[:3], strict=True):
            assert np.array_equal(np.asarray(one), np.asarray(two))


def test_the_first_updates_train_only_the_value_function() -> None:
    run = TurnRun(tiny("ppo.critic_updates=1"))
    run.close()
    run.begin()
    before = weights_of(run.network)
    run.learn()
    after = weights_of(run.network)
    for name in before:
        changed = not np.array_equal(before[name], after[name])
        assert changed == name.startswith(("judge", "weigh")), name
    run.learn()
    assert not np.array_equal(weights_of(run.network)["score.3.weight"], after["score.3.weight"])


def test_a_new_network_plays_like_lookahead() -> None:
    network = TurnNetwork(8, 0.7)
    player = TurnAgentPlayer(weights_of(network), 0.7, "new")
    game = Game(3, seed=2)
    lookahead = bots.make("lookahead")
    same = 0
    while not game.over:
        action = player.choose(game)
        if game.phase == "turn" and game.state.actions == 0:
            choices = find_choices(game)
            assert player.explain(game)[0].value == pytest.approx(choices.values.max())
            same += action == lookahead.choose(game)
        game.step(action)
    assert same > 40


def test_compiled_inference_is_that_of_pytorch() -> None:
    network = random_network()
    run = TurnRun(tiny())
    run.close()
    policy = run._model.policy
    assert isinstance(policy, TurnPolicy)
    policy.network = network
    weights = turn_weights(weights_of(network), network.scale)
    game = Game(4, seed=3)
    driver = bots.make("planner")
    while not game.over:
        choices = find_choices(game)
        count = len(choices.actions)
        features = torch.from_numpy(choices.features)[None]
        with torch.no_grad():
            masks = torch.from_numpy(choices.mask)[None] == 1
            wanted = network.log_probs(features, features[masks], masks)
            value = float(policy.predict_values(features))
        logits = turn_logits(choices.features, count, weights)
        found = logits - np.logaddexp.reduce(logits)
        assert found == pytest.approx(wanted[0, :count].numpy(), abs=2e-4)
        assert value_of(choices.features, count, logits, weights) == pytest.approx(value, abs=5e-3)
        game.step(driver.choose(game))


def test_a_player_keeps_its_plan_and_plans_again_if_the_game_went_elsewhere() -> None:
    player = TurnAgentPlayer(weights_of(random_network()), 0.5, "mine")
    planned = 0
    choose = player.choose_turn

    def counted(game: Game, choices: Any) -> int:
        nonlocal planned
        planned += 1
        return choose(game, choices)

    player.choose_turn = counted  # type: ignore[method-assign]
    game = Game(2, seed=4)
    actions = 0
    while not game.over:
        game.step(player.choose(game))
        actions += 1
    assert planned < actions
    for turn in range(40):  # positions that its plan is not for
        elsewhere = Game(2, seed=turn)
        player._plan = [1954, 1954]
        assert elsewhere.action_mask()[player.choose(elsewhere)]


def test_an_explanation_lists_the_turns_by_probability() -> None:
    player = TurnAgentPlayer(weights_of(random_network()), 0.5, "mine")
    game = Game(3, seed=1)
    explained = player.explain(game)
    chances = [turn.probability or 0.0 for turn in explained]
    assert sum(chances) == pytest.approx(1, abs=1e-5)
    assert chances == sorted(chances, reverse=True)
    assert {len(turn.actions) > 0 for turn in explained} == {True}
    assert "%" in str(explained[0])
    assert np.isfinite(player.value(game))
    sampled = set()
    sampler = TurnAgentPlayer(weights_of(random_network()), 0.0, "mine", is_sampling=True)
    for seed in range(40):
        sampler.begin(seed)
        sampled.add(sampler.choose(game))
    assert len(sampled) > 1


def test_the_scripts_train_evaluate_and_play(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("turns.yaml")
    path.write_text("name: mine\nlevel: turns\n")
    assert main([str(path), *TINY[1:], "ppo.steps=480"]) == 0
    assert evaluate(["checkpoints/mine", "--bots", "random", "--deals", "2"]) == 0
    assert "random" in capsys.readouterr().out
    assert Path("checkpoints/mine/progress.png").stat().st_size > 5000
    player = load_player("checkpoints/mine")
    result = duel(player, "random", 5, 2, 1, workers=1)
    assert result is not None
    assert load_checkpoint("checkpoints/mine").config.player_counts == (2, 3)


def test_shares_say_how_many_tables_there_are_of_each_kind() -> None:
    run = TurnRun(
        tiny(
            "ppo.num_envs=24",
            "game.player_shares=[1, 3]",
            "game.editions=[german, italian]",
            "game.edition_shares=[2, 1]",
        )
    )
    run.close()
    found = {
        (tables.batch.rules.edition, tables.batch.num_players): tables.num_games
        for tables in run.env.tables
    }
    # Shares of 2, 6 and 3: the italian edition is not for two players.
    assert found == {("german", 2): 4, ("german", 3): 13, ("italian", 3): 7}


@pytest.mark.parametrize(
    ("number", "shares", "parts"),
    [
        (7, [1, 1, 1], [3, 2, 2]),
        (200, [1, 1, 1, 1, 1], [40, 40, 40, 40, 40]),
        (10, [3, 2], [6, 4]),
        (4, [100, 1, 1], [2, 1, 1]),
    ],
)
def test_a_number_is_divided_by_shares(number: int, shares: list[float], parts: list[int]) -> None:
    assert divide(number, shares) == parts


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("level=moves", "unknown level"),
        ("game.num_players=[3, 3]", "twice"),
        ("game.num_players=[1]", "num_players"),
        ("game.player_shares=[1]", "player_shares must have 2 numbers, as num_players has, not 1"),
        ("game.edition_shares=[0]", "greater than 0"),
        ("network.table_width=3", "table_width"),
        ("line_ups={self_play: 0, one_bot: 0, one_learner: 0}", "must not all be 0"),
        ("bots=[nobody]", "unknown bot"),
        ("ppo.num_envs=1", "ppo.num_envs must be at least 2"),
    ],
)
def test_wrong_settings_are_refused(override: str, message: str) -> None:
    key, _, value = override.partition("=")
    given = {"level": value if key == "level" else "turns"}

    def start() -> None:
        config = make_config(given, () if key == "level" else (*TINY, override))
        assert isinstance(config, TurnConfig)
        TurnRun(config).close()

    with pytest.raises(ValueError, match=message):
        start()
