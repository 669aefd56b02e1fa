"""OpenSpiel: the game, its search algorithms, and `openspiel_ismcts` as a player."""

import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="needs OpenSpiel: the extra openspiel")

import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.observation import make_observation

from alhambra_env import Game, actions
from alhambra_env.adapters.ismcts import IsmctsPlayer, PlayoutEvaluator
from alhambra_env.adapters.openspiel import AlhambraGame, register
from alhambra_env.arena import match
from alhambra_env.engine.rewards import margins
from alhambra_env.envs.single import SingleEnv
from alhambra_env.observation.layout import Layout
from alhambra_env.options import HANDS, Hands
from alhambra_env.players import as_player, ask, copy_of

register()


def load(**params: Any) -> Any:
    return pyspiel.load_game("alhambra", {"deals": 50, **params})


def dealt(game: Any, deal: int, decisions: int = 0) -> Any:
    """Return a state some random decisions after a deal."""
    state = game.new_initial_state()
    state.apply_action(deal)
    chooser = random.Random(deal)
    for _ in range(decisions):
        state.apply_action(chooser.choice(state.legal_actions()))
    return state


# --- the game -------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", range(2, 7))
@pytest.mark.parametrize("hands", HANDS)
def test_openspiel_finds_no_fault_in_random_games(num_players: int, hands: Hands) -> None:
    game = load(num_players=num_players, hands=hands)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("reward", ["score", "margin"])
def test_openspiel_finds_no_fault_with_other_rewards(reward: str) -> None:
    game = load(reward=reward, max_turns=40)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(("num_players", "edition"), [(2, "german"), (3, "polish"), (5, "italian")])
def test_the_game_of_a_deal_is_that_of_the_seed(num_players: int, edition: Any) -> None:
    spiel = load(num_players=num_players, edition=edition, max_turns=150)
    layout = Layout(num_players)
    high = layout.high().astype(np.float32)
    for deal in range(3):
        ours = Game(num_players, edition, seed=deal, max_turns=150)
        state = dealt(spiel, deal)
        chooser = random.Random(deal)
        while not ours.over:
            assert state.current_player() == ours.to_play
            assert state.legal_actions() == ours.legal_actions()
            assert state.returns() == [0] * num_players
            seat = chooser.randrange(num_players)
            seen = layout.observe(ours.states, 0, seat)
            assert np.allclose(np.array(state.observation_tensor(seat)) * high, seen, atol=1e-4)
            action = chooser.choice(ours.legal_actions())
            assert state.action_to_string(action) == actions.name(action)
            state.apply_action(action)
            ours.step(action)
            assert state.position.to_bytes() == ours.to_bytes()
        assert state.is_terminal()
        won = [seat in ours.winners for seat in range(num_players)]
        assert [value > 0 for value in state.returns()] == won or all(won)
        assert sum(state.returns()) == pytest.approx(0)


@pytest.mark.parametrize("reward", ["score", "margin"])
def test_points_are_paid_at_the_end(reward: str) -> None:
    state = dealt(load(reward=reward), 1)
    evaluated = PlayoutEvaluator("builder").evaluate(state)
    while not state.is_terminal():
        assert state.returns() == [0, 0, 0]
        state.apply_action(ask(as_player("builder"), state.position))
    scores = np.array(state.position.scores)
    assert state.returns() == pytest.approx(scores if reward == "score" else margins(scores))
    assert evaluated == pytest.approx(state.returns())  # builders do not play at random


def test_copies_are_independent_and_pickles_keep_the_game() -> None:
    state = dealt(load(hands="open"), 3, decisions=30)
    twin, loaded = state.clone(), pickle.loads(pickle.dumps(state))
    for other in (twin, loaded):
        assert str(other) == str(state)
        assert other.history() == state.history()
        assert other.information_state_string(1) == state.information_state_string(1)
    before = str(state)
    twin.apply_action(twin.legal_actions()[0])
    assert str(twin) != before == str(state)
    assert state.information_state_string(0) != twin.information_state_string(0)


def test_the_deals_are_equally_likely() -> None:
    outcomes = load(deals=7).new_initial_state().chance_outcomes()
    assert outcomes == [(deal, pytest.approx(1 / 7)) for deal in range(7)]
    assert load(deals=7).max_chance_nodes_in_history() == 1


def test_an_observation_has_named_pieces() -> None:
    game = load()
    seen = make_observation(game)
    state = game.new_initial_state()
    seen.set_from(state, 0)
    assert not seen.tensor.any()  # nothing is dealt yet
    state.apply_action(4)
    seen.set_from(state, 2)
    assert seen.dict["city"].shape == (11, 19, 19)
    assert np.array_equal(np.rint(seen.dict["hand"] * 3), state.position.state.hands[2])
    assert seen.tensor.tolist() == pytest.approx(state.observation_tensor(2))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"num_players": 7}, "num_players must be 2 to 6, not 7"),
        ({"num_players": 2, "edition": "italian"}, "does not describe a game for 2 players"),
        ({"edition": "german:may_decline=yes"}, "unknown edition"),
        ({"hands": "shown"}, "unknown hands 'shown'"),
        ({"reward": "fame"}, "unknown reward 'fame'"),
        ({"deals": 0}, "deals must be 1 to"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load(**params)


def test_a_position_with_other_rules_is_refused() -> None:
    with pytest.raises(ValueError, match="the position has the rules"):
        AlhambraGame({"num_players": 4}).state_of(Game(3, seed=0))


def test_parts_of_an_observation_are_refused() -> None:
    kind = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    with pytest.raises(ValueError, match="observed as a whole"):
        AlhambraGame().make_py_observer(kind)
    with pytest.raises(ValueError, match="has no parameters"):
        AlhambraGame().make_py_observer(None, {"size": 3})


def test_openspiels_environment_plays_a_game() -> None:
    env = rl_environment.Environment(load(max_turns=20))
    step = env.reset()
    while not step.last():
        seat = step.observations["current_player"]
        step = env.step([step.observations["legal_actions"][seat][0]])
    assert sum(step.rewards) == pytest.approx(0)


# --- information states -----------------------------------------------------------------------


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("num_players", [2, 3])
def test_a_resampled_state_keeps_what_the_seat_knows(hands: Hands, num_players: int) -> None:
    state = dealt(load(hands=hands, num_players=num_players), 2, decisions=40)
    chooser = random.Random(0)
    for seat in range(num_players):
        twin = state.resample_from_infostate(seat, chooser.random)
        assert str(twin) != str(state)
        assert twin.history() == state.history()
        for see in ("information_state_string", "observation_string", "observation_tensor"):
            assert getattr(twin, see)(seat) == getattr(state, see)(seat)
        other = (seat + 1) % num_players
        same_hands = np.array_equal(
            twin.position.state.hands[other], state.position.state.hands[other]
        )
        assert same_hands == (hands == "open")


@pytest.mark.parametrize("num_players", [2, 3])
def test_the_information_state_with_open_hands_is_all_that_was_seen(num_players: int) -> None:
    game = load(hands="open", num_players=num_players)
    assert game.get_type().provides_information_state_string
    chooser = random.Random(1)
    outcomes = set()
    for deal in range(30):
        state = dealt(game, deal, decisions=3 * deal)
        twin = state.resample_from_infostate(0, chooser.random)
        seen = True
        for _ in range(12):
            common = sorted({*state.legal_actions()} & {*twin.legal_actions()})
            if not common or state.current_player() != twin.current_player():
                break
            action = chooser.choice(common)
            state.apply_action(action)
            twin.apply_action(action)
            for seat in range(num_players):
                ours, theirs = state.observation_tensor(seat), twin.observation_tensor(seat)
                seen = seen and ours == theirs
            for seat in range(num_players):
                texts = [each.information_state_string(seat) for each in (state, twin)]
                assert (texts[0] == texts[1]) == seen
            outcomes.add(seen)
    assert outcomes == {True, False}


def test_with_secret_hands_a_seat_does_not_remember() -> None:
    game = load()
    assert not game.get_type().provides_information_state_string
    state, other = dealt(game, 1), dealt(game, 1)
    assert state.information_state_string(0) == other.information_state_string(0)
    assert state.information_state_string(0) != state.information_state_string(1)
    other.apply_action(other.legal_actions()[0])
    assert state.information_state_string(0) != other.information_state_string(0)


# --- search -----------------------------------------------------------------------------------


def evaluators() -> list[Callable[[], Any]]:
    return [
        lambda: mcts.RandomRolloutEvaluator(1, np.random.RandomState(0)),
        lambda: PlayoutEvaluator("builder"),
    ]


@pytest.mark.parametrize("make", evaluators(), ids=["python", "compiled"])
@pytest.mark.parametrize("hands", HANDS)
def test_mcts_and_ismcts_play_legal_actions(hands: Hands, make: Callable[[], Any]) -> None:
    game = load(hands=hands, max_turns=30)
    bots = [
        mcts.MCTSBot(game, 1.4, 12, make(), random_state=np.random.RandomState(0)),
        ismcts.ISMCTSBot(game, make(), 1.4, 12, random_state=np.random.RandomState(0)),
        pyspiel.make_uniform_random_bot(2, 0),
    ]
    state = dealt(game, 6)
    for _ in range(15):
        action = bots[state.current_player()].step(state)
        assert action in state.legal_actions()
        state.apply_action(action)


def test_a_playout_needs_a_deal() -> None:
    with pytest.raises(ValueError, match="there is no deal yet"):
        PlayoutEvaluator().evaluate(load().new_initial_state())


# --- the player -------------------------------------------------------------------------------


def test_the_player_of_the_arena_is_found_by_name_and_wins() -> None:
    name = "openspiel_ismcts:simulations=40,playouts=builder"
    results = match([name, "random"], num_players=2, deals=1, seed=1)
    assert (results.scores[..., 0] != results.scores[..., 1]).all()
    for game in results.deals[0].games:
        seat = [results.match.names[player] for player in game.seats].index(name)
        assert game.scores[seat] == max(game.scores)


@pytest.mark.parametrize("hands", HANDS)
def test_the_same_seed_gives_the_same_choice_and_hidden_cards_do_not_matter(hands: Hands) -> None:
    game = dealt(load(), 8, decisions=20).position
    hidden = game.resample(game.to_play, 5, hands)
    player = IsmctsPlayer(simulations=30, hands=hands)
    chosen = []
    for position in (game, game, hidden):
        player.begin(3)
        before = position.to_bytes()
        chosen.append(player.choose(position))
        assert position.to_bytes() == before
    assert len(set(chosen)) == 1


def test_the_player_plays_editions_with_points_changed() -> None:
    game = Game(4, "german:may_decline=yes", seed=0)
    player = IsmctsPlayer(simulations=5)
    assert player.choose(game) in game.legal_actions()
    assert player.choose(Game(2, seed=0)) in Game(2, seed=0).legal_actions()


def test_a_copy_of_the_player_goes_on_alike() -> None:
    game = Game(2, "german:may_decline=yes", seed=4)
    player = IsmctsPlayer(simulations=30)
    game.step(player.choose(game))
    twin = copy_of(player)
    assert player.choose(game) == twin.choose(game)


def test_the_player_is_an_opponent_in_the_environments() -> None:
    env = SingleEnv(num_players=2, opponents=["openspiel_ismcts:simulations=3"], max_turns=6)
    env.reset(seed=0)
    done = False
    while not done:
        _, _, done, _, _ = env.step(int(env.action_masks().argmax()))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("simulations=1", "simulations must be 2 to"),
        ("simulations", "are written name=value"),
        ("playouts=planer", "did you mean 'planner'"),
        ("hands=shown", "unknown hands"),
        ("depth=3", "unknown setting of openspiel_ismcts 'depth'"),
    ],
)
def test_wrong_settings_of_the_player_are_refused(settings: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_player(f"openspiel_ismcts:{settings}")


def test_the_player_has_nothing_to_choose_when_the_game_is_over() -> None:
    game = Game(2, seed=0, max_turns=1)
    while not game.over:
        game.step(game.legal_actions()[0])
    with pytest.raises(ValueError, match="the game is over"):
        as_player("openspiel_ismcts").choose(game)


def test_openspiel_is_imported_only_for_its_player() -> None:
    code = (
        "import sys, alhambra_env.players as p; p.as_player('random'); "
        "assert 'pyspiel' not in sys.modules; p.as_player('openspiel_ismcts'); "
        "assert 'pyspiel' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_example_plays_a_game() -> None:
    script = Path(__file__).parent.parent / "examples" / "openspiel_ismcts.py"
    words = [sys.executable, str(script), "--simulations", "5"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "returns [" in done.stdout
