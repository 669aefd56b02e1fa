"""The Gymnasium environment of one learner among bots."""

import copy
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from alhambra_env import ENV_ID, Game, IllegalAction, actions
from alhambra_env.actions import N_ACTIONS
from alhambra_env.bots import BOT_NAMES
from alhambra_env.engine.editions import EDITION_NAMES
from alhambra_env.envs.single import SingleEnv
from alhambra_env.observation.layout import Layout
from alhambra_env.observation.pieces import PIECE_NAMES
from alhambra_env.options import REWARD_NAMES
from tests.refusals import assert_refused
from tests.rewards import step_rewards

Env = gymnasium.Env[Any, Any]
Step = tuple[Any, float, bool, bool, dict[str, Any]]


def make(**settings: Any) -> Env:
    return gymnasium.make(ENV_ID, **settings)


def inside(env: Env) -> SingleEnv:
    """Return the environment without the wrappers of `gymnasium.make`."""
    assert isinstance(env.unwrapped, SingleEnv)
    return env.unwrapped


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play(env: Env, seed: int, games: int = 1) -> Iterator[Step]:
    """Play whole games at random; yield what each reset (as a step without reward) and step gave.

    Every observation and mask is checked on the way.
    """
    rng = np.random.default_rng(seed)
    for game in range(games):
        observation, info = env.reset(seed=seed if game == 0 else None)
        result: Step = (observation, 0.0, False, False, info)
        while True:
            check(env, result)
            yield result
            if result[2] or result[3]:
                break
            result = _typed(env.step(choose(result[4]["action_mask"], rng)))


def _typed(result: Any) -> Step:
    observation, reward, terminated, truncated, info = result
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    return observation, reward, terminated, truncated, info


def check(env: Env, result: Step) -> None:
    """Check what the environment shows after a reset or step."""
    single = inside(env)
    game = single.game
    assert env.observation_space.contains(result[0])
    mask = result[4]["action_mask"]
    assert mask.dtype == np.int8
    assert np.flatnonzero(mask).tolist() == game.legal_actions()
    flags = env.get_wrapper_attr("action_masks")()
    assert flags.dtype == np.bool_
    assert np.array_equal(flags, mask)
    assert (result[2], result[3]) == (game.over, False)
    if not game.over:
        assert game.to_play == single.seat
        assert mask.any()


def flatten(observation: Any) -> np.ndarray:
    if isinstance(observation, dict):
        return np.concatenate([piece.ravel() for piece in observation.values()])
    assert isinstance(observation, np.ndarray)
    return observation


# --- checkers of others ---------------------------------------------------------------------------


class AnyAction(SingleEnv):
    """The environment, which replaces illegal actions by a legal one.

    The checkers sample actions without asking for the mask, which would raise `IllegalAction`.
    """

    def step(self, action: int) -> Step:
        legal = self.game.legal_actions()
        return super().step(action if action in legal else legal[int(action) % len(legal)])


@pytest.fixture
def lenient_id() -> Iterator[str]:
    name = "alhambra_tests/AnyAction-v0"
    gymnasium.register(name, entry_point="tests.test_single:AnyAction")
    yield name
    del gymnasium.registry[name]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"observation": "dict"},
        {"num_players": 2, "seat": "random", "hands": "open", "pieces": PIECE_NAMES},
        {"num_players": 6, "skip_forced": False, "reward": "score", "render_mode": "ansi"},
    ],
)
def test_gymnasiums_checker_finds_nothing(
    lenient_id: str, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    check_env(gymnasium.make(lenient_id, **settings).unwrapped)
    assert capsys.readouterr().out  # of the render mode "human"


@pytest.mark.parametrize("settings", [{}, {"num_players": 5, "reward": "margin"}])
def test_the_checker_of_stable_baselines_finds_nothing(settings: dict[str, Any]) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs PyTorch")
    sb3.check_env(AnyAction(**settings))


def test_the_checker_of_stable_baselines_finds_nothing_but_planes_that_are_no_images() -> None:
    # The checker takes any piece with three axes for an image, and wants others to be flat.
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs PyTorch")
    sb3.check_env(AnyAction(observation="dict"), warn=False)
    sb3.check_env(AnyAction(observation="dict", pieces=["hand_sizes", "picked"]))


def test_the_wrappers_of_gymnasium_find_nothing_in_whole_games() -> None:
    for settings in ({}, {"observation": "dict", "num_players": 2, "max_turns": 20}):
        assert list(play(make(**settings, disable_env_checker=False), seed=1, games=2))


# --- spaces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 6])
def test_the_spaces_are_those_of_the_encoding(num_players: int) -> None:
    env = make(num_players=num_players)
    layout = Layout(num_players)
    assert env.action_space == gymnasium.spaces.Discrete(N_ACTIONS)
    assert env.observation_space == layout.box()
    env = make(num_players=num_players, observation="dict", pieces=["hand", "city"])
    assert isinstance(env.observation_space, gymnasium.spaces.Dict)
    assert set(env.observation_space.spaces) == {"hand", "city"}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"observation": "dict"},
        {"hands": "open", "pieces": PIECE_NAMES, "num_players": 2},
        {"observation": "dict", "hands": "open", "pieces": PIECE_NAMES, "num_players": 4},
    ],
)
def test_the_learner_observes_its_seat(settings: dict[str, Any]) -> None:
    env = make(**settings, seat="random")
    watched = {key: settings[key] for key in ("hands", "pieces") if key in settings}
    layout = Layout(settings.get("num_players", 3), **watched)
    for observation, *_ in play(env, seed=2, games=3):
        single = inside(env)
        expected = layout.observe(single.game.states, 0, single.seat)
        assert np.array_equal(flatten(observation), expected)


def test_the_legal_actions_in_info_are_the_callers_own() -> None:
    env = make()
    _, info = env.reset(seed=1)
    before = info["action_mask"].copy()
    info["action_mask"][:] = 1
    flags = env.get_wrapper_attr("action_masks")()
    assert np.array_equal(flags, before)
    flags[:] = True
    with pytest.raises(IllegalAction):
        env.step(int(np.flatnonzero(before == 0)[0]))


def test_an_observation_is_the_callers_own() -> None:
    env, twin = make(), make()
    rng = np.random.default_rng(0)
    (observation, info), (other, _) = env.reset(seed=1), twin.reset(seed=1)
    for _ in range(50):
        assert np.array_equal(observation, other)
        observation[:] = 77
        action = choose(info["action_mask"], rng)
        observation, *_, info = env.step(action)
        other, *_ = twin.step(action)


# --- rewards --------------------------------------------------------------------------------------


def rewards_of(kind: str, game: Game, history: list[int], seat: int) -> list[float]:
    """Play the actions of a game and return what each earned a seat, by the definitions."""
    earned = []
    for action in history:
        before = game.scores
        game.step(action)
        earned.append(step_rewards(kind, before, game)[seat])
    return earned


@pytest.mark.parametrize(
    "settings",
    [
        {"num_players": 3},
        {"num_players": 2, "skip_forced": False},
        {"num_players": 5, "max_turns": 40},
        {"num_players": 4, "edition": "polish"},
    ],
)
@pytest.mark.parametrize("reward", REWARD_NAMES)
def test_the_reward_is_all_since_the_learners_last_decision(
    reward: str, settings: dict[str, Any]
) -> None:
    env = make(**settings, seat="random", reward=reward)
    rules = {k: v for k, v in settings.items() if k != "skip_forced"}
    lengths: list[int] = []
    given: list[float] = []
    games, paid = 0, False
    for _, earned, terminated, truncated, _ in play(env, seed=3, games=4):
        single = inside(env)
        lengths.append(len(single.game.history))
        given.append(earned)
        if terminated or truncated:
            game = Game(seed=single.game.seed, **rules)
            singly = rewards_of(reward, game, single.game.history, single.seat)
            assert game.to_bytes() == single.game.to_bytes()
            expected = [
                sum(singly[start:end])
                for start, end in zip([0, *lengths[:-1]], lengths, strict=True)
            ]
            assert given == pytest.approx(expected)
            paid |= any(given)
            lengths, given = [], []
            games += 1
    assert games == 4
    assert paid


def test_a_game_that_reaches_the_turn_limit_pays_out_and_terminates() -> None:
    env = make(max_turns=10, reward="score", num_players=2)
    results = list(play(env, seed=4))
    assert results[-1][2:4] == (True, False)
    assert results[-1][4]["truncated_by"] == "max_turns"
    assert not any("truncated_by" in result[4] for result in results[:-1])
    assert inside(env).game.truncated
    assert sum(result[1] for result in results) == inside(env).game.scores[0]


def test_the_game_of_every_edition_can_be_played() -> None:
    for edition in EDITION_NAMES:
        env = make(num_players=3, edition=edition)
        assert list(play(env, seed=5))[-1][2]
        assert inside(env).game.edition == edition


# --- seats and forced actions ---------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, 3])
def test_a_fixed_seat_stays(seat: int) -> None:
    env = make(num_players=4, seat=seat)
    for game in range(10):
        env.reset(seed=6 if game == 0 else None)
        assert inside(env).seat == seat


def test_a_random_seat_is_every_seat() -> None:
    env = make(num_players=4, seat="random")
    seats = []
    for game in range(200):
        env.reset(seed=7 if game == 0 else None)
        seats.append(inside(env).seat)
    counts = np.bincount(seats, minlength=4)
    assert counts.size == 4
    assert counts.min() > 25


def test_the_game_does_not_depend_on_how_the_seat_was_chosen() -> None:
    chosen = make(num_players=3, seat="random")
    for seed in range(8):
        chosen.reset(seed=seed)
        fixed = make(num_players=3, seat=inside(chosen).seat)
        fixed.reset(seed=seed)
        assert inside(fixed).game.to_bytes() == inside(chosen).game.to_bytes()


@pytest.mark.parametrize("num_players", [2, 4])
def test_forced_actions_are_skipped_and_the_learner_always_has_a_choice(num_players: int) -> None:
    env = make(num_players=num_players, seat="random", skip_forced=True)
    for _, _, terminated, _, info in play(env, seed=8, games=6):
        assert terminated or info["action_mask"].sum() > 1


def test_forced_actions_are_offered_where_they_are_not_skipped() -> None:
    env = make(num_players=3, skip_forced=False)
    counts = [info["action_mask"].sum() for *_, info in play(env, seed=9, games=6)]
    assert 1 in counts


def test_the_learner_decides_exactly_where_it_has_to() -> None:
    for skip_forced in (True, False):
        env = make(num_players=3, seat=1, skip_forced=skip_forced)
        decisions = sum(1 for _ in play(env, seed=10)) - 1
        single = inside(env)
        game = Game(num_players=3, seed=single.game.seed)
        asked = 0
        for action in single.game.history:
            is_forced = len(game.legal_actions()) == 1
            asked += game.to_play == 1 and not (is_forced and skip_forced)
            game.step(action)
        assert decisions == asked


def test_after_a_reset_the_learner_can_always_act() -> None:
    # A game that is over before the learner's first turn is skipped.
    for num_players, max_turns in ((3, 1), (3, 2), (6, 5)):
        env = make(num_players=num_players, max_turns=max_turns, seat=num_players - 1)
        for seed in range(10):
            _, info = env.reset(seed=seed)
            assert info["action_mask"].any()


# --- opponents ------------------------------------------------------------------------------------


def test_without_opponents_the_others_are_random_bots() -> None:
    env, same = make(num_players=4), make(num_players=4, opponents=["random"] * 3)
    assert [repr(bot) for bot in inside(env).opponents] == ["Bot('random')"] * 3
    for result, other in zip(play(env, seed=11), play(same, seed=11), strict=True):
        assert np.array_equal(result[0], other[0])


class Recorder:
    """An opponent that plays its last legal action and notes what it was asked."""

    def __init__(self, name: str = "", calls: list[Any] | None = None) -> None:
        self.name = name
        self.calls = [] if calls is None else calls

    def __call__(self, observation: Any, mask: np.ndarray) -> int:
        self.calls.append((self.name, observation, mask.copy()))
        action = int(np.flatnonzero(mask)[-1])
        mask[:] = 0  # its own copy
        return action


@pytest.mark.parametrize("form", ["flat", "dict"])
@pytest.mark.parametrize("seat", [0, 2, "random"])
def test_functions_are_asked_clockwise_with_what_their_seats_observe(
    seat: int | str, form: str
) -> None:
    calls: list[Any] = []
    opponents = [Recorder("left", calls), "random", Recorder("right", calls)]
    env = make(num_players=4, opponents=opponents, seat=seat, observation=form)
    layout = Layout(4)
    for _, _, is_over, _, _ in play(env, seed=12, games=2):
        if not is_over:
            continue
        single = inside(env)
        game = Game(num_players=4, seed=single.game.seed)
        asked = iter(calls)
        seats = {(single.seat + 1) % 4: "left", (single.seat + 3) % 4: "right"}
        for action in single.game.history:
            if game.to_play in seats:
                name, observation, mask = next(asked)
                assert name == seats[game.to_play]
                assert isinstance(observation, np.ndarray if form == "flat" else dict)
                assert env.observation_space.contains(observation)
                expected = layout.observe(game.states, 0, game.to_play)
                assert np.array_equal(flatten(observation), expected)
                assert mask.dtype == np.int8
                assert np.array_equal(mask, game.action_mask())
                assert action == np.flatnonzero(mask)[-1]
            game.step(action)
        assert next(asked, None) is None
        calls.clear()


@pytest.mark.parametrize(
    "answer", [-1, N_ACTIONS, actions.parse("give"), 0.5, None, "take:0", True]
)
def test_an_illegal_answer_of_an_opponent_raises(answer: Any) -> None:
    env = make(num_players=2, opponents=[lambda observation, mask: answer])
    rng = np.random.default_rng(0)

    def play_on() -> None:
        _, info = env.reset(seed=13)
        for _ in range(20):
            *_, info = env.step(choose(info["action_mask"], rng))

    with pytest.raises(IllegalAction, match=r"^the opponent on seat 1: .*Call reset to continue$"):
        play_on()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


class Moody:
    """Plays its first legal action, and fails if it is told to, where it is told to."""

    name = "moody"
    fails_in = ""

    def begin(self, seed: int) -> None:
        self._fail("begin")

    def choose(self, game: Game) -> int:
        self._fail("choose")
        return game.legal_actions()[0]

    def _fail(self, where: str) -> None:
        if self.fails_in == where:
            raise ZeroDivisionError("out of ideas")


@pytest.mark.parametrize("seat", [0, 2])
def test_after_an_error_of_an_opponent_the_environment_must_be_reset(seat: int) -> None:
    moody = Moody()
    env = make(opponents=["random", moody], seat=seat)

    def play_on() -> None:
        _, info = env.reset(seed=13)
        moody.fails_in = "choose"
        for _ in range(20):
            *_, info = env.step(int(info["action_mask"].argmax()))

    with pytest.raises(ZeroDivisionError) as error:
        play_on()
    place = (seat + 2) % 3
    assert error.value.__notes__ == [
        f"This was the opponent on seat {place}. Call reset to continue."
    ]
    for action in inside(env).game.legal_actions():  # they are the opponent's
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
            env.step(action)
    moody.fails_in = ""
    assert list(play(env, seed=13))[-1][2]


@pytest.mark.parametrize("fails_in", ["begin", "choose"])
def test_after_an_error_of_an_opponent_in_a_reset_there_must_be_another(fails_in: str) -> None:
    moody = Moody()
    env = make(opponents=[moody, "random"], seat=1)
    env.reset(seed=14)
    moody.fails_in = fails_in

    def reset_often() -> None:
        for _ in range(20):  # in some games the learner begins
            env.reset()

    with pytest.raises(ZeroDivisionError) as error:
        reset_often()
    assert error.value.__notes__ == ["This was the opponent on seat 2. Call reset to continue."]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    moody.fails_in = ""
    _, info = env.reset()
    env.step(int(info["action_mask"].argmax()))


def test_a_seed_that_is_none_is_refused_and_the_game_goes_on() -> None:
    env = make()
    _, info = env.reset(seed=1)
    with pytest.raises(gymnasium.error.Error):
        env.reset(seed=-1)
    env.step(int(info["action_mask"].argmax()))


def test_before_the_first_reset_there_is_nothing_to_play() -> None:
    env = SingleEnv()  # without the wrapper of `gymnasium.make` that would refuse it
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
        env.step(env.game.legal_actions()[0])


def test_an_opponent_may_answer_with_a_number_of_numpy() -> None:
    env = make(num_players=2, opponents=[lambda observation, mask: mask.argmax()])
    assert list(play(env, seed=14))[-1][2]


@pytest.mark.parametrize("action", [actions.parse("give"), -1, N_ACTIONS, 1.5, None, True])
def test_an_illegal_action_of_the_learner_raises_and_nothing_changes(action: Any) -> None:
    env = make(disable_env_checker=True)
    _, info = env.reset(seed=15)
    before = inside(env).game.to_bytes()
    with pytest.raises(IllegalAction):
        env.step(action)
    assert inside(env).game.to_bytes() == before
    env.step(int(info["action_mask"].argmax()))


def test_an_action_after_the_end_raises() -> None:
    env = make(max_turns=5)
    assert list(play(env, seed=16))
    with pytest.raises(gymnasium.error.ResetNeeded, match="the game is over"):
        env.step(0)


# --- seeding --------------------------------------------------------------------------------------


def trace(env: Env, seed: int | None) -> list[bytes]:
    """Play three games after a reset with a seed; return what was observed."""
    rng = np.random.default_rng(1)
    seen = []
    observation, info = env.reset(seed=seed)
    for _ in range(3):
        over = False
        while not over:
            seen.append(flatten(observation).tobytes())
            action = choose(info["action_mask"], rng)
            observation, reward, terminated, truncated, info = env.step(action)
            seen.append(repr(reward).encode())
            over = terminated or truncated
        observation, info = env.reset()
    return seen


@pytest.mark.parametrize("settings", [{}, {"seat": "random", "observation": "dict"}])
def test_a_seed_determines_all_games_that_follow(settings: dict[str, Any]) -> None:
    env = make(**settings, max_turns=40, reward="score")
    first = trace(env, seed=17)
    assert trace(env, seed=17) == first
    assert trace(make(**settings, max_turns=40, reward="score"), seed=17) == first
    assert trace(env, seed=18) != first
    assert trace(env, seed=None) != first


def test_every_reset_begins_another_game() -> None:
    env = make()
    seeds = set()
    for game in range(50):
        env.reset(seed=19 if game == 0 else None)
        seeds.add(inside(env).game.seed)
    assert len(seeds) == 50


def test_reset_takes_options_that_it_does_not_know() -> None:
    env, same = make(), make()
    observation, _ = env.reset(seed=20, options={"difficulty": "hard"})
    assert np.array_equal(observation, same.reset(seed=20)[0])


# --- copies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("unwrapped", [True, False])
@pytest.mark.parametrize("settings", [{}, {"observation": "dict", "seat": "random"}])
def test_a_copy_in_mid_game_goes_on_like_the_original(
    settings: dict[str, Any], unwrapped: bool, copied: Callable[[Env], Env]
) -> None:
    env = make(**settings, reward="score")
    rng = np.random.default_rng(2)
    _, info = env.reset(seed=21)
    for _ in range(40):
        *_, info = env.step(choose(info["action_mask"], rng))
    if unwrapped:
        env = env.unwrapped
    twin = copied(env)
    assert inside(twin).game is not inside(env).game
    later = [play_on(each, copy.deepcopy(rng), info) for each in (env, twin)]
    assert later[0] == later[1]
    assert trace(env, seed=None) == trace(twin, seed=None)


def play_on(env: Env, rng: np.random.Generator, info: dict[str, Any]) -> list[Any]:
    """Play a running game to its end; return what was observed and earned."""
    seen: list[Any] = []
    over = False
    while not over:
        observation, reward, over, _, info = env.step(choose(info["action_mask"], rng))
        seen += [flatten(observation).tobytes(), reward]
    return seen


# --- pictures -------------------------------------------------------------------------------------


def test_ansi_returns_the_table_as_text() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=22)
    text = env.render()
    assert isinstance(text, str)
    assert text == str(inside(env).game)
    env.step(int(inside(env).game.legal_actions()[0]))
    assert env.render() != text


def test_human_prints_the_table_in_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode="human")
    env.reset(seed=23)
    capsys.readouterr()
    env.step(int(inside(env).game.legal_actions()[0]))
    assert capsys.readouterr().out.strip() == str(inside(env).game).strip()
    assert env.render() is None
    assert capsys.readouterr().out.strip() == str(inside(env).game).strip()


def test_without_a_render_mode_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    env = inside(make())
    env.reset(seed=24)
    assert env.render() is None
    env.step(env.game.legal_actions()[0])
    assert capsys.readouterr().out == ""


def test_the_render_modes_are_declared() -> None:
    assert set(SingleEnv.metadata["render_modes"]) == {"ansi", "human", "rgb_array", "svg"}
    assert SingleEnv.metadata["render_fps"] > 0


# --- bad settings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message", "allowed"),
    [
        ({"num_players": 1}, "num_players must be 2 to 6", []),
        ({"num_players": 2, "edition": "italian"}, "italian", []),
        ({"edition": "french"}, "french", EDITION_NAMES),
        ({"opponents": ["rendom", "random"]}, "did you mean 'random'", BOT_NAMES),
        ({"opponents": ["zzz", "random"]}, "unknown player 'zzz'", BOT_NAMES),
        ({"opponents": ["random", 3]}, "3 is not a player", BOT_NAMES),
        ({"opponents": ["random"]}, "2 opponents", []),
        ({"opponents": ["random"] * 3}, "3 players has 2 opponents", []),
        ({"opponents": []}, "2 opponents", []),
        ({"opponents": "random"}, "as a list", []),
        ({"opponents": "random", "num_players": 7}, "num_players must be 2 to 6", []),
        ({"seat": 3}, "seat", ["0 to 2", "random"]),
        ({"seat": -1}, "seat", ["0 to 2", "random"]),
        ({"seat": 1.0}, "seat", ["0 to 2", "random"]),
        ({"seat": True}, "seat", ["0 to 2", "random"]),
        ({"seat": None}, "seat", ["0 to 2", "random"]),
        ({"seat": "first"}, "seat", ["0 to 2", "random"]),
        ({"hands": "visible"}, "visible", ["secret", "open"]),
        ({"reward": "money"}, "money", REWARD_NAMES),
        ({"observation": "image"}, "image", ["flat", "dict"]),
        ({"pieces": ["mraket"]}, "did you mean 'market'", PIECE_NAMES),
        ({"pieces": []}, "needs a piece", PIECE_NAMES),
        ({"pieces": ["other_hands"]}, 'needs hands="open"', []),
        ({"max_turns": 0}, "max_turns must be", []),
        ({"max_turns": 2.5}, "max_turns must be", []),
        ({"render_mode": "pdf"}, "render_mode", ["ansi", "human"]),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_with_what_is_allowed(
    settings: dict[str, Any], message: str, allowed: Iterable[str]
) -> None:
    assert_refused(SingleEnv, settings, message, allowed)


def test_a_setting_is_refused_also_through_gymnasium() -> None:
    with pytest.raises(ValueError, match="unknown player"):
        make(opponents=["builder!", "random"])


@pytest.mark.parametrize("seat", [np.int64(1), np.int8(1)])
def test_a_seat_may_be_a_number_of_numpy(seat: Any) -> None:
    # As numbers of players, actions and seeds may be.
    assert SingleEnv(seat=seat).seat == 1
