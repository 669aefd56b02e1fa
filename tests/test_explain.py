"""What players weigh: it agrees with what they play, and uses only what their seat may know."""

import json
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from alhambra_env import Game, actions, bots
from alhambra_env.agents.turn_player import TurnAgentPlayer
from alhambra_env.explanation import UNITS, Candidate
from alhambra_env.options import Hands
from alhambra_env.players import Player, as_player, explain
from alhambra_env.turns.listing import find_choices
from tests.plain_python import PlainCall

from .test_bots import play
from .test_turn_search import late_games

EXACT = ["planner", "lookahead", "lookahead:hands=open", "turns"]
"""Players without random words, for any number of players."""

SEARCHING = [
    "rollout:playouts=24",
    "rollout:playouts=24,hands=open,candidates=3",
    "turns:search=8",
    "ppo_3p:search=24",
]
SILENT = ["random", "uniform", "saver", "builder"]


def positions(num_players: int, every: int = 1, decisions: int = 400) -> Iterator[Game]:
    """Yield the positions of a game between builders, planners and lookaheads."""
    edition = "polish" if num_players == 3 else "german"
    game = Game(num_players, edition, seed=num_players)
    drivers = [bots.make(name) for name in ("builder", "planner", "lookahead")]
    for i in range(decisions):
        if game.over:
            return
        if i % every == 0:
            yield game
        game.step(drivers[i % 3].choose(game))


def weighed(player: Player, game: Game) -> list[Candidate]:
    found = explain(player, game)
    assert found is not None
    return found


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("num_players", range(2, 7))
def test_the_best_candidate_is_what_the_player_plays(name: str, num_players: int) -> None:
    player = as_player(name)
    phases = set()
    for game in positions(num_players):
        player.begin(0)
        best = weighed(player, game)[0]
        assert best.actions[0] == player.choose(game), (game.phase, actions.name(best.actions[0]))
        phases.add(game.phase)
    assert {"turn", "put"} <= phases


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_best_action_of_an_agent_of_actions_is_what_it_plays(num_players: int) -> None:
    player = as_player(f"ppo_{num_players}p")
    for game in positions(num_players):
        found = weighed(player, game)
        assert found[0].actions == (player.choose(game),)
        assert sorted(each.actions[0] for each in found) == game.legal_actions()
        chances = [each.probability or 0.0 for each in found]
        assert sum(chances) == pytest.approx(1, abs=1e-4)
        assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize("name", SEARCHING)
@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_a_search_plays_what_it_explains_and_the_same_as_without(
    name: str, num_players: int
) -> None:
    if name.startswith("ppo_3p") and num_players != 3:
        pytest.skip("it plays with three only")
    asked, unasked = as_player(name), as_player(name)
    for i, game in enumerate(positions(num_players, every=9, decisions=250)):
        asked.begin(i)
        unasked.begin(i)
        for _ in range(2):  # the second time it has other random words
            best = weighed(asked, game)[0].actions[0]
            assert weighed(asked, game)[0].actions[0] == best
            assert asked.choose(game) == unasked.choose(game) == best


def test_a_player_of_turns_shows_its_plan_until_it_is_played() -> None:
    for name in ("turns", "turns:search=8"):
        player, game, longest = as_player(name), Game(3, seed=5), 0
        planned: tuple[int, ...] = ()
        while not game.over and game.state.turn < 40:
            best = weighed(player, game)[0].actions
            if planned:
                assert best == planned
            action = player.choose(game)
            assert action == best[0]
            planned = best[1:]
            longest = max(longest, len(best))
            game.step(action)
        assert longest > 2


@pytest.mark.parametrize("name", [*EXACT, *SEARCHING, "ppo_3p"])
def test_an_explanation_shows_nothing_that_the_seat_may_not_know(name: str) -> None:
    player = as_player(name)
    for i, game in enumerate(positions(3, every=7, decisions=200)):
        player.begin(i)
        found = weighed(player, game)
        hands: Hands = "open" if "hands=open" in name else "secret"
        other = game.resample(game.to_play, seed=i, hands=hands)
        assert weighed(player, other) == found
        assert [each.describe(other) for each in found[:4]] == [
            each.describe(game) for each in found[:4]
        ]


@pytest.mark.parametrize("name", [*EXACT, *SEARCHING, "ppo_3p"])
def test_every_candidate_can_be_played_and_written_as_json(name: str) -> None:
    player = as_player(name)
    for game in positions(3, every=17, decisions=220):
        before = game.to_bytes()
        found = weighed(player, game)
        assert len({each.actions for each in found}) == len(found)
        assert len({each.unit for each in found if each.unit}) <= 1
        for each in found:
            assert (each.value is None) == (each.unit is None)
            shown = each.as_dict(game)
            assert json.loads(json.dumps(shown, allow_nan=False)) == shown
            assert [actions.parse(text) for text in shown["names"]] == list(each.actions)
            assert len(shown["sentences"]) == len(each.actions)
            assert each.names[0] in str(each)
        assert game.to_bytes() == before


def test_the_planner_weighs_every_legal_action_in_points() -> None:
    planner = bots.make("planner")
    units = set()
    for game in positions(4, every=3):
        found = weighed(planner, game)
        assert sorted(each.actions[0] for each in found) == game.legal_actions()
        units |= {each.unit for each in found}
        names = [each.names[0].split(":")[0] for each in found if each.value is None]
        assert set(names) <= {"remove"}
    assert units == {"points", None}


def test_the_planner_declines_only_if_there_is_nothing_else_whatever_that_is_worth() -> None:
    planner, declined = bots.make("planner"), actions.parse("pass")
    poor = 0
    for seed in range(20):
        game = Game(3, "polish", seed=seed)
        for _ in range(150):
            if game.over:
                break
            position = game.clone()
            position.masks[0, :15] = 0  # as if there were no money to take
            if position.masks[0, declined] and position.masks[0].sum() > 1:
                found = weighed(planner, position)
                assert found[0].actions[0] == planner.choose(position)
                poor += (found[0].value or 0) < 0
            game.step(planner.choose(game))
    assert poor > 3


def test_the_lookahead_weighs_turns_in_order_of_the_margin() -> None:
    lookahead = bots.make("lookahead")
    for game in positions(3, every=5):
        values = [each.value or 0.0 for each in weighed(lookahead, game)]
        assert values == sorted(values, reverse=True)
        best = find_choices(game).values[0]  # a narrower search of the same turns
        assert values[0] >= best - 1e-9


def test_the_rollout_shows_the_mean_results_of_its_playouts() -> None:
    rollout = bots.make("rollout", playouts=120, candidates=4)
    game = play(Game(3, seed=1), bots.make("builder"), 60)
    found = weighed(rollout, game)
    samples = [each.samples or 0 for each in found]
    assert samples == [15 + 30, 15 + 30, 15, 15]  # half of the playouts for four, half for two
    assert all(0 < (each.value or 0) < 1 for each in found)
    assert {each.unit for each in found} == {"result"}
    alone = weighed(bots.make("rollout", candidates=1), game)
    assert [(each.value, each.samples) for each in alone] == [(None, None)]


def test_a_search_of_turns_shows_how_much_each_was_sampled() -> None:
    player = as_player("turns:search=96")
    for game in late_games(3, 3):
        player.begin(0)
        found = weighed(player, game)
        tried = [each for each in found if each.samples is not None]
        assert found[: len(tried)] == tried
        assert len(tried) == min(8, len(found))
        samples = [each.samples or 0 for each in tried]
        assert samples == sorted(samples, reverse=True)
        assert {each.unit for each in tried} == {"reward"}
        assert all(each.value is None and each.probability for each in found[len(tried) :])


def test_the_values_of_a_search_are_means_of_its_samples() -> None:
    # With a critic and rewards that come to nothing, all samples are worth the same.
    player = as_player("turns:search=64")
    assert isinstance(player, TurnAgentPlayer)
    finder = player._search
    assert finder is not None
    finder._options = finder._options._replace(outcome=0.0, margin=0.0)
    weights = player._weights
    nothing = np.zeros_like(weights.judge_weights), np.full_like(weights.judge_biases, 0.25)
    finder._weights = weights._replace(judge_weights=nothing[0], judge_biases=nothing[1])
    game = late_games(3, 1)[0]
    values = [each.value for each in weighed(player, game) if each.value is not None]
    assert values == pytest.approx([0.25] * len(values))


@pytest.mark.parametrize("name", SILENT)
def test_simple_bots_weigh_nothing(name: str) -> None:
    assert explain(as_player(name), Game(3, seed=1)) is None
    assert bots.make(name).explain(Game(3, seed=1)) is None


def test_functions_and_players_without_the_method_do_not_explain() -> None:
    assert explain(as_player(lambda observation, mask: int(mask.argmax())), Game(seed=0)) is None
    assert explain(as_player(f"{__name__}:Mine"), Game(seed=0)) is not None


@pytest.mark.parametrize("name", [*EXACT, *SEARCHING, *SILENT, "ppo_3p"])
def test_there_is_nothing_to_explain_when_a_game_is_over(name: str) -> None:
    game = play(Game(3, seed=0), bots.make("builder"))
    player = as_player(name)
    with pytest.raises(ValueError, match="nothing to explain"):
        explain(player, game)
    assert isinstance(player, Player)
    if hasattr(player, "explain"):
        with pytest.raises(ValueError, match="nothing to explain"):
            player.explain(game)


def text_of_explanations() -> str:
    game = play(Game(2, seed=6), bots.make("builder"), 95)
    names = ("planner", "lookahead", "rollout:playouts=4,candidates=2", "ppo_2p", "turns:search=2")
    return "\n".join(str(each) for name in names for each in weighed(as_player(name), game)[:3])


def test_plain_python_explains_as_compiled_code_does(in_plain_python: PlainCall) -> None:
    assert in_plain_python(text_of_explanations) == text_of_explanations().strip()


class Mine:
    """A player of the user's: the last legal action, surely; it changes the game that it gets."""

    name = "mine"

    def begin(self, seed: int) -> None:
        pass

    def choose(self, game: Game) -> int:
        return game.legal_actions()[-1]

    def explain(self, game: Game) -> Sequence[Candidate]:
        action = self.choose(game)
        game.step(action)
        return (Candidate((action,), 0.25, "chance", 1.0),)


def test_a_player_of_the_user_can_explain_and_gets_a_copy() -> None:
    game = Game(3, seed=2)
    before = game.to_bytes()
    found = weighed(Mine(), game)
    assert game.to_bytes() == before
    assert str(found[0]) == f"100.0%     25% chance  {found[0].names[0]}"


def test_every_unit_has_a_meaning_and_a_form() -> None:
    for unit, kind in UNITS.items():
        assert Candidate((1944,), 0.5, unit).value_text.endswith(f" {unit}")
        assert len(kind.meaning) > 10
    assert Candidate((1944,), 12.34, "points").value_text == "+12.3 points"
    assert str(Candidate((1944, 1945))).split() == ["give", "pass"]
