"""Scripted bots: they play every game legally, and only from what their seat may know."""

from typing import Any

import numpy as np
import pytest

from alhambra_env import Game, bots
from alhambra_env.bots.kinds import BOTS, SETTINGS, BotKind
from alhambra_env.engine.editions import EDITIONS, EditionName
from alhambra_env.engine.material import MAX_PLAYERS, N_CURRENCIES, N_VALUES
from alhambra_env.options import Hands
from alhambra_env.players import Player, PolicyPlayer, as_player
from tests.plain_python import PlainCall

QUICK: dict[str, dict[str, Any]] = {"rollout": {"playouts": 2, "candidates": 2}}
ALL = [kind.name for kind in BOTS]
THINKERS = ["planner", "lookahead", "rollout"]


def make(name: str, **settings: Any) -> bots.Bot:
    return bots.make(name, **QUICK.get(name, {}) | settings)


def play(game: Game, bot: bots.Bot, decisions: int = 100_000) -> Game:
    while not game.over and decisions > 0:
        game.step(bot.choose(game))
        decisions -= 1
    return game


KINDS = [
    (edition.book, num_players)
    for edition in EDITIONS
    for num_players in range(edition.min_players, MAX_PLAYERS + 1)
]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("edition", "num_players"), KINDS)
def test_a_bot_plays_every_edition_and_number_of_players(
    name: str, edition: EditionName, num_players: int
) -> None:
    game = Game(num_players, edition, seed=num_players)
    play(game, make(name), 20 if name == "rollout" else 100_000)
    assert game.over or name == "rollout"
    assert not game.truncated


@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_gives_the_same_choices(name: str) -> None:
    games = []
    for _ in range(2):
        bot = make(name)
        bot.begin(5)
        games.append(play(Game(3, seed=3), bot, 80))
    assert games[0].history == games[1].history


@pytest.mark.parametrize("name", ["random", "uniform", "rollout"])
def test_another_seed_gives_other_choices(name: str) -> None:
    histories = []
    for seed in range(2):
        bot = make(name)
        bot.begin(seed)
        histories.append(play(Game(3, seed=3), bot, 200).history)
    assert histories[0] != histories[1]


@pytest.mark.parametrize("hands", ["secret", "open"])
@pytest.mark.parametrize("name", ALL)
def test_a_bot_does_not_look_at_what_its_seat_may_not_know(name: str, hands: Hands) -> None:
    has_setting = "hands" in next(kind for kind in BOTS if kind.name == name).settings
    if hands == "open" and not has_setting:
        pytest.skip("it never looks at other hands")
    bot = make(name, hands=hands) if has_setting else make(name)
    driver = bots.make("builder")
    changed = 0
    for num_players in (2, 3, 5):
        game = Game(num_players, seed=num_players)
        for i in range(90):
            if name != "rollout" or i % 5 == 0:
                bot.begin(i)
                choice = bot.choose(game)
                other = game.resample(game.to_play, seed=i, hands=hands)
                changed += other.to_bytes() != game.to_bytes()
                bot.begin(i)
                assert bot.choose(other) == choice
            game.step(driver.choose(game))
    assert changed > 40  # there was something to hide


@pytest.mark.parametrize("name", ALL)
def test_choosing_changes_nothing(name: str) -> None:
    game = play(Game(4, seed=8), bots.make("builder"), 60)
    before = game.to_bytes()
    make(name).choose(game)
    assert game.to_bytes() == before


def histories_of_bots() -> str:
    histories = []
    for name in ALL:
        bot = make(name)
        bot.begin(3)
        histories.append(play(Game(2, seed=6), bot, 4 if name == "rollout" else 25).history)
    return str(histories)


def test_plain_python_chooses_as_compiled_code_does(in_plain_python: PlainCall) -> None:
    assert in_plain_python(histories_of_bots) == histories_of_bots()


def test_saver_takes_the_most_money_and_pays_exactly() -> None:
    game, saver = Game(3, seed=2), bots.make("saver")
    bought = 0
    while not game.over:
        action = saver.choose(game)
        legal = game.legal_actions()
        name = game_name(action)
        if name.startswith("take"):
            takes = [a for a in legal if game_name(a).startswith("take")]
            assert taken(game, action) == max(taken(game, a) for a in takes)
        if name.startswith("buy"):
            assert overpaid(game, action) == 0 or not any(
                game_name(a).startswith("take") for a in legal
            )
            bought += 1
        game.step(action)
    assert bought > 5


def test_builder_buys_whenever_it_can_and_overpays_least() -> None:
    game, builder = Game(3, seed=2), bots.make("builder")
    bought = 0
    while not game.over:
        action = builder.choose(game)
        buys = [a for a in game.legal_actions() if game_name(a).startswith("buy")]
        if buys:
            assert action in buys
            assert overpaid(game, action) == min(overpaid(game, a) for a in buys)
            bought += 1
        game.step(action)
    assert bought > 5


def game_name(action: int) -> str:
    from alhambra_env import actions

    return actions.name(action)


def taken(game: Game, action: int) -> int:
    before = money(game)
    after = game.clone()
    seat = game.to_play
    after.step(action)
    return int((after.states["hands"][0, seat] * np.arange(1, 10)).sum()) - before


def money(game: Game) -> int:
    hand = game.states["hands"][0, game.to_play]
    assert hand.shape == (N_CURRENCIES, N_VALUES)
    return int((hand * np.arange(1, N_VALUES + 1)).sum())


def overpaid(game: Game, action: int) -> int:
    from alhambra_env.engine.action_ranges import BUY
    from alhambra_env.engine.material import TILE_PRICE
    from alhambra_env.engine.payments import N_PAYMENTS, PAYMENT_TOTAL

    slot, payment = divmod(action - BUY, N_PAYMENTS)
    return int(PAYMENT_TOTAL[payment] - TILE_PRICE[game.states["market"][0, slot]])


def win_share(strong: str, weak: str, num_players: int, deals: int) -> float:
    share = 0.0
    for deal in range(deals):
        seat = deal % num_players
        game = Game(num_players, seed=deal)
        table = [make(strong) if i == seat else make(weak) for i in range(num_players)]
        for i, bot in enumerate(table):
            bot.begin(i)
        while not game.over:
            game.step(table[game.to_play].choose(game))
        share += (seat in game.winners) / len(game.winners)
    return share / deals


@pytest.mark.parametrize(
    ("strong", "weak", "least"),
    [("saver", "random", 0.7), ("builder", "random", 0.8), ("planner", "builder", 0.7)],
)
def test_each_bot_beats_a_weaker_one(strong: str, weak: str, least: float) -> None:
    assert win_share(strong, weak, 3, 60) > least


def test_planners_score_like_people() -> None:
    scores = []
    for seed in range(40):
        game = play(Game(3, seed=seed), bots.make("planner"))
        scores += game.scores
    assert 110 < np.mean(scores) < 150


def test_rollout_with_one_candidate_has_nothing_to_try() -> None:
    game = Game(3, seed=1)
    choices = set()
    for seed in range(5):
        bot = bots.make("rollout", candidates=1)
        bot.begin(seed)
        rng = bot.rng.copy()
        choices.add(bot.choose(game))
        assert (bot.rng == rng).all()
    assert len(choices) == 1


# --- names and settings ---------------------------------------------------------------------------


def test_settings_can_stand_in_the_name() -> None:
    bot = bots.make("rollout:playouts=12,hands=open")
    assert bot.name == "rollout:hands=open,playouts=12"
    assert bots.make(bot.name).row.tolist() == bot.row.tolist()
    assert bots.make("rollout", playouts=12, hands="open").row.tolist() == bot.row.tolist()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("planer", {}, "did you mean 'planner'"),
        ("planer", {}, ", ".join(ALL)),
        ("random", {"hands": "open"}, "has no settings"),
        ("rollout", {"playout": 3}, "did you mean 'playouts'"),
        ("rollout", {"playouts": 0}, "playouts must be 1 to"),
        ("rollout", {"playouts": "many"}, "playouts must be a whole number"),
        ("lookahead", {"hands": "shut"}, "secret, open"),
        ("rollout:playouts", {}, "name=value"),
        ("lookahead:playouts=3", {}, "unknown setting"),
    ],
)
def test_what_does_not_exist_is_refused(name: str, settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bots.make(name, **settings)


def test_there_is_nothing_to_choose_when_a_game_is_over() -> None:
    game = play(Game(2, seed=0), bots.make("builder"))
    with pytest.raises(ValueError, match="over"):
        bots.make("builder").choose(game)


def test_settings_of_bots_exist() -> None:
    known = {setting.name for setting in SETTINGS}
    for kind in BOTS:
        assert isinstance(kind, BotKind)
        assert set(kind.settings) <= known
        assert kind.does


# --- players --------------------------------------------------------------------------------------


class Cautious:
    """A player of the user's: always the last legal action."""

    name = "cautious"

    def begin(self, seed: int) -> None:
        self.seed = seed

    def choose(self, game: Game) -> int:
        return game.legal_actions()[-1]


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    assert observation.dtype == np.uint8
    return int(mask.argmax())


def test_anything_that_chooses_can_sit_at_the_table() -> None:
    game = Game(3, seed=0)
    path = f"{__name__}:Cautious"
    for given, expected in (
        (Cautious, "cautious"),
        (Cautious(), "cautious"),
        (path, "cautious"),
        (first_legal, "first_legal"),
        (f"{__name__}:first_legal", "first_legal"),
        ("planner", "planner"),
    ):
        player = as_player(given)
        assert isinstance(player, Player)
        assert player.name == expected
        player.begin(0)
        assert player.choose(game) in game.legal_actions()


def test_a_function_observes_what_it_asks_for() -> None:
    seen = {}

    def policy(observation: Any, mask: np.ndarray) -> int:
        seen.update(observation)
        return int(mask.argmax())

    player = PolicyPlayer(policy, "mine", hands="open", observation="dict")
    player.choose(Game(4, seed=0))
    assert "other_hands" in seen
    assert player.name == "mine"


@pytest.mark.parametrize("given", [3, None, "nobody", "no.such.module:Name", f"{__name__}:Nobody"])
def test_what_is_no_player_is_refused_with_what_there_is(given: Any) -> None:
    with pytest.raises(ValueError, match="planner"):
        as_player(given)
